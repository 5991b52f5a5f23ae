import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { wildcard } from '../../src/agent/wildcard.js';
import { blobId, openBlobStore } from '../../src/guard/blob-store.js';
import { fromText, isText, toText } from '../../src/guard/byte-path.js';
import { describeGitChange } from '../../src/guard/git-folder.js';
import { findGit } from '../../src/guard/git-program.js';
import { compareIndexes, parseIndexEntries } from '../../src/guard/index-entries.js';
import { planKeeping } from '../../src/guard/keep-plan.js';
import { followLinks } from '../../src/guard/link-target.js';
import { objectFileKind } from '../../src/guard/object-files.js';
import { removeScratch, scratchFolder } from './scratch-repository.js';

afterAll(removeScratch);

describe('wildcard', () => {
  it('agrees with the regular expression it stands for', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '?', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, subject) => {
        const literal = pattern.split(/\*+/).map((part) => part.replace(/[.?/]/g, '\\$&'));
        expect(wildcard(pattern)(subject)).toBe(new RegExp(`^${literal.join('.*')}$`, 's').test(subject));
      }),
      { numRuns: 2000 },
    );
  });
});

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

describe('the index', () => {
  const id = 'a'.repeat(40);
  const listing = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\0`).join(''));

  it('is read with its flags, whatever the names hold', () => {
    const entries = parseIndexEntries(
      listing(
        `H 100644 ${id} 0\ta b\tc\n`,
        `h 100755 ${id} 0\tassumed`,
        `S 120000 ${id} 0\tskipped`,
        `M 100644 ${id} 2\tx`,
      ),
    );
    expect([...entries]).toEqual([
      ['a b\tc\n', { mode: '100644', id, unwatched: false, conflict: false }],
      ['assumed', { mode: '100755', id, unwatched: true, conflict: false }],
      ['skipped', { mode: '120000', id, unwatched: true, conflict: false }],
      ['x', { mode: '100644', id, unwatched: false, conflict: true }],
    ]);
    expect(parseIndexEntries(Buffer.alloc(0)).size).toBe(0);
  });

  it('is compared by what it says of each file', () => {
    const before = parseIndexEntries(
      listing(`H 100644 ${id} 0\tsame`, `H 100644 ${id} 0\tgone`, `H 100644 ${id} 0\tx`),
    );
    const after = parseIndexEntries(
      listing(`H 100644 ${id} 0\tsame`, `H 100755 ${id} 0\tx`, `H 160000 ${id} 0\tsub`),
    );
    expect(compareIndexes(before, before)).toEqual([]);
    expect(compareIndexes(before, after)).toEqual([
      { path: 'gone', what: 'was taken out of it' },
      { path: 'x', what: 'was staged with another content or mode' },
      { path: 'sub', what: 'was staged as a submodule' },
    ]);
  });
});

describe('planKeeping', () => {
  const limits = { fileBytes: 100, neededBytes: 150, otherBytes: 50, otherFiles: 2 };

  it('keeps what the patch needs first, then what is forbidden, then the rest, within bounds', () => {
    expect(
      planKeeping(
        [
          { path: 'deep/er/o', size: 10, worth: 'other' },
          { path: 'o', size: 10, worth: 'other' },
          { path: 'deep/er/f', size: 10, worth: 'forbidden' },
          { path: 'huge', size: 101, worth: 'needed' },
          { path: 'a', size: 100, worth: 'needed' },
          { path: 'b', size: 100, worth: 'needed' },
          { path: 'c/c', size: 50, worth: 'needed' },
        ],
        limits,
      ),
    ).toEqual(['a', 'c/c', 'deep/er/f', 'o']);
  });
});

describe('findGit', () => {
  it('prefers where systems keep it, and never takes one the workspace could have brought', () => {
    const folder = scratchFolder();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const name = process.platform === 'win32' ? 'git.exe' : 'git';
    writeFileSync(join(bin, name), '');
    chmodSync(join(bin, name), 0o755);
    const other = join(scratchFolder(), 'other');
    mkdirSync(other);
    symlinkSync(join(bin, name), join(other, name));
    const path = ['relative', '.', bin, other].join(delimiter);
    const usual = findGit({ platform: process.platform, path: '', untrusted: [] });
    expect(findGit({ platform: process.platform, path, untrusted: [folder] })).toBe(usual);
    expect(findGit({ platform: process.platform, path, untrusted: ['/', 'C:\\'] })).toBeUndefined();
    const onPath = { platform: process.platform, path, untrusted: ['/usr', '/opt', 'C:\\Program Files'] };
    expect(findGit(onPath)).toBe(join(bin, name));
    expect(findGit({ ...onPath, untrusted: [...onPath.untrusted, folder] })).toBeUndefined();
  });
});

describe('the blob store', () => {
  it('names contents as git does, and never returns one that was tampered with', () => {
    expect(blobId(Buffer.from('hello\n'), 'sha1')).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
    const folder = scratchFolder();
    const store = openBlobStore(folder, 'sha1');
    const content = Buffer.alloc(100_000, 1);
    const [id, small] = [store.keep(content), store.keep(Buffer.from('small'))];
    expect(store.read(id)?.equals(content)).toBe(true);
    expect(store.read(small)?.toString()).toBe('small');
    expect(readdirSync(folder)).toEqual([id]);
    writeFileSync(join(folder, id), Buffer.alloc(100_000, 2));
    expect(store.read(id)).toBeUndefined();
    rmSync(join(folder, id));
    expect(store.read(id)).toBeUndefined();
  });
});

describe('small decisions', () => {
  it('keeps byte paths apart that text would merge', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => toText(fromText(text)) === text));
    expect(isText(fromText('\u00fc'))).toBe(true);
    expect(isText('\xff')).toBe(false);
  });

  it('knows object files from references of such names', () => {
    const loose = `ab/${'c'.repeat(38)}`;
    expect(objectFileKind(`objects/${loose}`)).toBe('loose');
    expect(objectFileKind(`modules/lib/x/objects/${loose}`)).toBe('loose');
    expect(objectFileKind('objects/pack/pack-1.pack')).toBe('sealed');
    expect(objectFileKind('objects/info/alternates')).toBeUndefined();
    expect(objectFileKind(`refs/heads/objects/${loose}`)).toBeUndefined();
    expect(objectFileKind(`modules/lib/refs/heads/objects/${loose}`)).toBeUndefined();
  });

  it.each([
    ['HEAD', 'HEAD was added: another commit or branch is checked out'],
    ['worktrees/tree/HEAD', 'HEAD was added: another commit or branch is checked out'],
    ['packed-refs', 'the packed references were added'],
    ['refs/heads/x', 'the reference refs/heads/x was added'],
    ['config.worktree', 'git’s configuration was added, which can run programs'],
    ['objects/info/alternates', 'the object store was added to'],
    ['info/sparse-checkout', 'git’s rules on what to ignore or convert were added'],
    ['index.lock', 'a file of the repository’s own folder was added'],
  ])('%s is explained', (path, words) => {
    expect(describeGitChange({ path, status: 'added' })).toBe(words);
  });
});
