// Runs all benchmark groups (bench/<group>.ts) or the named ones. Each prints ratios to a baseline from the same run,
// because absolute times mean nothing on a shared machine, and exits with 1 if a ratio misses its limit.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleScript } from './bundle-script.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv.slice(2);
const groups = readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replace(/\.ts$/, ''))
  .filter((name) => wanted.length === 0 || wanted.includes(name));
const built = mkdtempSync(join(root, 'node_modules', '.bench-'));

let failed = groups.length === 0;
try {
  for (const group of groups) {
    console.log(`== ${group}`);
    const program = bundleScript(join(root, 'bench', `${group}.ts`), join(built, group));
    // Extra certificates add tens of milliseconds to every start of Node, which would hide differences.
    const env = { ...process.env };
    delete env.NODE_EXTRA_CA_CERTS;
    const run = spawnSync(process.execPath, ['--expose-gc', program], {
      cwd: root,
      stdio: 'inherit',
      env: { ...env, TMPDIR: tmpdir() },
    });
    if (run.status !== 0) failed = true;
  }
} finally {
  rmSync(built, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
