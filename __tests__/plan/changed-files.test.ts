import { describe, expect, it } from '@jest/globals';
import { GENERATED_FILES } from '../../src/git/generated-files.js';
import { readNumstat, selectFiles } from '../../src/plan/changed-files.js';
import { parsePlanInputs } from '../../src/plan/plan-inputs.js';

const NOTHING = {
  'max-shards': '',
  'files-per-shard': '',
  'lines-per-shard': '',
  exclude: '',
  'default-excludes': '',
  base: '',
  head: '',
  'github-token': '',
};

describe('readNumstat', () => {
  it('reads lines, binary files and names with tabs and line breaks', () => {
    expect(readNumstat('3\t2\tsrc/a.ts\0-\t-\tlogo.png\0' + '1\t0\todd\tname\nhere\0')).toEqual([
      { path: 'src/a.ts', lines: 5, binary: false },
      { path: 'logo.png', lines: 0, binary: true },
      { path: 'odd\tname\nhere', lines: 1, binary: false },
    ]);
  });

  it('has a file that moved once, by its new name', () => {
    const moved = ['1\t1\t', 'old\tname', 'new name'].join('\0');
    expect(readNumstat(['0\t2\ta', moved, '0\t0\t', '1\t1\tx', 'y', '3\t0\tb', ''].join('\0'))).toEqual([
      { path: 'a', lines: 2, binary: false },
      { path: 'new name', lines: 2, binary: false },
      { path: 'y', lines: 0, binary: false },
      { path: 'b', lines: 3, binary: false },
    ]);
  });
});

describe('selectFiles', () => {
  it('leaves out what tools write, and says by which rule', () => {
    const files = ['src/b.ts', 'src/a.ts', 'web/package-lock.json', 'dist/run/index.js'].map((path) => ({
      path,
      lines: 1,
      binary: false,
    }));
    const { files: kept, skipped } = selectFiles(
      [...files, { path: 'logo.png', lines: 0, binary: true }],
      [...GENERATED_FILES, 'src/b.*'],
    );
    expect(kept.map(({ path }) => path)).toEqual(['src/a.ts']);
    expect(skipped).toEqual([
      { path: 'dist/run/index.js', why: 'matches **/dist/**' },
      { path: 'logo.png', why: 'is binary' },
      { path: 'src/b.ts', why: 'matches src/b.*' },
      { path: 'web/package-lock.json', why: 'matches package-lock.json' },
    ]);
  });
});

describe('parsePlanInputs', () => {
  it('has defaults', () => {
    expect(parsePlanInputs(NOTHING)).toEqual({
      limits: { maxShards: 16, filesPerShard: 25, linesPerShard: 1500 },
      excludes: GENERATED_FILES,
      base: undefined,
      head: undefined,
      githubToken: undefined,
    });
  });

  it('adds to the default patterns, or does without them', () => {
    const own = { ...NOTHING, exclude: 'a/**\n\n b ' };
    expect(parsePlanInputs(own)).toMatchObject({ excludes: [...GENERATED_FILES, 'a/**', 'b'] });
    expect(parsePlanInputs({ ...own, 'default-excludes': 'false' })).toMatchObject({
      excludes: ['a/**', 'b'],
    });
  });

  it('names every wrong input at once', () => {
    const wrong = {
      ...NOTHING,
      'max-shards': '257',
      'files-per-shard': '0',
      exclude: 'a\n!b',
      'default-excludes': 'no',
      base: 'main',
    };
    const result = parsePlanInputs(wrong);
    const problems = 'problems' in result ? result.problems : [];
    expect(problems.map(({ input, message }) => `${input}: ${message}`)).toEqual([
      'max-shards: "257" given; use a whole number from 1 to 256.',
      'files-per-shard: "0" given; use a whole number from 1 to 100000.',
      'exclude: "!b" is not a pattern as in .gitignore, from the top of the repository; ! is not known.',
      'default-excludes: "no" given; use one of true, false.',
      'base: "main" given; use a full commit id, such as ${{ github.sha }}.',
      'base, head: give both, or neither to use the commits of the event.',
    ]);
  });
});
