import { describe, expect, it } from '@jest/globals';
import { SKIP_CODES } from '../../src/report/model.js';
import { endSkipped } from '../../src/run/finish-work.js';
import { recordOf, reportOf } from '../report/builders.js';

describe('a run that starts no agent', () => {
  it.each(SKIP_CODES)('is a success, but opens no gate: %s', (code) => {
    const skipped = { code, reason: 'Nobody looked.' };
    const open = { record: recordOf(reportOf()) };
    endSkipped(open, skipped);
    expect(open.record).toMatchObject({ skipped, verdict: { status: 'success' } });
    const gated = { record: recordOf(reportOf(), { failOnSeverity: 'critical' }) };
    expect(() => {
      endSkipped(gated, skipped);
    }).toThrow(/Nobody looked\. `fail-on-severity` needs a review\./);
  });
});
