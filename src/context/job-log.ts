/** What of a job's log is of interest when it failed. */
export interface LogPart {
  text: string;
  /** Whether lines of that part had to be left out. */
  isCut: boolean;
}

/** A step of a job, as GitHub tells it. */
export interface JobStep {
  name: string;
  number: number;
  conclusion?: string | undefined;
  startedAt?: string | undefined;
  completedAt?: string | undefined;
}

interface LogLine {
  /** When it was written, in milliseconds. */
  at?: number;
  text: string;
  isError: boolean;
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z ?/;
// eslint-disable-next-line no-control-regex -- colours and cursor movements begin with a control character
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// eslint-disable-next-line no-control-regex -- what is left of them may not reach anybody's terminal either
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f\ufeff]/g;
const COMMAND = /^##\[(\w+)\](.*)$/s;
const LONGEST_LINE = 2000;

/** Without byte order mark, timestamps, colours and the marks the runner puts before lines. */
export function readLog(log: string): LogLine[] {
  const lines = log.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line) => {
    const [stamp = '', second] = TIMESTAMP.exec(line) ?? [];
    const plain = afterLastReturn(line.slice(stamp.length).replace(ANSI, '')).replace(CONTROL, '');
    const [, command, rest = ''] = COMMAND.exec(plain) ?? [];
    if (command === 'endgroup') return [];
    const words = command === undefined ? plain : command === 'error' ? `error: ${rest}` : rest;
    const text = words.length > LONGEST_LINE ? `${words.slice(0, LONGEST_LINE)}…` : words;
    const at = second === undefined ? {} : { at: Date.parse(`${second}Z`) };
    return [{ ...at, text, isError: command === 'error' }];
  });
}

/** A progress bar writes over its own line; what it wrote last is what was seen. */
const afterLastReturn = (text: string): string => text.slice(text.lastIndexOf('\r', text.length - 2) + 1);

/** The failing step's lines where its times tell them, else all; of too many the first, those around errors, the last. */
export function failingPart(log: string, steps: readonly JobStep[], mostCharacters: number): LogPart {
  const lines = readLog(log);
  const failed = steps.filter(({ conclusion }) => isFailure(conclusion));
  const own = failed.flatMap((step) => linesOf(step, lines));
  return bound(own.length > 0 ? own : lines, mostCharacters);
}

export const isFailure = (conclusion: string | null | undefined): boolean =>
  ['failure', 'timed_out', 'startup_failure'].includes(conclusion ?? '');

/** GitHub tells a step's times in whole seconds; a line without a time belongs to the one before it. */
function linesOf({ startedAt, completedAt }: JobStep, lines: readonly LogLine[]): LogLine[] {
  const [start, end] = [Date.parse(startedAt ?? ''), Date.parse(completedAt ?? '')];
  if (Number.isNaN(start) || Number.isNaN(end)) return [];
  let at = Number.NEGATIVE_INFINITY;
  return lines.filter((line) => {
    at = line.at ?? at;
    return at >= Math.floor(start / 1000) * 1000 && at <= end;
  });
}

const BEFORE_ERROR = 30;
const AFTER_ERROR = 5;
const FIRST_LINES = 10;

/** Lines are taken in the order of their worth until there is no more room; gaps are marked. */
function bound(lines: readonly LogLine[], most: number): LogPart {
  const total = lines.reduce((sum, { text }) => sum + text.length + 1, 0);
  if (total <= most) return { text: lines.map(({ text }) => text).join('\n'), isCut: false };
  const kept = new Set<number>();
  let room = most;
  for (const index of byWorth(lines)) {
    if (kept.has(index)) continue;
    room -= (lines[index]?.text.length ?? 0) + 1;
    if (room < 0) break;
    kept.add(index);
  }
  return { text: withGaps(lines, kept), isCut: true };
}

/** One at a time, because a log may have millions of lines and room for a few hundred. */
function* byWorth(lines: readonly LogLine[]): Generator<number> {
  const isError = (index: number) => lines[index]?.isError === true;
  for (let index = lines.length - 1; index >= 0; index -= 1) if (isError(index)) yield index;
  for (let index = 0; index < Math.min(FIRST_LINES, lines.length); index += 1) yield index;
  for (let error = lines.length - 1; error >= 0; error -= 1) {
    if (!isError(error)) continue;
    const first = Math.max(0, error - BEFORE_ERROR);
    for (let index = Math.min(lines.length - 1, error + AFTER_ERROR); index >= first; index -= 1) yield index;
  }
  for (let index = lines.length - 1; index >= 0; index -= 1) yield index;
}

function withGaps(lines: readonly LogLine[], kept: ReadonlySet<number>): string {
  const shown: string[] = [];
  let gap = 0;
  const close = () => {
    if (gap > 0) shown.push(`… ${gap} lines are left out …`);
    gap = 0;
  };
  lines.forEach(({ text }, index) => {
    if (!kept.has(index)) gap += 1;
    else {
      close();
      shown.push(text);
    }
  });
  close();
  return shown.join('\n');
}
