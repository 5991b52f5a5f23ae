import { describe, expect, it } from '@jest/globals';
import { createRedaction } from '../../src/text/redact.js';
import { followStream } from '../../src/run/follow-stream.js';
import { cursor } from '../../src/stream/dialects/cursor.js';

const line = (record: object) => Buffer.from(`${JSON.stringify(record)}\n`);

describe('followStream', () => {
  it('gives a sign of life while a command runs, until the stream is over', () => {
    const printed: string[] = [];
    let now = 1000;
    let tick = () => {};
    let isTicking = true;
    const follower = followStream({
      dialects: [cursor],
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
      '+0:30 wait   shell npm test still running after 30.0 s',
      '+0:30 denied git push — allow with Shell(git) (no)',
    ]);
    follower.end();
    expect(isTicking).toBe(false);
  });
});
