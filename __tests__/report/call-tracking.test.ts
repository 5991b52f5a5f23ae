import { describe, expect, it } from '@jest/globals';
import { collectRoots, relativeTo } from '../../src/report/call-tracking.js';

describe('paths relative to the workspace', () => {
  it.each([
    [['/repo'], '/repo/src/a.ts', 'src/a.ts'],
    [['/repo/'], '/repo//a.ts', 'a.ts'],
    [['/repo'], '/repo', '.'],
    [['/repo'], '/repo/', '.'],
    [['/repo'], '/repository/a.ts', '/repository/a.ts'],
    [['/'], '/etc/passwd', '/etc/passwd'],
    [['/repo/sub', '/repo'], '/repo/a.ts', 'a.ts'],
    [['D:\\a\\repo'], 'D:\\a\\repo\\src\\a.ts', 'src/a.ts'],
    [['D:\\a\\repo'], 'D:\\a\\repo/src/a.ts', 'src/a.ts'],
    [['/private/tmp/x'], '/tmp/x/a.ts', 'a.ts'],
    [['/repo'], 'src/a.ts', 'src/a.ts'],
  ])('with roots %j, %s is %s', (roots, path, expected) => {
    expect(relativeTo(collectRoots(roots).list, path)).toBe(expected);
  });
});
