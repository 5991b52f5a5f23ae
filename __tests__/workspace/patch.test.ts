import { afterAll, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { changedFiles } from '../../src/guard/changes.js';
import {
  copyOf,
  git,
  picture,
  policyOf,
  put,
  removeScratch,
  scratchRepository,
  watch,
} from './scratch-repository.js';

afterAll(removeScratch);

const skipGit = (path: string) => path === '.git';

const NAMES = [
  ...['a.txt', 'b', 'with space.md', ' leading', 'trailing ', 'quote"d', "apostro'phe", 'back\\slash'],
  ...['new\nline', 'tab\there', '\u00fcml\u00e4ut', 'u\u0308mlaut', '\u65e5\u672c\u8a9e', '\ud83d\ude00'],
  ...[
    '-dash',
    ':colon',
    ':(top)x',
    '*star',
    '[set]',
    '#hash',
    '!bang',
    '~',
    'a\u00a0b',
    '.hidden',
    '\u001b[31m',
  ],
];
const name = fc.constantFrom(...NAMES);
const path = fc
  .tuple(fc.constantFrom('', '', 'folder/', 'folder/deep er/', 'd\u00e9j\u00e0/'), name)
  .map((parts) => parts.join(''));

const content = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc
    .array(fc.constantFrom('one', 'two', 'three', '', '\r', 'caf\u00e9', '-- ', 'diff --git a/x b/x'))
    .map((lines) => Buffer.from(lines.join('\n'))),
  fc.array(fc.constantFrom('x', 'y', 'z')).map((lines) => Buffer.from(`${lines.join('\n')}\n`)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

type Edit =
  | { kind: 'write'; path: string; content: Buffer }
  | { kind: 'delete' | 'executable' | 'plain'; path: string }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'link'; path: string; target: string };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), path, content }),
  fc.record({ kind: fc.constantFrom('delete' as const, 'executable' as const, 'plain' as const), path }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
  fc.record({ kind: fc.constant('link' as const), path, target: name }),
);

/** Does the edit if it can be done; one that does not fit (a folder in the way) is left out. */
function apply(root: string, one: Edit): void {
  const target = join(root, one.path);
  const stat = lstatSync(target, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  switch (one.kind) {
    case 'write':
      mkdirSync(dirname(target), { recursive: true });
      if (stat) rmSync(target);
      writeFileSync(target, one.content);
      return;
    case 'delete':
      rmSync(target, { force: true });
      return;
    case 'executable':
    case 'plain':
      if (stat?.isFile()) chmodSync(target, one.kind === 'plain' ? 0o644 : 0o755);
      return;
    case 'rename':
      if (!stat || existsSync(join(root, one.to))) return;
      mkdirSync(dirname(join(root, one.to)), { recursive: true });
      renameSync(target, join(root, one.to));
      return;
    case 'link':
      mkdirSync(dirname(target), { recursive: true });
      if (stat) rmSync(target);
      symlinkSync(one.target, target);
  }
}

describe('the patch', () => {
  it('turns the state before into the state after, whatever was tracked, dirty or untracked', () => {
    let patches = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(path, content), { minLength: 3, maxLength: 8 }),
        fc.array(edit, { maxLength: 4 }),
        fc.array(edit, { minLength: 1, maxLength: 8 }),
        (files, dirt, edits) => {
          const root = scratchRepository({ 'base.txt': 'base\n' });
          put(root, Object.fromEntries(files));
          git(root, 'add', '-A');
          git(root, 'commit', '-q', '--allow-empty', '-m', 'files');
          for (const one of dirt) apply(root, one);
          const before = copyOf(root);
          const watched = watch(root);
          for (const one of edits) apply(root, one);
          const inspection = watched.inspect();

          const [was, is] = [picture(before, skipGit), picture(root, skipGit)];
          const differing = [...new Set([...Object.keys(was), ...Object.keys(is)])]
            .filter((key) => was[key] !== is[key])
            .map((key) => Buffer.from(key, 'latin1').toString('utf8'));
          expect(changedFiles(inspection)).toEqual(differing.sort());
          expect(inspection.omitted).toEqual([]);
          expect(inspection.patch.kind).toBe(differing.length > 0 ? 'written' : 'none');
          if (inspection.patch.kind === 'none') return;
          patches += 1;
          git(before, 'apply', '--binary', inspection.patch.file);
          expect(picture(before, skipGit)).toEqual(is);
        },
      ),
      { numRuns: 30 },
    );
    expect(patches).toBeGreaterThan(15);
  });

  it('is the way back too: everything forbidden can be put back as it was', () => {
    let reverted = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(path, content), { minLength: 3, maxLength: 8 }),
        fc.array(edit, { maxLength: 4 }),
        fc.array(edit, { minLength: 1, maxLength: 8 }),
        (files, dirt, edits) => {
          const root = scratchRepository({ 'base.txt': 'base\n', '.gitignore': 'folder/\n' });
          put(root, Object.fromEntries(files));
          git(root, 'add', '-A');
          git(root, 'commit', '-q', '--allow-empty', '-m', 'files');
          for (const one of dirt) apply(root, one);
          const was = picture(root);
          const watched = watch(root, policyOf('review'));
          for (const one of edits) apply(root, one);
          const inspection = watched.inspect();
          if (inspection.violations.length > 0) reverted += 1;
          expect(watched.revert(inspection)).toEqual([]);
          expect(picture(root)).toEqual(was);
          expect(watched.inspect()).toMatchObject({ changes: [], violations: [] });
        },
      ),
      { numRuns: 20 },
    );
    expect(reverted).toBeGreaterThan(8);
  });

  it('carries large binary files byte by byte, past any buffer', () => {
    const noise = Buffer.alloc(3_000_000, 0).map((_, at) => (at * 7919 + (at >> 8)) % 251);
    const root = scratchRepository({ 'image.bin': Buffer.from(noise) });
    const before = copyOf(root);
    const watched = watch(root);
    noise.reverse();
    put(root, { 'image.bin': Buffer.from(noise), 'other.bin': Buffer.from(noise.subarray(5)) });
    watched.inspect();
    git(before, 'apply', '--binary', watched.patchFile);
    expect(readFileSync(join(before, 'image.bin')).equals(Buffer.from(noise))).toBe(true);
    expect(picture(before, skipGit)).toEqual(picture(root, skipGit));
  });
});
