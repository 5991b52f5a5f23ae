import { describe, expect, it } from '@jest/globals';
import { createRedaction } from '../../src/text/redact.js';
import { followStream } from '../../src/run/follow-stream.js';

const line = (record: object) => Buffer.from(`${JSON.stringify(record)}\n`);

const follow = (secrets: string[] = []) => {
  const printed: string[] = [];
  const written: string[] = [];
  const follower = followStream({
    redaction: createRedaction(secrets),
    transcript: {
      write: (lines) => written.push(...lines.map(({ text }) => text)),
      close: () => {},
      notes: () => [],
      problems: () => [],
    },
    print: (lines) => printed.push(...lines),
    roots: [],
    idleMs: 1000,
    debug: false,
    now: () => 0,
    ticker: () => () => {},
  });
  return { follower, printed, written };
};
const call = (subtype: string, key: string, given: object) =>
  line({ type: 'tool_call', subtype, call_id: key, tool_call: { [key]: given } });

describe('how long the agent may be silent', () => {
  const args = { command: 'npm run dev', timeout: 30_000 };
  const result = { success: { exitCode: 0, shellId: 7 }, isBackground: true };

  it('is not limited while something runs in the background, until that has ended', () => {
    const { follower } = follow();
    follower.onStdout(call('started', 'shellToolCall', { args }));
    expect(follower.patienceMs()).toBe(61_000);
    follower.onStdout(call('completed', 'shellToolCall', { args, result }));
    expect(follower.patienceMs()).toBe(Infinity);
    expect(follower.hasSubagent()).toBe(false);
    follower.onStdout(
      line({ type: 'system', subtype: 'task_notification', task_id: '7', status: 'success' }),
    );
    expect(follower.patienceMs()).toBe(1000);
    follower.end();
  });

  it('is limited again when the CLI has stopped its commands', () => {
    const { follower } = follow();
    follower.onStdout(call('completed', 'shellToolCall', { args, result }));
    follower.onStdout(line({ type: 'system', subtype: 'background_shell_timeout' }));
    expect(follower.patienceMs()).toBe(1000);
    follower.end();
  });

  it('knows of a sub-agent, which may work on after the result', () => {
    const { follower } = follow();
    const started = { success: { agentId: 'a', isBackground: true } };
    follower.onStdout(call('completed', 'taskToolCall', { args: { description: 'x' }, result: started }));
    follower.onStdout(line({ type: 'result', subtype: 'success', result: 'ok' }));
    expect([follower.hasResult(), follower.hasSubagent()]).toEqual([true, true]);
    follower.onStdout(
      line({ type: 'system', subtype: 'task_notification', task_id: 'a', status: 'success' }),
    );
    expect(follower.hasSubagent()).toBe(false);
    follower.end();
  });
});

describe('a secret in the first pieces of a stream', () => {
  it('is removed, although the first piece also announces the session', () => {
    const { follower, printed } = follow(['sesame-open-4711']);
    const piece = (text: string, at: number) =>
      line({ type: 'assistant', message: { content: text }, timestamp_ms: at, session_id: 's' });
    follower.onStdout(piece('it is sesame-', 1));
    follower.onStdout(piece('open-4711 now', 2));
    follower.end();
    expect(follower.report).toMatchObject({ sessionId: 's' });
    expect(JSON.stringify([follower.report, printed])).not.toMatch(/sesame|4711/);
  });
});

describe('a secret in the stream', () => {
  it('is in no line of the transcript, the log and the report, split or whole, in records and in plain text', () => {
    const { follower, printed, written } = follow(['sesame-open-4711-2718']);
    const said = (content: string) => line({ type: 'assistant', message: { content }, timestamp_ms: 1 });
    follower.onStdout(said('it is ses'));
    follower.onStdout(said('ame-open-4711-2718'));
    follower.onStdout(Buffer.from('plain sesame-open-4711-2718\n'));
    follower.onStdout(line({ type: 'error', message: 's e s a m e - o p e n - 4 7 1 1 - 2 7 1 8' }));
    follower.onStderr(Buffer.from('stderr sesame-open-4711-2718\n'));
    follower.end();
    expect(written).toHaveLength(4);
    const told = JSON.stringify([printed, written, follower.report, follower.stderr()]);
    expect(told).not.toMatch(/ses|ame|4711|2718|4 7 1 1/);
  });
});

describe('followStream', () => {
  it('gives a sign of life while a command runs, until the stream is over', () => {
    const printed: string[] = [];
    let now = 1000;
    let tick = () => {};
    let isTicking = true;
    const follower = followStream({
      redaction: createRedaction([]),
      transcript: { write: () => {}, close: () => {}, notes: () => [], problems: () => [] },
      print: (lines) => printed.push(...lines),
      roots: [],
      idleMs: 1000,
      debug: false,
      rules: { force: true, allow: [], deny: ['Shell(git)'] },
      now: () => now,
      ticker: (callback) => {
        tick = callback;
        return () => (isTicking = false);
      },
    });
    const args = { command: 'npm test' };
    follower.onStdout(
      line({ type: 'tool_call', subtype: 'started', call_id: '1', tool_call: { shellToolCall: { args } } }),
    );
    now += 30_000;
    tick();
    const result = { rejected: { command: 'git push', reason: 'no' } };
    follower.onStdout(
      line({
        type: 'tool_call',
        subtype: 'completed',
        call_id: '2',
        tool_call: { shellToolCall: { args: { command: 'git push' }, result } },
      }),
    );
    expect(printed).toEqual([
      '+0:00 shell  npm test …',
      '+0:30 wait   shell npm test still running after 30.0 s',
      '+0:30 denied git push — no. git and gh stay denied. Let a later step commit or publish, such as propose or publish.',
    ]);
    follower.end();
    expect(isTicking).toBe(false);
  });
});
