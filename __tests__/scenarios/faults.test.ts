import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { isGone } from './processes.js';
import { built, runStep, type StepResult } from './step.js';
import { git, makeFolder, makeWorkspace } from './workspace.js';

const isRoot = process.getuid?.() === 0;
const STAY = `await sleep(600_000);`;
const until = async (condition: () => boolean) => {
  for (let tries = 0; tries < 600 && !condition(); tries += 1) await sleep(50);
};
const pidOf = (stdout: string) => /pid (\d+)/.exec(stdout)?.[1] ?? '';

describe('cancelling', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s ends the agent and tells what there was; the checkout is as it was',
    async (signal) => {
      const workspace = makeWorkspace({ '.cursor/cli.json': 'own' });
      const agent = fakeAgent(
        `process.on('SIGTERM', () => undefined); init(); say('pid ' + process.pid); call('1', 'lsToolCall', { path: '.' }, { success: {} }); ${STAY}`,
      );
      const step = await runStep({
        workspace,
        inputs: { 'cli-path': agent.path },
        during: async (child, stdout) => {
          await until(() => stdout().includes('list'));
          child.kill(signal);
          child.kill('SIGTERM');
        },
      });
      expect(step.code).toBe(1);
      expect(step.outputs.get('failure-reason')).toBe('cancelled');
      expect(step.outputs.get('result')).toMatch(/^pid \d+$/);
      expect(step.outputs.get('tool-calls')).toBe('1');
      expect(step.summary).toContain('cancelled');
      expect(readFileSync(join(workspace, '.cursor/cli.json'), 'utf8')).toBe('own');
      expect(isGone(pidOf(step.stdout))).toBe(true);
    },
  );
});

describe('being killed outright', () => {
  const killed = async (workspace: string): Promise<StepResult> => {
    const agent = fakeAgent(
      `init(); say('pid ' + process.pid); call('1', 'lsToolCall', { path: '.' }, { success: {} }); ${STAY}`,
    );
    return runStep({
      workspace,
      inputs: { 'cli-path': agent.path },
      during: async (child, stdout) => {
        await until(() => stdout().includes('list'));
        child.kill('SIGKILL');
      },
    });
  };

  it('leaves the checkout as it was: there is nothing to put back', async () => {
    const workspace = makeWorkspace({ '.cursor/cli.json': 'own' });
    const step = await killed(workspace);
    expect(step.signal).toBe('SIGKILL');
    expect(readFileSync(join(workspace, '.cursor/cli.json'), 'utf8')).toBe('own');
    expect(git(workspace, 'status', '--porcelain', '--ignored')).toBe('');
    // Not isolated here: the runner ends what it finds by its tracking id, and so do we.
    process.kill(Number(pidOf(step.stdout)), 'SIGKILL');
  });
});

describe('being killed outright while the changes are applied', () => {
  it('leaves nothing of ours in the checkout, and the next run removes what is in the repository folder', async () => {
    const workspace = makeWorkspace();
    const staging = (folder: string) =>
      readdirSync(folder).filter((name) => name.startsWith('.cursor-agent-'));
    const agent = fakeAgent(`const { writeFileSync, mkdirSync } = await import('node:fs'); mkdirSync('docs');
      init(); for (let at = 0; at < 3000; at += 1) writeFileSync('docs/' + at + '.md', 'x'); say('Done.'); finish();`);
    const step = await runStep({
      workspace,
      inputs: { 'cli-path': agent.path, preset: 'docs' },
      during: async (child) => {
        await until(() => [workspace, join(workspace, '.git')].some((folder) => staging(folder).length > 0));
        child.kill('SIGKILL');
      },
    });
    expect(step.signal).toBe('SIGKILL');
    expect(staging(workspace)).toEqual([]);
    expect(staging(join(workspace, '.git'))).toHaveLength(1);
    // Git sees nothing of it.
    expect(git(workspace, 'status', '--porcelain', '--ignored').replaceAll(/^\?\? docs\/.*\n?/gm, '')).toBe(
      '',
    );
    await runStep({ workspace, inputs: { 'cli-path': fakeAgent(ANSWERS).path } });
    expect(staging(join(workspace, '.git'))).toEqual([]);
  });
});

