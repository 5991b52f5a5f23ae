import { assertNever } from '../core/errors.js';
import { allowTokens, type Rules } from '../permissions/allow-advice.js';
import { clock, duration, number, plural } from '../text/format.js';
import { logLine, oneLine, splitIntoLines } from '../text/plain-text.js';
import { denialReason } from './denials.js';
import type { LogEvent } from './fold.js';
import type { RunReport, ToolCall } from './model.js';
import { outcomeWords, toolLabel } from './run-report.js';

const MOST_MESSAGE_LINES = 200;
const LABEL_WIDTH = 6;
/** The length of a line of the log, including its colour. */
const LINE_CHARACTERS = 1000;
const COLOUR_CHARACTERS = 10;
/** Lines of one log, and a reserve for lines that people look for. */
const MOST_LINES = 5000;
const RESERVED_LINES = 500;
/** After this long without a line, the log prints a sign of life. Each next one comes later. */
const FIRST_BEAT_MS = 30_000;
const LAST_BEAT_MS = 300_000;

/** How a line should look. */
export type Tone = 'plain' | 'quiet' | 'plan' | 'good' | 'warn' | 'bad';
export interface LogLine {
  text: string;
  tone: Tone;
}

export interface LogOptions {
  debug: boolean;
  colour: boolean;
  /** Further lines are only counted. */
  mostLines?: number;
  /** What the agent is allowed in this run, so that a denial can name the token that would have allowed it. */
  rules?: Rules;
  print: (lines: readonly string[]) => void;
}

/** The log of a run as it happens: one line per step. */
export interface LiveLog {
  tell(event: LogEvent, atMs: number): void;
  /** A line that is not an event. */
  tellStderr(line: string, atMs: number): void;
  /** The agent sent something, whether or not the log shows it. */
  heard(atMs: number): void;
  /** Prints a line if there has been none for long. */
  tick(atMs: number, open: readonly ToolCall[]): void;
  /** Says how many lines were left out. */
  end(): void;
}

export function createLiveLog(options: LogOptions): LiveLog {
  const most = options.mostLines ?? MOST_LINES;
  let [printed, left, printedAt, heardAt] = [0, 0, 0, 0];
  let beatMs = FIRST_BEAT_MS;
  const write = (lines: readonly LogLine[]) => {
    const shown = lines.filter(({ tone }) => {
      const isWanted = tone === 'bad' || tone === 'warn' || tone === 'good';
      const fits = printed < most + (isWanted ? RESERVED_LINES : 0);
      if (fits) printed += 1;
      else left += 1;
      return fits;
    });
    options.print(shown.map((line) => (options.colour ? coloured(line) : line.text)));
  };
  const tell = (lines: readonly LogLine[], atMs: number) => {
    heardAt = atMs;
    if (lines.length === 0) return;
    [printedAt, beatMs] = [atMs, FIRST_BEAT_MS];
    write(lines);
  };
  return {
    tell(event, atMs) {
      tell(describeLogEvent(event, atMs, options), atMs);
    },
    tellStderr(line, atMs) {
      tell([stepLine('stderr', line, { atMs, tone: 'quiet' })], atMs);
    },
    heard(atMs) {
      heardAt = atMs;
    },
    tick(atMs, open) {
      if (atMs - printedAt < beatMs) return;
      write([heartbeat(atMs, open, { printedAt, heardAt })]);
      [printedAt, beatMs] = [atMs, Math.min(2 * beatMs, LAST_BEAT_MS)];
    },
    end() {
      if (left === 0) return;
      options.print([`… ${number(left)} more ${left === 1 ? 'line' : 'lines'}; transcript-file has it all`]);
    },
  };
}

