import { pathFrom } from '../git/paths.js';
import type { HistoryRequest } from '../context/history.js';
import { readTrusted } from '../context/trusted-files.js';
import { info } from '../core/runner.js';
import type { PrivateGit } from '../git/private-git.js';
import { findRepository } from '../git/repository.js';
import type { GithubEvent } from '../github/event.js';
import type { RulesRequest } from '../permissions/checkout-config.js';
import { classify } from '../permissions/steering-files.js';
import { checkoutTop } from './find-checkout.js';
import type { Inputs } from './inputs.js';

/** The project rules that the agent will see, with those of another commit if they are not the checkout's. */
export interface ChosenRules extends Pick<RulesRequest, 'choice' | 'base'> {
  /** The top of the repository whose rules count, if no others of the checkout do. */
  only?: string | undefined;
}

/** Decides which project rules the agent will see, and reads them if they are not those of the checkout. */
export async function findRules(
  setting: Inputs['projectRules'],
  event: GithubEvent,
  history: HistoryRequest,
): Promise<ChosenRules> {
  if (setting === 'head' || setting === 'none') return { choice: setting, base: undefined };
  const trusted = await readTrusted({ event, history, choice: setting, read: readRules });
  const top = findRepository(history.directory)?.root;
  switch (trusted.kind) {
    case 'checkout':
      return { choice: 'head', base: undefined, only: event.local ? undefined : top };
    case 'missing':
      return { choice: 'base', base: { missing: trusted.why } };
    case 'commit': {
      info(`The project rules are those of ${trusted.name}.`);
      const below = pathFrom(checkoutTop(history), top ?? '');
      const files = Object.entries(trusted.files).map(([path, text]) => [
        below === '' ? path : `${below}/${path}`,
        text,
      ]);
      return { choice: 'base', base: { files: Object.fromEntries(files) as Record<string, Buffer> } };
    }
  }
}

/** A larger file is not a text of rules. */
const MAX_RULE_BYTES = 256 * 1024;
const MAX_RULES = 500;

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
    .filter(({ path, bytes }) => classify(path) === 'rules' && bytes <= MAX_RULE_BYTES)
    .slice(0, MAX_RULES);
  const files: Record<string, Buffer> = {};
  for (const { id, path } of rules) files[path] = await git.ask(['cat-file', 'blob', id]);
  return files;
}
