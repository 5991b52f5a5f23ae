import type { TimeLimits } from '../report/judge.js';
import type { Inputs } from './inputs.js';

/**
 * The time limit of a run, `timeout-minutes`: one clock for all starts of the agent, the waits between them, corrections,
 * repairs, verifications and validations. None has its own limit, so together they cannot exceed it.
 */
export interface Deadline {
  elapsedMs(): number;
  /** What is left for the agent. */
  agentMs(): number;
  /** What is left for what checks its work, commands or another chat: a part is reserved for that. */
  verificationMs(): number;
  /** What is left for commands on the checkout without a change, before the agent is started. */
  baselineMs(): number;
  /** The inputs behind it, and the reserved part, for messages. */
  limits: TimeLimits;
}

/** The work of an agent that uses up the time limit would be worth less if nothing could check it. */
const RESERVED_PART = 0.2;

/** The agent needs the rest. */
const BASELINE_PART = 0.2;

interface Limited {
  inputs: Pick<Inputs, 'timeoutMinutes' | 'idleTimeoutMinutes'>;
  /** What checks the work of the agent, if anything does. */
  checkedBy: 'verification' | 'validation' | undefined;
}

/** The clock starts now. */
export function startClock({ inputs, checkedBy }: Limited, now = () => performance.now()): Deadline {
  const { timeoutMinutes, idleTimeoutMinutes } = inputs;
  const reservedMinutes = checkedBy ? timeoutMinutes * RESERVED_PART : 0;
  const startedAt = now();
  const elapsedMs = () => now() - startedAt;
  const leftOf = (minutes: number) => Math.max(0, minutes * 60_000 - elapsedMs());
  return {
    elapsedMs,
    agentMs: () => leftOf(timeoutMinutes - reservedMinutes),
    verificationMs: () => leftOf(timeoutMinutes),
    baselineMs: () => leftOf(timeoutMinutes * BASELINE_PART),
    limits: { timeoutMinutes, idleTimeoutMinutes, reservedMinutes, reservedFor: checkedBy },
  };
}
