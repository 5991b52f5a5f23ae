import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addedLines, hunkHolding } from '../../src/git/diff.js';
import { readHunks } from '../../src/git/hunks.js';

const PATCH = `@@ -1,3 +1,4 @@ function a() {
 one
-two
+2
+2b
 three
@@ -10 +11,2 @@
-ten
+10
+10b
\\ No newline at end of file`;

describe('readHunks', () => {
  it('numbers each line on the sides where it stands', () => {
    const [first, second] = readHunks(PATCH);
    expect(first?.lines).toEqual([
      { kind: 'context', old: 1, new: 1, text: 'one' },
      { kind: 'removed', old: 2, text: 'two' },
      { kind: 'added', new: 2, text: '2' },
      { kind: 'added', new: 3, text: '2b' },
      { kind: 'context', old: 3, new: 4, text: 'three' },
    ]);
    expect(second).toMatchObject({ oldStart: 10, oldCount: 1, newStart: 11, newCount: 2 });
    expect(second?.lines.map(({ text }) => text)).toEqual(['ten', '10', '10b']);
    expect(addedLines([first!, second!])).toEqual([2, 3, 11, 12]);
  });

  it('counts lines, so that what looks like a head inside a hunk is a line', () => {
    const [hunk, ...others] = readHunks('@@ -1,2 +1,1 @@\n--- a/x\n @@ -5 +5 @@\n@@@');
    expect(others).toEqual([]);
    expect(hunk?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'removed -- a/x',
      'context @@ -5 +5 @@',
    ]);
  });

  it('finds the hunk that holds a whole range', () => {
    const hunks = readHunks(PATCH);
    expect(hunkHolding(hunks, { startLine: 1, endLine: 4 })).toBe(hunks[0]);
    expect(hunkHolding(hunks, { startLine: 4, endLine: 5 })).toBeUndefined();
    expect(hunkHolding(hunks, { startLine: 4, endLine: 11 })).toBeUndefined();
    expect(hunkHolding(hunks, { startLine: 12, endLine: 12 })).toBe(hunks[1]);
  });

  it('reads what git itself writes: both sides come out of it again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hunks-'));
    const text = fc.array(fc.constantFrom('a', 'b', '-- a', '+++ b', '', '@@ -1 +1 @@', '\\ No'), {
      maxLength: 12,
    });
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          const write = (name: string, lines: string[]) => {
            writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(''));
          };
          write('old', before);
          write('new', after);
          const hunks = readHunks(diffOf(folder));
          const lines = hunks.flatMap((hunk) => hunk.lines);
          // With all lines as context there is one hunk, which holds both files.
          if (before.join('\n') === after.join('\n') && before.length === after.length) {
            expect(lines).toEqual([]);
            return;
          }
          const side = (without: string) =>
            lines.filter(({ kind }) => kind !== without).map((line) => line.text);
          expect(side('added')).toEqual(before);
          expect(side('removed')).toEqual(after);
          expect(addedLines(hunks).every((line) => after[line - 1] !== undefined)).toBe(true);
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function diffOf(folder: string): string {
  try {
    return execFileSync('git', ['diff', '--no-index', '-U999', 'old', 'new'], {
      cwd: folder,
      encoding: 'utf8',
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
