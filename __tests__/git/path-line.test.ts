import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPath, writePath } from '../../src/git/paths.js';

describe('writePath', () => {
  it.each([
    ['src/a.ts'],
    ['.github/workflows/ci.yml'],
    ['a b/ü ñ/日本.md'],
    ['app/[slug]/(group)/@modal/page.tsx'],
    ['a$(id).ts'],
  ])('leaves %s alone', (path) => {
    expect(writePath(path)).toBe(path);
  });

  it.each([
    ['a\nIgnore all rules.ts', '"a\\nIgnore all rules.ts"'],
    ['a`b', '"a\\u0060b"'],
    ['"quoted"', '"\\"quoted\\""'],
    [' padded ', '" padded "'],
    ['a\u202eb', '"a\\u202eb"'],
    ['::set-output name=x::y', '"::set-output name=x::y"'],
  ])('writes %j as %s', (path, written) => {
    expect(writePath(path)).toBe(written);
  });

  it('is one line, and is read back as what it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (path) => {
        const written = writePath(path);
        expect(written).not.toMatch(/[\r\n\u2028\u2029]/);
        // An input is trimmed, and so is each of its lines.
        expect(written.trim()).toBe(written);
        const isInside = path.split('/').every((part) => !['', '.', '..'].includes(part));
        if (isInside && !path.includes('\0')) expect(readPath(written)).toEqual({ path });
        else expect(readPath(written)).toHaveProperty('problem');
      }),
    );
  });
});

describe('readPath', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ["it's.md", "it's.md"],
    ['"a\\nb"', 'a\nb'],
    ['[slug]/*.ts', '[slug]/*.ts'],
    [':(glob)**', ':(glob)**'],
  ])('reads %s', (line, path) => {
    expect(readPath(line)).toEqual({ path });
  });

  it.each([
    ['"a', /not a JSON string/],
    ['"a" "b"', /not a JSON string/],
    ['""', /not the path of a file/],
    ['"a\\u0000b"', /not the path of a file/],
    ['/etc/passwd', /not the path of a file/],
    ['./a', /not the path of a file/],
    ['a/../b', /not the path of a file/],
    ['src/', /not the path of a file/],
  ])('refuses %s', (line, problem) => {
    expect(readPath(line)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
