import { chmod, copyFile, lstat, mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { assertNever, reasonOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import type { InstallPlan } from './plan.js';
import type { Platform } from './release.js';
import { unpackTar, unpackZip } from './unpack-archive.js';

/** Unpacks a verified archive into a new folder. Returns the path of the program, which has not been run. */
export async function unpack(archive: string, folder: string, plan: InstallPlan): Promise<string> {
  await mkdir(folder, { recursive: true });
  await unpackFiles(archive, folder, plan);
  const program = await findProgram(folder, plan.platform.program);
  if (program === undefined) throw refused(plan, `does not contain ${plan.platform.program}`);
  const problem = await programProblem(program, plan.platform);
  if (problem !== undefined) throw refused(plan, `cannot be used: ${problem}`);
  return program;
}

/** The archive has one top folder. Some old builds had none. */
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
    throw refused(plan, `could not be unpacked: ${reasonOf(error)}`, error);
  }
}

/**
 * Says what is wrong with an unpacked program, judging by its mode and its first bytes; undefined if it fits the
 * platform. The program is not started for this, because nothing may run outside of isolation.
 */
export async function programProblem(program: string, platform: Platform): Promise<string | undefined> {
  const isBatch = program.endsWith('.cmd');
  const isExecutable = isBatch || ((await lstat(program)).mode & 0o100) !== 0;
  if (!isExecutable) return `${basename(program)} in it is not executable`;
  // Cursor's program is a script that starts the `node` beside it.
  for (const path of [program, join(dirname(program), 'node'), join(dirname(program), 'node.exe')]) {
    const head = await readHead(path);
    if (!head || isScript(head)) continue;
    const builtFor = platformOfBinary(head);
    if (builtFor === undefined && isBatch && path === program) continue;
    if (builtFor === undefined) return `${basename(path)} in it is neither a program nor a script`;
    if (!platform.name.startsWith(builtFor)) {
      return `${basename(path)} in it is built for ${builtFor}, not for ${platform.name}`;
    }
  }
  return undefined;
}

const isScript = (head: Buffer): boolean => head.toString('latin1', 0, 2) === '#!';

/**
 * Reads the platform from the header of a binary: Linux (ELF), macOS (Mach-O) or Windows (PE). A universal binary fits
 * all machines that run macOS. `head` has at least 64 bytes.
 */
export function platformOfBinary(head: Buffer): string | undefined {
  const magic = head.readUInt32BE(0);
  if (magic === 0x7f454c46) return `linux/${ELF_MACHINES[head.readUInt16LE(18)] ?? OTHER}`;
  if (magic === 0xcffaedfe) return `darwin/${MACH_MACHINES[head.readUInt32LE(4)] ?? OTHER}`;
  if (magic === 0xcafebabe) return 'darwin';
  const pe = head.readUInt32LE(60);
  const isPe = magic >>> 16 === 0x4d5a && pe + 6 <= head.length && head.readUInt32BE(pe) === 0x50450000;
  return isPe ? `windows/${PE_MACHINES[head.readUInt16LE(pe + 4)] ?? OTHER}` : undefined;
}

const OTHER = 'another machine';
type Machines = Readonly<Record<number, string>>;
const ELF_MACHINES: Machines = { 0x3e: 'x64', 0xb7: 'arm64' };
const MACH_MACHINES: Machines = { 0x01000007: 'x64', 0x0100000c: 'arm64' };
const PE_MACHINES: Machines = { 0x8664: 'x64', 0xaa64: 'arm64' };

/** The first bytes of a file, padded with zeros; undefined if there is no such file. */
async function readHead(path: string): Promise<Buffer | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const file = await open(path, 'r');
  try {
    return (await file.read(Buffer.alloc(4096), 0, 4096, 0)).buffer;
  } finally {
    await file.close();
  }
}
