import type { DiffLine, Hunk } from './diff.js';

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * The hunks of one file's patch: the `patch` of GitHub's API, or the part of a `git diff` from its first `@@` on.
 * A hunk is as long as its head says, so a removed line that begins with `-- ` is not taken for a file's head.
 */
export function readHunks(patch: string): Hunk[] {
  const lines = patch.split('\n');
  const hunks: Hunk[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const head = HEAD.exec(lines[index] ?? '');
    if (!head) continue;
    const [, oldStart, oldCount = '1', newStart, newCount = '1'] = head;
    const hunk: Hunk = {
      oldStart: Number(oldStart),
      oldCount: Number(oldCount),
      newStart: Number(newStart),
      newCount: Number(newCount),
      lines: [],
    };
    index = readLines(lines, index + 1, hunk) - 1;
    hunks.push(hunk);
  }
  return hunks;
}

/** Fills the hunk with its lines, and tells where the text goes on after them. */
function readLines(lines: readonly string[], first: number, hunk: Hunk): number {
  let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
  const [oldEnd, newEnd] = [hunk.oldStart + hunk.oldCount, hunk.newStart + hunk.newCount];
  let index = first;
  for (; index < lines.length && (oldLine < oldEnd || newLine < newEnd); index += 1) {
    const text = lines[index] ?? '';
    // "\ No newline at end of file" is a remark about the line before it.
    if (text.startsWith('\\')) continue;
    const line = readLine(text, oldLine, newLine);
    if (line === undefined) break;
    if (line.kind !== 'added') oldLine += 1;
    if (line.kind !== 'removed') newLine += 1;
    hunk.lines.push(line);
  }
  return index;
}

function readLine(text: string, oldLine: number, newLine: number): DiffLine | undefined {
  const rest = text.slice(1);
  switch (text[0]) {
    case '+':
      return { kind: 'added', new: newLine, text: rest };
    case '-':
      return { kind: 'removed', old: oldLine, text: rest };
    case ' ':
    // Some tools strip the blank of an empty line.
    // eslint-disable-next-line no-fallthrough
    case undefined:
      return { kind: 'context', old: oldLine, new: newLine, text: rest };
    default:
      return undefined;
  }
}
