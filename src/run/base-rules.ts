import type { RulesRequest } from '../workspace/checkout-config.js';
import { classify } from '../permissions/steering-files.js';
import { openHistory, type HistoryRequest } from '../context/history.js';
import { messageOf } from '../core/errors.js';
import type { PrivateGit } from '../git/private-git.js';

/** A larger file is not a text of rules. */
const MOST_RULE_BYTES = 256 * 1024;
const MOST_RULES = 500;

/**
 * Reads the rules of the commit that a pull request will be merged into. Git reads them from the objects of the
 * checkout, and fetches the commit if a shallow clone lacks it. Nothing in the checkout configures that git.
 */
export async function readBaseRules(
  commit: string | undefined,
  request: HistoryRequest,
): Promise<NonNullable<RulesRequest['base']>> {
  if (commit === undefined) return { missing: 'the event names no base commit' };
  const history = openHistory(request, [commit]);
  if ('missing' in history) return history;
  try {
    if (!history.has(commit)) await history.obtain([commit], 1);
    return { files: await readRules(history.git, commit) };
  } catch (error) {
    const hint = 'set fetch-depth: 0 in the checkout step to have it';
    const why = `is not in this clone and could not be fetched; ${hint}`;
    return { missing: `commit ${commit.slice(0, 10)} ${why} (${messageOf(error)})` };
  } finally {
    history.close();
  }
}

/** Ordinary files only, because a link could lead anywhere. */
async function readRules(git: PrivateGit, commit: string): Promise<Record<string, Buffer>> {
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
  const files: Record<string, Buffer> = {};
  for (const { id, path } of rules) files[path] = await git.ask(['cat-file', 'blob', id]);
  return files;
}
