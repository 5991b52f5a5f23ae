import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GENERATED_FILES } from '../../src/git/diff.js';
import { parsePlanInputs } from '../../src/plan/plan-change.js';
import {
  readNumstat,
  selectFiles,
  splitIntoShards,
  weightOf,
  writeMatrix,
  type SizedFile,
  type MatrixEntry,
} from '../../src/plan/shards.js';

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
      { path: 'src/a.ts', size: 5, binary: false },
      { path: 'logo.png', size: 0, binary: true },
      { path: 'odd\tname\nhere', size: 1, binary: false },
    ]);
  });

  it('has a file that moved once, by its new name', () => {
    const moved = ['1\t1\t', 'old\tname', 'new name'].join('\0');
    expect(readNumstat(['0\t2\ta', moved, '0\t0\t', '1\t1\tx', 'y', '3\t0\tb', ''].join('\0'))).toEqual([
      { path: 'a', size: 2, binary: false },
      { path: 'new name', size: 2, binary: false },
      { path: 'y', size: 0, binary: false },
      { path: 'b', size: 3, binary: false },
    ]);
  });
});

describe('selectFiles', () => {
  it('leaves out what tools write, and says by which rule', () => {
    const files = ['src/b.ts', 'src/a.ts', 'web/package-lock.json', 'dist/run/index.js'].map((path) => ({
      path,
      size: 1,
      binary: false,
    }));
    const { files: kept, skipped } = selectFiles(
      [...files, { path: 'logo.png', size: 0, binary: true }],
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
      limits: { maxShards: 16, filesPerShard: 25, sizePerShard: 1500 },
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
      'exclude: "!b" is not a pattern as in .gitignore, from the top of the repository; patterns with ! are not supported.',
      'default-excludes: "no" given; use one of true, false.',
      'base: "main" given; use a full commit id, such as ${{ github.sha }}.',
      'base, head: give both, or neither to use the commits of the event.',
    ]);
  });
});

const file = (path: string, size = 10): SizedFile => ({ path, size, binary: false });
const limits = { maxShards: 8, filesPerShard: 10, sizePerShard: 500 };

const changes = fc.uniqueArray(
  fc.record({
    path: fc
      .tuple(fc.constantFrom('', 'a/', 'a/b/', 'c/', 'c/d/e/'), fc.string({ minLength: 1, maxLength: 8 }))
      .map(([folder, name]) => folder + name),
    size: fc.nat(2000),
    binary: fc.constant(false),
  }),
  { selector: ({ path }) => path, maxLength: 120 },
);
const anyLimits = fc.record({
  maxShards: fc.integer({ min: 1, max: 256 }),
  filesPerShard: fc.integer({ min: 1, max: 40 }),
  sizePerShard: fc.integer({ min: 1, max: 3000 }),
});

describe('splitIntoShards', () => {
  it('puts every file into exactly one shard, none of them empty, within every limit', () => {
    fc.assert(
      fc.property(changes, anyLimits, (files, given) => {
        const shards = splitIntoShards(files, given);
        const sorted = (paths: string[]) => [...paths].sort();
        expect(sorted(shards.flat().map(({ path }) => path))).toEqual(sorted(files.map(({ path }) => path)));
        expect(shards.every((shard) => shard.length > 0)).toBe(true);
        expect(shards.length).toBeLessThanOrEqual(given.maxShards);
        const capacity = Math.max(given.filesPerShard, Math.ceil(files.length / given.maxShards));
        expect(shards.every((shard) => shard.length <= capacity)).toBe(true);
      }),
    );
  });

  it('gives the same answer whatever order the files come in', () => {
    fc.assert(
      fc.property(changes, anyLimits, (files, given) => {
        expect(splitIntoShards([...files].reverse(), given)).toEqual(splitIntoShards(files, given));
      }),
    );
  });

  it('has no shard for nothing, and one for a small change', () => {
    expect(splitIntoShards([], limits)).toEqual([]);
    expect(splitIntoShards([file('b'), file('a')], limits)).toEqual([[file('a'), file('b')]]);
  });

  it('keeps folders whole where they fit', () => {
    const files = ['a', 'b', 'c', 'd'].flatMap((folder) =>
      Array.from({ length: 10 }, (_, index) => file(`${folder}/${index}.ts`)),
    );
    const shards = splitIntoShards(files, limits);
    expect(shards).toHaveLength(4);
    for (const shard of shards) expect(new Set(shard.map(({ path }) => path.split('/')[0])).size).toBe(1);
  });

  it('cuts a folder rather than letting one shard do all the work', () => {
    const files = Array.from({ length: 80 }, (_, index) =>
      file(`all/${String(index).padStart(2, '0')}.ts`, 50),
    );
    const weights = splitIntoShards(files, limits).map(weightOf);
    expect(weights).toHaveLength(8);
    expect(Math.max(...weights)).toBeLessThanOrEqual(Math.min(...weights) * 1.3);
  });

  it('is not thrown off by one huge file', () => {
    const files = [
      file('huge.ts', 50_000),
      ...Array.from({ length: 30 }, (_, index) => file(`s/${index}.ts`)),
    ];
    const shards = splitIntoShards(files, limits);
    const [alone] = shards.filter((shard) => shard.some(({ path }) => path === 'huge.ts'));
    expect(alone).toEqual([file('huge.ts', 50_000)]);
  });
});

const entries = (paths: string[][]): MatrixEntry[] => {
  const matrix = writeMatrix(paths.map((shard) => shard.map((path) => file(path, 1))));
  if (matrix.kind !== 'fits') throw new Error('too long');
  return (JSON.parse(matrix.json) as { include: MatrixEntry[] }).include;
};

describe('writeMatrix', () => {
  it('numbers and names the shards', () => {
    expect(
      entries([
        ['src/api/a.ts', 'src/api/b.ts'],
        ['README.md', 'lib/$(id)/x', 'lib/$(id)/y'],
      ]),
    ).toEqual([
      { shard: 1, total: 2, name: 'src/api', files: 'src/api/a.ts\nsrc/api/b.ts' },
      { shard: 2, total: 2, name: 'lib/--id- and 1 more', files: 'README.md\nlib/$(id)/x\nlib/$(id)/y' },
    ]);
  });

  it('has names that mean nothing to anybody but people', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (path) => {
        expect(entries([[path]])[0]?.name).toMatch(/^[A-Za-z0-9._/ -]{1,60}$/);
      }),
    );
  });

  it('says so when the names are longer than an output may be', () => {
    const many = Array.from({ length: 9000 }, (_, index) => file(`some/folder/with/a/long/name/${index}.ts`));
    expect(writeMatrix([many])).toMatchObject({ kind: 'too-long' });
  });
});
