// Downloads GitHub's own description of its API and keeps what our calls need, in fixtures/github. The package is
// 385 MB unpacked, so it is no dependency. For a newer one, change the version here.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = '@octokit/openapi@23.0.2';
const FILE = 'package/generated/api.github.com.json';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'github-api-'));
// On Windows npm is a script that only a shell can start.
const shell = process.platform === 'win32';
const inherit = ['ignore', 'pipe', 'inherit'];
try {
  const packed = execFileSync('npm', ['pack', PACKAGE, '--json', '--pack-destination', folder], {
    shell,
    stdio: inherit,
  });
  const [{ filename }] = JSON.parse(packed);
  execFileSync('tar', ['-xzf', filename, FILE], { cwd: folder, stdio: inherit });
  const env = { ...process.env, GITHUB_API_FILE: join(folder, FILE), GITHUB_API_SOURCE: PACKAGE };
  const args = ['run', '--silent', 'jest', '--', '__tests__/github/description'];
  process.exitCode = spawnSync('npm', args, { cwd: root, env, shell, stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
