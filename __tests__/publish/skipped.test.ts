import { describe, expect, it } from '@jest/globals';
import { mergeReports, whySkipped } from '../../src/publish/publication.js';
import { parseReport, type Shard } from '../../src/report/read-reports.js';
import { reviewReport } from './reports.js';

const shard = (skipped?: string): Shard => {
  const parsed = parseReport(
    JSON.stringify(reviewReport([], skipped === undefined ? {} : { skipped: { reason: skipped } })),
  );
  if (parsed.kind === 'bad') throw new Error(parsed.why);
  return { kind: 'told', name: 'r', run: parsed.run };
};
const why = (shards: Shard[], expectedReports?: number) =>
  whySkipped(mergeReports(shards, { minimumSeverity: 'info', expectedReports }));

describe('reports of runs without an agent', () => {
  it('publish nothing if all of them are such reports', () => {
    expect(why([shard('Nothing is new.'), shard('Nothing is new.')])).toBe('Nothing is new.');
  });

  it('are published with the others if one agent ran, or if a report is missing', () => {
    expect(why([shard('Nothing is new.'), shard()])).toBeUndefined();
    expect(why([shard('Nothing is new.'), { kind: 'silent', name: 's', why: 'w' }])).toBeUndefined();
    expect(why([shard('Nothing is new.')], 2)).toBeUndefined();
  });
});
