import * as z from 'zod/mini';
import { assertNever } from '../core/errors.js';
import { adviseOn, type Rules } from '../permissions/allow-advice.js';
import { clock, duration, joinParts, number, plural } from '../text/format.js';
import { parseJson } from '../text/json.js';
import { logLine, oneLine, splitIntoLines } from '../text/plain-text.js';
import { denialReason } from './denials.js';
import { countFindings, SEVERITIES } from './findings.js';
import type { LogEvent } from './fold.js';
import type { RunReport, ToolCall } from './model.js';
import { callWords, isHarmless, outcomeWords, toolLabel } from './run-report.js';

const MAX_MESSAGE_LINES = 200;
const LABEL_WIDTH = 6;
/** The length of a line of the log, including its colour. */
const LINE_CHARACTERS = 1000;
const COLOUR_CHARACTERS = 10;
/** Lines of one log, and a reserve for lines that people look for. Further lines are only counted. */
const MAX_LINES = 5000;
const RESERVED_LINES = 500;
/** After this long without a line, the log prints a sign of life. Each next one comes later. */
const FIRST_BEAT_MS = 30_000;
const LAST_BEAT_MS = 300_000;

/** How a line should look. */
type Tone = 'plain' | 'quiet' | 'plan' | 'good' | 'warn' | 'bad';
interface LogLine {
  text: string;
  tone: Tone;
}

export interface LogOptions {
  debug: boolean;
  colour: boolean;
  /** What the agent is allowed in this run, so that a denial can name the token that would have allowed it. */
  rules?: Rules;
  print: (lines: readonly string[]) => void;
}

