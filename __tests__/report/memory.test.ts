import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { foldEvents } from '../../src/report/fold.js';
import { readStream } from '../../src/stream/read-stream.js';

const ROUNDS = 20;
const LONG = 'z'.repeat(400 * 1024);

/** Memory in use once everything that can be let go is. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // One pass may leave what another was needed to let go of.
  return Math.min(...[1, 2, 3, 4].map(() => (collect(), process.memoryUsage().heapUsed)));
}

/** Records with a very long text in every place that something is kept from. */
function longRecords(round: number): object[] {
  const call = (subtype: string, call_id: string, tool_call: object) => ({
    type: 'tool_call',
    subtype,
    call_id,
    tool_call,
  });
  const id = `${round}${LONG}`;
  const failure = { exitCode: 1, stdout: LONG, stderr: LONG, reason: LONG };
  const todos = [{ id, content: LONG, status: LONG }];
  return [
    call('started', id, { shellToolCall: { args: { command: LONG } } }),
    call('completed', id, { shellToolCall: { args: { command: LONG }, result: { failure } } }),
    call('started', `open ${id}`, { readToolCall: { args: { path: LONG } } }),
    call('completed', `odd ${round}`, {
      [`odd${id}ToolCall`]: { args: { name: LONG }, result: { [`arm${id}`]: failure } },
    }),
    call('completed', `plan ${round}`, { updateTodosToolCall: { args: { merge: true, todos } } }),
    { type: id, subtype: LONG },
    { type: 'error', message: id },
    { type: 'connection', subtype: id },
    { type: 'retry', subtype: id },
    {
      type: 'interaction_query',
      query_type: LONG,
      query: { id, aQuery: { args: { url: LONG, toolCallId: `q${id}` } } },
    },
    {
      type: 'interaction_query',
      query_type: LONG,
      response: { id: `other ${id}`, rejected: { reason: LONG } },
    },
    { type: 'system', subtype: 'init', cwd: `/${id}`, model: LONG, session_id: LONG },
    { type: 'tool_start', tool_name: id, input: {} },
    { type: 'thinking', subtype: 'delta', text: LONG },
    {
      type: 'tool_call',
      subtype: 'completed',
      payload: { toolCall: { id: `p${id}`, result: { error: LONG } } },
    },
  ];
}

describe('memory', () => {
  it('does not grow with what is in the stream', () => {
    const reader = readStream();
    const fold = foldEvents();
    const before = heapInUse();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const record of longRecords(round)) {
        for (const { events } of reader.push(Buffer.from(`${JSON.stringify(record)}\n`))) {
          events.forEach((event) => fold.add(event, 1));
        }
      }
    }
    expect(fold.report.tools.length).toBeGreaterThan(ROUNDS);
    // One place that keeps a text whole would alone cost all of it, each round.
    expect(heapInUse() - before).toBeLessThan(ROUNDS * LONG.length * 0.6);
    expect(fold.report.answer).toBe('');
  });
});
