import { describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const OWN = ['--net', '--mount', '--'];
const canTry =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', [...OWN, 'ip', 'link', 'set', 'lo', 'up']).status === 0;

(canTry ? describe : describe.skip)('a name that leads elsewhere when it is asked again', () => {
  it('is asked for once, by the system’s own resolver, and never leads to a private address', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rebinding-'));
    const program = join(folder, 'process.cjs');
    buildSync({
      entryPoints: [resolve(import.meta.dirname, 'rebinding-process.ts')],
      ...{
        outfile: program,
        bundle: true,
        platform: 'node',
        format: 'cjs',
        target: 'node20',
        logLevel: 'error',
      },
    });
    const run = spawnSync('unshare', [...OWN, process.execPath, program], {
      encoding: 'utf8',
      timeout: 50_000,
      env: { ...process.env, TMPDIR: folder },
    });
    rmSync(folder, { recursive: true, force: true });
    expect(run.stderr).toBe('');
    const refused = { status: '403', reached: [], asked: 1 };
    const allowed = { status: '200', reached: ['93.184.216.34'], asked: 1 };
    expect(JSON.parse(run.stdout)).toEqual({
      first: allowed,
      later: refused,
      metadata: refused,
      inner: refused,
      mixed: allowed,
    });
  });
});
