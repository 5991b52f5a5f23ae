import { foldEvents } from '../../src/report/fold.js';
import type { RunRecord, RunReport, ToolCall } from '../../src/report/model.js';
import type { AgentEvent } from '../../src/stream/events.js';

/** A report of these events, a second apart. */
export function reportOf(...events: AgentEvent[]): RunReport {
  const fold = foldEvents(['/w']);
  events.forEach((event, index) => fold.add(event, index * 1000));
  fold.end();
  return fold.report;
}

export const text = (words: string): AgentEvent => ({ type: 'text', form: 'message', text: words });
export const result = (isError = false, words = 'done'): AgentEvent => ({
  type: 'finished',
  isError,
  text: words,
});

export function call(id: string, given: Partial<ToolCall> = {}): AgentEvent {
  const { kind = 'shell', name = kind, target = 'npm test', state = 'ok', message = '' } = given;
  return {
    type: 'tool-finished',
    callId: id,
    tool: { name, kind, target, paths: [], isKnown: true },
    outcome: { status: state === 'running' ? 'ok' : state, message },
    facts: given.facts ?? {},
  };
}

export function recordOf(report: RunReport, given: Partial<RunRecord> = {}): RunRecord {
  return {
    verdict: { status: 'success' },
    report,
    wallMs: 65_000,
    agentMs: 60_000,
    exit: { kind: 'exited', code: 0 },
    stderr: '',
    tries: [],
    setup: {
      agent: 'Cursor',
      preset: 'docs',
      mode: 'agent',
      force: true,
      allow: ['Read(**)'],
      deny: ['Shell(git)'],
      isolation: 'Not isolated.',
    },
    files: { result: '/tmp/result.md' },
    notes: [],
    ...given,
  };
}
