import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { RulesRequest } from '../workspace/project-rules.js';
import { classify } from '../permissions/steering-files.js';
import { openHistory, type HistoryRequest } from '../context/history.js';
import { messageOf } from '../core/errors.js';
import type { PrivateGit } from '../git/private-git.js';

/** Rules are text for people and models; more than this is not one. */
const MOST_RULE_BYTES = 256 * 1024;
const MOST_RULES = 500;

const EventSchema = z.object({
  pull_request: z.object({ base: z.object({ sha: z.string().check(z.regex(/^[0-9a-f]{40,64}$/)) }) }),
});

/**
 * The rules of the commit a pull request is to be merged into, read with git from the objects of the checkout; a
 * commit that a shallow clone lacks is fetched. Nothing of the checkout is run or configures that git.
 */
export async function readBaseRules(request: HistoryRequest): Promise<NonNullable<RulesRequest['base']>> {
  const commit = baseCommit(request.env['GITHUB_EVENT_PATH']);
  if (commit === undefined) return { missing: 'the event names no base commit' };
  const history = openHistory(request, [commit]);
  if ('missing' in history) return history;
  try {
    if (!history.has(commit)) await history.obtain([commit], 1);
    return { files: readRules(history.git, commit) };
  } catch (error) {
    const hint = 'set fetch-depth: 0 in the checkout step to have it';
    const why = `is not in this clone and could not be fetched; ${hint}`;
    return { missing: `commit ${commit.slice(0, 10)} ${why} (${messageOf(error)})` };
  } finally {
    history.close();
  }
}

function baseCommit(eventPath: string | undefined): string | undefined {
  try {
    const event = EventSchema.safeParse(JSON.parse(readFileSync(eventPath ?? '', 'utf8')));
    return event.data?.pull_request.base.sha;
  } catch {
    return undefined;
  }
}

/** Ordinary files only: a link among the rules could lead anywhere. */
function readRules(git: PrivateGit, commit: string): Record<string, Buffer> {
  const listing = git
    .call({ args: ['ls-tree', '-r', '-z', '--long', '--full-tree', commit] })
    .toString('utf8');
  const rules = listing
    .split('\0')
    .map((line) => /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line))
    .flatMap((parts) =>
      parts ? [{ id: parts[1] ?? '', bytes: Number(parts[2]), path: parts[3] ?? '' }] : [],
    )
    .filter(({ path, bytes }) => classify(path) === 'rules' && bytes <= MOST_RULE_BYTES)
    .slice(0, MOST_RULES);
  return Object.fromEntries(
    rules.map(({ id, path }) => [path, git.call({ args: ['cat-file', 'blob', id] })]),
  );
}
