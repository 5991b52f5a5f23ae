import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../../failure.js';
import { assertNever } from '../../assert-never.js';
import { readTree } from './manifest.js';
import type { InstallPlan } from './plan.js';
import { messageOf } from './retry.js';
import type { TreeEntry } from './tree-entry.js';
import { unpackTar } from './unpack-tar.js';
import { unpackZip } from './unpack-zip.js';

export interface Unpacked {
  entries: TreeEntry[];
  /** The program's path among them. */
  program: string;
}

/** Unpacks a verified archive into a new folder, and finds the program in it. */
export async function unpack(archive: string, folder: string, plan: InstallPlan): Promise<Unpacked> {
  await mkdir(folder, { recursive: true });
  const entries = await unpackEntries(archive, folder, plan);
  // The archive has one top folder; some old builds had none.
  const { program } = plan.platform;
  const found = [`dist-package/${program}`, program].find((path) =>
    entries.some((entry) => entry.kind === 'file' && entry.path === path),
  );
  if (found !== undefined) return { entries, program: found };
  throw new RunFailure(
    'install-failed',
    `The archive of ${plan.release.title} ${plan.version} holds no ${program}.`,
  );
}

async function unpackEntries(archive: string, folder: string, plan: InstallPlan): Promise<TreeEntry[]> {
  const { packing, program } = plan.platform;
  try {
    switch (packing) {
      case 'tar.gz':
        return await unpackTar(archive, folder);
      case 'zip':
        await unpackZip(archive, folder);
        return await readTree(folder);
      case 'binary':
        await copyFile(archive, join(folder, program));
        await chmod(join(folder, program), 0o755);
        return await readTree(folder);
      default:
        return assertNever(packing);
    }
  } catch (error) {
    throw new RunFailure(
      'install-failed',
      `The archive of ${plan.release.title} ${plan.version} could not be unpacked: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}
