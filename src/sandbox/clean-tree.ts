import { join } from 'node:path';
import type { Exit } from '../core/exit.js';
import { fromText, joinBytes, type BytePath, pathFrom } from '../git/paths.js';
import type { LayerChange } from '../permissions/layer-change.js';
import { openLayer, runInSeat, type RunLimits } from './enclose.js';
import { planChanges, type Layer } from './layer/layer.js';
import type { NetworkLedger } from './network/ledger.js';
import { gitEntriesOf, repositoryTop, type SandboxPlan } from './plan.js';
import type { Watcher } from './process.js';
import { renewSeat, seatAt } from './seat.js';
import { openToolchain } from './tools/open-toolchain.js';

/** Changes of the agent, by their path from the top of the repository, and where the file is that each of them leaves. */
export interface ChosenChanges {
  changes: readonly LayerChange[];
  sourceOf(change: LayerChange): BytePath;
}

/** A command of the action. `folder` is the path from the top of the checkout. */
export interface TreeCommand {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  folder: string;
}

/** A version of the checkout for commands of the action: nothing in it is from the agent but the chosen changes. */
export interface CleanTree {
  /** Runs a command. What it writes to the tree, its home and the caches stays for the next one. */
  run(command: TreeCommand, watcher: Watcher, limits: RunLimits): Promise<Exit>;
  /** What the commands changed outside of the tree. Isolation makes that impossible. */
  intrusions(): string[];
  close(): void;
}

interface TreeRequest {
  chosen: ChosenChanges;
  folder: string;
  /** The layer of the agent, which commands without isolation could reach. */
  watched: Layer;
  /** Called with what the network of each command saw, if it was closed. */
  onNetwork(ledger: NetworkLedger): void;
}

/** The checkout, these changes, the tools and caches of the runner, and nothing else. */
export function openCleanTree(
  plan: SandboxPlan,
  { chosen, folder, watched, onNetwork }: TreeRequest,
): CleanTree {
  const { checkout, hosts } = plan;
  const seat = seatAt(join(folder, 'seat'), 0);
  const prefix = fromText(pathFrom(checkout.top, repositoryTop(checkout)));
  const changes = chosen.changes.map((change) => ({
    path: joinBytes(prefix, change.path),
    after: change.after,
    source: chosen.sourceOf(change),
  }));
  const intrusions = watched.watch();
  const toolchain = openToolchain(plan, seat);
  renewSeat(seat);
  toolchain.renew();
  toolchain.linkInto(seat.home);
  const { absent, nested: nestedGit } = gitEntriesOf(plan);
  const tree = openLayer(plan, {
    folder: join(folder, 'layer'),
    access: 'write',
    skipsIgnored: false,
    plan: planChanges({ root: checkout.top, absent: absent.map(fromText), nestedGit }, changes),
  });
  return {
    intrusions,
    close: tree.close,
    async run(command, watcher, limits) {
      const directory = join(tree.seen, command.folder);
      const places = { home: seat.home, temp: seat.temp, top: tree.seen, directory, tools: toolchain.env };
      const env = { ...command.env, ...plan.commandEnvironment(places) };
      return runInSeat(plan, {
        // A command can bring variables that lead to other folders, so each is surveyed by itself.
        seat: { ...seat, toolchain },
        layer: tree,
        command: { file: command.file, args: command.args, cwd: directory, env, input: '' },
        rules: hosts.commands,
        shown: [],
        locked: [],
        watcher,
        limits,
        onNetwork,
      });
    },
  };
}
