import { describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { fromText, isText, toText } from '../../../src/git/paths.js';
import { describeGitFile } from '../../../src/sandbox/layer/copy-layer.js';
import { copyTree } from '../../../src/sandbox/layer/file-tree.js';
import { followLinks } from '../../../src/permissions/judge-changes.js';
import { scratchFolder } from './scratch-repository.js';

describe('followLinks', () => {
  const follow = (links: Record<string, string>, path: string) =>
    followLinks(path, (at) => (Object.hasOwn(links, at) ? links[at] : undefined));

  it.each<[Record<string, string>, string, string | undefined]>([
    [{}, '/w/a/../b', '/w/b'],
    [{ '/w/l': 'a/b' }, '/w/l', '/w/a/b'],
    [{ '/w/l': '../x' }, '/w/l', '/x'],
    [{ '/w/l': '../../../../x' }, '/w/l', '/x'],
    [{ '/w/l': '/etc' }, '/w/l/passwd', '/etc/passwd'],
    [{ '/w/a': 'b', '/w/b': '/out' }, '/w/a', '/out'],
    [{ '/w/d': 'real/deep', '/w/l': 'd/../x' }, '/w/l', '/w/real/x'],
    [{ '/w/a': 'b', '/w/b': 'a' }, '/w/a', undefined],
  ])('with %j, %s ends at %s', (links, path, end) => {
    expect(follow(links, path)).toBe(end);
  });
});

describe('copyTree', () => {
  it('keeps modes, times and links, follows no link, and keeps the holes of a sparse file', () => {
    const folder = scratchFolder();
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    mkdirSync(join(from, 'closed'), { recursive: true, mode: 0o755 });
    for (const name of ['a', 'closed/b', 'left']) writeFileSync(join(from, name), `${name}\n`);
    truncateSync(join(from, 'a'), 2 ** 20);
    writeFileSync(join(from, 'huge'), '');
    truncateSync(join(from, 'huge'), 2 ** 40);
    chmodSync(join(from, 'closed/b'), 0o640);
    utimesSync(join(from, 'closed/b'), 1000, 1000);
    symlinkSync('/etc', join(from, 'etc'));
    const told: string[] = [];
    copyTree({ from, to, without: new Set(['left']), onEntry: (path) => told.push(path) });
    expect(told.sort()).toEqual(['a', 'closed', 'closed/b', 'etc', 'huge']);
    expect(readdirSync(to).sort()).toEqual(['a', 'closed', 'etc', 'huge']);
    expect(readFileSync(join(to, 'a')).equals(readFileSync(join(from, 'a')))).toBe(true);
    expect(lstatSync(join(to, 'closed/b'))).toMatchObject({ mode: 0o100640, mtimeMs: 1_000_000 });
    expect(readlinkSync(join(to, 'etc'))).toBe('/etc');
    expect(lstatSync(join(to, 'huge'))).toMatchObject({ size: 2 ** 40, blocks: 0 });
  });
});

describe('small decisions', () => {
  it('keeps byte paths apart that would be the same as text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => toText(fromText(text)) === text));
    expect(isText(fromText('\u00fc'))).toBe(true);
    expect(isText('\xff')).toBe(false);
  });

  it.each([
    ['HEAD', 'another commit or branch was checked out'],
    ['index', 'files were staged or unstaged'],
    ['packed-refs', 'a branch, tag or other reference was changed'],
    ['refs/heads/x', 'a branch, tag or other reference was changed'],
    ['config.worktree', 'git’s configuration was changed, which can run programs'],
    ['hooks/pre-push', 'a git hook was written, which git commands would run'],
    ['info/sparse-checkout', 'git’s rules on what to ignore or convert were changed'],
    ['index.lock', 'a file of git’s own was changed'],
  ])('%s is explained', (path, words) => {
    expect(describeGitFile(path)).toBe(words);
  });
});
