import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeLogEvent } from '../../src/report/live-log.js';
import { foldEvents } from '../../src/report/fold.js';
import { eventsOf, fixtureBytes, fixtureNames, summaryOf } from './fixture-files.js';

const RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"MARK","session_id":"s"}';
const names = fixtureNames();

/** The lines of all fixtures, as bytes: what streams are really made of. */
const fixtureLines = names.flatMap((name) => fixtureBytes(name).toString('latin1').split('\n'));
const validLine = fc.constantFrom(...fixtureLines);
const hostileName = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '');
const wireWord = fc.constantFrom(
  ...[
    'type',
    'subtype',
    'tool_call',
    'started',
    'completed',
    'call_id',
    'payload',
    'toolCall',
    'result',
    'text',
  ],
  ...[
    'assistant',
    'message',
    'content',
    'success',
    'error',
    'rejected',
    'readToolCall',
    'args',
    'todos',
    'query',
  ],
  ...[
    'interaction_query',
    'response',
    'tool_use',
    'exit_status',
    'usage',
    'timestamp_ms',
    'updateTodosToolCall',
  ],
);
/** Records built from the words of the dialects, put together in any way at all. */
const { record: oddRecord } = fc.letrec<{ record: object; value: unknown }>((tie) => ({
  record: fc
    .array(fc.tuple(fc.oneof(wireWord, hostileName), tie('value')), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(wireWord, hostileName, fc.constant(null), fc.boolean(), fc.double(), fc.string()),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('record'),
  ),
}));
const oddLine = oddRecord.map((record) => Buffer.from(JSON.stringify(record)).toString('latin1'));
/** A line with some of its bytes changed, dropped or doubled. */
const mutatedLine = fc
  .tuple(validLine, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 2 })), { maxLength: 5 }))
  .map(([line, changes]) =>
    changes.reduce((text, [place, byte, how]) => {
      const at = place % (text.length + 1);
      const middle = [String.fromCharCode(byte), '', text.slice(at, at + 20).repeat(2)][how] ?? '';
      return text.slice(0, at) + middle + text.slice(at + how);
    }, line),
  );
const anyLine = fc.oneof(validLine, mutatedLine, oddLine, fc.string());

/** The whole way from bytes to everything that is shown. */
function carryThrough(bytes: Buffer): ReturnType<typeof eventsOf> {
  const events = eventsOf(bytes);
  const fold = foldEvents(['/repo']);
  const logged = [...events.flatMap((event) => fold.add(event, 1)), ...fold.end()];
  logged.forEach((event) => describeLogEvent(event, 1, { debug: true }));
  JSON.stringify(fold.report);
  summaryOf(events);
  return events;
}

describe('any stream', () => {
  it('is read without throwing, and its result is never lost', () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 12 }),
        fc.array(anyLine, { maxLength: 5 }),
        (before, after) => {
          const text = [...before.map(withoutNewline), RESULT, ...after.map(withoutNewline)].join('\n');
          const events = carryThrough(Buffer.from(text, 'latin1'));
          expect(events).toContainEqual(expect.objectContaining({ type: 'finished', text: 'MARK' }));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is read without throwing, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        carryThrough(Buffer.from(bytes));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps its result when the newline before it is lost', () => {
    fc.assert(
      fc.property(mutatedLine, (line) => {
        const bytes = Buffer.from(withoutNewline(line) + RESULT, 'latin1');
        const events = carryThrough(bytes);
        expect(events).toContainEqual(expect.objectContaining({ type: 'finished', text: 'MARK' }));
      }),
      { numRuns: 200 },
    );
  });

  it('counts each tool call once, however its lines are ordered', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 });
    const shuffled = ids.chain((all) => {
      const records = all.flatMap((call_id) =>
        ['started', 'completed'].map((subtype) => ({
          type: 'tool_call',
          subtype,
          call_id,
          tool_call: { readToolCall: { args: { path: 'a' } } },
        })),
      );
      const twice = [...records, ...records];
      return fc.tuple(fc.constant(all.length), fc.shuffledSubarray(twice, { minLength: twice.length }));
    });
    fc.assert(
      fc.property(shuffled, ([count, records]) => {
        const fold = foldEvents();
        eventsOf(Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))).forEach((event) =>
          fold.add(event, 1),
        );
        expect(fold.report.totals.read?.calls).toBe(count);
        expect(fold.openCalls()).toEqual([]);
      }),
    );
  });
});

const withoutNewline = (line: string): string => line.replaceAll('\n', '');
