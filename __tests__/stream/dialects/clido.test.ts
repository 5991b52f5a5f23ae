import { describe, expect, it } from '@jest/globals';
import { judge } from '../../../src/report/judge.js';
import { eventsOf, reportOf } from '../fixture-files.js';

const EXIT_CODES: Record<string, number> = {
  success: 0,
  completed: 0,
  error: 1,
  rate_limited: 1,
  interrupted: 130,
};

const LIMITS = { timeoutMinutes: 30, idleTimeoutMinutes: 10 };

/** The verdict on a run of clido that ended with this status, and with the exit code that goes with it. */
function verdictOn(exit_status: string, more: object = {}): string {
  const line = JSON.stringify({ type: 'result', exit_status, ...more });
  const report = reportOf(eventsOf(Buffer.from(line)));
  const exit = { kind: 'exited', code: EXIT_CODES[exit_status] ?? 3 } as const;
  const verdict = judge({ exit, report, stderr: '', failOnDenied: false, limits: LIMITS, violations: [] });
  return verdict.status === 'success' ? 'success' : verdict.reason;
}

describe('every exit status of clido', () => {
  it.each([
    ['success', 'success'],
    ['completed', 'success'],
    ['max_turns', 'agent-error'],
    ['max_turns_reached', 'agent-error'],
    ['max_budget', 'agent-error'],
    ['budget_exceeded', 'agent-error'],
    ['per_turn_budget_exceeded', 'agent-error'],
    ['max_wall_time_exceeded', 'agent-error'],
    ['max_tool_calls_per_turn', 'agent-error'],
    ['stall_detected', 'agent-error'],
    ['doom_loop', 'agent-error'],
    ['malformed_model_output', 'agent-error'],
    ['error', 'agent-error'],
    ['rate_limited', 'rate-limited'],
    ['interrupted', 'cancelled'],
    ['constructor', 'agent-error'],
  ])('%s is judged %s', (status, expected) => {
    expect(verdictOn(status)).toBe(expected);
  });

  it('is an error when the record says so besides', () => {
    expect(verdictOn('completed', { is_error: true })).toBe('agent-error');
  });

  it('leaves a plain error to its words', () => {
    expect(verdictOn('error', { result: 'getaddrinfo ENOTFOUND api.example' })).toBe('network');
  });
});
