/**
 * How the action talks to the runner. The protocol is @actions/core's own, taken file by file: its main file
 * also loads an HTTP client for OIDC, which no run needs and which would cost each of them more than all the
 * rest of the start-up.
 */
import { issueCommand } from '@actions/core/command.js';
import { issueFileCommand, prepareKeyValueMessage } from '@actions/core/file-command.js';
import { appendFileSync, statSync } from 'node:fs';
import { commandFree } from '../text/plain-text.js';

/** An input of the step, as the runner hands it over; empty if it is not given. */
export function getInput(name: string): string {
  return (process.env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim();
}

/** From here on the runner shows `***` in its place. */
export function setSecret(value: string): void {
  issueCommand('add-mask', {}, value);
}

/** Written with a random delimiter, so that no text can forge another output. */
export function setOutput(name: string, value: string): void {
  if (process.env['GITHUB_OUTPUT']) issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
}

/** Puts a folder before all others where the steps that follow look for programs. */
export function addPath(folder: string): void {
  if (process.env['GITHUB_PATH']) issueFileCommand('PATH', folder);
}

export function info(text: string): void {
  process.stdout.write(`${commandFree(text)}\n`);
}

export function warning(text: string, title?: string): void {
  issueCommand('warning', title === undefined ? {} : { title }, commandFree(text));
}

/** One error annotation. */
export function error(text: string, title: string): void {
  issueCommand('error', { title: commandFree(title) }, commandFree(text));
}

/** Where an annotation points: a file of the repository, by its path from the root. */
export interface AnnotatedPlace {
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

/** Lines of ours under a title that can be opened and closed. */
export function printGroup(title: string, lines: readonly string[]): void {
  issueCommand('group', {}, commandFree(title));
  lines.forEach(info);
  issueCommand('endgroup', {}, '');
}

/** Whether someone asked for debug logs of this run. */
export function isDebug(): boolean {
  return process.env['RUNNER_DEBUG'] === '1';
}

/** Whether whoever shows this log shows colours: the runner does, a terminal does, a file does not. */
export function showsColour(): boolean {
  if (process.env['NO_COLOR']) return false;
  return Boolean(process.env['FORCE_COLOR'] || process.env['GITHUB_ACTIONS'] || process.stdout.isTTY);
}

/** What this step has already written of the job summary, in bytes; nothing where there is none to write. */
export function summarySize(): number | undefined {
  const file = process.env['GITHUB_STEP_SUMMARY'];
  return file ? (statSync(file, { throwIfNoEntry: false })?.size ?? 0) : undefined;
}

export function appendSummary(text: string): void {
  appendFileSync(process.env['GITHUB_STEP_SUMMARY'] ?? '', text);
}
