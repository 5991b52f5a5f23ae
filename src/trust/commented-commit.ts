import * as z from 'zod/mini';
import { RunFailure } from '../core/failure.js';
import { PAGE, parseRepository } from '../github/client.js';
import { lookUpPull, type GithubEvent, type Payload, type PullDetails } from '../github/event.js';
import { shortCommit } from '../text/format.js';
import { connectTo, couldNotFindOut, type GithubAccess } from './check-trigger.js';
import { quoteName } from './decide.js';

/**
 * A comment approves the commit that its author could see. The event of a comment under a pull request does not say
 * which one that was, and the event of a comment on lines names the newest one, which may have come later. GitHub's
 * record of pushes says it: it has the time at which GitHub received each of them, while the dates in a commit are
 * written by its author.
 */
export interface CommentedPull {
  /** When the comment was written or last edited. Undefined if the event does not say. */
  writtenAt: string | undefined;
  details: PullDetails;
  /** What happened to the branch of the pull request, the newest first. */
  pushes: readonly Push[];
  /** Undefined if no commit is checked out. */
  checkedOut: CheckedOut | undefined;
  /** The commit of the default branch, which `issue_comment` checks out unless told otherwise. Undefined on others. */
  eventCommit: string | undefined;
}

interface CheckedOut {
  commit: string;
  /** What it merges into its first parent, as the merge commit that GitHub makes of a pull request does. */
  merged: readonly string[];
}

const PushSchema = z.looseObject({ after: z.string(), ref: z.string(), timestamp: z.string() });
export type Push = z.output<typeof PushSchema>;

/** The commit that the comment approves, or why there is none that may be shown to the agent. */
export function chooseCommentedCommit(pull: CommentedPull): { commit: string } | { problem: string } {
  const { writtenAt = '', pushes } = pull;
  if (Number.isNaN(Date.parse(writtenAt)))
    return { problem: 'The event does not say when the comment was written.' };
  const { branch } = pull.details.head;
  const commit = commitAt(pushes, branch, writtenAt);
  if (commit === undefined)
    return {
      problem:
        `GitHub has no record of a push to ${quoteName(branch)} before the comment was written, so it ` +
        'is unknown which commit its author saw. Look at the newest commit and comment again.',
    };
  const other = otherCommit(pull, commit);
  if (other === undefined) return { commit };
  return {
    problem:
      `Commit ${shortCommit(other)} of the pull request is checked out, but ${shortCommit(commit)} was its newest when the comment ` +
      'was written. Check out that commit, or look at the newest one and comment again.',
  };
}

/** The commit of the pull request that is checked out, if it is another one than the comment is about. */
function otherCommit(
  { details, pushes, checkedOut, eventCommit }: CommentedPull,
  commit: string,
): string | undefined {
  // A new branch starts at a commit of its base. If the base is checked out, the pull request is not.
  if (!checkedOut || [commit, eventCommit].includes(checkedOut.commit)) return undefined;
  const heads = new Set([details.head.commit, ...pushes.map(({ after }) => after)]);
  if (heads.has(checkedOut.commit)) return checkedOut.commit;
  return checkedOut.merged.includes(commit) ? undefined : checkedOut.merged.find((head) => heads.has(head));
}

/**
 * The commit that a branch had at some time, by GitHub's record of pushes. GitHub's times are whole seconds. A push in
 * the same second counts as later, because its author cannot have seen it.
 */
export function commitAt(pushes: readonly Push[], branch: string, time: string): string | undefined {
  const at = Date.parse(time);
  const last = pushes.find((push) => push.ref === `refs/heads/${branch}` && Date.parse(push.timestamp) < at);
  return !last || /^0*$/.test(last.after) ? undefined : last.after;
}

export interface PinRequest extends GithubAccess {
  checkedOut(): CheckedOut | undefined;
  eventCommit: string | undefined;
}

/**
 * The event with the commit that a comment on a pull request is about. From here on GitHub is not asked again what the newest
 * commit is, so a later push cannot reach the agent. Any other event is returned as it is.
 */
export async function pinCommentedCommit(
  event: GithubEvent,
  { checkedOut, eventCommit, ...access }: PinRequest,
): Promise<{ event: GithubEvent; notes: string[] }> {
  const { pull } = event;
  const isComment = ['issue_comment', 'pull_request_review_comment'].includes(event.name);
  if (!isComment || !pull) return { event, notes: [] };
  const { details, pushes } = await lookUp(event.repository, pull.number, access);
  const chosen = chooseCommentedCommit({
    details,
    pushes,
    writtenAt: timeOf(event.payload?.comment),
    checkedOut: checkedOut(),
    // Of a comment on lines it is the pull request itself, merged with its base.
    eventCommit: event.name === 'issue_comment' ? eventCommit : undefined,
  });
  if ('problem' in chosen) throw new RunFailure('untrusted-event', chosen.problem);
  const { commit } = chosen;
  const newest = details.head.commit;
  const note =
    `The agent works on commit ${shortCommit(commit)}, the newest when the comment was written. The pull request has ` +
    `a newer commit, ${shortCommit(newest)}. To run the agent on that one, comment again.`;
  return {
    event: aboutCommit(event, { number: pull.number, details }, commit),
    notes: newest === commit ? [] : [note],
  };
}

/** The event, about this commit of a pull request, whatever other commits that has by now. */
export function aboutCommit(
  event: GithubEvent,
  { number, details }: { number: number; details: PullDetails },
  commit: string,
): GithubEvent {
  const { base, head } = details;
  const commits = { kind: 'known', base: base.commit, head: commit, history: 'forked' } as const;
  return {
    ...event,
    head: commit,
    change: { pullRequest: number, commits },
    pull: { number, head: commit, details: { ...details, head: { ...head, commit } } },
  };
}

/** The later of the two times: the author of an edit has seen the pull request at that time. */
const timeOf = (comment: Payload['comment']): string | undefined =>
  [comment?.created_at, comment?.updated_at]
    .filter((time) => time != null)
    .sort((one, other) => Date.parse(one) - Date.parse(other))
    .at(-1);

async function lookUp(repository: string, number: number, access: GithubAccess) {
  try {
    const details = await lookUpPull(connectTo(repository, access), number);
    return { details, pushes: await readPushes(details.head, access) };
  } catch (error) {
    throw couldNotFindOut('which commit the comment is about', error);
  }
}

/** GitHub's record of pushes to a branch, the newest first. */
export function readPushes(
  { repository = '', branch }: PullDetails['head'],
  access: GithubAccess,
): Promise<Push[]> {
  if (!parseRepository(repository)) throw new Error('The repository of its branch is unknown or deleted.');
  return connectTo(repository, access).read({
    doing: `read when ${repository} was pushed to`,
    route: 'GET /repos/{owner}/{repo}/activity',
    parameters: { ref: `refs/heads/${branch}`, per_page: PAGE },
    needs: 'contents: read',
    shape: z.array(PushSchema),
  });
}
