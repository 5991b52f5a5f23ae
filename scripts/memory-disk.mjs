// The tests make and remove very many small files. Three files of __tests__/sandbox/layer took 35 s of CPU time on a disk and 22 s
// in memory, in one comparison. So as root on Linux the files are kept in memory, in a folder below the temporary one. The
// tests of isolation have their stands in /opt, so layers over a real disk are still tested there. TEST_DISK=real keeps all
// files on the disk.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

let isMounted = false;

export default function useMemoryDisk() {
  const isPossible = process.platform === 'linux' && process.getuid?.() === 0;
  // Each of the projects asks for it.
  if (isMounted || !isPossible || process.env.TEST_DISK === 'real') return;
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tests', folder]).status !== 0) {
    rmdirSync(folder);
    return;
  }
  isMounted = true;
  process.env.TMPDIR = folder;
  process.on('exit', () => {
    // Lazily, because a killed test may have left a process there.
    spawnSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
