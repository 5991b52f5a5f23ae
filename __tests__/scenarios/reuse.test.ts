import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { line, reset, RESULT, resultsOf, SAYS, startReuse, WRITES, type Job } from './reuse-job.js';
import { API_KEY, type Step } from './step.js';
import { startVendor } from './vendor.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

let { cache, jobWith, runJob, poison } = {} as Awaited<ReturnType<typeof startReuse>>;
beforeEach(async () => {
  ({ cache, jobWith, runJob, poison } = await startReuse());
});

/**
 * One first run that many tests go on from. Each finds the checkout and the cache as that run left them; the checkout is
 * at its commit again.
 */
const goOn = (() => {
  let reuse = {} as Awaited<ReturnType<typeof startReuse>>;
  let [job, workspace, commit] = [{} as Job, '', ''];
  let kept: [string, Buffer][] = [];
  beforeAll(async () => {
    reuse = await startReuse();
    job = reuse.jobWith();
    workspace = makeWorkspace({ 'README.md': '# Project\n', '.gitignore': 'node_modules\n' });
    commit = git(workspace, 'rev-parse', 'HEAD').trim();
    const first = await reuse.runJob(job, { workspace });
    expect([first.outputs.get('status'), first.hasStarted]).toEqual(['success', true]);
    kept = [...reuse.cache.entries];
    expect(kept).toHaveLength(1);
  });
  return () => {
    git(workspace, 'reset', '--quiet', '--hard', commit);
    reset(workspace);
    reuse.cache.entries.clear();
    for (const [key, bytes] of kept) reuse.cache.entries.set(key, bytes);
    return { ...reuse, job, workspace };
  };
})();

