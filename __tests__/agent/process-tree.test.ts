import { describe, expect, it } from '@jest/globals';
import { findFamily, listProcesses, parsePs, parseStat } from '../../src/agent/process-tree.js';

describe('parseStat', () => {
  const tail = '1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 9 10 11 12 13 98765 100';
  it('reads a line whose name holds anything', () => {
    expect(parseStat(`123 (a) S 9 (b) S ${tail}`)).toMatchObject({ pid: 123, parent: 1, group: 42 });
  });
  it('takes no account of the dead', () => {
    expect(parseStat(`123 (sh) Z ${tail}`)).toBeUndefined();
  });
});

describe('parsePs', () => {
  it('reads what macOS prints', () => {
    expect(
      parsePs('    1     0     1 Mon Nov 16 05:00:00 2026    \n  501     1   501 Mon Nov 16 05:00:01 2026\n'),
    ).toEqual([
      { pid: 1, parent: 0, group: 1, started: 'Mon Nov 16 05:00:00 2026' },
      { pid: 501, parent: 1, group: 501, started: 'Mon Nov 16 05:00:01 2026' },
    ]);
  });
});

describe('findFamily', () => {
  it('finds no one by a home nobody has, or by none at all', () => {
    expect(findFamily({ home: '/no/such/home' }, [])).toEqual([]);
    expect(findFamily({ home: '' }, [])).toEqual([]);
  });
  it('does not take a process for one met before that only has its number', () => {
    const [other] = listProcesses().filter(({ pid }) => pid !== process.pid);
    expect(findFamily({ home: '' }, [{ ...other!, started: 'another time' }])).toEqual([]);
  });
});
