import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChangedFile } from '../../src/plan/changed-files.js';
import { splitIntoShards, weightOf, writeMatrix, type MatrixEntry } from '../../src/plan/shards.js';

const file = (path: string, lines = 10): ChangedFile => ({ path, lines, binary: false });
const limits = { maxShards: 8, filesPerShard: 10, linesPerShard: 500 };

const changes = fc.uniqueArray(
  fc.record({
    path: fc
      .tuple(fc.constantFrom('', 'a/', 'a/b/', 'c/', 'c/d/e/'), fc.string({ minLength: 1, maxLength: 8 }))
      .map(([folder, name]) => folder + name),
    lines: fc.nat(2000),
    binary: fc.constant(false),
  }),
  { selector: ({ path }) => path, maxLength: 120 },
);
const anyLimits = fc.record({
  maxShards: fc.integer({ min: 1, max: 256 }),
  filesPerShard: fc.integer({ min: 1, max: 40 }),
  linesPerShard: fc.integer({ min: 1, max: 3000 }),
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
