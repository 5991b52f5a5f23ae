import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { startServer, type FileServer } from '../install/file-server.js';

const ROOT = resolve(import.meta.dirname, '..', '..');
const TABLE = join(ROOT, 'src', 'install', 'pins.ts');
const VERSION = '2030.01.02-abcdef0';

let server: FileServer;
let root: string;
let table: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'pins-test-'));
  table = join(root, 'pins.ts');
  copyFileSync(TABLE, table);
  // Every archive holds its own path; the install script names the newest version.
  server = await startServer((request, response) => {
    const path = request.url ?? '';
    if (path.includes('2031')) response.writeHead(404).end();
    else response.end(path === '/install' ? `curl "https://x.example/lab/${VERSION}/linux/x64/y"` : path);
  });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function pins(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'scripts', 'pins.mjs'), ...args, '--source', `${server.url}/lab`, '--table', table],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  await once(child, 'close');
  return { code: child.exitCode, stdout: stdout.trim(), stderr };
}

describe('npm run pins', () => {
  it.each([VERSION, 'latest'])('%s puts every platform’s hash and size first in the table', async (asked) => {
    expect(await pins(asked)).toMatchObject({ code: 0, stdout: VERSION });
    const text = readFileSync(table, 'utf8');
    const path = `/lab/${VERSION}/windows/arm64/agent-cli-package.zip`;
    const sha256 = createHash('sha256').update(path).digest('hex');
    expect(text).toContain(`'windows/arm64': pin('${sha256}', ${path.length}),`);
    expect(text.indexOf(VERSION)).toBeLessThan(text.indexOf('2026.10.01-e373342'));
    expect(text.match(/pin\('[0-9a-f]{64}', \d+\)/g)).toHaveLength(
      (readFileSync(TABLE, 'utf8').match(/pin\('[0-9a-f]{64}', \d+\)/g)?.length ?? 0) + 6,
    );
    expect(text).toMatch(/source: 'Downloaded from the vendor and hashed by this project on \d{4}-/);
  });

  it('changes nothing where the build is in the table', async () => {
    expect(await pins('2026.10.01-e373342')).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(table, 'utf8')).toBe(readFileSync(TABLE, 'utf8'));
    expect(server.asked).toEqual([]);
  });

  it.each([
    ['no version', []],
    ['a version that is none', ["2030.01.02-x': {}, evil"]],
    ['a build that is not there', ['2031.01.01-abcdef0']],
  ])('changes nothing for %s', async (_, args) => {
    const { code, stdout } = await pins(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(readFileSync(table, 'utf8')).toBe(readFileSync(TABLE, 'utf8'));
  });
});

describe('the workflow that proposes a new build', () => {
  interface Workflow {
    permissions: object;
    jobs: Record<string, { permissions: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
  }
  const workflow = parse(
    readFileSync(join(ROOT, '.github', 'workflows', 'bump-cli.yml'), 'utf8'),
  ) as Workflow;

  it('gives the job that runs packages nothing to write with', () => {
    expect(workflow.permissions).toEqual({});
    expect(workflow.jobs['measure']?.permissions).toEqual({ contents: 'read' });
    const steps = workflow.jobs['propose']?.steps ?? [];
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter(({ run }) => /\b(npm|npx|node)\b/.test(run ?? ''))).toEqual([]);
  });

  it('names actions by commit, and puts no expression into a script', () => {
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used.length).toBeGreaterThan(0);
    for (const uses of used) expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
    for (const { run } of steps) expect(run ?? '').not.toContain('${{');
  });
});
