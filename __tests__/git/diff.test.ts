import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addedLines,
  GENERATED_FILES,
  hunkHolding,
  isGenerated,
  parseGitDiff,
  readHunks,
  type FileDiff,
} from '../../src/git/diff.js';

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
  it('numbers each line on each side that has it', () => {
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

  it('counts lines, so it takes text in a hunk that looks like a head for a line', () => {
    const [hunk, ...others] = readHunks('@@ -1,2 +1,1 @@\n--- a/x\n @@ -5 +5 @@\n@@@');
    expect(others).toEqual([]);
    expect(hunk?.lines.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'removed -- a/x',
      'context @@ -5 +5 @@',
    ]);
  });

  it('finds the hunk that contains a whole range', () => {
    const hunks = readHunks(PATCH);
    expect(hunkHolding(hunks, { startLine: 1, endLine: 4 })).toBe(hunks[0]);
    expect(hunkHolding(hunks, { startLine: 4, endLine: 5 })).toBeUndefined();
    expect(hunkHolding(hunks, { startLine: 4, endLine: 11 })).toBeUndefined();
    expect(hunkHolding(hunks, { startLine: 12, endLine: 12 })).toBe(hunks[1]);
  });

  it('reads what git writes, so that both sides can be restored from it', () => {
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
          // With all lines as context there is one hunk, which contains both files.
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

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'git-diff-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

let folders = 0;
/** A repository with these files in its first commit. */
function repository(files: Readonly<Record<string, string>>) {
  const folder = join(root, String((folders += 1)));
  mkdirSync(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1e8,
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: root },
    });
  const write = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git('init', '-q');
  git('config', 'core.autocrlf', 'false');
  for (const [path, text] of Object.entries(files)) write(path, text);
  git('add', '-A');
  git('commit', '-qm', 'first', '--allow-empty');
  const diff = (...args: string[]) => {
    git('add', '-A');
    return parseGitDiff(git('diff', '--cached', ...args));
  };
  return { folder, git, write, diff };
}

const told = (files: readonly FileDiff[]) =>
  files.map(({ path, oldPath, status, binary }) =>
    [status, ...(oldPath === undefined ? [] : [`${oldPath} ->`]), path, ...(binary ? ['(binary)'] : [])].join(
      ' ',
    ),
  );

const TEXT = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');

describe('parseGitDiff', () => {
  it('says what happened to each file', () => {
    const { folder, write, diff } = repository({
      'changed.txt': TEXT,
      'gone.txt': 'x\n',
      'moved.txt': TEXT.replace('line 3', 'other'),
      'script.sh': 'x\n',
      'link-to-be': 'was a file\n',
      'picture.bin': 'a\0b',
    });
    write('changed.txt', TEXT.replace('line 7\n', 'seven\nseven b\n').replace('line 25\n', ''));
    write('new.txt', 'no newline at its end');
    write('empty.txt', '');
    write('picture.bin', 'a\0c');
    unlinkSync(join(folder, 'gone.txt'));
    renameSync(join(folder, 'moved.txt'), join(folder, 'moved elsewhere.txt'));
    chmodSync(join(folder, 'script.sh'), 0o755);
    unlinkSync(join(folder, 'link-to-be'));
    symlinkSync('changed.txt', join(folder, 'link-to-be'));
    const files = diff('-M');
    expect(told(files).sort()).toEqual([
      'added empty.txt',
      'added new.txt',
      'deleted gone.txt',
      'modified changed.txt',
      'modified picture.bin (binary)',
      'modified script.sh',
      'renamed moved.txt -> moved elsewhere.txt',
      'type-changed link-to-be',
    ]);
    const hunksOf = (path: string) => files.find((file) => file.path === path)?.hunks ?? [];
    expect(addedLines(hunksOf('changed.txt'))).toEqual([8, 9]);
    expect(
      hunksOf('changed.txt')
        .flatMap(({ lines }) => lines)
        .filter(({ kind }) => kind === 'removed'),
    ).toEqual([
      { kind: 'removed', old: 8, text: 'line 7' },
      { kind: 'removed', old: 26, text: 'line 25' },
    ]);
    expect(addedLines(hunksOf('new.txt'))).toEqual([1]);
    expect(addedLines(hunksOf('link-to-be'))).toEqual([1]);
    expect(told(diff('-M', '--binary')).sort()).toEqual(told(files).sort());
  });

  it('recognises copies, and a rename with a change', () => {
    const { folder, write, diff } = repository({ 'a b/one.txt': TEXT });
    cpSync(join(folder, 'a b/one.txt'), join(folder, 'two b/.txt'));
    write('a b/three.txt', TEXT.replace('line 9', 'nine'));
    unlinkSync(join(folder, 'a b/one.txt'));
    const files = diff('-C', '--find-copies-harder');
    expect(files.map(({ status }) => status).sort()).toEqual(['copied', 'renamed']);
    expect(files.every(({ oldPath }) => oldPath === 'a b/one.txt')).toBe(true);
    expect(files.find(({ path }) => path === 'a b/three.txt')?.hunks).toHaveLength(1);
  });

  it('reads a submodule as its one line, and a merge without lines', () => {
    const sub =
      'diff --git a/lib b/lib\nindex 1111111..2222222 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n';
    const merge =
      'diff --cc "caf\\303\\251 b/.txt"\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,2 @@@\n  a\n++b\n';
    const files = parseGitDiff(`Some words before\n${sub}${merge.replace(/^---.*\n^\+\+\+.*\n/gm, '')}`);
    expect(told(files)).toEqual(['modified lib', 'modified café b/.txt']);
    expect(addedLines(files[0]?.hunks ?? [])).toEqual([1]);
    expect(files[1]?.hunks).toEqual([]);
  });

  it('is not misled by text that looks like a head after another kind of line break', () => {
    const lines = [
      'diff --git a/fake b/fake',
      'x\rdiff --git a/fake b/fake\r--- a/fake\r+++ b/fake',
      'y\u2028diff --git a/fake b/fake',
      '-- a/fake',
      '++ b/fake',
      '@@ -1 +1 @@',
    ];
    const { write, diff } = repository({ 'real.txt': `${lines.join('\n')}\n` });
    write('real.txt', `${[...lines].reverse().join('\n')}\n`);
    const files = diff();
    expect(told(files)).toEqual(['modified real.txt']);
    expect(
      files
        .flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))
        .flatMap((line) => (line.kind === 'removed' ? [] : [line.text])),
    ).toEqual([...lines].reverse());
  });

  it('skips only what names no file', () => {
    expect(parseGitDiff('')).toEqual([]);
    expect(parseGitDiff('no diff at all\n')).toEqual([]);
    expect(parseGitDiff('diff --git \ndiff --git a/x b/y\nindex 1..2\n')).toEqual([]);
    expect(told(parseGitDiff('diff --git "a/\\x" "b/\\x"\nnew file mode 100644'))).toEqual(['added x']);
  });

  it('finds every name that git writes, however it is quoted', () => {
    const { folder, git, write } = repository({});
    const part = fc
      .string({
        unit: fc.constantFrom(
          'a',
          ' ',
          ' b/',
          'é',
          '"',
          '\\',
          '\t',
          '\n',
          '\r',
          '\u2028',
          '😀',
          '\u0001',
          '-',
        ),
        minLength: 1,
        maxLength: 6,
      })
      .map((text) =>
        text
          .split('/')
          .map((name) => `n${name}n`)
          .join('/'),
      );
    fc.assert(
      fc.property(
        fc.uniqueArray(part, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('true', 'false'),
        fc.boolean(),
        (names, quotes, isEmpty) => {
          const own = names.map((name, index) => `${index}${name}`);
          for (const name of own) write(name, isEmpty ? '' : 'text\n');
          git('add', '-A');
          const files = parseGitDiff(git('-c', `core.quotePath=${quotes}`, 'diff', '--cached'));
          expect(files.map(({ path }) => path).sort()).toEqual([...own].sort());
          expect(files.every(({ status }) => status === 'added')).toBe(true);
          git('reset', '-q', '--hard');
          git('clean', '-qfdx');
        },
      ),
      { numRuns: 25 },
    );
    expect(folder).not.toBe('');
  });

  it('agrees with git on which lines of which files were added', () => {
    const { git, write } = repository({});
    const content = fc.array(
      fc.constantFrom('a', 'b', '', '-- a/x', '++ b/x', 'diff --git a/x b/x', '@@ -1 +1 @@', 'c\r'),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(content, content), { minLength: 1, maxLength: 4 }), (pairs) => {
        const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
        pairs.forEach(([before], index) => {
          write(`f ${index}`, text(before));
        });
        git('add', '-A');
        git('commit', '-qm', 'before', '--allow-empty');
        pairs.forEach(([, after], index) => {
          write(`f ${index}`, text(after));
        });
        git('add', '-A');
        const files = parseGitDiff(git('diff', '--cached', '-U1000'));
        const stat = git('diff', '--cached', '--numstat', '-z')
          .split('\0')
          .filter((line) => line !== '')
          .map((line) => line.split('\t'));
        expect(files.map(({ path, hunks }) => [String(addedLines(hunks).length), path])).toEqual(
          stat.map(([added, , path]) => [added, path]),
        );
        for (const [index, [before, after]] of pairs.entries()) {
          const file = files.find(({ path }) => path === `f ${index}`);
          if (!file) continue;
          const lines = file.hunks.flatMap((hunk) => hunk.lines);
          expect(lines.filter(({ kind }) => kind !== 'removed').map((line) => line.text)).toEqual(after);
          expect(lines.filter(({ kind }) => kind !== 'added').map((line) => line.text)).toEqual(before);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('isGenerated', () => {
  it.each([
    ['package-lock.json'],
    ['web/yarn.lock'],
    ['deno.lock'],
    ['ios/Podfile.lock'],
    ['a/app.min.js'],
    ['public/main.bundle.js'],
    ['dist/index.js'],
    ['a/vendor/b/c.go'],
    ['api/service_pb2_grpc.py'],
    ['Form.Designer.cs'],
    ['src/schema.generated.ts'],
    ['src/__generated__/types.ts'],
  ])('holds for %s', (path) => {
    expect(isGenerated(path)).toBe(true);
  });

  it.each([
    ['src/lock.ts'],
    ['distance/a.ts'],
    ['build/release.sh'],
    ['src/generated.ts'],
    ['minxjs'],
    ['constructor'],
  ])('does not hold for %s', (path) => {
    expect(isGenerated(path)).toBe(false);
  });

  it('lists everything once', () => {
    expect(new Set(GENERATED_FILES).size).toBe(GENERATED_FILES.length);
  });
});
