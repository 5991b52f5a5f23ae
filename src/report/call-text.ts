import { plural } from '../text/format.js';
import type { ToolCall } from './model.js';

/** What a call did, in a few words: `54 lines`, `+3 −1`, `exit 1`. */
export function outcomeWords(call: ToolCall): string {
  if (call.state === 'running') return 'still running when the run ended';
  if (call.state !== 'ok') return call.message || call.state;
  const { exitCode, linesAdded, linesRemoved, linesRead, matches } = call.facts;
  if (linesAdded !== undefined || linesRemoved !== undefined)
    return `+${linesAdded ?? 0} −${linesRemoved ?? 0}`;
  if (linesRead !== undefined) return plural(linesRead, 'line');
  if (matches !== undefined) return plural(matches, 'match', 'matches');
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return '';
}

/** How a tool is called in log and tables: its kind, or its own name where no kind fits. */
export const toolLabel = (call: ToolCall): string => (call.kind === 'other' ? call.name : call.kind);
