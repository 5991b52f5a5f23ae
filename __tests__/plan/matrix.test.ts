import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ChangedFile } from '../../src/plan/changed-file.js';
import { writeMatrix, type MatrixEntry } from '../../src/plan/matrix.js';

const file = (path: string): ChangedFile => ({ path, lines: 1, binary: false });
const entries = (paths: string[][]): MatrixEntry[] => {
  const matrix = writeMatrix(paths.map((shard) => shard.map(file)));
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
