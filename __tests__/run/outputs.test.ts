import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pathsText } from '../../src/run/outputs.js';

describe('pathsText', () => {
  it('names every path where they fit', () => {
    expect(pathsText([])).toEqual({ text: '[]' });
    expect(pathsText(['a', 'b "c"'])).toEqual({ text: '["a","b \\"c\\""]' });
  });

  it('names whole paths only, as many as an output takes, and says how many are missing', () => {
    const paths = Array.from({ length: 30_000 }, (_, index) => `src/folder/file-${index}.ts`);
    const { text, note } = pathsText(paths);
    const named = JSON.parse(text) as string[];
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text.length).toBeGreaterThan(99_900);
    expect(named).toEqual(paths.slice(0, named.length));
    expect(note).toContain(`without ${(30_000 - named.length).toLocaleString('en')} of 30,000 paths`);
    expect(note).toContain('patch-file and report-file have them all');
  });

  it('is JSON of bounded length, whatever the paths', () => {
    const path = fc.string({ unit: 'binary', maxLength: 40_000, size: 'max' });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8, size: 'max' }), (paths) => {
        const { text, note } = pathsText(paths);
        const named = JSON.parse(text) as string[];
        expect(text.length).toBeLessThanOrEqual(100_000);
        expect(note === undefined).toBe(named.length === paths.length);
      }),
      { numRuns: 50 },
    );
  });
});