function heartbeat(
  atMs: number,
  open: readonly ToolCall[],
  { printedAt, heardAt }: { printedAt: number; heardAt: number },
): LogLine {
  const oldest = open[0];
  const others = open.length > 1 ? `, and ${plural(open.length - 1, 'other call')}` : '';
  const words = oldest
    ? `${toolLabel(oldest)} ${oldest.target} still running ${oldest.background ? 'in the background ' : ''}after ${duration(atMs - oldest.startMs)}${others}`
    : heardAt > printedAt
      ? 'the agent is thinking or writing'
      : `nothing from the agent for ${duration(atMs - heardAt)}`;
  return stepLine('wait', words, { atMs, tone: 'quiet' });
}

/** The lines for an event: usually one, with the time since the start. */
export function describeLogEvent(
  event: LogEvent,
  atMs: number,
  { debug, rules }: { debug: boolean; rules?: Rules | undefined },
): LogLine[] {
  const line = (label: string, text: string, tone: Tone = 'plain') => [stepLine(label, text, { atMs, tone })];
  switch (event.kind) {
    case 'started':
      return line(
        'start',
        [event.model, event.sessionId && `session ${event.sessionId}`].filter(Boolean).join(', '),
      );
    case 'said':
      return sayLines('says', event.text, atMs);
    case 'thought':
      return debug && event.text.trim() !== '' ? line('think', event.text, 'quiet') : [];
    case 'call-started':
      return debug ? line(toolLabel(event.call), `${event.call.target} …`, 'quiet') : [];
    case 'call-ended':
      return isPlan(event.call)
        ? []
        : line(labelOf(event.call), callText(event.call, rules), toneOf(event.call));
    case 'call-continues':
      return line(toolLabel(event.call), `${event.call.target} (goes on in the background)`);
    case 'proposed':
      return sayLines('plan', event.plan, atMs);
    case 'planned': {
      const done = event.todos.filter((todo) => todo.status === 'done').length;
      const current = event.todos.find((todo) => todo.status === 'in-progress');
      const now = current ? `, now: ${current.text}` : '';
      return line('plan', `${done}/${event.todos.length} done${now}`, 'plan');
    }
    case 'refused':
      return line('denied', `${event.what}${event.reason ? ` — ${event.reason}` : ''}`, 'warn');
    case 'noticed':
      return event.level === 'warning' ? line('warn', event.text, 'warn') : line('note', event.text);
    case 'erred':
      return line('error', event.text, 'bad');
    case 'finished':
      return event.isError
        ? line('end', 'the agent reported an error', 'bad')
        : line('end', 'the agent reported success', 'good');
    case 'unrecognised': {
      const { why, sample, line: place, label } = event.unknown;
      if (why === 'text') return line('text', sample, 'quiet');
      return line('unknown', `line ${place} not recognised (${label}): ${sample}`, 'quiet');
    }
    default:
      return assertNever(event);
  }
}

function stepLine(label: string, text: string, { atMs, tone }: { atMs: number; tone: Tone }): LogLine {
  const line = `+${clock(atMs)} ${label.padEnd(LABEL_WIDTH)} ${oneLine(text)}`;
  return { text: bounded(line.trimEnd()), tone };
}

const bounded = (text: string): string => logLine(text, LINE_CHARACTERS - COLOUR_CHARACTERS);

/** A change of the plan is logged as the new plan. */
const isPlan = (call: ToolCall): boolean => call.kind === 'plan' && call.state === 'ok';
const labelOf = (call: ToolCall): string => (call.state === 'denied' ? 'denied' : toolLabel(call));

function toneOf({ state }: ToolCall): Tone {
  if (state === 'denied') return 'warn';
  return state === 'failed' ? 'bad' : 'plain';
}

function callText(call: ToolCall, rules: Rules | undefined): string {
  if (call.state === 'denied') return deniedText(call, rules);
  const took = call.durationMs !== undefined && call.durationMs >= 1000 ? duration(call.durationMs) : '';
  const outcome = outcomeWords(call);
  if (call.state === 'failed')
    return `${call.target} → ${[outcome, took && `(${took})`].filter(Boolean).join(' ')}`;
  const facts = [outcome, took].filter(Boolean).join(', ');
  return facts ? `${call.target} (${facts})` : call.target;
}

