import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import {
  arrangeConfig,
  chooseRules,
  findConfig,
  type RulesChoice,
  type RulesRequest,
} from '../workspace/checkout-config.js';
import type { Isolation } from '../isolation/choice.js';
import { encloseHere, type MachinePlaces } from '../isolation/probe.js';
import { mayWrite, type Policy } from '../permissions/policy.js';
import type { HistoryRequest } from '../context/history.js';
import { openCheckoutGit, type CheckoutGit } from '../git/checkout-git.js';
import { findGit } from '../git/private-git.js';
import { findRepository, type Repository } from '../git/repository.js';
import type { Inputs } from './inputs.js';
import { info } from '../core/runner.js';
import { openCopy } from '../workspace/copy-workspace.js';
import { planLayer } from '../workspace/layer-plan.js';
import { currentLayer, openOverlay } from '../workspace/overlay-workspace.js';
import type { Workspace } from '../workspace/workspace.js';
import { readBaseRules } from './base-rules.js';
import type { Places } from './input-files.js';
import type { Workplace } from './run-folder.js';

/** The rules the agent is to see. */
export interface ChosenRules {
  choice: RulesChoice;
  /** The rules of the base commit, where those are chosen. */
  base: RulesRequest['base'];
}

/** Which project rules the agent is to see, with those of the base commit if they are meant. */
export async function findRules(
  setting: Inputs['projectRules'],
  history: HistoryRequest,
): Promise<ChosenRules> {
  const choice = chooseRules(setting, history.env['GITHUB_EVENT_NAME']);
  return { choice, base: choice === 'base' ? await readBaseRules(history) : undefined };
}

export interface LayerRequest {
  places: Places;
  rules: ChosenRules;
  policy: Policy;
  workplace: Workplace;
  isolation: Isolation;
  machine: MachinePlaces;
  /** The PATH that git may be found on. */
  path: string | undefined;
  /** Our own files, by their path in the working directory, for an agent that sees it under this path. */
  ownFiles: (directory: string) => Readonly<Record<string, string>>;
}

/** The layer, and what is known of the checkout under it. */
export interface Layer {
  workspace: Workspace;
  /** The top of the checkout. */
  checkout: string;
  /** Where the agent works, as it sees it. */
  directory: string;
  git: CheckoutGit | undefined;
  /** Repositories in the checkout, by their `.git`. */
  gitEntries: readonly string[];
  notes: string[];
}

/**
 * Makes the layer the agent works on, once. What could configure the CLI or run code in it is not in there, and our
 * policy is.
 */
export function openLayer(request: LayerRequest): Layer {
  const { places, rules, policy, workplace, isolation, machine } = request;
  const checkout = checkoutRoot(places);
  const below = relative(checkout, places.directory);
  const folder = workplace.layer;
  const seen = isolation.kind === 'isolated' ? checkout : currentLayer(folder);
  const directory = join(seen, below);
  const own = Object.fromEntries(
    Object.entries(request.ownFiles(directory)).map(([name, text]) => [
      join(below, name).split(sep).join('/'),
      text,
    ]),
  );
  const { config, gitEntries } = findConfig(checkout);
  const { note, setAside, files } = arrangeConfig({ ...rules, found: config, own });
  const repository = findRepository(places.directory);
  const git = repository && findCheckoutGit(request, repository);
  const ownGit = relative(checkout, join(repository?.root ?? checkout, '.git'))
    .split(sep)
    .join('/');
  const plan = planLayer({
    root: checkout,
    // Without git there is nobody to make one without credentials.
    absent: git || isolation.kind === 'isolated' ? setAside : [...setAside, ownGit],
    files,
    nestedGit: gitEntries.filter((entry) => entry !== ownGit),
  });
  const common = {
    checkout,
    folder,
    plan,
    access: mayWrite(policy) ? 'write' : 'read',
    locked: Object.keys(own),
  } as const;
  const enclosure =
    isolation.kind === 'isolated'
      ? encloseHere(
          {
            ...machine,
            layer: { root: checkout, by: currentLayer(folder), as: isolation.layer },
            directory: places.directory,
          },
          isolation,
        )
      : undefined;
  const workspace =
    enclosure && isolation.kind === 'isolated' && isolation.layer === 'overlay'
      ? openOverlay({ ...common, enclosure })
      : openCopy({
          ...common,
          ...(enclosure ? { enclosure } : {}),
          git,
          skipIgnored: !policy.allow.some(({ kind }) => kind === 'Shell'),
          onProgress: (count) => {
            info(`Copying the checkout for the agent: ${count} files so far.`);
          },
        });
  return { workspace, checkout, directory, git, gitEntries, notes: note === undefined ? [] : [note] };
}

/** The CLI reads its project files from the git root down, which may lie above the workspace. */
function checkoutRoot({ workspace, directory }: Places): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder.length < workspace.length ? folder : workspace;
    if (folder === dirname(folder)) return workspace;
  }
}

function findCheckoutGit(
  { places, workplace, path }: LayerRequest,
  repository: Repository,
): CheckoutGit | undefined {
  const untrusted = [places.workspace, workplace.root, tmpdir()];
  const program = findGit({ platform: process.platform, path, untrusted });
  return program === undefined ? undefined : openCheckoutGit({ repository, program, parent: workplace.git });
}
