import { lstatSync, readFileSync } from 'node:fs';
import { invalidInput } from '../core/input-shapes.js';
import type { Account } from '../github/accounts.js';
import type { NamedComment } from '../github/event.js';
import { digest, writeMarker } from '../github/marker.js';
import { createRedaction } from '../text/redact.js';
import { writeComment, type Surroundings } from './layout.js';
import { wentWell, type Publication } from './publication.js';
import type { LineRemark, Pull, PullRequestApi } from './pull-request-api.js';
import { suggestionBlock } from './review-plan.js';
import { publishSticky, underPull, inThread, type StickyResult } from './sticky-comment.js';
import { suggestPatch, type ThreadLines } from './thread-suggestion.js';

export interface Reply {
  number: number;
  pull: Pull;
  /** The comment that asked. The event names it, never the report. */
  comment: NamedComment;
  /** The input `key`. */
  key: string;
  publication: Publication;
  surroundings: Surroundings;
  /** The patch of the agent; undefined if it changed nothing. */
  patch: string | undefined;
  /** `owner/name` of this repository. */
  repository: string;
  token: string;
}

/** What becomes of the change: it is in the reply, a commit can carry it, or neither, because the branch is a fork's. */
export type ChangeRoute = 'none' | 'suggestion' | 'commit' | 'patch';

export interface ReplyResult extends StickyResult {
  change: ChangeRoute;
  left: number;
}

/**
 * Answers where somebody asked: in the thread of the comment, or below the pull request. There is one reply to each
 * comment, whatever is run again. The thread may be anybody's; nothing else in it is touched.
 */
export async function publishReply(api: PullRequestApi, reply: Reply, viewer: Account): Promise<ReplyResult> {
  const { number, comment, publication, surroundings } = reply;
  const thread = comment.thread === undefined ? undefined : await findThread(api, number, comment.thread);
  const { change, text: offer } = await offerChange(api, reply, thread);
  const key = digest('reply', reply.key, comment.id);
  const opening = writeMarker({ kind: 'comment', key });
  const { text, left } = writeComment(publication, surroundings, { opening, offer });
  const place = thread ? inThread(api, number, thread.id) : underPull(api, number);
  return { ...(await publishSticky(place, { key, body: text }, viewer)), change, left };
}

/** Undefined if its first comment was deleted. The answer is then put below the pull request. */
async function findThread(api: PullRequestApi, number: number, id: number): Promise<LineRemark | undefined> {
  const all = await api.lineComments(number);
  return all.find((each) => each.id === id);
}

async function offerChange(
  api: PullRequestApi,
  { number, pull, patch, repository, token }: Reply,
  thread: LineRemark | undefined,
): Promise<{ change: ChangeRoute; text: string }> {
  if (patch === undefined) return { change: 'none', text: '' };
  const lines = thread && linesOf(thread);
  const hunks = lines ? ((await api.files(number)).files.get(lines.path) ?? []) : [];
  const made = suggestPatch(patch, lines, hunks);
  const { redact } = createRedaction([token]);
  const why =
    'why' in made
      ? made.why
      : redact(made.suggestion) === made.suggestion
        ? undefined
        : 'it contains something that looks like a secret';
  if (why === undefined && 'suggestion' in made)
    return { change: 'suggestion', text: suggestionBlock(made.suggestion) };
  const isOwn = pull.origin.repository?.toLowerCase() === repository.toLowerCase();
  const reason = thread ? `The change is no suggestion, because ${why ?? ''}. ` : '';
  return isOwn
    ? { change: 'commit', text: `*${reason}The workflow can add it to the branch as a commit.*` }
    : {
        change: 'patch',
        text: `*${reason}It is only in the patch of the run, because the branch is in a fork.*`,
      };
}

/** A comment on a deleted line, on a whole file, or on lines that are gone has no lines to replace. */
function linesOf({ path, line, startLine, isOnNewSide }: LineRemark): ThreadLines | undefined {
  if (line === undefined || !isOnNewSide) return undefined;
  return { path, startLine: startLine ?? line, endLine: line };
}

const MOST_PATCH_BYTES = 2 ** 24;

/** The patch of a run that went well; undefined if it changed nothing. */
export function readPatch(path: string | undefined, { shards }: Publication): string | undefined {
  const [shard, ...others] = shards;
  if (path === undefined || !shard || shard.kind === 'silent' || !wentWell(shard)) return undefined;
  const wrong = (message: string) => invalidInput([{ input: 'patch-file', message }]);
  if (others.length > 0) throw wrong('belongs to one report, but there are several.');
  if (shard.run.files === 0) return undefined;
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (!state?.isFile() || state.size > MOST_PATCH_BYTES)
    throw wrong(
      `${path} is not a patch of at most ${MOST_PATCH_BYTES} bytes, but the report says that files were changed; hand ` +
        'over the output patch-file of the agent step with its report.',
    );
  return readFileSync(path, 'utf8');
}
