import { ignoreFinder } from '../text/patterns.js';

/** How one file changed. Read from the output of `git diff` or from GitHub's API. */
export interface FileDiff {
  /** Where the file is after the change. For a deleted file, where it was. */
  path: string;
  oldPath?: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed';
  binary: boolean;
  hunks: Hunk[];
  /** How many lines are removed, if something else than the hunks says so. */
  deletions?: number;
}

export interface Hunk {
  oldStart: number;
  oldCount: number;
  newStart: number;
  newCount: number;
  lines: DiffLine[];
}

/** One line of a hunk, with its number on each side that has it. */
export type DiffLine =
  | { kind: 'context'; old: number; new: number; text: string }
  | { kind: 'added'; new: number; text: string }
  | { kind: 'removed'; old: number; text: string };

/** The first and the last of some lines, counted from 1. */
export interface LineRange {
  startLine: number;
  endLine: number;
}

/** Where something changed: a file that was moved is gone from its old name. */
export const namesOf = ({
  path,
  oldPath,
  status,
}: Pick<FileDiff, 'path' | 'oldPath' | 'status'>): string[] =>
  status === 'renamed' && oldPath !== undefined ? [oldPath, path] : [path];

/** The hunk that contains every line of a range on the new side. GitHub shows a comment only within one hunk. */
export const hunkHolding = (hunks: readonly Hunk[], { startLine, endLine }: LineRange): Hunk | undefined =>
  hunks.find(({ newStart, newCount }) => startLine >= newStart && endLine < newStart + newCount);

/** The hunks of each changed file by its new path. A file has none if it is binary or its patch is not known. */
export type ChangedFiles = ReadonlyMap<string, readonly Hunk[]>;

export const hunksByPath = (files: readonly FileDiff[]): ChangedFiles =>
  new Map(files.map(({ path, hunks }) => [path, hunks]));

export const addedLines = (hunks: readonly Hunk[]): number[] =>
  hunks.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === 'added' ? [line.new] : [])));

const HUNK_HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads the hunks of one file: the `patch` of GitHub's API, or the part of a `git diff` from its first `@@` on.
 * The head of a hunk says how long it is, so a removed line that begins with `-- ` is not taken for a file head.
 */
export function readHunks(patch: string): Hunk[] {
  const lines = patch.split('\n');
  const hunks: Hunk[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const head = HUNK_HEAD.exec(lines[index] ?? '');
    if (!head) continue;
    const [, oldStart, oldCount = '1', newStart, newCount = '1'] = head;
    const hunk: Hunk = {
      oldStart: Number(oldStart),
      oldCount: Number(oldCount),
      newStart: Number(newStart),
      newCount: Number(newCount),
      lines: [],
    };
    index = readHunkLines(lines, index + 1, hunk) - 1;
    hunks.push(hunk);
  }
  return hunks;
}

/** Adds the lines to the hunk. Returns the index of the first line after it. */
function readHunkLines(lines: readonly string[], first: number, hunk: Hunk): number {
  let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
  const [oldEnd, newEnd] = [hunk.oldStart + hunk.oldCount, hunk.newStart + hunk.newCount];
  let index = first;
  for (; index < lines.length && (oldLine < oldEnd || newLine < newEnd); index += 1) {
    const text = lines[index] ?? '';
    // "\ No newline at end of file" is a remark about the line before it.
    if (text.startsWith('\\')) continue;
    const line = readHunkLine(text, oldLine, newLine);
    if (line === undefined) break;
    if (line.kind !== 'added') oldLine += 1;
    if (line.kind !== 'removed') newLine += 1;
    hunk.lines.push(line);
  }
  return index;
}

function readHunkLine(line: string, oldLine: number, newLine: number): DiffLine | undefined {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'added', new: newLine, text };
  if (line.startsWith('-')) return { kind: 'removed', old: oldLine, text };
  // Some tools remove the space from an empty line.
  const isContext = line.startsWith(' ') || line === '';
  return isContext ? { kind: 'context', old: oldLine, new: newLine, text } : undefined;
}

/**
 * Reads the output of `git diff` with the prefixes a/ and b/ (set `--src-prefix=a/ --dst-prefix=b/`, because they can
 * be configured). Only a line feed ends a line: a carriage return or U+2028 is part of a file's text. Every line in
 * a hunk begins with a mark, so no file content is taken for the head of the next file.
 */
export function parseGitDiff(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = text.split('\n');
  const heads = [...lines.keys()].filter((index) => FILE_HEAD.test(lines[index] ?? ''));
  for (const [at, head] of heads.entries()) {
    const file = readFileDiff(lines.slice(head, heads[at + 1]));
    if (file) addFile(files, file);
  }
  return files;
}

const FILE_HEAD = /^diff --(?:git|cc|combined) /;

/** Git reports a file that became a link, or a link that became a file, as deleted and added. */
function addFile(files: FileDiff[], file: FileDiff): void {
  const before = files.at(-1);
  if (before?.status === 'deleted' && file.status === 'added' && before.path === file.path) {
    before.status = 'type-changed';
    before.binary ||= file.binary;
    before.hunks.push(...file.hunks);
  } else {
    files.push(file);
  }
}

