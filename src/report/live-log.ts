import { assertNever } from '../assert-never.js';
import type { Happening } from './fold.js';
import { logLine, oneLine, splitIntoLines } from './plain-text.js';
import type { ToolCall } from './run-report.js';
import { clock, duration, outcomeWords, toolLabel } from './words.js';

const MOST_MESSAGE_LINES = 200;
const LABEL_WIDTH = 6;

/** What a person who follows the run is told: one line a step, with the time since the start. */
export function describeHappening(happening: Happening, atMs: number, debug: boolean): string[] {
  const line = (label: string, text: string) =>
    logLine(`+${clock(atMs)} ${label.padEnd(LABEL_WIDTH)} ${oneLine(text)}`.trimEnd());
  switch (happening.kind) {
    case 'started':
      return [
        line(
          'start',
          [happening.model, happening.sessionId && `session ${happening.sessionId}`]
            .filter(Boolean)
            .join(', '),
        ),
      ];
    case 'said':
      return sayLines(happening.text, atMs);
    case 'thought':
      return debug && happening.text.trim() !== '' ? [line('think', happening.text)] : [];
    case 'call-started':
      return debug ? [line(toolLabel(happening.call), `${happening.call.target} …`)] : [];
    case 'call-ended':
      return isPlan(happening.call) ? [] : [line(labelOf(happening.call), callText(happening.call))];
    case 'planned': {
      const done = happening.todos.filter((todo) => todo.status === 'done').length;
      const current = happening.todos.find((todo) => todo.status === 'in-progress');
      return [
        line('plan', `${done}/${happening.todos.length} done${current ? `, now: ${current.text}` : ''}`),
      ];
    }
    case 'refused':
      return [line('denied', `${happening.what}${happening.reason ? ` — ${happening.reason}` : ''}`)];
    case 'noticed':
      return [line(happening.level === 'warning' ? 'warn' : 'note', happening.text)];
    case 'erred':
      return [line('error', happening.text)];
    case 'finished':
      return [line('end', happening.isError ? 'the agent reported an error' : 'the agent reported success')];
    case 'unrecognised': {
      const { event } = happening;
      const words =
        event.why === 'text'
          ? event.sample
          : `line ${event.line} not recognised (${event.label}): ${event.sample}`;
      return [line(event.why === 'text' ? 'text' : 'unknown', words)];
    }
    default:
      return assertNever(happening);
  }
}

/** A plan that was changed is told by what it says now. */
const isPlan = (call: ToolCall): boolean => call.kind === 'plan' && call.state === 'ok';
const labelOf = (call: ToolCall): string => (call.state === 'denied' ? 'denied' : toolLabel(call));

function callText(call: ToolCall): string {
  const took = call.durationMs !== undefined && call.durationMs >= 1000 ? duration(call.durationMs) : '';
  if (call.state === 'denied')
    return `${toolLabel(call)} ${call.target}${call.message ? ` — ${call.message}` : ''}`;
  const outcome = outcomeWords(call);
  if (call.state === 'failed')
    return `${call.target} → ${[outcome, took && `(${took})`].filter(Boolean).join(' ')}`;
  const facts = [outcome, took].filter(Boolean).join(', ');
  return facts ? `${call.target} (${facts})` : call.target;
}

/** A message keeps its lines, set off from the steps around it. */
function sayLines(text: string, atMs: number): string[] {
  const lines = splitIntoLines(text.trim());
  const shown = lines.slice(0, MOST_MESSAGE_LINES);
  const left = lines.length - shown.length;
  const margin = ' '.repeat(clock(atMs).length + 2);
  return [
    ...shown.map((content, index) =>
      logLine(
        index === 0
          ? `+${clock(atMs)} ${'says'.padEnd(LABEL_WIDTH)} ${content}`
          : `${margin}${' '.repeat(LABEL_WIDTH)} ${content}`,
      ),
    ),
    ...(left > 0
      ? [`${margin}${' '.repeat(LABEL_WIDTH)} … ${left} more lines, all of them in result-file`]
      : []),
  ];
}
