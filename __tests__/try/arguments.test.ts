import { describe, expect, it } from '@jest/globals';
import { parseArguments } from '../../src/try/arguments.js';

const NAMES = ['prompt', 'preset', 'cli-path', 'allow'];

describe('parseArguments', () => {
  it.each([
    [[], { kind: 'demo', inputs: {} }],
    [['--record', 'a'], { kind: 'demo', inputs: {}, record: 'a' }],
    [['--prompt', 'x', '--preset=docs'], { kind: 'real', inputs: { prompt: 'x', preset: 'docs' } }],
    [['--allow=Shell(a=b)\nRead(c)'], { kind: 'real', inputs: { allow: 'Shell(a=b)\nRead(c)' } }],
    [['--prompt', '--preset'], { kind: 'real', inputs: { prompt: '--preset' } }],
    [['--replay', 'a', '--preset', 'docs'], { kind: 'replay', inputs: { preset: 'docs' }, replay: 'a' }],
    [['--doctor'], { kind: 'doctor', inputs: {} }],
    [['--doctor', '--cli-path', 'a'], { kind: 'doctor', inputs: { 'cli-path': 'a' } }],
    [
      ['--open', '--prompt', 'x', '--verbose'],
      { kind: 'real', inputs: { prompt: 'x' }, open: true, verbose: true },
    ],
  ])('reads %j', (args, request) => {
    expect(parseArguments(args, NAMES)).toEqual({ open: false, verbose: false, ...request });
  });

  it.each([
    [['--prompt', 'x', '--help'], { kind: 'help' }],
    [['-h'], { kind: 'help' }],
    [['--version'], { kind: 'version' }],
  ])('answers %j before anything else', (args, answer) => {
    expect(parseArguments(args, NAMES)).toEqual(answer);
  });

  it.each([
    [['--open=yes'], /Cannot read "--open=yes"/],
    [['prompt'], /Cannot read "prompt"/],
    [['--constructor', 'x'], /Cannot read "--constructor"/],
    [['--prompt'], /--prompt needs a value/],
    [['--replay', 'a', '--cli-path', 'b'], /leave --cli-path out/],
    [['--replay', 'a', '--doctor'], /leave --replay out/],
  ])('refuses %j', (args, problem) => {
    expect(parseArguments(args, NAMES)).toEqual({ problem: expect.stringMatching(problem) });
  });
});
