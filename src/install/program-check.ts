import { lstat, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Platform } from './platform.js';

/**
 * Says what is wrong with an unpacked program, from its mode and its first bytes; nothing if it fits the
 * platform. The program is never started to find out: nothing may run outside of isolation.
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
 * The platform in the header of a binary: Linux (ELF), macOS (Mach-O) or Windows (PE). A universal binary for
 * macOS fits all of its machines. `head` is at least 64 bytes.
 */
export function platformOfBinary(head: Buffer): string | undefined {
  const magic = head.readUInt32BE(0);
  if (magic === 0x7f454c46) return `linux/${ELF_MACHINES.get(head.readUInt16LE(18)) ?? OTHER}`;
  if (magic === 0xcffaedfe) return `darwin/${MACH_MACHINES.get(head.readUInt32LE(4)) ?? OTHER}`;
  if (magic === 0xcafebabe) return 'darwin';
  const pe = head.readUInt32LE(60);
  const isPe = magic >>> 16 === 0x4d5a && pe + 6 <= head.length && head.readUInt32BE(pe) === 0x50450000;
  return isPe ? `windows/${PE_MACHINES.get(head.readUInt16LE(pe + 4)) ?? OTHER}` : undefined;
}

const OTHER = 'another machine';
const ELF_MACHINES = new Map([
  [0x3e, 'x64'],
  [0xb7, 'arm64'],
]);
const MACH_MACHINES = new Map([
  [0x01000007, 'x64'],
  [0x0100000c, 'arm64'],
]);
const PE_MACHINES = new Map([
  [0x8664, 'x64'],
  [0xaa64, 'arm64'],
]);

/** The first bytes of a file, filled up with zeros; nothing if there is no such file. */
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
