import { expect, it } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fromText } from '../../src/git/paths.js';
import { checkLinks } from '../../src/run/check-links.js';
import { put, scratchFolder } from '../sandbox/layer/scratch-repository.js';

/** Checks a change that adds one document. */
function check(text: string, { root = scratchFolder(), ms = 20_000 } = {}) {
  const folder = scratchFolder();
  put(folder, { 'new.md': text });
  const left = new Map([['new.md', fromText(join(folder, 'new.md'))]]);
  return checkLinks({ root, filesAfter: left, leftMs: () => ms });
}

it.each([
  ['comments that do not end', 'a <!-- '.repeat(60_000)],
  ['headings of the same name', '# a\n'.repeat(100_000)],
  ['tags that do not end', `<div>\n${'<a '.repeat(170_000)}`],
])('a document of %s cannot hold up the run', (_, text) => {
  const startedAt = performance.now();
  const { exit, output } = check(text, { ms: 300 }) ?? {};
  expect(exit).toEqual({ kind: 'ended', why: 'timeout' });
  expect(output).toContain('took too long');
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it('a document that is nested too deeply is not read', () => {
  expect(check(`${'> '.repeat(30_000)}a`)?.exit).toEqual({ kind: 'exited', code: 0 });
});

it('says nothing about files outside of the repository', () => {
  const [root, outside] = [scratchFolder(), scratchFolder()];
  put(outside, { 'there.md': '# Secret\n' });
  symlinkSync(outside, join(root, 'out'));
  const text = '[a](out/there.md) [b](out/there.md#secret) [c](out/there.md#other) [d](out/gone.md)\n';
  const why = /: (\S+ does not exist|.*anchor.*)$/gm;
  const said = [...(check(text, { root })?.output ?? '').matchAll(why)].map(([, words]) => words);
  expect(said.map((words) => words?.replace(/there|gone/, 'x'))).toEqual(
    Array.from({ length: 4 }, () => 'out/x.md does not exist'),
  );
});
