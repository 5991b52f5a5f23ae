import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../core/errors.js';
import { isText, toText, type BytePath } from '../git/paths.js';
import type { GithubClient, RepositoryName } from '../github/client.js';
import {
  firstBaseOf,
  hasTrailer,
  isOurs,
  readBranches,
  readOpenPulls,
  type PullRequest,
  type RemoteCommit,
} from '../github/proposals.js';
import { changedLines } from './git-change.js';
import { withHistory, type History, type HistoryRequest } from './history.js';

/** The pull request that runs of one workflow for one branch keep up to date, and the branch that it is on. */
export interface StandingProposal {
  /** Where the result of this run goes. */
  branch: string;
  /** The open pull request, if there is one that this run can continue. */
  open?: OpenProposal;
  /** A pull request with commits of others, which is left as it is. `covered`: the commit that it describes. */
  besides?: { number: number; covered?: string };
}

export interface OpenProposal {
  number: number;
  /** Our commit, and its parent: the commit of the base that it was made for. */
  commit: string;
  base: string;
  /** Everything since this commit is in it. */
  firstBase: string;
}

interface ProposalSearch {
  github: GithubClient;
  repository: RepositoryName;
  /** The input `proposal-branch`. */
  name: string;
  /** The commit that is checked out. */
  head: string;
}

/** A pull request that people work on keeps its branch, and the next one gets a number. */
const MAX_BRANCHES = 9;

/** Looks at the branch of the workflow, and at the next ones if people work on it. */
export async function findStanding({ github, ...search }: ProposalSearch): Promise<StandingProposal> {
  const { name } = search;
  let besides: StandingProposal['besides'];
  let free: string | undefined;
  for (let count = 1; count <= MAX_BRANCHES; count += 1) {
    const branch = count === 1 ? name : `${name}-${count}`;
    const found = await lookAt(github, { ...search, branch });
    if (found.kind === 'ours') return { branch, open: found.open, ...(besides ? { besides } : {}) };
    if (found.kind === 'theirs') besides = found.pull ?? besides;
    else if (free === undefined) free = branch;
    // One branch further: a person may have merged the first while the second was in use.
    else break;
  }
  if (free === undefined)
    throw new Error(`${name} and the ${MAX_BRANCHES - 1} branches after it have commits of others.`);
  return { branch: free, ...(besides ? { besides } : {}) };
}

type FoundBranch =
  | { kind: 'free' }
  | { kind: 'ours'; open: OpenProposal }
  | { kind: 'theirs'; pull: StandingProposal['besides'] };

async function lookAt(
  github: GithubClient,
  { repository, branch, head }: Omit<ProposalSearch, 'github' | 'name'> & { branch: string },
): Promise<FoundBranch> {
  const reading = readBranches(github);
  const there = await reading.branch(branch);
  if (!there) return { kind: 'free' };
  const [comparison, [pull]] = await Promise.all([
    reading.compare(head, there.commit),
    readOpenPulls(github, repository, { branch }),
  ]);
  if (comparison?.ahead === 0) return { kind: 'free' };
  const { only, first } = comparison ?? {};
  const [base] = only?.parents ?? [];
  if (only && base !== undefined && isMadeBy(only, branch, pull)) {
    if (!pull) return { kind: 'free' };
    const firstBase = firstBaseOf(only.message) ?? base;
    return { kind: 'ours', open: { number: pull.number, commit: only.id, base, firstBase } };
  }
  const [covered] = first && hasTrailer(first.message, branch) ? first.parents : [];
  return {
    kind: 'theirs',
    pull: pull && { number: pull.number, ...(covered === undefined ? {} : { covered }) },
  };
}

/** Propose may use another token than this job, so its account is the one that opened the pull request. */
function isMadeBy(commit: RemoteCommit, branch: string, pull: PullRequest | undefined): boolean {
  const account = pull ? pull.author : commit.author;
  return account !== undefined && isOurs(commit, branch, account);
}

/** What a standing pull request does to the newest base. Paths start at the top of the repository. */
export interface RebuiltProposal {
  /** The files that differ from the base, as they have to be. */
  files: ReadonlyMap<BytePath, Buffer>;
  /** Changes that could not be taken over. */
  leftOut: string[];
  /** The same changes as a diff. */
  lost: string;
  /** Files that it removes, and the base still has. */
  removed: string[];
}

const MAX_FILES = 1000;
const MAX_BYTES = 5 * 1024 * 1024;

