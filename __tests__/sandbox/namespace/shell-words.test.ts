import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync, spawnSync } from 'node:child_process';
import { shellQuote } from '../../../src/core/programs.js';
import { fromText } from '../../../src/git/paths.js';
import {
  exportAll,
  inBatches,
  quotePath,
  RUN_SENT_SCRIPT,
  sendScript,
} from '../../../src/sandbox/namespace/shell-words.js';

/** Anything an argument or a variable can hold, with a liking for what shells stumble over. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom("'", '"', '\\', '\n', '$', '`', '!', '*', ' ', '#', '\\n', "'\n'", '$(id)', '\r'),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map((parts) => Buffer.from(parts.join('').replaceAll('\0', '')).toString('utf8'));

/** Any path, text or not. */
const bytes = fc.oneof(
  text.map(fromText),
  fc
    .array(fc.oneof(fc.integer({ min: 1, max: 255 }), fc.constantFrom(10, 39, 92, 255)))
    .map((codes) => String.fromCharCode(...codes)),
);

describe('words for a shell', () => {
  it('can be paths of any bytes', () => {
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 20 }), (paths) => {
        const script = `printf '%s\\0' ${paths.map(quotePath).join(' ')}`;
        expect(execFileSync('sh', ['-c', script], { encoding: 'latin1' })).toBe(`${paths.join('\0')}\0`);
      }),
      { numRuns: 30 },
    );
    expect(quotePath('/a\xffb')).toBe(`'/a'"$(printf '\\377')"'b'`);
  });

  it('come out of a real shell as they went in', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (words) => {
        const script = `printf '%s\\0' ${words.map(shellQuote).join(' ')}`;
        expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${words.join('\0')}\0`);
      }),
      { numRuns: 30 },
    );
  });

  it('also as variables, in a script sent before other input', () => {
    const names = fc.constantFrom('ONE', 'two', '_three', 'size', 'IFS', 'script');
    fc.assert(
      fc.property(fc.dictionary(names, text), text, (variables, rest) => {
        const script = `${exportAll(variables)}\nenv -0\ncat`;
        const input = sendScript(script) + rest;
        const out = execFileSync('sh', ['-c', RUN_SENT_SCRIPT], { input, encoding: 'utf8' });
        for (const [name, value] of Object.entries(variables)) expect(out).toContain(`${name}=${value}\0`);
        expect(out.slice(out.lastIndexOf('\0') + 1)).toBe(rest);
      }),
      { numRuns: 30 },
    );
  });

  it('run none of a script that was sent only in part', () => {
    const sent = sendScript(`echo ran\necho ${'x'.repeat(300)}`);
    const run = (input: string) => spawnSync('sh', ['-c', RUN_SENT_SCRIPT], { input, encoding: 'utf8' });
    expect(run(sent)).toMatchObject({ status: 0, stdout: `ran\n${'x'.repeat(300)}\n` });
    for (const length of [0, 2, 5, 100, sent.length - 1])
      expect(run(sent.slice(0, length))).toMatchObject({ status: 1, stdout: '', stderr: '' });
  });

  it('refuse what no environment can hold', () => {
    expect(() => exportAll({ 'A B': '1' })).toThrow('"A B" cannot be the name of an environment variable');
    expect(() => exportAll({ 'A;id': '1' })).toThrow('cannot be the name');
    expect(() => exportAll({ A: 'x\0y' })).toThrow('A holds a NUL character');
    expect(exportAll({})).toBe(':');
  });

  it('come in as many commands as it takes, none of them too long, and none of them lost', () => {
    const many = Array.from({ length: 30_000 }, (_, index) => `/it's a "folder"\n\\ é 漢 $(id)/${index}`);
    const commands = inBatches('printf "%s\\0"', many.map(shellQuote));
    expect(commands.length).toBeGreaterThan(5);
    expect(Math.max(...commands.map((command) => command.length))).toBeLessThan(110_000);
    const options = { input: commands.join('\n'), encoding: 'utf8', maxBuffer: 1 << 24 } as const;
    expect(execFileSync('sh', options) === `${many.join('\0')}\0`).toBe(true);
    expect(inBatches('rm -rf --', [])).toEqual([]);
  });

  it('come in no empty command where the first is too long for a batch', () => {
    const commands = inBatches('rm -rf --', ['x'.repeat(200_000), 'y']);
    expect(commands.map((command) => command.length)).toEqual([200_010, 11]);
  });
});
