import { lstatSync, readFileSync } from 'node:fs';
import { wrongInput } from '../core/input-shapes.js';
import { hunkHolding, parseGitDiff, type Hunk, type LineRange } from '../git/diff.js';
import type { Account } from '../github/accounts.js';
import type { NamedComment } from '../github/event.js';
import { digest, writeMarker } from '../github/marker.js';
import { plural } from '../text/format.js';
import { createRedaction } from '../text/redact.js';
import { writeComment, type RunLinks } from './publication-text.js';
import { wentWell, type Publication } from './publication.js';
import type { LineComment, Pull, PullRequestApi } from './pull-request-api.js';
import { exactSuggestion, suggestionBlock } from './review-plan.js';
import { publishSticky, underPull, inThread, type StickyResult } from './sticky-comment.js';

export interface Reply {
  number: number;
  pull: Pull;
  /** The comment that asked. The event names it, never the report. */
  comment: NamedComment;
  inputKey: string;
  publication: Publication;
  links: RunLinks;
  /** Undefined if the agent changed nothing. */
  patch: string | undefined;
  repository: string;
  token: string;
}

/** What becomes of the change: it is in the reply, a commit can carry it, or neither, because the branch is a fork's. */
export type ChangeRoute = 'none' | 'suggestion' | 'commit' | 'patch';

/**
 * Answers where the question was asked: in the thread of the comment, or below the pull request. There is one reply to each
 * comment, whatever is run again. Anyone may have begun the thread; nothing else in it is touched.
 */
export async function publishReply(
  api: PullRequestApi,
  reply: Reply,
  viewer: Account,
): Promise<StickyResult & { change: ChangeRoute; omitted: number }> {
  const { number, comment, publication, links } = reply;
  const onLines = comment.thread === undefined ? [] : await api.lineComments(number);
  // Undefined if the first comment of the thread was deleted. The answer is then put below the pull request.
  const thread = onLines.find(({ id }) => id === comment.thread);
  const { change, text: offer } = await offerChange(api, reply, thread);
  const key = digest('reply', reply.inputKey, comment.id);
  const opening = writeMarker({ kind: 'comment', key });
  const { text, omitted } = writeComment(publication, links, { opening, offer });
  const place = thread ? inThread(api, number, thread.id) : underPull(api, number);
  return { ...(await publishSticky(place, { key, body: text }, viewer)), change, omitted };
}

async function offerChange(
  api: PullRequestApi,
  { number, pull, patch, repository, token }: Reply,
  thread: LineComment | undefined,
): Promise<{ change: ChangeRoute; text: string }> {
  if (patch === undefined) return { change: 'none', text: '' };
  // A comment on a deleted line, on a whole file, or on lines that are gone has no lines to replace.
  const lines =
    thread?.line === undefined || !thread.isOnNewSide
      ? undefined
      : { path: thread.path, startLine: thread.startLine ?? thread.line, endLine: thread.line };
  const files = lines ? (await api.files(number)).files : [];
  const hunks = files.find(({ path }) => path === lines?.path)?.hunks ?? [];
  const made = suggestPatch(patch, lines, hunks);
  const { redact } = createRedaction([token]);
  if ('suggestion' in made && redact(made.suggestion) === made.suggestion)
    return { change: 'suggestion', text: suggestionBlock(made.suggestion) };
  const why = 'why' in made ? made.why : 'it contains something that looks like a secret';
  const reason = thread ? `The change cannot be a suggestion, because ${why}. ` : '';
  if (pull.origin.repository?.toLowerCase() === repository.toLowerCase())
    return { change: 'commit', text: `*${reason}The workflow can add it to the branch as a commit.*` };
  const text = `*${reason}It is only in the patch of the run, because the branch is in a fork.*`;
  return { change: 'patch', text };
}

/** The lines that a review thread is about. A suggestion in it replaces all of them, and no others. */
export interface ThreadLines extends LineRange {
  path: string;
}

/** Longer suggestions are not read before they are applied. */
const MAX_LINES = 200;

/**
 * The patch as a suggestion for the lines of a thread, or why it cannot be one, as the end of a sentence. `hunks` are
 * GitHub's own diff of that file: the patch must have been made for exactly these lines.
 */
