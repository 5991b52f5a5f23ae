import { assertNever } from '../core/assert-never.js';
import { allowTokens, type Rules } from './allow-token.js';
import type { Happening } from './fold.js';
import { logLine, oneLine, splitIntoLines } from '../text/plain-text.js';
import type { ToolCall } from './model.js';
import { clock, duration, number, plural } from '../text/format.js';
import { outcomeWords, toolLabel } from './call-text.js';

const MOST_MESSAGE_LINES = 200;
const LABEL_WIDTH = 6;
/** A line of the log in all, colour included. */
const LINE_CHARACTERS = 1000;
const COLOUR_CHARACTERS = 10;
/** Lines of one log; those a person looks for have a reserve of their own. */
const MOST_LINES = 5000;
const RESERVED_LINES = 500;
/** Quiet for this long calls for a sign of life; each one after it comes later. */
const FIRST_BEAT_MS = 30_000;
const LAST_BEAT_MS = 300_000;

/** How a line should catch the eye. */
export type Tone = 'plain' | 'quiet' | 'plan' | 'good' | 'warn' | 'bad';
export interface LogLine {
  text: string;
  tone: Tone;
}

export interface LogOptions {
  debug: boolean;
  colour: boolean;
  /** Lines beyond this are counted only. */
  mostLines?: number;
  /** What the agent is allowed in this run, so that a denial can name what would have allowed it. */
  rules?: Rules;
  print: (lines: readonly string[]) => void;
}

/** The log of a run as it happens: one line a step. */
export interface LiveLog {
  tell(happening: Happening, atMs: number): void;
  /** A line that is no event. */
  tellStderr(line: string, atMs: number): void;
  /** Something came from the agent, whether or not it is worth a line. */
  heard(atMs: number): void;
  /** Looks at the clock: a line where it has been quiet for long. */
  tick(atMs: number, open: readonly ToolCall[]): void;
  /** Says what was left out. */
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
    tell(happening, atMs) {
      tell(describeHappening(happening, atMs, options), atMs);
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
    ? `${toolLabel(oldest)} ${oldest.target} still running after ${duration(atMs - oldest.startMs)}${others}`
    : heardAt > printedAt
      ? 'the agent is thinking or writing'
      : `nothing from the agent for ${duration(atMs - heardAt)}`;
  return stepLine('wait', words, { atMs, tone: 'quiet' });
}

/** What a person who follows the run is told: one line a step, with the time since the start. */
export function describeHappening(
  happening: Happening,
  atMs: number,
  { debug, rules }: { debug: boolean; rules?: Rules | undefined },
): LogLine[] {
  const line = (label: string, text: string, tone: Tone = 'plain') => [stepLine(label, text, { atMs, tone })];
  switch (happening.kind) {
    case 'started':
      return line(
        'start',
        [happening.model, happening.sessionId && `session ${happening.sessionId}`].filter(Boolean).join(', '),
      );
    case 'said':
      return sayLines(happening.text, atMs);
    case 'thought':
      return debug && happening.text.trim() !== '' ? line('think', happening.text, 'quiet') : [];
    case 'call-started':
      return debug ? line(toolLabel(happening.call), `${happening.call.target} …`, 'quiet') : [];
    case 'call-ended':
      return isPlan(happening.call)
        ? []
        : line(labelOf(happening.call), callText(happening.call, rules), toneOf(happening.call));
    case 'planned': {
      const done = happening.todos.filter((todo) => todo.status === 'done').length;
      const current = happening.todos.find((todo) => todo.status === 'in-progress');
      const now = current ? `, now: ${current.text}` : '';
      return line('plan', `${done}/${happening.todos.length} done${now}`, 'plan');
    }
    case 'refused':
      return line('denied', `${happening.what}${happening.reason ? ` — ${happening.reason}` : ''}`, 'warn');
    case 'noticed':
      return happening.level === 'warning'
        ? line('warn', happening.text, 'warn')
        : line('note', happening.text);
    case 'erred':
      return line('error', happening.text, 'bad');
    case 'finished':
      return happening.isError
        ? line('end', 'the agent reported an error', 'bad')
        : line('end', 'the agent reported success', 'good');
    case 'unrecognised': {
      const { event } = happening;
      if (event.why === 'text') return line('text', event.sample, 'quiet');
      return line('unknown', `line ${event.line} not recognised (${event.label}): ${event.sample}`, 'quiet');
    }
    default:
      return assertNever(happening);
  }
}

function stepLine(label: string, text: string, { atMs, tone }: { atMs: number; tone: Tone }): LogLine {
  const line = `+${clock(atMs)} ${label.padEnd(LABEL_WIDTH)} ${oneLine(text)}`;
  return { text: bounded(line.trimEnd()), tone };
}

const bounded = (text: string): string => logLine(text, LINE_CHARACTERS - COLOUR_CHARACTERS);

/** A plan that was changed is told by what it says now. */
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
  if (tokens.length === 0) return `${what}${call.message ? ` — ${call.message}` : ''}`;
  return `${what} — allow with ${tokens.join(' and ')}${call.message ? ` (${call.message})` : ''}`;
}

/** A message keeps its lines, set off from the steps around it. */
function sayLines(text: string, atMs: number): LogLine[] {
  const lines = splitIntoLines(text.trim());
  const shown = lines.slice(0, MOST_MESSAGE_LINES);
  const left = lines.length - shown.length;
  const margin = ' '.repeat(clock(atMs).length + LABEL_WIDTH + 3);
  const head = `+${clock(atMs)} ${'says'.padEnd(LABEL_WIDTH)} `;
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

/** Whole lines are coloured, so that whoever searches the log finds a line's words side by side. */
function coloured({ text, tone }: LogLine): string {
  return COLOURS[tone] === '' ? text : `${COLOURS[tone]}${text}\u001b[0m`;
}
