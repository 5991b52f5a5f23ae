import { wrongInput } from '../core/input-shapes.js';
import { hunksByPath, type ChangedFiles } from '../git/diff.js';
import type { GithubEvent, Origin } from '../github/event.js';
import { addPermission, ifRefused } from '../github/github-error.js';
import { readReviewedMark } from '../github/marker.js';
import { joinParts, number as formatNumber, shortCommit } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import { lookUpPlaces, refusalOf, type ReviewedCommit } from './look-up-places.js';
import type { Publication } from './publication.js';
import type { ChangedFileList, Pull, PullRequestApi } from './pull-request-api.js';

/**
 * The pull request to write to. The input of the workflow's author comes first, then the event. A number that only
 * the report names is a claim, and so is what the event lists for a run of a fork.
 */
type PullTarget = { kind: 'known'; number: number } | Claim | { kind: 'none' };

/**
 * A claim holds if GitHub says the same of the pull request: `commit`, which the event vouches for, is part of it, and
 * after a CI run it comes from the branch of the repository that the run was for. The commit alone is not enough:
 * anyone can push the commits of another user's pull request to a fork.
 */
interface Claim {
  kind: 'claimed';
  number: number;
  commit: string;
  origin?: Origin;
}

export function chooseTarget(
  given: number | undefined,
  event: Partial<GithubEvent>,
  named: number | undefined,
): PullTarget {
  if (given !== undefined) return { kind: 'known', number: given };
  const { head, origin, repository } = event;
  const isFork = origin !== undefined && origin.repository !== repository;
  const listed = pullOf(event);
  if (listed !== undefined && !isFork) return { kind: 'known', number: listed };
  const claimed = listed ?? named;
  if (claimed === undefined || head === undefined) return { kind: 'none' };
  return { kind: 'claimed', number: claimed, commit: head, ...(origin ? { origin } : {}) };
}

/** The pull request of the event. After a CI run it counts only if the run was about its current head. */
export const pullOf = ({ pull, head }: Partial<GithubEvent>): number | undefined =>
  pull?.head === head ? pull?.number : undefined;

export async function findPull(
  api: PullRequestApi,
  target: PullTarget,
  { name }: GithubEvent,
): Promise<{ number: number; pull: Pull }> {
  if (target.kind === 'none') {
    const message = `the event ${name || '(none)'} is not about one pull request; set pr-number, or use as: annotations.`;
    throw wrongInput('pr-number', message);
  }
  const { number } = target;
  const pull = await api.pull(number);
  if (target.kind === 'known') return { number, pull };
  const { commit, origin } = target;
  const contradicted = (why: string) =>
    wrongInput(
      'pr-number',
      `the report names #${number}, but ${why}, so the report is ignored; set pr-number.`,
    );
  if (origin && !isSameOrigin(origin, pull.origin))
    throw contradicted(
      `it comes from ${originText(pull.origin)}, and this run was for ${originText(origin)}`,
    );
  if (!(await api.hasCommit(number, pull, commit)))
    throw contradicted(`the commit of this event (${shortCommit(commit)}) is not part of it`);
  return { number, pull };
}

const isSameOrigin = (one: Origin, other: Origin): boolean =>
  one.repository !== undefined &&
  one.branch !== undefined &&
  one.repository === other.repository &&
  one.branch === other.branch;

const originText = ({ repository = 'an unknown repository', branch = 'an unknown branch' }: Origin): string =>
  logLine(`${repository}:${branch}`, 300);

/** What is to be written, and the pull request that it is for. */
export interface PullPublication {
  number: number;
  pull: Pull;
  publication: Publication;
  /** The commit that the reports are about: their own word, or that of the event. */
  reviewed: string | undefined;
  /** The commit of the event, which no report can make up. */
  eventHead?: string | undefined;
}

/** The commit to write about, and the changed files as they are in it. */
export interface ChosenCommit {
  publication: Publication;
  /** Undefined if nothing can be put on lines. */
  commit: string | undefined;
  files: ChangedFiles;
  isCut: boolean;
  /** What a reader of the review should know about this; empty if nothing. */
  remark: string;
  notes: string[];
}

