import type { FileDiff } from './diff.js';
import { readHunks } from './hunks.js';

/**
 * The text of `git diff` with the prefixes a/ and b/ (`--src-prefix=a/ --dst-prefix=b/`, whatever is configured).
 * Only a line feed ends a line of it: a carriage return or U+2028 is part of a file's text, and inside of a hunk
 * every line begins with a mark, so no file can hold what is taken for the head of the next one.
 */
export function parseGitDiff(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  const lines = text.split('\n');
  for (let index = lines.findIndex(isHead); index !== -1 && index < lines.length;) {
    const end = nextHead(lines, index + 1);
    const file = readFile(lines.slice(index, end));
    if (file) addFile(files, file);
    index = end;
  }
  return files;
}

const isHead = (line: string): boolean => /^diff --(?:git|cc|combined) /.test(line);

function nextHead(lines: readonly string[], from: number): number {
  let index = from;
  while (index < lines.length && !isHead(lines[index] ?? '')) index += 1;
  return index;
}

/** Git tells a file that became a link, or the other way round, as deleted and added. */
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

/** What the lines between the head and the first hunk say. */
interface Extended {
  status: FileDiff['status'];
  binary: boolean;
  from?: string | undefined;
  to?: string | undefined;
  oldMode?: string;
}

function readFile([head = '', ...rest]: readonly string[]): FileDiff | undefined {
  const firstHunk = rest.findIndex((line) => line.startsWith('@@'));
  const extended: Extended = { status: 'modified', binary: false };
  for (const line of firstHunk === -1 ? rest : rest.slice(0, firstHunk)) readExtended(line, extended);
  const named = namesInHead(head);
  const path = extended.to ?? extended.from ?? named;
  if (path === undefined) return undefined;
  const { status, binary, from } = extended;
  const moved = status === 'renamed' || status === 'copied';
  return {
    path,
    ...(moved && from !== undefined ? { oldPath: from } : {}),
    status,
    binary,
    hunks: firstHunk === -1 ? [] : readHunks(rest.slice(firstHunk).join('\n')),
  };
}

function readExtended(line: string, extended: Extended): void {
  const [, key = '', value = ''] = EXTENDED.exec(line) ?? [];
  switch (key) {
    case 'new file mode ':
      extended.status = 'added';
      return;
    case 'deleted file mode ':
      extended.status = 'deleted';
      return;
    case 'old mode ':
      extended.oldMode = value;
      return;
    case 'new mode ':
      // The first three digits are the kind of file, the others its permissions.
      if (extended.oldMode?.slice(0, 3) !== value.slice(0, 3)) extended.status = 'type-changed';
      return;
    case 'rename from ':
    case 'copy from ':
      extended.status = key === 'rename from ' ? 'renamed' : 'copied';
      extended.from = unquote(value);
      return;
    case 'rename to ':
    case 'copy to ':
      extended.to = unquote(value);
      return;
    case '--- ':
      extended.from ??= sidePath(value);
      return;
    case '+++ ':
      extended.to ??= sidePath(value);
      return;
    case 'Binary files ':
    case 'GIT binary patch':
      extended.binary = true;
      return;
  }
}
const EXTENDED =
  /^(new file mode |deleted file mode |old mode |new mode |rename (?:from|to) |copy (?:from|to) |--- |\+\+\+ |Binary files |GIT binary patch)(.*)$/s;

/** `--- a/x`: without the prefix, and without the tab that follows a name with blanks in it. */
function sidePath(value: string): string | undefined {
  const name = unquote(value.replace(/\t$/, ''));
  return name === '/dev/null' ? undefined : name.slice(2);
}

/**
 * The one name in a head, for changes that name it nowhere else (a mode, an empty or a binary file). Both sides are
 * the same there, so that the middle is known, whatever blanks and ` b/` the name holds.
 */
function namesInHead(head: string): string | undefined {
  const combined = /^diff --(?:cc|combined) (.*)$/s.exec(head)?.[1];
  if (combined !== undefined) return unquote(combined);
  const both = head.slice('diff --git '.length);
  const middle = (both.length - 1) / 2;
  const [old, young] = [unquote(both.slice(0, middle)).slice(2), unquote(both.slice(middle + 1)).slice(2)];
  return both[middle] === ' ' && old === young && old !== '' ? young : undefined;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A name as git writes it: in quotes, with the escapes of C, if it holds anything unusual. */
function unquote(name: string): string {
  if (!(name.length > 1 && name.startsWith('"') && name.endsWith('"'))) return name;
  const bytes = [...name.slice(1, -1).matchAll(/\\([0-7]{3}|.)|[^\\]+/gs)].map(([piece, escape]) => {
    if (escape === undefined) return Buffer.from(piece);
    if (escape.length === 3) return Buffer.from([Number.parseInt(escape, 8)]);
    return Object.hasOwn(ESCAPES, escape) ? Buffer.from([ESCAPES[escape] ?? 0]) : Buffer.from(escape);
  });
  return Buffer.concat(bytes).toString('utf8');
}