export function suggestPatch(
  patch: string,
  lines: ThreadLines | undefined,
  hunks: readonly Hunk[],
): { suggestion: string } | { why: string } {
  if (!lines) return { why: 'there are no lines of the change to put it on' };
  const { startLine, endLine } = lines;
  const [file, ...others] = parseGitDiff(patch);
  if (!file || others.length > 0)
    return { why: `it changes ${plural(others.length + (file ? 1 : 0), 'file')}` };
  if (file.path !== lines.path) return { why: 'it changes another file than the thread is about' };
  // A suggestion cannot create, delete or move a file, change its mode, or the newline at its end.
  const isMore = file.status !== 'modified' || file.binary || /^(?:old mode |new mode |\\ )/m.test(patch);
  if (isMore) return { why: 'it does more than change lines of the file' };
  const shown = hunkHolding(hunks, lines);
  const present = new Map<number, string>();
  for (const line of shown?.lines ?? [])
    if (line.kind !== 'removed') present.set(line.new, withoutReturn(line.text));
  const change = readChange(file.hunks);
  const numbers = Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at);
  const isInside =
    [...change.removed].every((line) => line >= startLine && line <= endLine) &&
    [...change.added.keys()].every((line) => line >= startLine - 1 && line <= endLine);
  if (!isInside) return { why: 'it changes other lines than those of the thread' };
  const isSame = numbers.every((line) => {
    const seen = change.seen.get(line);
    return present.has(line) && (seen === undefined || seen === present.get(line));
  });
  if (!isSame) return { why: 'the lines of the thread are not those that it was made for' };
  const after = (line: number) => change.added.get(line) ?? [];
  const kept = (line: number) => (change.removed.has(line) ? [] : [present.get(line) ?? '']);
  const result = [...after(startLine - 1), ...numbers.flatMap((line) => [...kept(line), ...after(line)])];
  if (result.length > MAX_LINES) return { why: `it has ${plural(result.length, 'line')}` };
  const text = result.map((line) => `${line}\n`).join('');
  const suggestion = exactSuggestion(
    text,
    numbers.map((line) => present.get(line) ?? ''),
  );
  return suggestion === undefined ? { why: 'not all of what it does would be visible' } : { suggestion };
}

const withoutReturn = (text: string): string => text.replace(/\r$/, '');

interface LineChange {
  /** The lines of the file before the change that the patch shows. */
  seen: Map<number, string>;
  removed: Set<number>;
  /** New lines, by the line of the old file that they follow. */
  added: Map<number, string[]>;
}

function readChange(hunks: readonly Hunk[]): LineChange {
  const change: LineChange = { seen: new Map(), removed: new Set(), added: new Map() };
  for (const { oldStart, oldCount, lines } of hunks) {
    // Git names the line before a hunk that has no old lines.
    let last = oldCount === 0 ? oldStart : oldStart - 1;
    for (const line of lines) {
      const text = withoutReturn(line.text);
      if (line.kind === 'added') {
        change.added.set(last, [...(change.added.get(last) ?? []), text]);
        continue;
      }
      last = line.old;
      change.seen.set(last, text);
      if (line.kind === 'removed') change.removed.add(last);
    }
  }
  return change;
}

const MAX_PATCH_BYTES = 2 ** 24;

/** The patch of a run that went well; undefined if it changed nothing. */
export function readPatch(path: string | undefined, { shards }: Publication): string | undefined {
  const [shard, ...others] = shards;
  if (path === undefined || !shard || shard.kind === 'unread' || !wentWell(shard)) return undefined;
  const wrong = (message: string) => wrongInput('patch-file', message);
  if (others.length > 0) throw wrong('belongs to one report, but there are several.');
  if (shard.run.files === 0) return undefined;
  const state = lstatSync(path, { throwIfNoEntry: false });
  if (!state?.isFile() || state.size > MAX_PATCH_BYTES)
    throw wrong(
      `${path} is not a patch of at most ${MAX_PATCH_BYTES} bytes, but the report says that files were changed; hand ` +
        'over the output patch-file of the agent step with its report.',
    );
  return readFileSync(path, 'utf8');
}
