// Downloads GitHub's own description of its API and keeps what our calls need, in fixtures/github. The package is
// 385 MB unpacked, and the one of GraphQL 7 MB, so they are no dependencies. For newer ones, change the versions here.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REST = { source: '@octokit/openapi@23.0.2', file: 'package/generated/api.github.com.json' };
const GRAPHQL = { source: '@octokit/graphql-schema@15.26.1', file: 'package/schema.json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'github-api-'));
// On Windows npm is a script that only a shell can start.
const shell = process.platform === 'win32';
const inherit = ['ignore', 'pipe', 'inherit'];
const download = ({ source, file }) => {
  const packed = execFileSync('npm', ['pack', source, '--json', '--pack-destination', folder], {
    shell,
    stdio: inherit,
  });
  const [{ filename }] = JSON.parse(packed);
  execFileSync('tar', ['-xzf', filename, file], { cwd: folder, stdio: inherit });
  return join(folder, file);
};
try {
  const env = {
    ...process.env,
    ...{ GITHUB_API_FILE: download(REST), GITHUB_API_SOURCE: REST.source },
    ...{ GITHUB_GRAPHQL_FILE: download(GRAPHQL), GITHUB_GRAPHQL_SOURCE: GRAPHQL.source },
  };
  const args = ['run', '--silent', 'jest', '--', '__tests__/github/description', '__tests__/github/graphql'];
  process.exitCode = spawnSync('npm', args, { cwd: root, env, shell, stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
