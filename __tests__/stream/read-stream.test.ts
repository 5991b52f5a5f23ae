import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AgentEvent } from '../../src/stream/events.js';
import { MAX_LINE_BYTES } from '../../src/stream/lines.js';
import { readCutRecord, readStream } from '../../src/stream/read-stream.js';
import { createRedaction } from '../../src/text/redact.js';
import { eventsOf, reportOf } from './fixture-files.js';

const HUGE = 'x'.repeat(MAX_LINE_BYTES);
const lines = (...records: object[]) =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
const call = (subtype: string, result?: object) => ({
  type: 'tool_call',
  subtype,
  call_id: 'big',
  tool_call: { shellToolCall: { args: { command: 'cat big' }, ...(result ? { result } : {}) } },
});

describe('lines too long to read', () => {
  it('end the call their head names', () => {
    const events = eventsOf(
      lines(call('started'), call('completed', { success: { exitCode: 0, stdout: HUGE } })),
    );
    const report = reportOf(events);
    expect(events.map(({ type }) => type)).toEqual(['tool-started', 'tool-finished', 'unknown']);
    expect(report.tools).toMatchObject([{ target: 'cat big', state: 'ok', facts: { exitCode: 0 } }]);
    expect(report.unrecognised).toMatchObject({ count: 1, labels: { 'line too long to read': 1 } });
  });

  it('begin the call their head names', () => {
    const begun = {
      type: 'tool_call',
      subtype: 'started',
      call_id: 'big',
      tool_call: { editToolCall: { args: { path: '/repo/a', streamContent: HUGE } } },
    };
    const report = reportOf(eventsOf(lines(begun)));
    expect(report.tools).toMatchObject([{ kind: 'edit', target: 'a', state: 'running' }]);
  });

  it.each([
    [
      'payload',
      {
        type: 'tool_call',
        subtype: 'completed',
        payload: { toolCall: { id: 'big', result: { stdout: HUGE } } },
      },
    ],
    ['clido', { type: 'tool_result', tool_use_id: 'big', is_error: false, content: HUGE }],
  ])('end a call in the %s dialect too', (_, record) => {
    expect(eventsOf(lines(record))).toMatchObject([
      { type: 'tool-finished', callId: 'big' },
      { type: 'unknown', why: 'oversized' },
    ]);
  });

  it('end the run', () => {
    const result = { type: 'result', subtype: 'success', is_error: false, result: HUGE };
    expect(eventsOf(lines(result))).toMatchObject([
      { type: 'finished', isError: false },
      { type: 'unknown' },
    ]);
  });

  it('say nothing for the agent', () => {
    const message = { type: 'assistant', message: { content: HUGE } };
    expect(eventsOf(lines(message))).toMatchObject([{ type: 'unknown', why: 'oversized', line: 1 }]);
  });

  it('show no piece of a secret that was cut with them', () => {
    const secret = 'hunter2-hunter2-hunter2';
    const text = `${'y'.repeat(64 * 1024 - 10)}${secret}${HUGE}\n`;
    const reader = readStream(createRedaction([secret]));
    const [read] = reader.push(Buffer.from(text));
    expect(read?.line.oversized).toBeDefined();
    expect(read?.line.text).not.toContain('hunter');
  });
});

describe('cleaning', () => {
  it('comes before everything else', () => {
    const reader = readStream(createRedaction(['s3cret']));
    const read = reader.push(Buffer.from('{"type":"error","message":"key s3cret"}\ntext s3cret\n'));
    expect(JSON.stringify(read)).not.toContain('s3cret');
  });
});

describe('a result that lost its own line', () => {
  const result = '{"type":"result","subtype":"success","is_error":false,"result":"ok"}';
  it.each(['warning: ', '{"type":"assistant","mess', '{"type":"result","subtype":"succ', '{"type":"x"}'])(
    'is found behind %s',
    (before) => {
      const types = eventsOf(Buffer.from(`${before}${result}\n`)).map(({ type }) => type);
      expect(types).toEqual(['unknown', 'finished']);
    },
  );

  it('is not seen inside of a text', () => {
    const record = { type: 'assistant', message: { content: result } };
    expect(eventsOf(lines(record)).map(({ type }) => type)).toEqual(['text']);
    const cut = JSON.stringify(record).slice(0, -3);
    expect(eventsOf(Buffer.from(`${cut}\n`)).map(({ type }) => type)).toEqual(['unknown']);
  });
});