interface ExtendedHeader {
  status: FileDiff['status'];
  binary: boolean;
  from?: string | undefined;
  to?: string | undefined;
  oldMode?: string;
}

function readFileDiff([head = '', ...rest]: readonly string[]): FileDiff | undefined {
  const firstHunk = rest.findIndex((line) => line.startsWith('@@'));
  const header: ExtendedHeader = { status: 'modified', binary: false };
  for (const line of firstHunk === -1 ? rest : rest.slice(0, firstHunk)) readExtendedLine(line, header);
  const { status, binary, from, to } = header;
  const path = to ?? from ?? pathInHead(head);
  if (path === undefined) return undefined;
  const isMoved = status === 'renamed' || status === 'copied';
  return {
    path,
    ...(isMoved && from !== undefined ? { oldPath: from } : {}),
    status,
    binary,
    hunks: firstHunk === -1 ? [] : readHunks(rest.slice(firstHunk).join('\n')),
  };
}

const EXTENDED_LINE =
  /^(new file mode |deleted file mode |old mode |new mode |rename (?:from|to) |copy (?:from|to) |--- |\+\+\+ |Binary files |GIT binary patch)(.*)$/s;

function readExtendedLine(line: string, header: ExtendedHeader): void {
  const [, key = '', value = ''] = EXTENDED_LINE.exec(line) ?? [];
  switch (key) {
    case 'new file mode ':
      header.status = 'added';
      return;
    case 'deleted file mode ':
      header.status = 'deleted';
      return;
    case 'old mode ':
      header.oldMode = value;
      return;
    case 'new mode ':
      // The first three digits are the kind of file, the others its permissions.
      if (header.oldMode?.slice(0, 3) !== value.slice(0, 3)) header.status = 'type-changed';
      return;
    case 'rename from ':
    case 'copy from ':
      header.status = key === 'rename from ' ? 'renamed' : 'copied';
      header.from = unquote(value);
      return;
    case 'rename to ':
    case 'copy to ':
      header.to = unquote(value);
      return;
    case '--- ':
      header.from ??= sidePath(value);
      return;
    case '+++ ':
      header.to ??= sidePath(value);
      return;
    case 'Binary files ':
    case 'GIT binary patch':
      header.binary = true;
      return;
  }
}

/** The path in `--- a/x`: without the prefix, and without the tab that follows a name with spaces. */
function sidePath(value: string): string | undefined {
  const name = unquote(value.replace(/\t$/, ''));
  return name === '/dev/null' ? undefined : name.slice(2);
}

/**
 * The path in the head, for changes that name it nowhere else (of a mode, of an empty or a binary file). Both sides
 * are the same there, so the middle is known even if the path contains spaces or ` b/`.
 */
function pathInHead(head: string): string | undefined {
  const combined = /^diff --(?:cc|combined) (.*)$/s.exec(head)?.[1];
  if (combined !== undefined) return unquote(combined);
  const both = head.slice('diff --git '.length);
  const middle = (both.length - 1) / 2;
  const [before, after] = [unquote(both.slice(0, middle)).slice(2), unquote(both.slice(middle + 1)).slice(2)];
  return both[middle] === ' ' && before === after && before !== '' ? after : undefined;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Git writes an unusual name in quotes, with the escapes of C. */
function unquote(name: string): string {
  if (!(name.length > 1 && name.startsWith('"') && name.endsWith('"'))) return name;
  const bytes = [...name.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)].map(([piece, escape]) => {
    if (escape === undefined) return Buffer.from(piece);
    if (escape.length === 3) return Buffer.from([Number.parseInt(escape, 8)]);
    return Object.hasOwn(ESCAPES, escape) ? Buffer.from([ESCAPES[escape] ?? 0]) : Buffer.from(escape);
  });
  return Buffer.concat(bytes).toString('utf8');
}

/**
 * Files that are not reviewed line by line, because tools or other projects wrote them. A plan leaves them out, and they
 * are the first to be dropped from a diff that is too long. Folders that people also write in, such as `build`, are
 * not listed.
 */
export const GENERATED_FILES: readonly string[] = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
  ...['deno.lock', 'Cargo.lock', 'composer.lock', 'Gemfile.lock', 'Podfile.lock', 'poetry.lock'],
  ...['Pipfile.lock', 'uv.lock', 'pdm.lock', 'go.sum', 'flake.lock', 'packages.lock.json'],
  ...['gradle.lockfile', 'mix.lock', 'pubspec.lock'],
  ...['*.min.js', '*.min.mjs', '*.min.css', '*.bundle.js', '*.map', '*.snap'],
  ...['*.pb.go', '*.pb.ts', '*_pb2.py', '*_pb2_grpc.py', '*.g.dart', '*.designer.cs', '*.Designer.cs'],
  ...['*.generated.*', '*_generated.*', '**/generated/**', '**/__generated__/**', '**/__snapshots__/**'],
  ...['**/node_modules/**', '**/vendor/**', '**/third_party/**', '**/dist/**'],
];

const generatedBy = ignoreFinder(GENERATED_FILES);

export const isGenerated = (path: string): boolean => generatedBy(path) !== undefined;
