import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../src/agent/agent.js';
import { RunFailure } from '../../src/core/failure.js';
import { chatsOf, planPasses } from '../../src/review/effort.js';
import { expectAnswer } from '../../src/review/expect-answer.js';
import { reviewChange, type Reviewing } from '../../src/run/review-passes.js';
import { openRounds } from '../../src/run/rounds.js';
import type { Sandbox } from '../../src/sandbox/index.js';
import { createRedaction } from '../../src/text/redact.js';
import { scratchFolder } from '../sandbox/layer/scratch-repository.js';

const json = (records: readonly object[]) =>
  Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));

/** One chat: a command that the rules refuse, and an answer. */
const stream = (seat: number, answer: string) =>
  json([
    { type: 'system', subtype: 'init', session_id: `s${seat}`, model: 'm', cwd: '/' },
    {
      ...{ type: 'tool_call', subtype: 'completed', call_id: `c${seat}`, session_id: `s${seat}` },
      tool_call: {
        shellToolCall: {
          args: { command: `git push ${seat}` },
          result: { rejected: { command: 'git push', reason: 'denied' } },
        },
      },
    },
    { type: 'result', subtype: 'success', is_error: false, result: answer, session_id: `s${seat}` },
  ]);

describe('a pass that cannot be continued', () => {
  it('is still counted with what it did before', async () => {
    const folder = scratchFolder();
    const answers = ['{"summary":"Fine.","findings":[]}', 'No JSON.'];
    const sandbox = {
      places: { top: folder, directory: folder, home: folder, temp: folder },
      run: ({ seat = 0 }, watcher) => {
        watcher.onStdout(stream(seat, answers[seat] ?? ''));
        return Promise.resolve({ exit: { kind: 'exited', code: 0 } });
      },
    } as Partial<Sandbox> as Sandbox;
    const made = expectAnswer({ kind: 'findings' });
    if ('problems' in made) throw new Error(made.problems.join());
    let signedIn = 0;
    const redaction = createRedaction([]);
    const chats = chatsOf([[]], 2).map((chat) => ({ ...chat, prompt: 'Review.' }));
    const setting = {
      sandbox,
      agent: { args: () => [], environment: () => ({}) } as Partial<Agent> as Agent,
      inputs: {
        model: ['m'],
        retries: 0,
        extraArgs: [],
        exclude: [],
        idleTimeoutMinutes: 1,
        failOnDenied: false,
      },
      resolved: { directory: folder, workspace: folder },
      policy: { allow: [], deny: [] },
      setup: { allow: [], deny: [] },
      ...{ prompt: 'Review.', chats, expectation: made.expectation },
      // For the correction, Cursor gives no new token.
      signIn: () =>
        ++signedIn > 2 ? Promise.reject(new RunFailure('auth', 'Refused.')) : Promise.resolve(undefined),
      output: {
        ...{ redaction, print: () => undefined, printLine: () => undefined, onReport: () => undefined },
        transcript: { write: () => undefined },
      },
      deadline: {
        ...{ elapsedMs: () => 0, agentMs: () => 60_000, verificationMs: () => 60_000, baselineMs: () => 0 },
        limits: { timeoutMinutes: 1, idleTimeoutMinutes: 1 },
      },
      invocation: { env: {}, cancel: new AbortController().signal },
      ...{ starts: { max: 9, used: 0, planned: 1, hasWorked: false }, seat: 0, isFresh: false },
      plan: {
        ...planPasses({ effort: 'high', maxStarts: 2, isReview: true, continuesChat: false }),
        validates: 'none',
      },
      history: { directory: folder, workspace: folder, scratch: folder, env: {}, token: undefined },
      ...{ reviewed: {}, scope: undefined, rules: { team: [] }, validationPrompt: () => '' },
    } as unknown as Omit<Reviewing, 'rounds'>;
    const rounds = openRounds(setting);
    const { attempt, passes } = await reviewChange({ ...setting, rounds });
    expect(passes).toMatchObject({ started: 2, answered: 1 });
    expect(rounds.record.notes.join()).toContain('Pass 2 of 2 gave no findings. Refused.');
    expect(attempt.report.tools.map(({ target, state }) => `${target}: ${state}`).sort()).toEqual([
      'git push 0: denied',
      'git push 1: denied',
    ]);
  });
});
