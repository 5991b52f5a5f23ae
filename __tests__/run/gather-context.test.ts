import { describe, expect, it } from '@jest/globals';
import { findUnread } from '../../src/run/gather-context.js';

describe('what of an overfull diff nobody read', () => {
  const pieces: Parameters<typeof findUnread>[0] = [
    { kind: 'diff', leftOut: ['src/a.ts', 'src/generated/b.ts', 'yarn.lock'] },
    { kind: 'ci-logs', leftOut: ['a job'] },
  ];

  it('is each file that is neither excluded nor generated', () => {
    expect(findUnread(pieces, {})).toEqual(['src/a.ts']);
    expect(findUnread(pieces, { exclude: ['src/a.ts'] })).toEqual([]);
  });

  it('is with a gate also code under a generated path, unless the workflow excludes it', () => {
    const gate = { exclude: ['yarn.lock'], withGenerated: true };
    expect(findUnread(pieces, gate)).toEqual(['src/a.ts', 'src/generated/b.ts']);
  });
});
