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
import { attempt } from '../../core/errors.js';
import { makeOverlay } from '../namespace/isolate.js';
import { runnerHomes, type ToolFolders } from '../namespace/survey.js';
import type { SandboxPlan } from '../plan.js';
import type { Seat } from '../seat.js';
import { findToolchain, type PathInfo, type Toolchain } from './toolchain.js';

/** The tools of this machine, as programs of the sandbox get them. */
export interface OpenToolchain extends Toolchain {
  folders: ToolFolders;
  /** Empties the folders that receive what is written, so that each start finds the tools as they are on the runner. */
  renew(): void;
  /** Links the folders into the home, where tools look for them. */
  linkInto(home: string): void;
}

/** Searches this machine for tools, and plans how programs in this seat share them. */
export function openToolchain(plan: SandboxPlan, seat: Seat): OpenToolchain {
  const { tools: written } = seat;
  const found = searchMachine(plan, seat);
  const below = (paths: readonly string[], name: string) =>
    Object.fromEntries(paths.map((path, index) => [path, join(written, `${name}-${index}`)]));
  const folders = {
    layers: below(found.layers, 'layer'),
    made: below(found.made, 'made'),
    absent: found.absent,
    hidden: found.hidden,
  };
  let renewals = 0;
  return {
    ...found,
    folders,
    renew() {
      renewals += 1;
      if (existsSync(written)) renameSync(written, `${written}-${renewals}`);
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
  { machine, env, checkout, hidden, folder, program, isSecret }: SandboxPlan,
  { home, hookFolder }: Seat,
): Toolchain {
  const homes = runnerHomes();
  const programs = (env['PATH'] ?? '').split(delimiter).filter((path) => isAbsolute(path));
  return findToolchain({
    ours: env,
    homes,
    home,
    checkout: checkout.top,
    uid: process.getuid?.(),
    look,
    isSecret,
    closed: [...homes, ...[...hidden, folder].flatMap(bothPaths)],
    fixed: [...programs, program, hookFolder, process.execPath].flatMap(bothPaths),
    sharing: machine.kind === 'not-isolated' ? 'none' : machine.layer === 'overlay' ? 'layers' : 'read-only',
  });
}

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
