import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { buildReport } from '../../src/report/report-file.js';
import { ReportSchema, reportJsonSchema } from '../../src/report/report-schema.js';
import { call, recordOf, reportOf, result, text } from './builders.js';

const PATH = 'docs/report.schema.json';
const schema = `${JSON.stringify(reportJsonSchema(), undefined, 2)}\n`;
// `npm run docs` writes it; the test only compares.
if (process.env['UPDATE_DOCS']) writeFileSync(PATH, schema);

const denied = call('1', { state: 'denied', target: 'git push' });

describe('the report file', () => {
  it('is what its JSON Schema says (npm run docs writes it)', () => {
    expect(readFileSync(PATH, 'utf8')).toBe(schema);
  });

  it('has a version, the record and what follows from it', () => {
    const report = ReportSchema.parse(buildReport(recordOf(reportOf(denied, text('Hi.'), result()))));
    expect(report).toMatchObject({
      version: 1,
      verdict: { status: 'success' },
      report: { answer: 'Hi.', tools: [{ target: 'git push', state: 'denied' }] },
      denials: [{ tool: 'shell', what: 'git push', why: '', count: 1, allow: ['Shell(git)'] }],
      changedFiles: { source: 'agent', files: [] },
    });
  });

  it('keeps fields that the schema does not know yet', () => {
    const record = { ...recordOf(reportOf(result())), later: { a: 1 } };
    expect(ReportSchema.parse(buildReport(record))).toMatchObject({ later: { a: 1 } });
  });

  it('is told from what is none', () => {
    const report = buildReport(recordOf(reportOf(result()), { wallMs: Infinity }));
    expect(ReportSchema.safeParse(report).error?.issues.map(({ path }) => path)).toEqual([['wallMs']]);
  });
});