function deniedText(call: ToolCall, rules: Rules | undefined): string {
  const what = call.kind === 'shell' ? call.target : `${toolLabel(call)} ${call.target}`;
  const tokens = allowTokens(call, rules);
  const why = denialReason(call);
  if (tokens.length === 0) return `${what}${why ? ` — ${why}` : ''}`;
  return `${what} — allow with ${tokens.join(' and ')}${why ? ` (${why})` : ''}`;
}

/** A message or a plan keeps its lines, indented so that it stands out from the steps. */
function sayLines(label: string, text: string, atMs: number): LogLine[] {
  const lines = splitIntoLines(text.trim());
  const shown = lines.slice(0, MOST_MESSAGE_LINES);
  const left = lines.length - shown.length;
  const margin = ' '.repeat(clock(atMs).length + LABEL_WIDTH + 3);
  const head = `+${clock(atMs)} ${label.padEnd(LABEL_WIDTH)} `;
  return [
    ...shown.map((content, index): LogLine => {
      return { text: bounded(`${index === 0 ? head : margin}${content}`), tone: 'plain' };
    }),
    ...(left > 0
      ? [{ text: `${margin}… ${left} more lines, all of them in result-file`, tone: 'plain' as const }]
      : []),
  ];
}

const COLOURS: Readonly<Record<Tone, string>> = {
  plain: '',
  quiet: '\u001b[90m',
  plan: '\u001b[36m',
  good: '\u001b[32m',
  warn: '\u001b[33m',
  bad: '\u001b[31m',
};

/** Whole lines are coloured, because colours inside a line would break a search for its words. */
function coloured({ text, tone }: LogLine): string {
  return COLOURS[tone] === '' ? text : `${COLOURS[tone]}${text}\u001b[0m`;
}

/** A closed group of the log with everything that is known about one call. */
export interface CallGroup {
  title: string;
  lines: string[];
}

const MOST_GROUPS = 200;
const MOST_GROUP_LINES = 60;
const TITLE_CHARACTERS = 200;

/** The calls that have more details than their line in the log. If there are too many, failed calls go first. */
export function buildCallGroups(report: RunReport): { groups: CallGroup[]; left: number } {
  const all = report.tools.filter((call) => detailsOf(call).length > 0);
  const wanted = new Set(
    [...all.filter(({ state }) => state !== 'ok'), ...all.filter(({ state }) => state === 'ok')].slice(
      0,
      MOST_GROUPS,
    ),
  );
  const groups = all.filter((call) => wanted.has(call)).map(groupOf);
  return { groups, left: all.length - groups.length };
}

function groupOf(call: ToolCall): CallGroup {
  const outcome = [
    call.state === 'ok' ? '' : call.state,
    outcomeWords(call),
    call.durationMs === undefined ? '' : duration(call.durationMs),
  ];
  const words = outcome.filter((part, index, parts) => part !== '' && parts.indexOf(part) === index);
  const head = `+${clock(call.startMs)} ${toolLabel(call)} ${call.target}`;
  const lines = detailsOf(call);
  const shown = lines.slice(0, MOST_GROUP_LINES);
  const left = lines.length - shown.length;
  return {
    title: `${logLine(head, TITLE_CHARACTERS)} (${logLine(words.join(', '), TITLE_CHARACTERS)})`,
    lines: [...shown, ...(left > 0 ? [`… ${left} more lines; see report-html`] : [])].map((line) =>
      logLine(line),
    ),
  };
}

/** A command or text of several lines, and its output. */
function detailsOf({ target, facts }: ToolCall): string[] {
  const input = splitIntoLines(target);
  const output = facts.output?.trimEnd() ?? '';
  return [...(input.length > 1 ? input : []), ...(output === '' ? [] : splitIntoLines(output))];
}