/** Does to the commit `head` what a proposal did to its own base. Where both changed the same lines, nothing is taken over. */
export const rebuildProposal = (
  request: HistoryRequest,
  { base, commit }: Pick<OpenProposal, 'base' | 'commit'>,
  head: string,
): Promise<RebuiltProposal> =>
  withHistory(request, [head], async (history) => {
    const missing = [base, commit].filter((id) => !history.has(id));
    if (missing.length > 0) await history.fetch([commit, base], 2);
    const changes = changedIn(history, base, commit);
    if (changes.length > MAX_FILES) throw new Error(`it changes ${changes.length} files`);
    const files = new Map<BytePath, Buffer>();
    const leftOut: string[] = [];
    const removed: string[] = [];
    for (const { path, ...sides } of changes) {
      const merged = mergeFile(history, { ...sides, now: entryOf(history, head, path) });
      if (merged.kind === 'file') files.set(path, merged.content);
      if (merged.kind === 'conflict') leftOut.push(toText(path));
      if (merged.kind === 'removed') removed.push(toText(path));
    }
    const lost =
      leftOut.length === 0 ? '' : changedLines({ git: history.git, from: base, to: commit }, leftOut);
    return { files, leftOut, lost, removed };
  });

/** A file of a commit by its mode and id; undefined if there is none. Links and submodules have none. */
type FileId = string | undefined;

interface ThreeSides {
  /** In the base of the proposal, in the proposal, and in the newest base. */
  before: FileId;
  after: FileId;
  now: FileId;
}

type Merged = { kind: 'same' | 'conflict' | 'removed' } | { kind: 'file'; content: Buffer };

function mergeFile(history: History, { before, after, now }: ThreeSides): Merged {
  if (after === now) return { kind: 'same' };
  if (after !== undefined && ![before, now].some((file) => modeOf(file) === modeOf(after)))
    return { kind: 'conflict' };
  if (now === before) {
    if (after === undefined) return { kind: 'removed' };
    const content = readBlob(history, after);
    return content ? { kind: 'file', content } : { kind: 'conflict' };
  }
  if (before === undefined || after === undefined || now === undefined) return { kind: 'conflict' };
  const folder = join(history.git.folder, 'merge');
  mkdirSync(folder, { recursive: true });
  const names = Object.entries({ now, before, after }).flatMap(([name, id]) => {
    const bytes = readBlob(history, id);
    if (!bytes) return [];
    writeFileSync(join(folder, name), bytes);
    return [join(folder, name)];
  });
  if (names.length < 3) return { kind: 'conflict' };
  // It exits with the number of conflicts.
  const content = attempt(() => history.git.call({ args: ['merge-file', '-p', '--quiet', ...names] }));
  if (!content) return { kind: 'conflict' };
  return content.equals(readBlob(history, now) ?? Buffer.alloc(0))
    ? { kind: 'same' }
    : { kind: 'file', content };
}

function readBlob({ git }: History, file: string): Buffer | undefined {
  const [, id = ''] = file.split(' ');
  if (Number(gitText(git, ['cat-file', '-s', id])) > MAX_BYTES) return undefined;
  return git.call({ args: ['cat-file', 'blob', id] });
}

const gitText = (git: History['git'], args: readonly string[]): string =>
  git.call({ args }).toString('latin1').trim();

/** The files that differ between two commits. A link or submodule on a side counts as no file there. */
function changedIn(
  { git }: History,
  from: string,
  to: string,
): ({ path: BytePath } & Omit<ThreeSides, 'now'>)[] {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--raw', '--full-index', from, to];
  const fields = git.call({ args }).toString('latin1').split('\0');
  const changes: ({ path: BytePath } & Omit<ThreeSides, 'now'>)[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [before = '', after = '', one = '', other = ''] = (fields[at] ?? '').replace(/^:/, '').split(' ');
    const path = fields[at + 1] ?? '';
    if (isText(path)) changes.push({ path, before: fileId(before, one), after: fileId(after, other) });
  }
  return changes;
}

const fileId = (mode: string, id: string): FileId =>
  /^100(?:644|755)$/.test(mode) ? `${mode} ${id}` : undefined;

/** Only contents are taken over. A file that did not exist is written as one that cannot be executed. */
const modeOf = (file: FileId): string | undefined => file?.split(' ')[0] ?? '100644';

function entryOf({ git }: History, commit: string, path: BytePath): FileId {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', toText(path)];
  const [, mode = '', id = ''] = /^(\d+) blob ([0-9a-f]+)\t/.exec(gitText(git, args)) ?? [];
  return fileId(mode, id);
}
