import { afterAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { runStep } from './step.js';
import { NOT_PERMITTED, withUnshare, worksTimes } from './set-up-program.js';
import { makeWorkspace } from './workspace.js';

afterAll(removeAccounts);

/** `timeout-minutes`, and how long the end of a process may take, on a machine with much to do. */
const LIMIT_MS = 6000;
const ENDING_MS = 4000;
const LIMIT = String(LIMIT_MS / 60_000);

/** Each start says when it began, and `body` runs as an agent that may write and run commands. */
async function run(body: string, inputs: Record<string, string>, account: Account = 'root') {
  const workspace = makeWorkspace({ 'a.txt': 'old\n' });
  const agent = fakeAgent(`
    const { writeFileSync } = await import('node:fs');
    complain('START ' + Date.now()); init(); writeFileSync('a.txt', 'new\\n');
    const isResumed = sighting.argv.includes('--resume');
    ${body}; say('Done.'); finish('Done.');`);
  const step = await runStepAs(account, agent, {
    workspace,
    inputs: { preset: 'fix-ci', 'timeout-minutes': LIMIT, ...inputs },
  });
  const endedAt = Date.now();
  const starts = [...step.stdout.matchAll(/START (\d+)/g)].map(([, time]) => Number(time));
  return { step, workspace, starts, tookMs: endedAt - (starts[0] ?? 0) };
}

const HANG = 'await sleep(600_000)';
const reason = ({ outputs }: { outputs: Map<string, string> }) => outputs.get('failure-reason');

describe('one time limit', () => {
  it.each<Account>(['root', 'sudo', 'user-namespace'])(
    'stops an agent while a part is left for the verification, and keeps its patch (%s)',
    async (account) => {
      const missing = obstacle(account);
      if (missing !== undefined) return;
      // An agent that would end within the limit, and commands that would then take longer than what is left.
      const { step, workspace, tookMs } = await run(
        `await sleep(${LIMIT_MS * 0.87})`,
        { verify: 'sleep 60' },
        account,
      );
      expect(reason(step)).toBe('timeout');
      expect(step.errors.join()).toContain(
        'Stopped after 0.08 of 0.1 minutes (timeout-minutes; the rest is reserved for the verification)',
      );
      expect(tookMs).toBeLessThan(LIMIT_MS + ENDING_MS);
      expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('old\n');
      expect(readFileSync(step.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('+new');
    },
  );

  it('holds for the verification', async () => {
    const { step, starts, tookMs } = await run('await sleep(1000)', { verify: 'sleep 60' });
    expect(reason(step)).toBe('verification-failed');
    expect(starts).toHaveLength(1);
    expect(step.warnings.join()).toContain('its part of the time limit was over');
    expect(tookMs).toBeLessThan(LIMIT_MS + ENDING_MS);
    expect(readFileSync(step.outputs.get('rejected-patch-file') ?? '', 'utf8')).toContain('+new');
  });

  it('holds for a retry, the wait before it, a correction, a verification and a repair, all together', async () => {
    const limitMs = 2 * LIMIT_MS;
    const { step, starts, tookMs } = await run(
      `if (attempt === 1) { complain('fetch failed'); process.exit(1); }
       const answer = attempt === 2 ? 'No JSON.' : '{"x":1}';
       if (attempt < 4) { say(answer); finish(answer); process.exit(0); }
       ${HANG}`,
      {
        isolation: 'off',
        'timeout-minutes': String(limitMs / 60_000),
        'output-schema': '{"type":"object","required":["x"]}',
        verify: 'sleep 1; exit 1',
      },
    );
    expect(starts).toHaveLength(4);
    expect(reason(step)).toBe('timeout');
    expect(tookMs).toBeLessThan(limitMs + ENDING_MS);
  });
});

const missing = obstacle('root');
(missing === undefined ? describe : describe.skip)(
  'one time limit, if the isolation cannot be set up',
  () => {
    const runOn = async (unshare: string) => {
      const agent = fakeAgent(`complain('START ' + Date.now()); init(); ${HANG}`);
      const step = await runStep({
        before: withUnshare(unshare),
        workspace: makeWorkspace(),
        inputs: { 'cli-path': agent.path, isolation: 'auto', 'timeout-minutes': LIMIT },
      });
      return { step, startedAt: Number(/START (\d+)/.exec(step.stdout)?.[1]) };
    };

    it('counts while it is set up, and starts no agent once it is over', async () => {
      const beganAt = Date.now();
      const { step } = await runOn(worksTimes(1, 'sleep 60'));
      expect(reason(step)).toBe('timeout');
      expect(step.errors.join()).toContain('before the isolation was set up');
      expect(Date.now() - beganAt).toBeLessThan(LIMIT_MS + ENDING_MS);
      expect(step.stdout).not.toContain('START');
    });

    it('holds for an agent without isolation, on a machine that takes a while to say that it cannot isolate', async () => {
      const { step, startedAt } = await runOn(`sleep 1; ${NOT_PERMITTED}`);
      expect(reason(step)).toBe('timeout');
      expect(step.stdout.match(/START/g)).toHaveLength(1);
      expect(step.warnings.join()).toContain('not isolated on this runner');
      expect(Date.now() - startedAt).toBeLessThan(LIMIT_MS + ENDING_MS);
    });

    it('is not used up by a second preparation with less', async () => {
      const { step, startedAt } = await runOn(worksTimes(1, NOT_PERMITTED));
      expect(reason(step)).toBe('isolation-unavailable');
      expect(step.errors.join()).toContain('Root cannot create namespaces here');
      expect(startedAt).toBeNaN();
    });
  },
);
