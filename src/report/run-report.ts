import type { RunReport } from './model.js';

/** Tool calls over all kinds. */
export function countCalls(report: RunReport): { calls: number; failed: number; denied: number } {
  const all = Object.values(report.totals);
  return {
    calls: all.reduce((sum, kind) => sum + kind.calls, 0),
    failed: all.reduce((sum, kind) => sum + kind.failed, 0),
    denied: all.reduce((sum, kind) => sum + kind.denied, 0) + report.refusals.length + report.moreRefusals,
  };
}
