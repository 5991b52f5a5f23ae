import { describe, expect, it } from '@jest/globals';
import { type FailureReason, FAILURES } from '../../src/core/failure.js';
import { waitBeforeRetry, type TriedRun, failure, SUCCESS } from '../../src/report/judge.js';
import { TOOL_KINDS, type ToolKind } from '../../src/stream/events.js';
import { call, reportOf } from './builders.js';

const tried = (given: Partial<TriedRun> = {}): TriedRun => ({
  verdict: failure('network', ''),
  report: reportOf(),
  tries: 1,
  retries: 2,
  remainingMs: 1_000_000,
  ...given,
});

describe('waitBeforeRetry', () => {
  it('tries again only after what may pass', () => {
    const again = Object.keys(FAILURES).filter(
      (reason) => waitBeforeRetry(tried({ verdict: failure(reason as FailureReason, '') })) !== undefined,
    );
    expect(again).toEqual(['rate-limited', 'network']);
    expect(waitBeforeRetry(tried({ verdict: SUCCESS }))).toBeUndefined();
  });

  it('waits longer each time, and no more often than asked', () => {
    const waits = [1, 2, 3].map((tries) => waitBeforeRetry(tried({ tries, retries: 2 })));
    expect(waits[1]).toBeGreaterThan(waits[0] ?? Infinity);
    expect(waits[2]).toBeUndefined();
  });

  it('does not wait beyond the time limit', () => {
    expect(waitBeforeRetry(tried({ remainingMs: 1000 }))).toBeUndefined();
  });

  it.each(TOOL_KINDS.map((kind) => [kind]))(
    'knows whether a call of kind %s may have written',
    (kind: ToolKind) => {
      const isHarmless = ['read', 'search', 'list', 'web', 'plan'].includes(kind);
      const begun = reportOf({
        type: 'tool-started',
        callId: '1',
        tool: { name: 'x', kind, target: '', paths: [], isKnown: true },
      });
      const denied = reportOf(call('1', { kind, state: 'denied' }));
      expect(waitBeforeRetry(tried({ report: begun })) !== undefined).toBe(isHarmless);
      expect(waitBeforeRetry(tried({ report: denied }))).toBeDefined();
    },
  );
});
