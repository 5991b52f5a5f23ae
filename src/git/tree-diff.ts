import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { toBytes, toText, type BytePath } from './byte-path.js';
import type { PrivateGit } from './private-git.js';

export type BlobMode = '100644' | '100755' | '120000';

/** A file as git keeps it; its content is in the store of whoever names it. */
export interface TreeFile {
  mode: BlobMode;
  id: string;
}

export interface TreePair {
  path: BytePath;
  before: TreeFile | undefined;
  after: TreeFile | undefined;
}

export type ChangeStatus =
  { status: 'added' | 'modified' | 'deleted' | 'mode' | 'symlink' } | { status: 'renamed'; from: string };

export type Lines =
  { kind: 'text'; added: number; removed: number } | { kind: 'binary' } | { kind: 'unknown' };

/** One file that differs between two trees, as git tells it. */
export type TreeChange = ChangeStatus & {
  path: string;
  key: BytePath;
  lines: Lines;
  /** A rename that gave it another mode. */
  remoded: boolean;
};

/**
 * Two trees that hold nothing but what changed, compared by git: that gives renames and line counts, and the patch in
 * the file that is named. Nothing is written where nothing changed.
 */
export function diffTrees(git: PrivateGit, pairs: readonly TreePair[], file?: string): TreeChange[] {
  if (file !== undefined) rmSync(file, { force: true });
  if (pairs.length === 0) return [];
  const trees = [writeTree(git, side(pairs, 'before')), writeTree(git, side(pairs, 'after'))];
  const compare = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];
  if (file !== undefined) {
    const output = openSync(file, 'wx', 0o600);
    try {
      const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
      git.call({ args: [...compare, '-p', '--binary', '--full-index', ...prefixes, ...trees], output });
      if (fstatSync(output).size === 0) throw new Error('git wrote an empty patch');
    } finally {
      closeSync(output);
    }
  }
  const listing = git.call({ args: [...compare, '--raw', '--numstat', '--no-abbrev', '-z', ...trees] });
  return parseRows(listing).map(toChange);
}

const side = (pairs: readonly TreePair[], which: 'before' | 'after') =>
  pairs.flatMap((pair) => {
    const entry = pair[which];
    return entry ? [{ path: pair.path, ...entry }] : [];
  });

/** An index of its own, so that nothing but these entries is in the tree. */
function writeTree(git: PrivateGit, entries: readonly (TreeFile & { path: BytePath })[]): string {
  rmSync(git.index, { force: true });
  const lines = entries.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join('');
  git.call({ args: ['update-index', '-z', '--index-info'], input: toBytes(lines) });
  return git
    .call({ args: ['write-tree'] })
    .toString('latin1')
    .trim();
}

interface Row {
  letter: string;
  was: string;
  is: string;
  path: BytePath;
  from: BytePath | undefined;
  sameContent: boolean;
  lines: Lines;
}

/** `:mode mode id id letter NUL path NUL` (two paths for a rename), then `added TAB removed TAB path NUL`. */
function parseRows(listing: Buffer): Row[] {
  const fields = listing.toString('latin1').split('\0');
  const rows: Row[] = [];
  const lines = new Map<BytePath, Lines>();
  for (let at = 0; at < fields.length;) {
    const field = fields[at++] ?? '';
    if (field.startsWith(':')) {
      const [was = '', is = '', idWas, idIs, status = ''] = field.slice(1).split(' ');
      const letter = status.slice(0, 1);
      const from = letter === 'R' ? fields[at++] : undefined;
      const sameContent = idWas === idIs;
      rows.push({ letter, was, is, from, sameContent, path: fields[at++] ?? '', lines: { kind: 'unknown' } });
      continue;
    }
    const [added = '', removed = '', ...rest] = field.split('\t');
    if (rest.length === 0) continue;
    const named = rest.join('\t');
    if (named === '') at += 1;
    lines.set(named === '' ? (fields[at++] ?? '') : named, countLines(added, removed));
  }
  return rows.map((row) => ({ ...row, lines: lines.get(row.path) ?? row.lines }));
}

const countLines = (added: string, removed: string): Lines =>
  added === '-' ? { kind: 'binary' } : { kind: 'text', added: Number(added), removed: Number(removed) };

function toChange(row: Row): TreeChange {
  const remoded = row.from !== undefined && row.was !== row.is;
  return { ...statusOf(row), path: toText(row.path), key: row.path, lines: row.lines, remoded };
}

function statusOf({ letter, was, is, from, sameContent }: Row): ChangeStatus {
  if (from !== undefined) return { status: 'renamed', from: toText(from) };
  if (letter === 'D') return { status: 'deleted' };
  if (is === '120000' || was === '120000') return { status: 'symlink' };
  if (letter === 'A') return { status: 'added' };
  return { status: sameContent ? 'mode' : 'modified' };
}