/** The log of a run as it happens: one line per step. */
export function createLiveLog(options: LogOptions) {
  let [printed, left, printedAt, heardAt] = [0, 0, 0, 0];
  let beatMs = FIRST_BEAT_MS;
  const write = (lines: readonly LogLine[]) => {
    const fitting = lines.filter(({ tone }) => {
      const isWanted = tone === 'bad' || tone === 'warn' || tone === 'good';
      const fits = printed < MAX_LINES + (isWanted ? RESERVED_LINES : 0);
      if (fits) printed += 1;
      else left += 1;
      return fits;
    });
    options.print(fitting.map((line) => (options.colour ? coloured(line) : line.text)));
  };
  const tell = (lines: readonly LogLine[], atMs: number) => {
    heardAt = atMs;
    if (lines.length === 0) return;
    [printedAt, beatMs] = [atMs, FIRST_BEAT_MS];
    write(lines);
  };
  return {
    tell(event: LogEvent, atMs: number): void {
      tell(describeLogEvent(event, atMs, options), atMs);
    },
    /** A line that is not an event. */
    tellStderr(line: string, atMs: number): void {
      tell([stepLine('stderr', line, { atMs, tone: 'quiet' })], atMs);
    },
    /** The agent sent something, whether or not the log shows it. */
    heard(atMs: number): void {
      heardAt = atMs;
    },
    /** Prints a line if there has been none for long. */
    tick(atMs: number, open: readonly ToolCall[]): void {
      if (atMs - printedAt < beatMs) return;
      write([heartbeat(atMs, open, { printedAt, heardAt })]);
      [printedAt, beatMs] = [atMs, Math.min(2 * beatMs, LAST_BEAT_MS)];
    },
    /** Says how many lines were left out. */
    end(): void {
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
      return line('start', joinParts([event.model, event.sessionId && `session ${event.sessionId}`], ', '));
    case 'said':
      return sayLines('says', withoutJson(event.text), atMs);
    case 'thought':
      return debug && event.text.trim() !== '' ? line('think', event.text, 'quiet') : [];
    case 'call-started': {
      const { call } = event;
      // Calls that can take long are shown when they start, too. Otherwise it is not visible what the agent waits for.
      const takesTime = ['shell', 'task', 'mcp'].includes(call.kind);
      return debug || takesTime ? line(toolLabel(call), `${call.target} …`, 'quiet') : [];
    }
    case 'call-ended': {
      const { call } = event;
      // A change of the plan is logged as the new plan.
      if (call.kind === 'plan' && call.state === 'ok') return [];
      if (call.state === 'denied') return line('denied', deniedText(call, rules), 'warn');
      return line(toolLabel(call), endedText(call), call.state === 'failed' ? 'bad' : 'plain');
    }
    case 'call-continues':
      return line(toolLabel(event.call), `${event.call.target} (goes on in the background)`);
    case 'plan-proposed':
      return sayLines('plan', event.plan, atMs);
    case 'todos-changed': {
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
      return line('unknown', `line ${place} not recognised (${label})${debug ? `: ${sample}` : ''}`, 'quiet');
    }
    default:
      return assertNever(event);
  }
}

function stepLine(label: string, text: string, { atMs, tone }: { atMs: number; tone: Tone }): LogLine {
  return { text: bounded(`${headOf(label, atMs)}${oneLine(text)}`.trimEnd()), tone };
}

const headOf = (label: string, atMs: number): string => `+${clock(atMs)} ${label.padEnd(LABEL_WIDTH)} `;

const bounded = (text: string): string => logLine(text, LINE_CHARACTERS - COLOUR_CHARACTERS);

function endedText(call: ToolCall): string {
  const took = call.durationMs !== undefined && call.durationMs >= 1000 ? duration(call.durationMs) : '';
  const outcome = outcomeWords(call);
  if (call.state === 'failed') return `${call.target} → ${joinParts([outcome, took && `(${took})`], ' ')}`;
  const facts = joinParts([outcome, took], ', ');
  return facts ? `${call.target} (${facts})` : call.target;
}

function deniedText(call: ToolCall, rules: Rules | undefined): string {
  const what = callWords(call);
  const { tokens, instead } = adviseOn(call, rules);
  const why = denialReason(call);
  if (tokens.length === 0) {
    const words = joinParts([why, instead], '. ');
    return `${what}${words === '' ? '' : ` — ${words}`}`;
  }
  return `${what} — allow with ${tokens.join(' and ')}${why ? ` (${why})` : ''}`;
}

/** The message with its JSON only described. JSON is no text for a log, and a review is listed there later anyway. */
function withoutJson(text: string): string {
  const whole = describeJson(text);
  if (whole !== undefined) return whole;
  const lines = splitIntoLines(text);
  const output: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^\s*(`{3,})json\s*$/i.exec(lines[at] ?? '')?.[1];
    const end =
      fence === undefined ? -1 : lines.findIndex((line, index) => index > at && line.trim() === fence);
    // Without an end, no later fence has one either.
    if (fence !== undefined && end < 0) return [...output, ...lines.slice(at)].join('\n');
    const words = end < 0 ? undefined : describeJson(lines.slice(at + 1, end).join('\n'));
    output.push(words ?? lines[at] ?? '');
    if (words !== undefined) at = end;
  }
  return output.join('\n');
}

/** `3 findings: 1 high, 2 low, as JSON`; undefined if the text is not a JSON object or list. */
function describeJson(text: string): string | undefined {
  const value = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  if (value === undefined) return undefined;
  const review = ReviewAnswer.safeParse(value);
  if (review.success) return `the answer: ${countFindings(review.data.findings)}`;
  return `the answer, as JSON (${plural(splitIntoLines(text.trim()).length, 'line')})`;
}

/** What tells a review from other JSON. */
const ReviewAnswer = z.strictObject({
  summary: z.string(),
  findings: z.array(z.object({ path: z.string(), severity: z.enum(SEVERITIES), title: z.string() })),
});

/** A message or a plan keeps its lines, indented so that it stands out from the steps. */
function sayLines(label: string, text: string, atMs: number): LogLine[] {
  const lines = splitIntoLines(text.trim());
  const left = lines.length - MAX_MESSAGE_LINES;
  if (left > 0) lines.splice(MAX_MESSAGE_LINES, left, `… ${left} more lines, all of them in result-file`);
  const head = headOf(label, atMs);
  const margin = ' '.repeat(head.length);
  return lines.map((line, index) => ({
    text: bounded(`${index === 0 ? head : margin}${line}`),
    tone: 'plain',
  }));
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

/** The groups, in the order in which people look for them. The first that fits a call has it. */
const PHASES: readonly { title: string; has: (call: ToolCall) => boolean }[] = [
  { title: 'failed and denied calls', has: ({ state }) => state !== 'ok' },
  { title: 'commands', has: ({ kind }) => kind === 'shell' },
  { title: 'edits', has: ({ kind }) => kind === 'edit' || kind === 'delete' },
  { title: 'reads and searches', has: ({ kind }) => isHarmless(kind) },
  { title: 'other calls', has: () => true },
];
const MAX_GROUP_LINES = 1000;
const MAX_CALL_LINES = 60;
const HEAD_CHARACTERS = 200;

/** The calls that have more details than their line in the log, in a few groups, which the log shows closed. */
export function buildCallGroups({ tools }: RunReport): { title: string; lines: string[] }[] {
  const detailed = tools.filter((call) => detailsOf(call).length > 0);
  const phaseOf = (call: ToolCall) => PHASES.find(({ has }) => has(call));
  return PHASES.flatMap((phase) => {
    const calls = detailed.filter((call) => phaseOf(call) === phase);
    return calls.length === 0
      ? []
      : [{ title: `Details of ${phase.title} (${number(calls.length)})`, lines: groupLines(calls) }];
  });
}

function groupLines(calls: readonly ToolCall[]): string[] {
  const lines: string[] = [];
  for (const [index, call] of calls.entries()) {
    const more = callLines(call);
    if (lines.length + more.length > MAX_GROUP_LINES) {
      return [...lines, `… ${plural(calls.length - index, 'more call')}; report-html has them all`];
    }
    lines.push(...more);
  }
  return lines;
}

function callLines(call: ToolCall): string[] {
  const state = call.state === 'ok' ? '' : call.state;
  const took = (call.durationMs ?? 0) < 100 ? '' : duration(call.durationMs ?? 0);
  const words = joinParts([...new Set([state, outcomeWords(call), took])], ', ');
  const head = logLine(`+${clock(call.startMs)} ${toolLabel(call)} ${call.target}`, HEAD_CHARACTERS);
  const details = detailsOf(call);
  const left = details.length - MAX_CALL_LINES;
  if (left > 0) details.splice(MAX_CALL_LINES, left, `… ${left} more lines; see report-html`);
  return [
    words === '' ? head : `${head} (${logLine(words, HEAD_CHARACTERS)})`,
    ...details.map((line) => logLine(`    ${line}`)),
  ];
}

/** A command or text of several lines, and its output. */
function detailsOf({ target, facts }: ToolCall): string[] {
  const input = splitIntoLines(target);
  const output = facts.output?.trimEnd() ?? '';
  return [...(input.length > 1 ? input : []), ...(output === '' ? [] : splitIntoLines(output))];
}
