import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { arrangeConfig, findConfig, type RulesRequest } from '../permissions/checkout-config.js';
import type { Enclosure } from '../sandbox/namespace/isolate.js';
import type { Isolation } from '../sandbox/namespace/probe.js';
import { planEnclosure, type MachinePaths } from '../sandbox/namespace/survey.js';
import { mayWrite } from '../permissions/policy.js';
import { classify } from '../permissions/steering-files.js';
import type { HistoryRequest } from '../context/history.js';
import { readTrusted } from '../context/trusted-files.js';
import { openCheckoutGit, type CheckoutGit } from '../git/checkout-git.js';
import { findGit, type PrivateGit } from '../git/private-git.js';
import { findRepository } from '../git/repository.js';
import type { Inputs } from './inputs.js';
import { info } from '../core/runner.js';
import { removeStaging } from '../sandbox/layer/apply-changes.js';
import { openCopy } from '../sandbox/layer/copy-layer.js';
import { openOverlay } from '../sandbox/layer/overlay-layer.js';
import { currentLayer, planLayer, type Workspace } from '../sandbox/layer/layer.js';
import type { GithubEvent } from '../github/event.js';
import type { Preparation } from './prepare-agent.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import type { RunFolder } from './run-folder.js';

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
      const below = relative(checkoutRoot(history), top ?? '')
        .split(sep)
        .join('/');
      const files = Object.entries(trusted.files).map(([path, text]) => [
        below === '' ? path : `${below}/${path}`,
        text,
      ]);
      return { choice: 'base', base: { files: Object.fromEntries(files) as Record<string, Buffer> } };
    }
  }
}

/** A larger file is not a text of rules. */
const MOST_RULE_BYTES = 256 * 1024;
const MOST_RULES = 500;

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

interface OpenLayerRequest extends Pick<Preparation, 'resolved' | 'rules' | 'policy' | 'runFolder'> {
  isolation: Isolation;
  machine: MachinePaths;
  /** The agent's own network, while it has one. */
  network?: Enclosure['network'];
  /** The PATH on which git is looked for. */
  path: string | undefined;
  /** Our own files by their path in the working directory, which the agent sees at `directory`. */
  ownFiles: (directory: string) => Readonly<Record<string, string>>;
  /** Our own files in the working directory and at the top of each repository around it. */
  repositoryFiles: Readonly<Record<string, string>>;
}

/** The layer, and what is known about the checkout under it. */
export interface Layer {
  workspace: Workspace;
  /** The top of the checkout. */
  checkout: string;
  /** The working directory as the agent sees it. */
  directory: string;
  git: CheckoutGit | undefined;
  /** The `.git` of each repository in the checkout. */
  gitEntries: readonly string[];
  notes: string[];
}

/**
 * Makes the layer that the agent works on. Files that could configure the CLI or run code in it are absent from it, and
 * our policy is in it.
 */
export function openLayer(request: OpenLayerRequest): Layer {
  const { resolved, rules, policy, runFolder, isolation } = request;
  const checkout = checkoutRoot(resolved);
  const below = relative(checkout, resolved.directory);
  const folder = runFolder.layer;
  const seen = isolation.kind === 'isolated' ? checkout : currentLayer(folder);
  const directory = join(seen, below);
  const { config, gitEntries } = findConfig(checkout);
  const own = {
    ...filesIn([below], request.ownFiles(directory)),
    ...filesIn(['', below, ...repositoriesAround(below, gitEntries)], request.repositoryFiles),
  };
  const found = rules.only === undefined ? config : onlyRulesOf(rules.only, { checkout, config, gitEntries });
  const { note, setAside, files } = arrangeConfig({ ...rules, found, own });
  const repository = findRepository(resolved.directory);
  removeStaging(repository?.root ?? checkout);
  const program = repository && findTrustedGit(request.path, resolved, runFolder);
  const git =
    repository && program !== undefined
      ? openCheckoutGit({ repository, program, scratch: runFolder.git })
      : undefined;
  const ownGit = relative(checkout, join(repository?.root ?? checkout, '.git'))
    .split(sep)
    .join('/');
  const plan = planLayer({
    root: checkout,
    // Without git we cannot make a copy of `.git` that has no credentials.
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
  const enclosure = encloseLayer(request, checkout);
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

/** Rules in other checkouts and in submodules are taken for configuration, which is always set aside. */
function onlyRulesOf(
  top: string,
  { checkout, config, gitEntries }: ReturnType<typeof findConfig> & { checkout: string },
): ReturnType<typeof findConfig>['config'] {
  const own = relative(checkout, top).split(sep).join('/');
  const tops = gitEntries.map((entry) => entry.replace(/\/?\.git$/i, ''));
  const isIn = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);
  const topOf = (path: string) =>
    tops.filter((folder) => isIn(path, folder)).sort((a, b) => b.length - a.length)[0];
  return config.map((file) => (topOf(file.path) === own ? file : { ...file, kind: 'configuration' }));
}

/** What the agent is enclosed in. Undefined if it is not isolated. */
function encloseLayer(
  { resolved, runFolder, isolation, machine, network }: OpenLayerRequest,
  checkout: string,
): Omit<Enclosure, 'layer'> | undefined {
  if (isolation.kind !== 'isolated') return undefined;
  const layer = { root: checkout, by: currentLayer(runFolder.layer), as: isolation.layer };
  return planEnclosure({ ...machine, layer, directory: resolved.directory }, { ...isolation, network });
}

/** The same files in each folder, by their path from the top of the checkout. */
const filesIn = (
  folders: readonly string[],
  files: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    folders.flatMap((folder) =>
      Object.entries(files).map(([name, text]) => [join(folder, name).split(sep).join('/'), text]),
    ),
  );

/** The tops of the repositories that a folder is in. */
const repositoriesAround = (folder: string, gitEntries: readonly string[]): string[] =>
  gitEntries.map((entry) => dirname(entry)).filter((top) => !relative(top, folder).startsWith('..'));

/** The CLI reads its project files from the git root down. That root can be above the workspace. */
export function checkoutRoot({
  workspace,
  directory,
}: Pick<ResolvedInputs, 'workspace' | 'directory'>): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder.length < workspace.length ? folder : workspace;
    if (folder === dirname(folder)) return workspace;
  }
}

/** A git on the PATH that nobody can have put into the checkout or a temporary folder. */
const findTrustedGit = (
  path: string | undefined,
  { workspace }: ResolvedInputs,
  { root }: RunFolder,
): string | undefined => findGit({ path, untrusted: [workspace, root, tmpdir()] });
