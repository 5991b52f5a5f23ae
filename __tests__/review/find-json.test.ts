import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findJson, MAX_DEPTH, spanOfJson } from '../../src/review/read-answer.js';

const found = (message: string) => [...findJson(message)].map(({ value }) => value);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('findJson', () => {
  it.each([
    ['the whole message', '  {"a": 1}\n', [{ a: 1 }]],
    ['a value that is no object', '"yes"', ['yes']],
    ['a fence', 'Here:\n```json\n{"a": 1}\n```\nDone.', [{ a: 1 }]],
    ['a bare fence, unclosed', 'Here:\n```\n[1, 2]', [[1, 2]]],
    [
      'the last fence before others',
      '```json\n{"a": 1}\n```\nBetter:\n```JSON\n{"a": 2}\n```',
      [{ a: 2 }, { a: 1 }],
    ],
    [
      'a fence before prose',
      'Not {"a": 1}.\n~~~\n{"a": 2}\n~~~\nnor {"a": 3}',
      [{ a: 2 }, { a: 3 }, { a: 1 }],
    ],
    ['prose', 'The answer is {"a": [1, "}"]} as asked [1].', [[1], { a: [1, '}'] }]],
    ['prose with stray marks', 'Use { braces "like this. So: {"a": "\\"}"}', [{ a: '"}' }]],
    ['an object after an open one', '{"a": {"b": 1}, and then {"c": 2}', [{ c: 2 }, { b: 1 }]],
    ['a quotation mark that is never closed', '["x\n{"a": 1}', [{ a: 1 }]],
  ])('finds it in %s', (_, message, values) => {
    expect(found(message)).toEqual(values);
  });

  it('takes a fence of another language for prose only', () => {
    expect(found('```ts\nconst a = {"b": 1};\n```')).toEqual([{ b: 1 }]);
    expect(found('```ts\nconst a = {};\n```\n```json\n{"c": 1}\n```')).toEqual([{ c: 1 }, {}]);
  });

  it('is not led astray by fences inside of strings', () => {
    const value = { body: 'Do\n```ts\nx\n```\nnow', more: '```' };
    expect(found(`Here:\n\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``)[0]).toEqual(value);
  });

  it('does not take what is nested too deep to be walked through', () => {
    expect(found(nested(MAX_DEPTH))).toHaveLength(1);
    expect(
      found(nested(MAX_DEPTH + 1)).every((value) => JSON.stringify(value).length < 2 * MAX_DEPTH + 1),
    ).toBe(true);
    expect(found(`\`\`\`json\n${nested(1_000_000)}\n\`\`\``).length).toBeLessThan(5);
  });

  it('finds any JSON value among any words', () => {
    const words = fc.string({ unit: fc.constantFrom('a', ' ', '\n', "'", '.', '(', '\u2028', '😀', '`') });
    fc.assert(
      fc.property(words, fc.json({ maxDepth: 5 }), words, (before, json, after) => {
        fc.pre(/^[[{]/.test(json));
        expect(found(`${before}${json}${after}`)).toContainEqual(JSON.parse(json));
        expect(found(`${before}\n\`\`\`\`json\n${json}\n\`\`\`\`\n${after}`)).toContainEqual(
          JSON.parse(json),
        );
      }),
    );
  });

  it('agrees with JSON.parse on where a value ends', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.string(), (json, rest) => {
        fc.pre(/^[[{]/.test(json));
        expect(spanOfJson(`${json}${rest}`, 0)).toEqual({ kind: 'closed', end: json.length });
      }),
    );
  });

  it('never throws, whatever it is given', () => {
    const marks = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'n', '\n', '`', ' '),
    });
    fc.assert(
      fc.property(marks, (text) => {
        for (const { length } of findJson(text)) expect(length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  // Quadratic time on so much text would be hours, far beyond the limit of the test.
  it.each([
    ['opening braces', '{', 8e6],
    ['opening brackets', '[', 8e6],
    ['objects in objects', '{"a":', 2e5],
    ['all sorts in all sorts', '[{"a":[', 2e5],
    ['escaped quotation marks', '{"\\"\\"', 5e5],
    ['quotation marks and braces', '"{', 1e6],
    ['references', '[1] ', 5e5],
    ['lists in lists', '[1,', 5e5],
    ['fences', '```\n', 5e5],
    ['digits', '[1', 1e6],
    ['empty values', '[]{}', 5e5],
  ])(
    'reads very much hostile text to its end: %s',
    (_, piece, times) => {
      expect(found(piece.repeat(times)).length).toBeLessThanOrEqual(300);
    },
    60_000,
  );
});
