import { isGenerated } from '../git/diff.js';
import { LINK, SUBMODULE } from '../git/file-store.js';
import { blobSizes, idLines, type PrivateGit } from '../git/private-git.js';
import type { Commits } from '../github/event.js';
import { MAX_COUNTED_BYTES } from '../review/check-findings.js';
import { countTextLines, parseTree, type ListedFile } from '../review/find-file.js';
import { number, plural } from '../text/format.js';
import type { PathTest } from './diff-text.js';
import { withComparison, type Comparison } from './git-change.js';
import { withHistory, type HistoryRequest } from './history.js';

/** A changed file as it is after the change, read from git's objects. It never becomes a file under its own name. */
export interface HeadFile {
  path: string;
  /** What it is, if not an ordinary file. */
  remark?: string;
  /** Missing if the file is deleted, a submodule, binary or too large. Of a link it is where the link leads. */
  text?: string;
  /** Set if it is there after the change, with text or without. */
  isThere: boolean;
}

/** The files of a commit as git lists them, and how many lines those have that the change touches. */
export interface HeadTree {
  commit: string;
  /** `git ls-tree -r -z`. It is only parsed if there is a finding. */
  listing: Buffer;
  /** By the id of the content. */
  lineCounts: ReadonlyMap<string, number>;
}

/**
 * Reads it before the agent starts, because the commit may be one that the checkout does not have: that of a fork, or
 * the head of a pull request whose merge is checked out.
 */
export const readHeadTree = (
  request: HistoryRequest,
  commit: string,
  changed: readonly string[],
): Promise<HeadTree> =>
  withHistory(request, [commit], async ({ git, has, fetch }) => {
    if (!has(commit)) await fetch([commit], 1);
    const listing = git.call({ args: ['ls-tree', '-r', '-z', '--full-tree', commit] });
    const isChanged = new Set(changed);
    const entries = parseTree(listing).filter(({ path }) => isChanged.has(path));
    const sizes = readSizes(git, entries);
    return { commit, listing, lineCounts: countLinesOf(git, [...sizes]) };
  });

/** The contents in pieces of this size, so that they need not all be in memory. */
const PIECE_BYTES = 32 * 1024 * 1024;

function countLinesOf(git: PrivateGit, sizes: readonly [id: string, size: number][]): Map<string, number> {
  const counts = new Map<string, number>();
  let piece: string[] = [];
  let bytes = 0;
  const read = () => {
    for (const [id, text] of readTexts(git, piece)) counts.set(id, countTextLines(text));
    [piece, bytes] = [[], 0];
  };
  for (const [id, size] of sizes.filter((each) => each[1] <= MAX_COUNTED_BYTES)) {
    if (bytes + size > PIECE_BYTES) read();
    piece.push(id);
    bytes += size;
  }
  read();
  return counts;
}

const LIMITS = { files: 300, fileBytes: 512 * 1024, totalBytes: 4 * 1024 * 1024 };

/**
 * Reads the changed files without checking them out, so that no attribute, filter, hook, link or submodule of theirs
 * takes effect.
 */
export const headFilesByGit = (
  request: HistoryRequest,
  commits: Commits,
  isWanted: PathTest = () => true,
): Promise<HeadFile[]> =>
  withComparison(request, commits, (comparison) => {
    const entries = changedEntries(comparison).filter(({ path }) => isWanted(path));
    const sizes = readSizes(comparison.git, entries);
    const texts = readTexts(comparison.git, chooseEntries(entries, sizes));
    return entries.map((entry) => describeEntry(entry, sizes.get(entry.id), texts.get(entry.id)));
  });

/** A moved file is one that is deleted and one that is added. */
function changedEntries({ git, from, to }: Comparison): ListedFile[] {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, to, '--'];
  const fields = git.call({ args }).toString('utf8').split('\0');
  const entries: ListedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , id = ''] = (fields[at] ?? '').replace(/^:/, '').split(' ');
    entries.push({ path: fields[at + 1] ?? '', mode, id });
  }
  return entries;
}

