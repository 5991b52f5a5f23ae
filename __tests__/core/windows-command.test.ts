import { describe, expect, it } from '@jest/globals';
import { windowsCommand } from '../../src/core/programs.js';

/** What cmd.exe makes of a line: outside of its escapes, a mark of its own would act. */
const expand = (line: string): string => line.replace(/\^(.)/g, '$1');

describe('windowsCommand', () => {
  it('goes through cmd.exe, with every mark that means something to it escaped twice', () => {
    const { file, args } = windowsCommand('C:\\Program Files\\cursor-agent.cmd', [
      '--model',
      'a&b',
      'c"d',
      '%PATH%',
    ]);
    expect(file).toBe('cmd');
    expect(args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    const line = args[3]!.slice(1, -1);
    const onceRead = expand(line);
    expect(onceRead).not.toMatch(/(?<!\^)[&%|<>]/);
    expect(expand(onceRead)).toBe('"C:\\Program Files\\cursor-agent.cmd" "--model" "a&b" "c\\"d" "%PATH%"');
  });
});
