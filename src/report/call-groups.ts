import { logLine, splitIntoLines } from '../text/plain-text.js';
import type { RunReport, ToolCall } from './model.js';
import { clock, duration } from '../text/format.js';
import { outcomeWords, toolLabel } from './call-text.js';

/** A closed group of the log: everything known of one call. */
export interface CallGroup {
  title: string;
  lines: string[];
}

const MOST_GROUPS = 200;
const MOST_LINES = 60;
const TITLE_CHARACTERS = 200;

/** The calls that have more to tell than their line in the log; those that went wrong first of all. */
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
  const shown = lines.slice(0, MOST_LINES);
  const left = lines.length - shown.length;
  return {
    title: `${logLine(head, TITLE_CHARACTERS)} (${logLine(words.join(', '), TITLE_CHARACTERS)})`,
    lines: [...shown, ...(left > 0 ? [`… ${left} more lines; see report-html`] : [])].map((line) =>
      logLine(line),
    ),
  };
}

/** A command or text of several lines, and what came of it. */
function detailsOf({ target, facts }: ToolCall): string[] {
  const input = splitIntoLines(target);
  const output = facts.output?.trimEnd() ?? '';
  return [...(input.length > 1 ? input : []), ...(output === '' ? [] : splitIntoLines(output))];
}