const hasText = ({ mode, id }: ListedFile): boolean => mode !== SUBMODULE && !/^0+$/.test(id);
const readSizes = (git: PrivateGit, entries: readonly ListedFile[]): Map<string, number> =>
  blobSizes(
    git,
    entries.filter(hasText).map(({ id }) => id),
  );

/** Generated files come last. */
function chooseEntries(entries: readonly ListedFile[], sizes: ReadonlyMap<string, number>): string[] {
  const chosen = new Set<string>();
  let total = 0;
  const written = entries.filter(({ path }) => !isGenerated(path));
  for (const { id } of [...written, ...entries.filter(({ path }) => isGenerated(path))]) {
    const size = sizes.get(id);
    if (size === undefined || size > LIMITS.fileBytes || chosen.has(id)) continue;
    if (chosen.size >= LIMITS.files || total + size > LIMITS.totalBytes) continue;
    chosen.add(id);
    total += size;
  }
  return [...chosen];
}

/** Each answer is `<id> blob <size>`, a line end, the bytes, and a line end. */
function readTexts(git: PrivateGit, ids: readonly string[]): Map<string, Buffer> {
  const texts = new Map<string, Buffer>();
  if (ids.length === 0) return texts;
  const answer = git.call({ args: ['cat-file', '--batch'], input: idLines(ids) });
  for (let at = 0; at < answer.length;) {
    const end = answer.indexOf('\n', at);
    const [id = '', , size = ''] = answer.toString('utf8', at, end).split(' ');
    const start = end + 1;
    texts.set(id, answer.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return texts;
}

function describeEntry(
  { path, mode, id }: ListedFile,
  size: number | undefined,
  bytes: Buffer | undefined,
): HeadFile {
  if (mode === SUBMODULE) return { path, remark: `a submodule at ${id}`, isThere: false };
  if (/^0+$/.test(id)) return { path, remark: 'deleted', isThere: false };
  const bytesText = `${number(size ?? 0)} bytes`;
  if (!bytes) return { path, remark: `left out, ${bytesText}`, isThere: true };
  if (bytes.includes(0)) return { path, remark: `binary, ${bytesText}`, isThere: true };
  return {
    path,
    ...(mode === LINK ? { remark: 'a symbolic link; the text is where it leads' } : {}),
    text: bytes.toString('utf8'),
    isThere: true,
  };
}

/** The changed files as texts under neutral names, and the index that says which is which. */
interface HeadFileTexts {
  index: string;
  texts: { name: string; text: string }[];
  leftOut: string[];
}

const HEAD_FILES_FOLDER = 'changed-files';
const MAX_LISTED = 2000;

/**
 * Names are numbers, because tools of the agent give some names a meaning, such as `AGENTS.md` or `.cursor`. Paths are
 * quoted, so that none can look like another line of the index.
 */
export function nameHeadFiles(files: readonly HeadFile[]): HeadFileTexts {
  const texts: HeadFileTexts['texts'] = [];
  const rows = files.map(({ path, text, remark }) => {
    const about = remark === undefined ? '' : ` (${remark})`;
    if (text === undefined) return `(no text) ${quotePath(path)}${about}`;
    const name = `${HEAD_FILES_FOLDER}/${String(texts.length + 1).padStart(4, '0')}.txt`;
    texts.push({ name, text });
    return `${name} ${quotePath(path)}${about}`;
  });
  const more = rows.length - MAX_LISTED;
  return {
    index: [
      'Each line: a file with the text that the changed file has after the change, and its path in the repository.',
      ...rows.slice(0, MAX_LISTED),
      ...(more > 0 ? [`and ${plural(more, 'more changed file')}`] : []),
      '',
    ].join('\n'),
    texts,
    leftOut: files.filter(({ text, isThere }) => text === undefined && isThere).map(({ path }) => path),
  };
}

const quotePath = (path: string): string =>
  JSON.stringify(path).replace(
    /[^\x20-\x7e\p{L}\p{N}]/gu,
    (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
  );
