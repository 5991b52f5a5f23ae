import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultEntry } from '../../src/run/result-entry.js';
import { obstacle, removeAccounts, type Account } from './accounts.js';
import { line, reset, RESULT, SAYS, startReuse, WRITES, type Job } from './reuse-job.js';
import { API_KEY, type StepResult } from './step.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

afterAll(removeAccounts);

/** A patch that adds one file. */
const adds = (path: string, content = 'pwned', mode = '100644') =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${content}\n` +
  (mode === '120000' ? '\\ No newline at end of file\n' : '');

/** Everything in the checkout and beside it, with its kind and content. */
function stateOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const stat = lstatSync(join(folder, name));
      const content = stat.isSymbolicLink()
        ? readlinkSync(join(folder, name))
        : stat.isFile()
          ? readFileSync(join(folder, name), 'latin1')
          : '';
      return [name, `${stat.mode.toString(8)} ${content}`];
    }),
  );
}

const PATCHES: Poison[] = [
  ['a patch into .github', () => ({ patch: adds('.github/workflows/evil.yml') })],
  ['a patch into .git', () => ({ patch: adds('.git/hooks/pre-commit', '#!/bin/sh', '100755') })],
  ['a patch out of the checkout', () => ({ patch: adds('../escaped.md') })],
  ['an absolute path', () => ({ patch: adds('/tmp/escaped.md') })],
  ['a patch through a link of the checkout', () => ({ patch: adds('outside/escaped.md') })],
  [
    'a link, and a patch through it',
    () => ({ patch: adds('docs/way.md', '/tmp', '120000') + adds('docs/way.md/escaped.md') }),
  ],
  ['a link out of the checkout', () => ({ patch: adds('docs/way.md', '../../..', '120000') })],
  ['a file that steers agents', () => ({ patch: adds('.cursor/hooks.json', '{}') })],
  ['a source file', () => ({ patch: adds('src/evil.js') })],
  ['a patch that does not fit', () => ({ patch: adds('README.md') })],
  ['something that is no patch', () => ({ patch: 'rm -rf /\n' })],
];

const STREAMS: Poison[] = [
  ['a result that is an error', () => ({ stream: line({ ...RESULT, is_error: true, subtype: 'error' }) })],
  ['a stream without a result', () => ({ stream: line(SAYS('All is well.')) })],
  [
    'a truncated stream',
    ({ stream }) => ({ stream: stream.slice(0, stream.lastIndexOf('{"type":"result"') + 20) }),
  ],
  ['a stream that asks for a key', () => ({ stream: 'Error: Authentication required. Run agent login.\n' })],
  ['a stream that is no stream', () => ({ stream: '\u0000\u001b[2J::error::no\n' })],
];

type Poison = [string, (entry: ResultEntry) => Partial<ResultEntry>];

/** Whoever has the key of the workflow can write any entry. */
describe.each<[string, Account, Record<string, string>, Poison[]]>([
  ['not isolated', 'root', { isolation: 'off' }, [...PATCHES, ...STREAMS]],
  ['isolated by root', 'root', { isolation: 'required' }, PATCHES.slice(0, 8)],
  ['isolated by sudo', 'sudo', { isolation: 'required' }, PATCHES.slice(0, 4)],
])('a poisoned entry, %s', (way, account, settings, poisons) => {
  const why = way === 'not isolated' ? undefined : obstacle(account);
  const test = why === undefined ? it : it.skip;
  let reuse: Awaited<ReturnType<typeof startReuse>>;
  let [job, first, workspace, outside] = [{} as Job, {} as StepResult, '', ''];
  let kept: [string, Buffer][] = [];
  beforeAll(async () => {
    if (why !== undefined) return;
    reuse = await startReuse();
    job = reuse.jobWith(WRITES, settings);
    workspace = makeWorkspace();
    outside = makeFolder('outside');
    symlinkSync(outside, join(workspace, 'outside'));
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'a link');
    first = await reuse.runJob(job, { workspace, account });
    kept = [...reuse.cache.entries];
  });

  const runWith = async (change: Poison[1]) => {
    reset(workspace);
    const before = stateOf(workspace);
    for (const [key, bytes] of kept) reuse.cache.entries.set(key, bytes);
    reuse.poison(change);
    return { before, second: await reuse.runJob(job, { workspace, account }) };
  };

  test('does not exist yet: the result is reused', async () => {
    expect([first.outputs.get('failure-reason'), kept.length]).toEqual(['', 1]);
    const { second } = await runWith(() => ({}));
    expect([second.hasStarted, second.outputs.get('result')]).toEqual([false, first.outputs.get('result')]);
    expect(readFileSync(join(workspace, 'docs', 'guide.md'), 'utf8')).toContain('Written by');
  });

  test.each(poisons)('with %s changes nothing, and the agent is started', async (_, change) => {
    const { before, second } = await runWith(change);
    expect([second.outputs.get('status'), second.hasStarted]).toEqual(['success', true]);
    expect(second.outputs.get('skipped')).toBe('');
    expect(second.warnings.join('\n')).toMatch(/The result of run 4711 of .* was found but not reused \(/);
    expect(second.outputs.get('result')).toMatch(/^Done by /);
    expect(second.outputs.get('result')).not.toBe(first.outputs.get('result'));
    // Only what the agent itself wrote is there.
    const after = stateOf(workspace);
    const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
    expect(changed.sort()).toEqual(['README.md', 'docs', 'docs/guide.md']);
    expect([readdirSync(outside), existsSync('/tmp/escaped.md')]).toEqual([[], false]);
    expect(existsSync(join(workspace, '..', 'escaped.md'))).toBe(false);
  });

  test('says what it wants, as an agent can: no command is obeyed, and no secret is shown', async () => {
    const words = `::add-mask::all\n::set-output name=x::y\n<img src=x> @octocat ${API_KEY}`;
    const stream = line(SAYS(words)) + line({ ...RESULT, result: words });
    const { second } = await runWith(() => ({ patch: '', stream }));
    expect([second.outputs.get('status'), second.hasStarted]).toEqual(['success', false]);
    expect(second.stdout).not.toMatch(/^::add-mask::all/m);
    expect(second.summary).toContain('\\<img');
    expect(second.summary).not.toMatch(/[^\\]<img/);
    const log = second.stdout.replace(/^::add-mask::.*$/gm, '');
    const transcript = readFileSync(second.outputs.get('transcript-file') ?? '', 'utf8');
    for (const text of [second.summary, second.outputs.get('result'), log, transcript])
      expect(text).not.toContain(API_KEY);
  });
});
