import { pathFrom } from '../git/paths.js';
import { openHistory, type HistoryRequest } from '../context/history.js';
import {
  chooseTeamRules,
  isTeamRules,
  MAX_RULES_FILE_BYTES,
  type RulesFile,
  type TeamRules,
} from '../context/team-rules.js';
import { readTrusted } from '../context/trusted-files.js';
import { messageOf } from '../core/errors.js';
import { info } from '../core/runner.js';
import type { PrivateGit } from '../git/private-git.js';
import { findRepository, readHead } from '../git/repository.js';
import type { GithubEvent } from '../github/event.js';
import type { RulesRequest } from '../permissions/checkout-config.js';
import { classify } from '../permissions/steering-files.js';
import type { AppliedRules } from '../report/model.js';
import { checkoutTop } from './find-checkout.js';
import type { Inputs } from './inputs.js';

/** The project rules that the agent will see, with those of another commit if they are not the checkout's. */
export interface AgentRules extends Pick<RulesRequest, 'choice' | 'base'> {
  /** The top of the repository whose rules count, if no others of the checkout do. */
  only?: string | undefined;
}

/** The same, with the rules of the team for reviews. */
export interface ChosenRules extends AgentRules {
  /** What a review is to look for besides its task. */
  team: readonly TeamRules[];
  notes: readonly string[];
}

export interface RulesWanted {
  setting: Inputs['projectRules'];
  event: GithubEvent;
  history: HistoryRequest;
  /** The changed files that are reviewed, if they are known; undefined if the run is no review. */
  review: { files: readonly string[] | undefined } | undefined;
}

/** Decides which project rules the agent will see, and reads them if they are not those of the checkout. */
export async function findRules({ setting, event, history, review }: RulesWanted): Promise<ChosenRules> {
  const teamRulesIn = (files: readonly RulesFile[]) =>
    review ? chooseTeamRules(files, review.files) : { team: [], notes: [] };
  if (setting === 'none') return { choice: 'none', base: undefined, ...teamRulesIn([]) };
  const trusted =
    setting === 'head'
      ? ({ kind: 'checkout' } as const)
      : await readTrusted({ event, history, choice: setting, read: readRules });
  const top = findRepository(history.directory)?.root;
  switch (trusted.kind) {
    case 'checkout': {
      const only = setting === 'head' || event.local ? undefined : top;
      const own = review ? await readCheckedOut(history) : { found: [], notes: [] };
      const { team, notes } = teamRulesIn(own.found);
      return { choice: 'head', base: undefined, only, team, notes: [...own.notes, ...notes] };
    }
    case 'missing':
      return { choice: 'base', base: { missing: trusted.why }, ...teamRulesIn([]) };
    case 'commit': {
      info(`The project rules are those of ${trusted.name}.`);
      const below = pathFrom(checkoutTop(history), top ?? '');
      const files = Object.entries(trusted.files.files).map(([path, text]) => [
        below === '' ? path : `${below}/${path}`,
        text,
      ]);
      const base = { files: Object.fromEntries(files) as Record<string, Buffer> };
      return { choice: 'base', base, ...teamRulesIn(trusted.files.team) };
    }
  }
}

const MAX_APPLIED = 100;

/** As the report has it. */
export const asApplied = ({ path, files, rules }: TeamRules): AppliedRules => ({
  path,
  appliesTo: (files ?? []).slice(0, MAX_APPLIED),
  ...(files === undefined ? {} : { files: files.length }),
  ids: rules.map(({ id }) => id),
});

/** The rules of the commit that is checked out: what is not committed has no author that could be asked. */
async function readCheckedOut(
  history: HistoryRequest,
): Promise<{ found: readonly RulesFile[]; notes: string[] }> {
  const repository = findRepository(history.directory);
  const head = repository && readHead(repository);
  if (head === undefined) return { found: [], notes: [] };
  const opened = openHistory(history, [head]);
  if ('missing' in opened) return { found: [], notes: [] };
  try {
    return { found: (await readRules(opened.git, head)).team, notes: [] };
  } catch (error) {
    const note = `The rules of the team for reviews could not be read, so there were none: ${messageOf(error)}`;
    return { found: [], notes: [note] };
  } finally {
    opened.close();
  }
}

/** A larger file is not a text of rules. */
const MAX_RULE_BYTES = 256 * 1024;
const MAX_RULES = 500;

/** Ordinary files only, because a link could lead anywhere. */
async function readRules(
  git: PrivateGit,
  commit: string,
): Promise<{ files: Record<string, Buffer>; team: RulesFile[] }> {
  const listing = git
    .call({ args: ['ls-tree', '-r', '-z', '--long', '--full-tree', commit] })
    .toString('utf8');
  const listed = listing
    .split('\0')
    .map((line) => /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line))
    .flatMap((parts) =>
      parts ? [{ id: parts[1] ?? '', size: Number(parts[2]), path: parts[3] ?? '' }] : [],
    );
  const read = (id: string) => git.ask(['cat-file', 'blob', id]);
  const rules = listed.filter(({ path, size }) => classify(path) === 'rules' && size <= MAX_RULE_BYTES);
  const files: Record<string, Buffer> = {};
  for (const { id, path } of rules.slice(0, MAX_RULES)) files[path] = await read(id);
  const team: RulesFile[] = [];
  for (const { id, path, size } of listed.filter((entry) => isTeamRules(entry.path)).slice(0, MAX_RULES))
    team.push({ path, bytes: size > MAX_RULES_FILE_BYTES ? undefined : (files[path] ?? (await read(id))) });
  return { files, team };
}