describe('falling silent', () => {
  it('ends the run', async () => {
    const agent = fakeAgent(`init(); ${STAY}`);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'idle-timeout-minutes': '0.05' } });
    expect(step.outputs.get('failure-reason')).toBe('idle-timeout');
  });

  it('is fine while a tool runs', async () => {
    const agent = fakeAgent(`init(); start('1', 'shellToolCall', { command: 'make' }); await sleep(5000);
      complete('1', 'shellToolCall', { command: 'make' }, { success: { exitCode: 0 } }); finish();`);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'idle-timeout-minutes': '0.05', preset: 'fix-ci' },
    });
    expect(step.outputs.get('status')).toBe('success');
  });

  const BACKGROUND = `init(); call('1', 'shellToolCall', { command: 'npm run dev' },
    { success: { exitCode: 0, shellId: 7, backgroundReason: 'SHELL_BACKGROUND_REASON_USER_REQUEST' }, isBackground: true });`;

  it('is fine while a command runs in the background, until its notification', async () => {
    const agent = fakeAgent(`${BACKGROUND} await sleep(5000);
      emit({ type: 'system', subtype: 'task_notification', task_id: '7', status: 'success', title: 'npm run dev' }); finish();`);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'idle-timeout-minutes': '0.05', preset: 'fix-ci' },
    });
    expect(step.outputs.get('status')).toBe('success');
    expect(step.stdout).toMatch(/shell {2}npm run dev \(goes on in the background\)/);
  });

  it('ends at the time limit of the run if such a command never reports, and names it', async () => {
    const agent = fakeAgent(`${BACKGROUND} ${STAY}`);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'idle-timeout-minutes': '0.02', 'timeout-minutes': '0.08' },
    });
    expect(step.outputs.get('failure-reason')).toBe('timeout');
    expect(step.errors.join('\n')).toContain(
      'Stopped after 0.08 minutes (timeout-minutes) while running npm run dev (in the background).',
    );
  });

  it('is not fine long after the time a tool had named for itself', async () => {
    const agent = fakeAgent(
      `init(); start('1', 'shellToolCall', { command: 'make', timeout: 100 }); ${STAY}`,
    );
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'idle-timeout-minutes': '0.05' } });
    expect(step.outputs.get('failure-reason')).toBe('idle-timeout');
  });
});

describe('trying again', () => {
  const NETWORK = `complain('ConnectError: [unavailable] read ECONNRESET'); process.exit(1);`;

  it('helps after a failure that passes, in the same chat', async () => {
    const agent = fakeAgent(
      `init(); if (attempt === 1) { call('1', 'readToolCall', { path: 'a' }, { success: {} }); ${NETWORK} } say('Now.'); finish('Now.');`,
    );
    const step = await runStep({ inputs: { 'cli-path': agent.path } });
    expect(step.code).toBe(0);
    expect(step.outputs.get('result')).toBe('Now.');
    expect(agent.sightings()).toHaveLength(2);
    expect(agent.sightings()[1]?.argv).toEqual(expect.arrayContaining(['--resume', 'chat-1']));
    expect(agent.sightings()[1]?.stdin).toBe(agent.sightings()[0]?.stdin);
    expect(step.stdout).toMatch(/try 1 failed \(network\); next in/);
    expect(step.summary).toContain('Try 1 failed (network)');
  });

  it.each<[string, string, Record<string, string>]>([
    [
      'something may have been written',
      `init(); call('1', 'editToolCall', { path: 'a' }, { success: {} }); ${NETWORK}`,
      {},
    ],
    ['a command was begun', `init(); start('1', 'shellToolCall', { command: 'make' }); ${NETWORK}`, {}],
    ['the failure does not pass', `complain('The provided API key is invalid'); process.exit(1);`, {}],
    ['it is switched off', `init(); ${NETWORK}`, { retries: '0' }],
    ['there is no time left', `init(); ${NETWORK}`, { 'timeout-minutes': '0.02' }],
  ])('is not done when %s', async (_name, body, inputs) => {
    const agent = fakeAgent(body);
    const step = await runStep({ inputs: { 'cli-path': agent.path, ...inputs } });
    expect(step.code).toBe(1);
    expect(agent.sightings()).toHaveLength(1);
  });

  it('can be cancelled while it waits', async () => {
    const agent = fakeAgent(`complain('RetriableError: [resource_exhausted]'); process.exit(1);`);
    const step = await runStep({
      inputs: { 'cli-path': agent.path },
      during: async (child, stdout) => {
        await until(() => stdout().includes('next in'));
        child.kill('SIGINT');
      },
    });
    expect(step.outputs.get('failure-reason')).toBe('cancelled');
    expect(agent.sightings()).toHaveLength(1);
  });
});

