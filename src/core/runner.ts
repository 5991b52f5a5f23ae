/**
 * How the action talks to the runner. It imports single files of @actions/core, because the main file also loads an
 * HTTP client for OIDC. No run needs that client, and loading it takes longer than the rest of the start-up.
 */
import { issueCommand } from '@actions/core/command.js';
import { issueFileCommand, prepareKeyValueMessage } from '@actions/core/file-command.js';
import { appendFileSync, statSync } from 'node:fs';
import { commandFree } from '../text/plain-text.js';

/** An input of the step; empty if it is not given. */
export function getInput(name: string): string {
  return (process.env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim();
}

/** From now on the runner shows `***` instead of this value. */
export function setSecret(value: string): void {
  issueCommand('add-mask', {}, value);
}

/** Written with a random delimiter, so that no text can forge another output. */
export function setOutput(name: string, value: string): void {
  if (process.env['GITHUB_OUTPUT']) issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
}

/** Puts a folder first on PATH for the steps that follow. */
export function addPath(folder: string): void {
  if (process.env['GITHUB_PATH']) issueFileCommand('PATH', folder);
}

export function info(text: string): void {
  process.stdout.write(`${commandFree(text)}\n`);
}

export function warning(text: string, title?: string): void {
  issueCommand('warning', title === undefined ? {} : { title }, plainText(text));
}

/** One error annotation. */
export function error(text: string, title: string): void {
  issueCommand('error', { title: commandFree(title) }, plainText(text));
}

/** An annotation is no Markdown, so a backtick around a name would be shown as it is. */
const plainText = (text: string): string => commandFree(text.replace(/(?<!`)`([^`\n]{1,200})`(?!`)/g, '$1'));

/** Where an annotation points: a file of the repository, by its path from the root. */
interface AnnotatedPlace {
  file: string;
  startLine: number;
  endLine: number;
}

/** An annotation on lines of a file, or on none. */
export function annotate(
  level: 'error' | 'warning' | 'notice',
  text: string,
  { title, place }: { title: string; place?: AnnotatedPlace },
): void {
  const where = place ? { file: place.file, line: place.startLine, endLine: place.endLine } : {};
  issueCommand(level, { title: commandFree(title), ...where }, commandFree(text));
}

/** Lines below a title that can be folded. */
export function printGroup(title: string, lines: readonly string[]): void {
  issueCommand('group', {}, commandFree(title));
  if (lines.length > 0) info(lines.join('\n'));
  issueCommand('endgroup', {}, '');
}

/** Folds what others print while they work. */
export async function inGroup<T>(title: string, work: () => Promise<T>): Promise<T> {
  issueCommand('group', {}, commandFree(title));
  try {
    return await work();
  } finally {
    issueCommand('endgroup', {}, '');
  }
}

/** Whether someone asked for debug logs of this run. */
export function isDebug(): boolean {
  return process.env['RUNNER_DEBUG'] === '1';
}

/** Whether the log is shown in colour. The runner and a terminal show colours, a file does not. */
export function showsColour(): boolean {
  if (process.env['NO_COLOR']) return false;
  return Boolean(process.env['FORCE_COLOR'] || process.env['GITHUB_ACTIONS'] || process.stdout.isTTY);
}

/** How many bytes of the job summary this step has written; undefined if there is no summary. */
export function summarySize(): number | undefined {
  const file = process.env['GITHUB_STEP_SUMMARY'];
  return file ? (statSync(file, { throwIfNoEntry: false })?.size ?? 0) : undefined;
}

export function appendSummary(text: string): void {
  appendFileSync(process.env['GITHUB_STEP_SUMMARY'] ?? '', text);
}
