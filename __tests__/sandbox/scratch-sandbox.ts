import { findConfig } from '../../src/permissions/checkout-config.js';
import type { Policy } from '../../src/permissions/policy.js';
import { openCheckoutGit } from '../../src/git/checkout-git.js';
import { findRepository } from '../../src/git/repository.js';
import {
  openSandbox,
  type CleanTree,
  type Machine,
  type Sandbox,
  type SandboxPlan,
  type Watcher,
} from '../../src/sandbox/index.js';
import type { LayerChange } from '../../src/permissions/layer-change.js';
import { join } from 'node:path';
import type { LayerKind } from './layer/scratch-layer.js';
import { GIT, policyOf, scratchFolder } from './layer/scratch-repository.js';

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** As root. What a machine can do is found out elsewhere. */
function machineFor(kind: LayerKind): Machine {
  if (kind === 'copy') return { kind: 'not-isolated', why: 'This is a test.' };
  const layer = kind === 'overlay' ? 'overlay' : 'copy';
  return {
    ...{ kind: 'isolated', privilege: 'root', keyring: undefined },
    ...{ layer, network: 'open', whyOpen: 'This is a test.' },
  };
}

/** A sandbox with an agent that is a shell. */
export interface ScratchSandbox {
  sandbox: Sandbox;
  /** The folder of the run. */
  folder: string;
  /** Lets the agent run a script, on the checkout at first, and on what it left after that. It must succeed. */
  act(script: string): Promise<string>;
  /** The clean tree with what was allowed, or with everything. */
  openTree(which?: 'allowed' | 'all'): ScratchTree;
}

export interface ScratchTree extends Pick<CleanTree, 'intrusions' | 'close'> {
  changes: readonly LayerChange[];
  /** Runs a script in it, in a folder. It must succeed. */
  run(script: string, folder?: string): Promise<string>;
  /** Applies the same changes to the checkout. */
  apply(): void;
}

interface ScratchOptions extends Partial<SandboxPlan> {
  policy?: Policy;
}

export function openScratchSandbox(
  kind: LayerKind,
  root: string,
  options: ScratchOptions = {},
): ScratchSandbox {
  const folder = scratchFolder();
  const repository = findRepository(root);
  const git = repository && openCheckoutGit({ repository, program: GIT, scratch: join(folder, 'git') });
  const environment: SandboxPlan['environment'] = ({ home, temp }) => ({ PATH, HOME: home, TMPDIR: temp });
  const sandbox = openSandbox({
    ...{ machine: machineFor(kind), folder: join(folder, 'sandbox'), access: 'write', runsCommands: true },
    checkout: { top: root, directory: root, git, gitEntries: findConfig(root).gitEntries },
    ...{ hide: [], plant: () => ({}), homeFiles: () => ({}), keep: [], hook: undefined },
    policy: policyOf('custom', ['Shell(*)', 'Write(**)']),
    ...{ program: '/bin/sh', readable: [], hidden: [folder], environment, commandEnvironment: environment },
    hosts: { agent: [], vendor: [], commands: [] },
    ...{ env: { PATH }, isSecret: () => false, onRefused: () => undefined, onProgress: () => undefined },
    ...options,
  });
  let from: 'checkout' | 'left' = 'checkout';
  return {
    sandbox,
    folder,
    async act(script) {
      const input = { env: {}, input: '', from, continuesChat: false };
      from = 'left';
      return succeed(async (watcher) => {
        const { exit } = await sandbox.run({ args: ['-euc', script], ...input }, watcher, LIMITS);
        return exit;
      });
    },
    openTree(which = 'all') {
      const { allowed, refused, sourceOf } = sandbox.inspect(() => []);
      const changes = which === 'all' ? [...allowed, ...refused] : allowed;
      const tree = sandbox.openCleanTree({ changes, sourceOf });
      return {
        ...tree,
        changes,
        run: (script, below = '') =>
          succeed((watcher) =>
            tree.run({ file: '/bin/sh', args: ['-euc', script], env: {}, folder: below }, watcher, LIMITS),
          ),
        apply: () => {
          sandbox.apply({ changes, sourceOf });
        },
      };
    },
  };
}

const LIMITS = { totalMs: 50_000, graceMs: 0, subagentMs: 0, cancel: new AbortController().signal };

/** A script that failed would prove nothing. Returns what was printed, with one character per byte. */
async function succeed(start: (watcher: Watcher) => Promise<unknown>): Promise<string> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const exit = await start({
    onStdout: (chunk) => void stdout.push(chunk),
    onStderr: (chunk) => void stderr.push(chunk),
    ...{ hasResult: () => false, hasSubagent: () => false, patienceMs: () => Infinity },
  });
  if (JSON.stringify(exit) !== '{"kind":"exited","code":0}')
    throw new Error(`The script failed: ${JSON.stringify(exit)} ${Buffer.concat(stderr).toString('utf8')}`);
  return Buffer.concat(stdout).toString('latin1');
}