/** Whether a text that we wrote is about the newest commit, and the report is about an older one. */
export const isAboutNewer = (body: string, reviewed: string | undefined, pull: Pull): boolean =>
  reviewed !== undefined && reviewed !== pull.head && readReviewedMark(body)?.head === pull.head;

/**
 * Line numbers belong to a commit. If it is the head of the pull request, the files are those that GitHub lists. If
 * the pull request has newer commits, the review is put on the reviewed commit, with the files as they were then;
 * GitHub shows such a comment as outdated if its lines have changed since. If the commit is unknown or no longer part
 * of the pull request, line numbers mean nothing, and everything goes into the body. So it does if the token may not
 * compare commits.
 */
export async function chooseReviewCommit(api: PullRequestApi, task: PullPublication): Promise<ChosenCommit> {
  const { list, about, notes, at } = await readChange(api, task);
  const publication = await lookUpPlaces(api, task.publication, at);
  const files = hunksByPath(list?.files ?? []);
  const cutAt = list?.cutAt;
  const cut =
    cutAt !== undefined && publication.findings.some(({ path }) => !files.has(path))
      ? `GitHub lists only ${formatNumber(cutAt)} of the changed files. Findings in the others are not on lines.`
      : '';
  const remarks = joinParts([about, cut], ' ');
  return {
    publication,
    commit: list && task.reviewed,
    files,
    isCut: !list || cutAt !== undefined,
    remark: remarks === '' ? '' : `*${remarks}*`,
    notes,
  };
}

const knownCommit = (commit: string, list?: ChangedFileList): ReviewedCommit => ({
  kind: 'known',
  commit,
  change: list && { files: list.files, isPartial: list.cutAt !== undefined },
});

interface ListedChange {
  /** Undefined if nothing can be put on lines. */
  list?: ChangedFileList;
  /** Where findings are looked up. It is never a commit that only a report names. */
  at: ReviewedCommit;
  about: string;
  notes: string[];
}

async function readChange(api: PullRequestApi, task: PullPublication): Promise<ListedChange> {
  const { number, pull, reviewed, eventHead } = task;
  if (reviewed === undefined) {
    const about = 'The report does not name its commit, so nothing is put on lines.';
    return { at: knownCommit(pull.head), about, notes: [] };
  }
  if (reviewed === pull.head) {
    const list = await api.files(number);
    return { list, at: knownCommit(reviewed, list), about: '', notes: [] };
  }
  const name = shortCommit(reviewed);
  let isPart = reviewed === eventHead;
  try {
    if (await api.hasCommit(number, pull, reviewed)) {
      isPart = true;
      const list = await api.filesAt({ base: pull.base, head: reviewed });
      return {
        list,
        at: knownCommit(reviewed, list),
        about: `About ${name}; there are newer commits.`,
        notes: [],
      };
    }
  } catch (error) {
    const refusal = refusalOf(error);
    const about = `The report is about ${name}; there are newer commits. The token may not compare them, so nothing is put on lines. ${addPermission('contents: read')}`;
    const at: ReviewedCommit = isPart ? knownCommit(reviewed) : { kind: 'unknown', ...refusal };
    return { at, about, notes: [refusal.why] };
  }
  const about = `The report is about ${name}, which is no longer part of this pull request, so nothing is put on lines.`;
  const why = `${name} is not part of this pull request, so places in it mean nothing here.`;
  return { at: isPart ? knownCommit(reviewed) : { kind: 'unknown', why }, about, notes: [] };
}

/** The commit of an event without a pull request, as a push, and what it changed. */
export async function lookUpAtEvent(
  api: PullRequestApi,
  publication: Publication,
  { head, change }: GithubEvent,
): Promise<Publication> {
  const named = publication.head ?? head;
  if (head === undefined || named !== head) {
    const why = 'The report is not about the commit of this event.';
    return lookUpPlaces(api, publication, { kind: 'unknown', why });
  }
  const commits = change?.commits;
  const isKnown = publication.reported.length > 0 && commits?.kind === 'known' && commits.head === head;
  // Without the list of changed files, it is only known whether places exist.
  const list = isKnown
    ? await api.filesAt({ base: commits.base, head }).catch(ifRefused(undefined))
    : undefined;
  return lookUpPlaces(api, publication, knownCommit(head, list));
}
