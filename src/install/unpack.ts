import { chmod, copyFile, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../core/failure.js';
import { assertNever } from '../core/errors.js';
import type { InstallPlan } from './plan.js';
import { programProblem } from './program-check.js';
import { messageOf } from './retry.js';
import { unpackTar } from './unpack-tar.js';
import { unpackZip } from './unpack-zip.js';

/** Unpacks a verified archive into a new folder. Returns the path of the program, which has not been run. */
export async function unpack(archive: string, folder: string, plan: InstallPlan): Promise<string> {
  await mkdir(folder, { recursive: true });
  await unpackFiles(archive, folder, plan);
  const program = await findProgram(folder, plan.platform.program);
  if (program === undefined) throw refused(plan, `holds no ${plan.platform.program}`);
  const problem = await programProblem(program, plan.platform);
  if (problem !== undefined) throw refused(plan, `cannot be used: ${problem}`);
  return program;
}

/** The archive has one top folder; some old builds had none. */
async function findProgram(folder: string, name: string): Promise<string | undefined> {
  for (const path of [join(folder, 'dist-package', name), join(folder, name)]) {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) return path;
  }
  return undefined;
}

const refused = ({ release, version }: InstallPlan, why: string, cause?: unknown): RunFailure =>
  new RunFailure('install-failed', `The archive of ${release.title} ${version} ${why}.`, { cause });

async function unpackFiles(archive: string, folder: string, plan: InstallPlan): Promise<void> {
  const { packing, program } = plan.platform;
  try {
    switch (packing) {
      case 'tar.gz':
        await unpackTar(archive, folder);
        return;
      case 'zip':
        await unpackZip(archive, folder);
        return;
      case 'binary':
        await copyFile(archive, join(folder, program));
        await chmod(join(folder, program), 0o755);
        return;
      default:
        return assertNever(packing);
    }
  } catch (error) {
    throw refused(plan, `could not be unpacked: ${messageOf(error)}`, error);
  }
}
