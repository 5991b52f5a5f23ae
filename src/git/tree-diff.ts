import { closeSync, openSync, rmSync } from 'node:fs';
import { toBytes, toText, type BytePath } from './byte-path.js';
import type { PrivateGit } from './private-git.js';

/** A file as git keeps it; its content is in the store of whoever names it. */
export interface TreeFile {
  path: BytePath;
  mode: string;
  id: string;
}

/** Two trees, by their names. */
export interface Trees {
  before: string;
  after: string;
}

export type ChangeStatus =
  { status: 'added' | 'modified' | 'deleted' | 'mode' | 'symlink' } | { status: 'renamed'; from: string };

export type Lines =
  { kind: 'text'; added: number; removed: number } | { kind: 'binary' } | { kind: 'unknown' };

/** One file that differs between two trees, as git tells it. */
export type TreeChange = ChangeStatus & {
  path: string;
  lines: Lines;
  /** The file on either side, where there is one. */
  before: TreeFile | undefined;
  after: TreeFile | undefined;
};

const COMPARE = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--no-color'];

/** What is different between two trees, with renames and line counts. */
export function listDifferences(git: PrivateGit, { before, after }: Trees): TreeChange[] {
  const args = [...COMPARE, '--raw', '--numstat', '--no-abbrev', '-z', before, after];
  return parseRows(git.call({ args })).map(toChange);
}

/** The same as a patch, straight to its file. */
export function writeDifferences(git: PrivateGit, { before, after }: Trees, file: string): void {
  rmSync(file, { force: true });
  const output = openSync(file, 'wx', 0o600);
  try {
    const form = ['-p', '--binary', '--full-index', '--src-prefix=a/', '--dst-prefix=b/'];
    git.call({ args: [...COMPARE, ...form, before, after], output });
  } finally {
    closeSync(output);
  }
}

/** Trees that hold nothing but these files. */
export const treesOf = (git: PrivateGit, files: Record<'before' | 'after', readonly TreeFile[]>): Trees => ({
  before: writeTree(git, files.before),
  after: writeTree(git, files.after),
});

function writeTree(git: PrivateGit, files: readonly TreeFile[]): string {
  rmSync(git.index, { force: true });
  const lines = files.map(({ mode, id, path }) => `${mode} ${id}\t${path}\0`).join('');
  git.call({ args: ['update-index', '-z', '--index-info'], input: toBytes(lines) });
  return nameOfTree(git);
}

/** The tree of what the index holds. */
export const nameOfTree = (git: PrivateGit): string =>
  git
    .call({ args: ['write-tree'] })
    .toString('latin1')
    .trim();

interface Row {
  letter: string;
  was: { mode: string; id: string };
  is: { mode: string; id: string };
  path: BytePath;
  from: BytePath | undefined;
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
      const [modeWas = '', modeIs = '', idWas = '', idIs = '', status = ''] = field.slice(1).split(' ');
      const letter = status.slice(0, 1);
      const from = letter === 'R' ? fields[at++] : undefined;
      const [was, is] = [
        { mode: modeWas, id: idWas },
        { mode: modeIs, id: idIs },
      ];
      rows.push({ letter, was, is, from, path: fields[at++] ?? '', lines: { kind: 'unknown' } });
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

function toChange({ letter, was, is, path, from, lines }: Row): TreeChange {
  return {
    ...statusOf({ letter, was, is, from }),
    path: toText(path),
    lines,
    before: letter === 'A' ? undefined : { path: from ?? path, ...was },
    after: letter === 'D' ? undefined : { path, ...is },
  };
}

function statusOf({ letter, was, is, from }: Omit<Row, 'path' | 'lines'>): ChangeStatus {
  if (from !== undefined) return { status: 'renamed', from: toText(from) };
  if (letter === 'D') return { status: 'deleted' };
  if (is.mode === LINK || was.mode === LINK) return { status: 'symlink' };
  if (letter === 'A') return { status: 'added' };
  return { status: was.id === is.id ? 'mode' : 'modified' };
}

const LINK = '120000';