describe('an identical second run', () => {
  it('starts no agent and gives the same result', async () => {
    const job = jobWith();
    const workspace = makeWorkspace();
    const first = await runJob(job, { workspace });
    expect([first.outputs.get('status'), first.hasStarted, first.warnings]).toEqual(['success', true, []]);
    const written = readFileSync(join(workspace, 'docs', 'guide.md'), 'utf8');
    expect(cache.requests.map(({ what }) => what)).toEqual([
      ...['GetCacheEntryDownloadURL', 'CreateCacheEntry', 'PUT blob', 'FinalizeCacheEntryUpload'],
    ]);
    reset(workspace);

    const second = await runJob(job, { workspace, env: { GITHUB_RUN_ID: '4712' } });
    expect([second.code, second.hasStarted, second.warnings, second.errors]).toEqual([0, false, [], []]);
    expect(resultsOf(second.outputs)).toEqual(resultsOf(first.outputs));
    expect(readFileSync(second.outputs.get('patch-file') ?? '', 'utf8')).toBe(
      readFileSync(first.outputs.get('patch-file') ?? '', 'utf8'),
    );
    expect(readFileSync(join(workspace, 'docs', 'guide.md'), 'utf8')).toBe(written);
    // The token goes to the service only, and the agent's words are not readable in the cache.
    expect(cache.requests.filter(({ hasToken }) => hasToken).map(({ what }) => what)).not.toContain(
      'GET blob',
    );
    expect([...cache.entries.values()][0]?.includes('Done by')).toBe(false);

    const skipped = second.outputs.get('skipped') ?? '';
    expect(skipped).toMatch(/^The result of run 4711 of \d{4}-\d\d-\d\d was reused; no agent was started\.$/);
    expect(first.outputs.get('skipped')).toBe('');
    expect(second.summary).toContain(skipped);
    expect(second.summary).toContain('/octo/repo/actions/runs/4711)');
    expect(readFileSync(second.outputs.get('report-html') ?? '', 'utf8')).toContain(skipped);
    // Nothing was paid for, and there is no chat to continue.
    expect(first.outputs.get('usage')).toContain('20');
    for (const name of ['usage', 'cost-usd', 'session-id', 'request-id', 'duration-api-ms'])
      expect([name, second.outputs.get(name)]).toEqual([name, '']);
  });

  it.each<[string, { inputs?: Record<string, string>; change?: (workspace: string) => void }]>([
    ['another prompt', { inputs: { prompt: 'Say something else.' } }],
    ['another model', { inputs: { model: 'other' } }],
    ['another policy', { inputs: { deny: 'Read(secret/**)' } }],
    ['another key', { inputs: { 'api-key': `${API_KEY}0` } }],
    [
      'another file',
      {
        change: (workspace) => {
          writeFileSync(join(workspace, 'more.md'), 'more\n');
          git(workspace, 'add', '--all');
          git(workspace, 'commit', '--quiet', '--message', 'more');
        },
      },
    ],
  ])('starts the agent for %s', async (_, { inputs = {}, change }) => {
    const { job, workspace, ...first } = goOn();
    change?.(workspace);
    const second = await first.runJob(job, { workspace, inputs });
    expect([second.outputs.get('status'), second.hasStarted, second.outputs.get('skipped')]).toEqual([
      ...['success', true, ''],
    ]);
    expect(second.warnings).toEqual([]);
    expect(first.cache.entries.size).toBe(2);
  });

  it('is recognised by its tree, whatever git ignores and whoever committed it', async () => {
    const { job, workspace, ...first } = goOn();
    mkdirSync(join(workspace, 'node_modules'));
    writeFileSync(join(workspace, 'node_modules', 'x.js'), '');
    git(workspace, 'commit', '--quiet', '--amend', '--message', 'the same in other words');
    expect((await first.runJob(job, { workspace })).hasStarted).toBe(false);
  });

  it('needs no credential, and is recognised whatever the run calls its files', async () => {
    const workspace = makeWorkspace();
    const before = git(workspace, 'rev-parse', 'HEAD').trim();
    writeFileSync(join(workspace, 'code.js'), 'export const a = 1;\n');
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'code');
    const after = git(workspace, 'rev-parse', 'HEAD').trim();
    const repository = { id: 1, name: 'repo', full_name: 'octo/repo', default_branch: 'main' };
    const sender = { login: 'mary', id: 11, type: 'User' };
    const event = join(makeFolder('event'), 'event.json');
    writeFileSync(event, JSON.stringify({ ref: 'refs/heads/main', before, after, repository, sender }));
    const vendor = await startVendor();
    const env = {
      ...{ GITHUB_EVENT_NAME: 'push', GITHUB_EVENT_PATH: event, GITHUB_SHA: after },
      ...{ GITHUB_ACTOR: 'mary', GITHUB_TRIGGERING_ACTOR: 'mary', CURSOR_API_ENDPOINT: vendor.url },
    };
    const inputs = { context: 'diff', 'preset-prompt': 'true', credential: 'token' };
    const job = jobWith(WRITES, inputs);
    const first = await runJob(job, { workspace, env });
    expect([first.outputs.get('status'), first.hasStarted, vendor.calls.length]).toEqual([
      'success',
      true,
      1,
    ]);
    expect(first.stdout).toContain('Gathered for the agent: diff');
    reset(workspace);
    const second = await runJob(job, { workspace, env });
    expect([second.outputs.get('status'), second.hasStarted, vendor.calls.length]).toEqual([
      ...['success', false, 1],
    ]);
    reset(workspace);
    // Another diff that leads to the same files is another task.
    const root = git(workspace, 'commit-tree', `${before}^{tree}`, '-m', 'other').trim();
    writeFileSync(join(workspace, 'code.js'), '');
    git(workspace, 'checkout', '--quiet', '--detach', root, '--force');
    writeFileSync(join(workspace, 'code.js'), 'export const b = 2;\n');
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'other code');
    const other = git(workspace, 'rev-parse', 'HEAD').trim();
    git(workspace, 'reset', '--quiet', '--hard', after);
    writeFileSync(
      event,
      JSON.stringify({ ref: 'refs/heads/main', before: other, after, repository, sender }),
    );
    const third = await runJob(job, { workspace, env });
    expect([third.outputs.get('status'), third.hasStarted]).toEqual(['success', true]);
    await vendor.close();
  });

  it('without reuse-result starts the agent and asks no cache', async () => {
    const job = jobWith(WRITES, { 'reuse-result': 'false' });
    const workspace = makeWorkspace();
    for (const _ of [1, 2]) {
      expect((await runJob(job, { workspace })).hasStarted).toBe(true);
      reset(workspace);
    }
    expect(cache.requests).toEqual([]);
  });
});

