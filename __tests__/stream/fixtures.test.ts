import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EXPECTATIONS, expectationsOf, FIXTURES, fixtureFiles, fixtureNames } from './fixture-files.js';

/** Set by `npm run fixtures` and by nothing else. */
const isRecording = process.env['UPDATE_FIXTURES'] === '1';
const names = fixtureNames();

describe('recorded streams', () => {
  it('are many, of every dialect', () => {
    expect(names.length).toBeGreaterThanOrEqual(25);
    const dialects = new Set(names.map((name) => name.split('/')[0]));
    expect([...dialects]).toEqual(['bytes', 'clido', 'cursor', 'mixed', 'payload']);
  });

  it.each(names)('%s gives the events, report and summary recorded beside it', (name) => {
    const actual = expectationsOf(name);
    for (const ending of EXPECTATIONS) {
      const path = join(FIXTURES, `${name}${ending}`);
      if (isRecording) writeFileSync(path, actual[ending]);
      expect(actual[ending]).toBe(readFileSync(path, 'utf8'));
    }
  });

  it('have nothing beside them but their expectations', () => {
    const expected = names.flatMap((name) => ['.ndjson', ...EXPECTATIONS].map((ending) => name + ending));
    expect(fixtureFiles()).toEqual(expected.sort());
  });
});
