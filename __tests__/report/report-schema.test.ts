import { describe, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { buildReport, reportJsonSchema } from '../../src/report/report-schema.js';
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
    const { report, problems } = buildReport(recordOf(reportOf(denied, text('Hi.'), result())));
    expect(problems).toEqual([]);
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
    expect(buildReport(record)).toMatchObject({ report: { later: { a: 1 } }, problems: [] });
  });

  it('names what does not fit, and is there all the same', () => {
    const record = recordOf(reportOf(result()), { wallMs: Infinity });
    const { report, problems } = buildReport(record);
    expect(problems).toEqual([expect.stringMatching(/^wallMs: /)]);
    expect(report).toMatchObject({ version: 1 });
  });
});