describe('no result is reused, and a note says why', () => {
  it.each<[string, Step, RegExp]>([
    ['the CLI is one of the runner', { inputs: { 'cli-path': 'agent' } }, /cli-path is not known/],
    [
      'its sha256 is not known',
      { inputs: { 'cli-version': '2030.01.02-abcdef0', 'cli-sha256': '' } },
      /sha256 of Cursor CLI .* is not known/,
    ],
    ['there is no cache', { env: { ACTIONS_CACHE_SERVICE_V2: '' } }, /no Actions cache/],
    [
      'the cache does not answer',
      { env: { ACTIONS_RESULTS_URL: 'http://127.0.0.1:9' } },
      /could not be searched/,
    ],
  ])('if %s', async (_, { inputs = {}, env = {} }, why) => {
    const job = jobWith();
    const own = inputs['cli-path'] === 'agent' ? { 'cli-path': job.agent.path } : inputs;
    const result = await runJob(job, { inputs: own, env });
    expect(result.outputs.get('status')).toBe('success');
    expect(result.stdout).toMatch(why);
    expect(cache.entries.size).toBe(0);
  });

  it.each<[string, (workspace: string) => void, RegExp]>([
    [
      'a changed file',
      (at) => {
        writeFileSync(join(at, 'README.md'), 'changed\n');
      },
      /README\.md/,
    ],
    [
      'an unknown file',
      (at) => {
        writeFileSync(join(at, 'new.md'), 'new\n');
      },
      /new\.md/,
    ],
    [
      'a staged file',
      (at) => {
        writeFileSync(join(at, 'staged.md'), 'new\n');
        git(at, 'add', '--all');
      },
      /staged/,
    ],
    [
      'a file to overlook',
      (at) => {
        git(at, 'update-index', '--assume-unchanged', 'README.md');
      },
      /overlook/,
    ],
  ])('if the checkout has %s', async (_, change, why) => {
    const workspace = makeWorkspace();
    change(workspace);
    const result = await runJob(jobWith(`init(); say('Well.'); finish('Well.');`), { workspace });
    expect(result.outputs.get('status')).toBe('success');
    expect(result.warnings.join('\n')).toMatch(why);
    expect(cache.requests).toEqual([]);
  });

  it('and resume is refused', async () => {
    const result = await runJob(jobWith(), { inputs: { resume: 'chat-1' } });
    expect(result.outputs.get('failure-reason')).toBe('invalid-input');
    expect(result.errors.join('\n')).toContain('reuse-result: cannot be true together with resume');
  });

  it('keeps no failed run, and none that is too large', async () => {
    await runJob(jobWith(`init(); finish('No.', { is_error: true, subtype: 'error' });`));
    expect(cache.entries.size).toBe(0);
    const large = await runJob(
      jobWith(`init(); for (let i = 0; i < 100; i += 1) say('x'.repeat(100_000)); finish('Done.');`),
    );
    expect([large.outputs.get('status'), cache.entries.size]).toEqual(['success', 0]);
    expect(large.warnings.join('\n')).toContain('The result was not kept for later runs: ');
  });
});

describe('what somebody without the key writes to the cache', () => {
  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['text', () => Buffer.from('{"version":1}')],
    ['a changed byte', (bytes) => Buffer.from(bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)))],
    ['a part of it', (bytes) => bytes.subarray(0, bytes.length - 10)],
    ['far too much', () => Buffer.alloc(9 * 1024 * 1024)],
  ])('is not used: %s', async (_, change) => {
    const { job, workspace, ...first } = goOn();
    for (const [key, bytes] of first.cache.entries) first.cache.entries.set(key, change(bytes));
    const second = await first.runJob(job, { workspace });
    expect([second.outputs.get('status'), second.hasStarted]).toEqual(['success', true]);
    expect(second.warnings.join('\n')).toMatch(/was not reused|could not be searched/);
  });

  it('is not used: a result of another run under this name', async () => {
    const { job, workspace, runJob: run, cache: service } = goOn();
    await run(job, { workspace, inputs: { prompt: 'Another.' } });
    reset(workspace);
    const [first, second] = [...service.entries.keys()];
    service.entries.set(first ?? '', service.entries.get(second ?? '') ?? Buffer.alloc(0));
    expect((await run(job, { workspace })).hasStarted).toBe(true);
  });
});

describe('a result that is replayed is checked again', () => {
  it('by the commands that verify it', async () => {
    const flag = join(makeFolder('flag'), 'broken');
    const job = jobWith(WRITES, { verify: `test ! -e ${flag}` });
    const workspace = makeWorkspace();
    const first = await runJob(job, { workspace });
    expect(first.outputs.get('verification')).toBe('passed');
    reset(workspace);
    const second = await runJob(job, { workspace });
    expect([second.hasStarted, second.outputs.get('verification')]).toEqual([false, 'passed']);
    reset(workspace);
    writeFileSync(flag, '');
    const third = await runJob(job, {
      workspace,
      inputs: { 'verify-required': 'false', 'verify-retries': '0' },
    });
    expect([third.hasStarted, third.outputs.get('verification')]).toEqual([false, 'failed']);
    reset(workspace);
    const fourth = await runJob(job, { workspace });
    expect([fourth.hasStarted, fourth.outputs.get('failure-reason')]).toEqual([true, 'verification-failed']);
    expect(fourth.warnings.join('\n')).toContain('not reused (verification-failed: ');
  });

  it('by its schema and by its findings', async () => {
    const schema = '{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}';
    const body = `init(); const text = JSON.stringify({ ok: true }); say(text); finish(text);`;
    const job = jobWith(body, { 'output-schema': schema });
    const workspace = makeWorkspace();
    await runJob(job, { workspace });
    const second = await runJob(job, { workspace });
    expect([second.hasStarted, second.outputs.get('structured-output')]).toEqual([false, '{"ok":true}']);
    poison(() => ({
      stream: line(SAYS('{"ok":1}')) + line({ ...RESULT, result: '{"ok":1}', session_id: 'chat-1' }),
    }));
    const third = await runJob(job, { workspace });
    expect([third.hasStarted, third.outputs.get('structured-output')]).toEqual([true, '{"ok":true}']);
  });
});
