import type { FileDiff } from '../git/diff.js';
import type { PullDetails } from '../github/event.js';
import { countLines } from './fit-diff.js';

/** Nobody reads a longer description. */
const MOST_BODY = 60_000;
const MOST_FILES = 1000;
const MOST_LABELS = 100;

/** A pull request as text. */
export function describePull(
  { number, details }: { number: number; details: PullDetails },
  files: readonly FileDiff[] | { missing: string },
): string {
  const { title, body, author, labels, base, head, draft } = details;
  const from = head.repository === undefined ? head.branch : `${head.repository}:${head.branch}`;
  return [
    `Pull request: #${number}${draft ? ' (draft)' : ''}`,
    `Title: ${oneLine(title)}`,
    `Author: ${oneLine(author) || '(unknown)'}`,
    `Labels: ${labelList(labels)}`,
    `Into: ${oneLine(base.branch)} (${base.commit})`,
    `From: ${oneLine(from)} (${head.commit})`,
    '',
    'Description:',
    '',
    bounded(body),
    '',
    ...('missing' in files ? [`Changed files: unknown. ${files.missing}`] : fileList(files)),
    '',
  ].join('\n');
}

function fileList(files: readonly FileDiff[]): string[] {
  const lines = files.slice(0, MOST_FILES).map((file) => {
    const { added, removed } = countLines(file);
    const lengths = file.binary ? 'binary' : `+${added} −${removed}`;
    const from = file.oldPath === undefined ? '' : `, from ${name(file.oldPath)}`;
    return `- ${name(file.path)} (${file.status}, ${lengths}${from})`;
  });
  const left = files.length - lines.length;
  return [`Changed files (${files.length}):`, '', ...lines, ...(left > 0 ? [`… and ${left} more`] : [])];
}

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 1000);
/** A name with unusual characters is quoted. */
const name = (path: string): string => (/^[\w./@+ -]+$/.test(path) ? path : JSON.stringify(path));
export const labelList = (labels: readonly string[]): string =>
  labels.slice(0, MOST_LABELS).map(oneLine).join(', ') || '(none)';
export function bounded(body: string): string {
  const text = body.replace(/\r\n?/g, '\n').trim();
  if (text.length <= MOST_BODY) return text || '(empty)';
  return `${text.slice(0, MOST_BODY)}\n… (${text.length - MOST_BODY} more characters are left out)`;
}
