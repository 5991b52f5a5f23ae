import { describe, expect, it } from '@jest/globals';
import { mountOf, parseMounts, reachableMounts } from '../../src/isolation/mounts.js';

const line = (id: number, parent: number, path: string): string =>
  `${id} ${parent} 0:1 / ${path} rw,relatime shared:1 - ext4 /dev/sda1 rw`;
const paths = (mountinfo: readonly string[]): string[] =>
  reachableMounts(parseMounts(mountinfo.join('\n'))).map(({ id }) => id);

describe('the mounts of a machine', () => {
  it('are read with their flags, and with whatever is in their names', () => {
    expect(
      parseMounts(`${line(5, 1, '/mnt/a\\040b\\134c\\012').replace('rw,relatime', 'ro,nosuid')}\n`),
    ).toEqual([{ id: '5', parent: '1', path: '/mnt/a b\\c\n', flags: ['ro', 'nosuid'] }]);
  });

  it('leave out what no path leads to, because its folder is gone', () => {
    expect(parseMounts(line(5, 1, '/mnt/gone//deleted'))).toEqual([]);
  });

  it('are all reachable as long as none covers another', () => {
    expect(
      paths([line(1, 0, '/'), line(2, 1, '/home'), line(3, 2, '/home/a'), line(4, 1, '/homely')]),
    ).toEqual(['1', '2', '3', '4']);
  });

  it('are hidden by one on the same spot', () => {
    expect(paths([line(1, 0, '/'), line(2, 1, '/dev/shm'), line(3, 2, '/dev/shm')])).toEqual(['1', '3']);
  });

  it('are hidden, with all below them, by a later one above', () => {
    expect(
      paths([
        line(1, 0, '/'),
        line(2, 1, '/a/b'),
        line(3, 2, '/a/b/c'),
        line(4, 1, '/a'),
        line(5, 4, '/a/b'),
      ]),
    ).toEqual(['1', '4', '5']);
  });

  it('are found by what lies on them', () => {
    const mounts = parseMounts([line(1, 0, '/'), line(2, 1, '/home'), line(3, 1, '/home2')].join('\n'));
    expect(mountOf('/home/a/b', mounts)?.id).toBe('2');
    expect(mountOf('/home', mounts)?.id).toBe('2');
    expect(mountOf('/homes', mounts)?.id).toBe('1');
  });
});
