import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toBytes, toText, type BytePath } from './byte-path.js';
import { writeLooseBlob } from './blob-store.js';
import type { Change, ChangeStatus, Lines, Patch } from './changes.js';
import type { BlobMode } from './file-state.js';
import { openPrivateGit, type PrivateGit } from './private-git.js';
import type { RepositorySnapshot } from './snapshot.js';

export interface TreeFile {
  mode: BlobMode;
  id: string;
}

export interface TreePair {
  path: BytePath;
  before: TreeFile | undefined;
  after: TreeFile | undefined;
}

export interface TreeDiff {
  changes: Change[];
  /** Paths that a rename gave another mode. */
  remoded: BytePath[];
  patch: Patch;
}

/**
 * Two trees that hold nothing but what changed, in an object store of their own, compared by git: that gives
 * renames, line counts and the patch. The patch goes straight to its file.
 */
export function diffTrees(snapshot: RepositorySnapshot, pairs: readonly TreePair[], file: string): TreeDiff {
  rmSync(file, { force: true });
  if (pairs.length === 0) return { changes: [], remoded: [], patch: { kind: 'none' } };
  const { place, settings } = snapshot;
  const git = openPrivateGit({ program: place.program, parent: place.parent, format: settings.format });
  const output = openSync(file, 'wx', 0o600);
  try {
    const before = writeTree(git, snapshot, side(pairs, 'before'));
    const after = writeTree(git, snapshot, side(pairs, 'after'));
    const compare = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];
    const listing = git.call({
      args: [...compare, '--raw', '--numstat', '--no-abbrev', '-z', before, after],
    });
    git.call({
      args: [
        ...compare,
        '-p',
        '--binary',
        '--full-index',
        '--src-prefix=a/',
        '--dst-prefix=b/',
        before,
        after,
      ],
      output,
    });
    const rows = parseRows(listing);
    return {
      changes: rows.map(toChange),
      remoded: rows.filter((row) => row.from !== undefined && row.was !== row.is).map((row) => row.path),
      patch: { kind: 'written', file, bytes: fstatSync(output).size },
    };
  } finally {
    closeSync(output);
    git.close();
  }
}

const side = (pairs: readonly TreePair[], which: 'before' | 'after') =>
  pairs.flatMap((pair) => {
    const entry = pair[which];
    return entry ? [{ path: pair.path, ...entry }] : [];
  });

function writeTree(
  git: PrivateGit,
  { store }: RepositorySnapshot,
  entries: readonly (TreeFile & { path: BytePath })[],
): string {
  for (const { id } of entries) {
    const content = store.read(id);
    if (content) writeLooseBlob(join(git.folder, 'objects'), id, content);
  }
  rmSync(join(git.folder, 'index'), { force: true });
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

function toChange(row: Row): Change {
  return { ...statusOf(row), path: toText(row.path), lines: row.lines, ignored: false };
}

function statusOf({ letter, was, is, from, sameContent }: Row): ChangeStatus {
  if (from !== undefined) return { status: 'renamed', from: toText(from) };
  if (letter === 'D') return { status: 'deleted' };
  if (is === '120000' || was === '120000') return { status: 'symlink' };
  if (letter === 'A') return { status: 'added' };
  return { status: sameContent ? 'mode' : 'modified' };
}