describe('the machine', () => {
  it('may have no file for outputs: the run is no success, and says what to do', async () => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({
      inputs: { 'cli-path': agent.path },
      env: { GITHUB_OUTPUT: '/no/such/file' },
    });
    expect(step.code).toBe(1);
    expect(step.errors.join()).toMatch(
      /An output could not be written: .*Make sure that this step may write/,
    );
    expect(step.summary).toContain('All is well.');
  });

  it('may run two at once, and they do not meet', async () => {
    const agents = ['one', 'two'].map((name) =>
      fakeAgent(`init(); await sleep(500); say('I am ${name}.'); finish(); ${STAY}`),
    );
    const steps = await Promise.all(agents.map((agent) => runStep({ inputs: { 'cli-path': agent.path } })));
    expect(steps.map((step) => step.outputs.get('result'))).toEqual(['I am one.', 'I am two.']);
    for (const step of steps) expect(git(step.workspace, 'status', '--porcelain', '--ignored')).toBe('');
  });

  const ORDINARY = 65534;
  const give = (path: string) => {
    execFileSync('chown', ['-R', String(ORDINARY), path]);
  };
  /** As the runner's user usually is; the bundle is copied, because the repository may be out of its reach. */
  const runAsOrdinaryUser = async (
    workspace: string,
    body = ANSWERS,
    inputs: Record<string, string> = {},
  ): Promise<StepResult> => {
    const place = makeFolder('ordinary');
    chmodSync(place, 0o755);
    cpSync(built('dist/run'), join(place, 'run'), { recursive: true });
    cpSync(dirname(fakeAgent(body).path), join(place, 'agent'), { recursive: true });
    mkdirSync(join(place, 'temp'));
    give(join(place, 'agent'));
    give(join(place, 'temp'));
    const noFiles = { GITHUB_OUTPUT: undefined, GITHUB_STEP_SUMMARY: undefined, GITHUB_STATE: undefined };
    return runStep({
      workspace,
      uid: ORDINARY,
      entry: join(place, 'run', 'index.js'),
      inputs: { 'cli-path': join(place, 'agent', 'cursor-agent'), ...inputs },
      env: { RUNNER_TEMP: join(place, 'temp'), ...noFiles },
    });
  };

  // Only root can become someone else; CI is root.
  (isRoot ? describe : describe.skip)('made and used as root', () => {
    /** A folder on a disk of its own, so that this can be full. */
    const onSmallDisk = async (size: string, use: (folder: string) => Promise<void>) => {
      const folder = makeFolder('small');
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
      try {
        await use(folder);
      } finally {
        execFileSync('umount', [folder]);
      }
    };
    const CHATTY = `init(); for (let i = 0; i < 40; i += 1) call(String(i), 'readToolCall', { path: 'a' }, { success: { content: 'x'.repeat(20_000) } }); say('The end.'); finish();`;

    it('may have a disk that fills up: what can be written is, and the run is no success', async () => {
      await onSmallDisk('640k', async (temp) => {
        const agent = fakeAgent(CHATTY);
        const step = await runStep({ inputs: { 'cli-path': agent.path }, env: { RUNNER_TEMP: temp } });
        expect(step.code).toBe(1);
        expect(step.outputs.get('status')).toBe('failure');
        expect(step.outputs.get('failure-reason')).toBe('internal');
        expect(step.outputs.get('result')).toContain('The end.');
        expect(step.errors.join()).toMatch(/The transcript could not be written: ENOSPC.*The disk is full/);
        expect(step.summary).toContain('The disk is full');
        expect(readFileSync(step.outputs.get('result-file')!, 'utf8')).toContain('The end.');
        const report = JSON.parse(readFileSync(step.outputs.get('report-file')!, 'utf8')) as {
          verdict: object;
        };
        expect(report.verdict).toMatchObject({ status: 'failure', reason: 'internal' });
        const lines = readFileSync(step.outputs.get('transcript-file')!, 'utf8').trim().split('\n');
        expect(lines.map((line) => JSON.parse(line) as object).at(-1)).toMatchObject({ type: 'left-out' });
      });
    });

    it('may have a disk that is full from the start, or has room for very little', async () => {
      for (const room of [0, 4096, 16_384, 40_960, 65_536]) {
        await onSmallDisk('256k', async (temp) => {
          const free = 256 * 1024 - room;
          writeFileSync(join(temp, 'filler'), Buffer.alloc(free));
          const agent = fakeAgent(CHATTY);
          const step = await runStep({ inputs: { 'cli-path': agent.path }, env: { RUNNER_TEMP: temp } });
          expect([room, step.code, step.outputs.get('status')]).toEqual([room, 1, 'failure']);
          expect(step.errors.join()).toMatch(/ENOSPC/);
          // No file is named that is not there, and none is half of one.
          const [report, page] = [step.outputs.get('report-file')!, step.outputs.get('report-html')!];
          if (report !== '')
            expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
              verdict: { status: 'failure' },
            });
          if (page !== '') expect(readFileSync(page, 'utf8')).toMatch(/<\/html>\n$/);
        });
      }
    });

    it('may have no room for outputs: the run is no success', async () => {
      await onSmallDisk('16k', async (folder) => {
        const full = join(folder, 'output');
        writeFileSync(full, Buffer.alloc(16 * 1024));
        const agent = fakeAgent(ANSWERS);
        const step = await runStep({ inputs: { 'cli-path': agent.path }, env: { GITHUB_OUTPUT: full } });
        expect(step.code).toBe(1);
        expect(step.errors.join()).toMatch(/An output could not be written: ENOSPC.*The disk is full/);
      });
    });

    it('may have a folder in the way that nobody may write', async () => {
      const workspace = makeWorkspace({ '.cursor/cli.json': 'own' });
      give(workspace);
      chmodSync(join(workspace, '.cursor'), 0o555);
      const step = await runAsOrdinaryUser(workspace);
      expect(step.code).toBe(0);
      expect(readFileSync(join(workspace, '.cursor/cli.json'), 'utf8')).toBe('own');
      expect(statSync(join(workspace, '.cursor')).mode & 0o777).toBe(0o555);
    });

    it('may have a checkout that belongs to another: the agent works on its layer all the same', async () => {
      const workspace = makeWorkspace({ '.cursor/cli.json': 'own', secret: 'x' });
      chmodSync(workspace, 0o755);
      chmodSync(join(workspace, 'secret'), 0o600);
      const step = await runAsOrdinaryUser(workspace);
      expect(step.code).toBe(0);
      expect(readFileSync(join(workspace, '.cursor/cli.json'), 'utf8')).toBe('own');
    });

    it('may have a checkout that cannot be written: what is to be applied is kept, and the run says so', async () => {
      const workspace = makeWorkspace();
      chmodSync(workspace, 0o755);
      const body = `(await import('node:fs')).writeFileSync('new.md', 'x'); ${ANSWERS}`;
      const step = await runAsOrdinaryUser(workspace, body, { preset: 'docs' });
      expect(step.code).toBe(1);
      expect(step.errors[0]).toMatch(
        /could not be written to the checkout, which is as it was before: EACCES/,
      );
    });
  });
});
