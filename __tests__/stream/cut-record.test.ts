import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCutRecord } from '../../src/stream/cut-record.js';

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
