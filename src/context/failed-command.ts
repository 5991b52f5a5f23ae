import { ANSI } from '../text/plain-text.js';
import type { JobStep } from './ci-logs.js';

/** A script, and how to run it. */
export interface ShellCommand {
  script: string;
  shell: 'bash' | 'sh';
  /** What the shell is started with, before the script. */
  options: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Where it is run: at the top of the workspace, or in the working directory of the agent. */
  place: 'workspace' | 'working-directory';
}

/** The command of a failed step, or why it is not known. */
export type FailedCommand = { command: ShellCommand } | { why: string };

/** At the start of each line of a log. */
export const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?/;
const MOST_SCRIPT = 10_000;

interface RawLine {
  at: number;
  text: string;
}

/**
 * The command of a step, as the runner printed it at the start of the step. Everything in a step can print lines that
 * look the same, and the log is all there is. So the command is taken only if exactly one such group lies between the
 * start and the end of the step: a second one makes it unknown, and never replaces it.
 */
export function failedCommand(log: { text: string; isCut: boolean }, step: JobStep): FailedCommand {
  const [start, end] = [Date.parse(step.startedAt ?? ''), Date.parse(step.completedAt ?? '')];
  if (Number.isNaN(start) || Number.isNaN(end)) return { why: 'GitHub does not say when the step ran' };
  const lines = stampedLines(log.text);
  // Then the group that the runner printed can be missing, and one that the step printed can look like it.
  const first = lines.find(({ at }) => Number.isFinite(at))?.at ?? start;
  if (log.isCut && first >= start) return { why: 'its log is too long, so the beginning was not read' };
  const own = lines.filter(({ at }) => at >= start && at <= end).map(({ text }) => text);
  const groups = runGroups(own).filter(({ title }) => isTitleOf(title, step.name));
  const [group] = groups;
  if (!group) return { why: 'its log does not show a command' };
  if (groups.length > 1) return { why: 'more than one command is shown for the time of the step' };
  return readGroup(group.lines);
}

/** A line without a time belongs to the line before it. */
function stampedLines(log: string): RawLine[] {
  let at = Number.NEGATIVE_INFINITY;
  return log
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => {
      const [stamp = '', second] = TIMESTAMP.exec(line) ?? [];
      if (second !== undefined) at = Date.parse(`${second}Z`);
      return { at, text: line.slice(stamp.length).replace(/^\ufeff/, '') };
    });
}

const GROUP = '##[group]Run ';

/** The groups that begin with `Run`, each with its lines up to its end. */
function runGroups(lines: readonly string[]): { title: string; lines: string[] }[] {
  return lines.flatMap((line, index) => {
    if (!line.startsWith(GROUP)) return [];
    const rest = lines.slice(index + 1);
    const end = rest.indexOf('##[endgroup]');
    return [{ title: line.slice(GROUP.length), lines: rest.slice(0, end < 0 ? 0 : end) }];
  });
}

/** A step without a name of its own is named after the first line of its script. GitHub may cut that. */
function isTitleOf(title: string, name: string): boolean {
  if (!name.startsWith('Run ')) return true;
  const named = name
    .slice('Run '.length)
    .replace(/(?:…|\.\.\.)$/, '')
    .trim();
  return title.trim().startsWith(named);
}

// eslint-disable-next-line no-control-regex -- the runner prints each line of a script in this colour
const SCRIPT_LINE = /^\u001b\[36;1m(.*)\u001b\[0m$/s;
const SHELL = /^shell: (?:\/(?:[^/\s]+\/)*)?(bash|sh) (.*?) ?\{0\}$/;
/** No option may take the place of the script. */
const OPTION = /^(?:-[abefhkmnptuvxBCEHPTo]+|--(?:noprofile|norc|login|posix)|pipefail)$/;
const VARIABLE = /^ {2}([A-Za-z_][A-Za-z0-9_]*): (.*)$/;
const RUNNER_FILES = /\bGITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)\b/;

function readGroup(lines: readonly string[]): FailedCommand {
  const written = lines.map((line) => SCRIPT_LINE.exec(line)?.[1]);
  const length = written.findIndex((line) => line === undefined);
  const script = written.slice(0, length < 0 ? written.length : length).join('\n');
  if (script.trim() === '') return { why: 'it is an action and not a command' };
  const [, shell, given = ''] = SHELL.exec((lines[length] ?? '').replace(ANSI, '')) ?? [];
  const options = given.split(' ').filter((option) => option !== '');
  if ((shell !== 'bash' && shell !== 'sh') || !options.every((option) => OPTION.test(option)))
    return { why: 'its shell is not bash or sh' };
  if (script.includes('***')) return { why: 'it contains a secret, which the log does not show' };
  if (RUNNER_FILES.test(script)) return { why: 'it writes to files of the runner' };
  if (script.length > MOST_SCRIPT) return { why: 'it is too long' };
  const env = readVariables(lines.slice(length + 1));
  return { command: { script, shell, options, env, place: 'workspace' } };
}

/** A masked value is not known, and an absolute path may lead nowhere on this machine. */
function readVariables(lines: readonly string[]): Record<string, string> {
  const [first, ...rest] = lines;
  if (first !== 'env:') return {};
  return Object.fromEntries(
    rest.flatMap((line) => {
      const [, name, value = ''] = VARIABLE.exec(line) ?? [];
      return name === undefined || value.includes('***') || value.startsWith('/') ? [] : [[name, value]];
    }),
  );
}
