import type { AgentFailure, Todo, TokenUsage, ToolFacts, ToolKind, UnknownEvent } from '../stream/events.js';

/** A tool call as the run knows it now. */
export interface ToolCall {
  /** Counted from 1 in the order of their beginning. */
  number: number;
  name: string;
  kind: ToolKind;
  target: string;
  /** `running` at the end of a run means it never ended. */
  state: 'running' | 'ok' | 'failed' | 'denied';
  message: string;
  /** Since the start of the run, by our clock. */
  startMs: number;
  /** By the call's own timestamps where it has them, else by our clock; missing while it runs. */
  durationMs?: number;
  timeoutMs?: number;
  facts: ToolFacts;
}

/** Calls of one kind, counted over the whole run, also those too many to list. */
export interface KindTotals {
  calls: number;
  failed: number;
  denied: number;
  durationMs: number;
}

/** Something the agent was refused outside of a tool call. */
export interface Refusal {
  what: string;
  reason: string;
}

export interface Notice {
  level: 'info' | 'warning';
  text: string;
  atMs: number;
}

export interface Unrecognised {
  /** How many lines, by what they call themselves. */
  labels: Record<string, number>;
  count: number;
  /** The first few, for showing. */
  first: UnknownEvent[];
  /** Calls of tools nobody knows, by their name. They are read and listed like any other. */
  tools: Record<string, number>;
}

/** How the agent itself says it ended. */
export interface AgentResult {
  isError: boolean;
  text: string;
  exitStatus?: string;
  /** Set where that word means a failure of a certain kind. */
  failure?: AgentFailure;
}

/** Everything the stream told, bounded. */
export interface RunReport {
  sessionId?: string;
  requestId?: string;
  model?: string;
  /** The agent's last message: what a person wants to read. */
  answer: string;
  messages: number;
  /** The terminal event, if there was one. */
  result?: AgentResult;
  /** Errors the agent reported besides. */
  errors: string[];
  durationMs?: number;
  durationApiMs?: number;
  usage?: TokenUsage;
  costUsd?: number;
  turns?: number;
  /** The first calls, up to a cap; the totals count all of them. */
  tools: ToolCall[];
  totals: Partial<Record<ToolKind, KindTotals>>;
  refusals: Refusal[];
  /** How many there were beyond those listed. */
  moreRefusals: number;
  todos: Todo[];
  notices: Notice[];
  unrecognised: Unrecognised;
}

/** Tool calls over all kinds. */
export function countCalls(report: RunReport): { calls: number; failed: number; denied: number } {
  const all = Object.values(report.totals);
  return {
    calls: all.reduce((sum, kind) => sum + kind.calls, 0),
    failed: all.reduce((sum, kind) => sum + kind.failed, 0),
    denied: all.reduce((sum, kind) => sum + kind.denied, 0) + report.refusals.length + report.moreRefusals,
  };
}
