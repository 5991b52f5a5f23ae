import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { findToolchain, NO_TOOLCHAIN, type PathInfo, type Toolchain } from './toolchain.js';
import { attempt } from '../../core/errors.js';
import { makeOverlay } from '../namespace/isolate.js';
import type { Isolation } from '../namespace/probe.js';
import { runnerHomes, type ToolFolders } from '../namespace/survey.js';
import { mayRunCommands } from '../../permissions/policy.js';
import { checkoutRoot } from '../../run/open-layer.js';
import type { Preparation } from '../../run/prepare-agent.js';

/** The tools of this machine, as the agent gets them. */
export interface OpenToolchain extends Toolchain {
  folders: ToolFolders;
  /** Empties the folders that receive what the agent writes, so that each start finds the tools as they are. */
  renew(): void;
  /** Links the folders into the agent's home, where tools look for them. */
  linkInto(home: string): void;
}

/** An agent that may run no command gets nothing, and the machine is not searched. */
export function openToolchain(preparation: Preparation, isolation: Isolation): OpenToolchain {
  const { policy, runFolder } = preparation;
  const found = mayRunCommands(policy) ? searchMachine(preparation, isolation) : NO_TOOLCHAIN;
  const written = join(runFolder.layer, 'tools');
  const below = (paths: readonly string[], name: string) =>
    Object.fromEntries(paths.map((path, index) => [path, join(written, `${name}-${index}`)]));
  const folders = {
    layers: below(found.layers, 'layer'),
    made: below(found.made, 'made'),
    absent: found.absent,
    hidden: found.hidden,
  };
  let starts = 0;
  return {
    ...found,
    folders,
    renew() {
      starts += 1;
      if (existsSync(written)) renameSync(written, `${written}-${starts}`);
      for (const [path, by] of Object.entries(folders.layers)) makeOverlay(by, path);
      for (const by of Object.values(folders.made)) mkdirSync(by, { recursive: true });
    },
    linkInto(home) {
      for (const [name, target] of Object.entries(found.links)) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        symlinkSync(target, join(home, name), 'junction');
      }
    },
  };
}

function searchMachine(
  { resolved, runFolder, cli, hook, redact, invocation: { env: ours } }: Preparation,
  isolation: Isolation,
): Toolchain {
  const homes = runnerHomes();
  const programs = (ours['PATH'] ?? '').split(delimiter).filter((path) => isAbsolute(path));
  const fixed = [...programs, cli.path, ...(hook?.shown ?? []), process.execPath];
  const runnerTemp = ours['RUNNER_TEMP'];
  return findToolchain({
    ...{ ours, homes, home: runFolder.home, uid: process.getuid?.(), look },
    checkout: checkoutRoot(resolved),
    closed: [...homes, ...(runnerTemp ? bothPaths(runnerTemp) : []), runFolder.root],
    fixed: fixed.flatMap(bothPaths),
    sharing: isolation.kind !== 'isolated' ? 'none' : isolation.layer === 'overlay' ? 'layers' : 'read-only',
    isSecret: (value) => redact(value) !== value,
  });
}

/** A path as it is given, and without links. */
const bothPaths = (path: string): string[] => [path, look(path)?.real ?? path];

const look = (path: string): PathInfo | undefined =>
  attempt(() => {
    const real = realpathSync(path);
    const stat = statSync(real);
    if (!stat.isDirectory()) return stat.isFile() ? { real, is: 'file', owner: stat.uid } : undefined;
    const names = namesIn(real);
    return { real, is: 'folder', owner: stat.uid, ...(names ? { names } : {}) };
  });

const namesIn = (folder: string): string[] | undefined =>
  attempt(() => {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return readdirSync(folder);
  });