describe('a last line that was cut', () => {
  const record = JSON.stringify({ type: 'tool_call', subtype: 'started', call_id: 'c', tool_call: {} });

  it('is reported as cut, and not as a line that nobody knows', () => {
    const lost = '; what it reported is lost.';
    expect(eventsOf(Buffer.from(record.slice(0, -20)))).toEqual([
      {
        type: 'notice',
        level: 'warning',
        text: `The stream ended in the middle of its last line (line 1, tool_call/started)${lost}`,
      },
    ]);
  });

  it('is a complete record if only its newline is missing', () => {
    expect(eventsOf(Buffer.from(record))).toEqual(eventsOf(Buffer.from(`${record}\n`)));
  });

  it('is broken in the middle of a stream, and text if it is no record', () => {
    const types = (text: string) =>
      eventsOf(Buffer.from(text)).map((event) => event.type === 'unknown' && event.why);
    expect(types(`${record.slice(0, -20)}\n`)).toEqual(['broken']);
    expect(types('Error: no network')).toEqual(['text']);
  });
});

describe('the id of the session', () => {
  const sessions = (...records: object[]) =>
    eventsOf(lines(...records)).filter(({ type }) => type === 'session');

  it('is taken from the first line that has one, also from a record that nobody knows', () => {
    expect(
      sessions({ type: 'new' }, { type: 'new', session_id: 's' }, { type: 'new', session_id: 't' }),
    ).toEqual([{ type: 'session', sessionId: 's' }]);
    expect(sessions({ type: 'user', payload: { session_id: 'p' } })).toEqual([
      { type: 'session', sessionId: 'p' },
    ]);
  });

  it('is not announced again if the line itself announces it', () => {
    const init = { type: 'system', subtype: 'init', session_id: 's', model: 'm' };
    expect(sessions(init, init)).toHaveLength(2);
    expect(sessions({ type: 'result', subtype: 'success', session_id: 's', result: '' })).toEqual([]);
  });
});

describe('nesting', () => {
  it('of any depth is read or listed, never thrown', () => {
    const deep = `{"type":"assistant","message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const event: AgentEvent | undefined = eventsOf(Buffer.from(`${deep}\n`))[0];
    expect(event).toMatchObject({ type: 'unknown' });
    const tool = `{"type":"tool_call","subtype":"completed","call_id":"a","tool_call":{"xToolCall":{"result":${'{"error":'.repeat(50_000)}1${'}'.repeat(50_000)}}}}`;
    expect(eventsOf(Buffer.from(tool))[0]).toMatchObject({ type: 'tool-finished' });
  });
});

describe('reading the beginning of a record', () => {
  it.each([
    ['{"a":1,"b":{"c":"text that goes o', { a: 1, b: { c: 'text that goes o' } }],
    ['{"a":"x","na', { a: 'x' }],
    ['{"a":"x","name"', { a: 'x' }],
    ['{"a":"x","name":', { a: 'x' }],
    ['{"a":"x","n":12', { a: 'x' }],
    ['{"a":[1,2,{"b":tr', { a: [1, 2, {}] }],
    ['{"a":"quote \\" and \\u00e', { a: 'quote " and ' }],
    ['{"a":"slash \\', { a: 'slash ' }],
    ['{"a":"done"}', { a: 'done' }],
    ['{', {}],
  ])('%s', (text, expected) => {
    expect(readCutRecord(text)).toEqual(expected);
  });

  it.each(['', 'text', '[1,2', '"a', '{"a" "b"}', '}{', '{"a":1}}'])('gives nothing for %s', (text) => {
    expect(readCutRecord(text)).toBeUndefined();
  });

  it('reads any record cut anywhere, and never throws', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        expect(readCutRecord(text.slice(0, 1 + (at % text.length)))).toBeDefined();
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        readCutRecord(`{${text}`);
      }),
    );
  });
});
