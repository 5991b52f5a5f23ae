import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { buildHtml } from '../../src/report/render-html.js';
import { buildReport } from '../../src/report/sections.js';
import { createRedaction } from '../../src/text/redact.js';
import { type CheckedFinding, ReportSchema, type RunRecord } from '../../src/report/model.js';
import { buildSummary, SUMMARY_BYTES } from '../../src/report/render-markdown.js';
import { anyText } from './hostile-text.js';
import { recordOf, reportOf, result, text } from './builders.js';

const GFM = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
const allNodes = (node: Nodes): Nodes[] => [
  node,
  ...('children' in node ? (node.children as Nodes[]).flatMap(allNodes) : []),
];

const finding = (given: Partial<CheckedFinding> = {}): CheckedFinding => ({
  path: 'src/a.ts',
  startLine: 3,
  endLine: 5,
  severity: 'high',
  title: 'A bug in `parse`',
  body: 'It is **wrong**.',
  place: 'in-change',
  count: 1,
  ...given,
});
const recordWith = (given: Partial<RunRecord>) =>
  recordOf(reportOf(text('{"summary":"raw json"}'), result()), { structuredOutput: {}, ...given });
const COMMIT = 'c0ffee'.repeat(7).slice(0, 40);
const FILES = `https://github.com/octo/app/blob/${COMMIT}`;
const reviewed = (...findings: CheckedFinding[]) =>
  recordWith({
    review: { summary: 'All in **all** good.', findings },
    change: { base: COMMIT, head: COMMIT },
    origin: { startedAt: '2026-01-02T08:00:00Z', repositoryUrl: 'https://github.com/octo/app' },
  });

describe('a review', () => {
  it('says how many findings are left out because somebody dismissed them', () => {
    const record = recordWith({ review: { summary: 'Looked.', findings: [], dismissed: 1 } });
    const words = '1 finding on lines where a user with write access dismissed one.';
    expect(buildSummary(record, 'full')).toContain(words);
    expect(buildSummary(reviewed(), 'full')).not.toContain('dismissed');
  });

  it('shows severity, place, title, body and suggestion of each finding, and never its JSON', () => {
    const record = reviewed(finding({ suggestion: 'fixed();', count: 2 }));
    const summary = buildSummary(record, 'full');
    expect(summary).toMatch(/^## 💬 Cursor agent \(docs\): 1 high\n\n### 🔎 Findings\n/);
    expect(summary.match(/1 high/g)).toHaveLength(1);
    expect(summary).toContain('All in **all** good.');
    expect(summary).toContain(
      `<b>high</b> · <a href="${FILES}/src/a.ts#L3-L5"><code>src/a.ts:3-5</code></a> · A bug in <code>parse</code> × 2`,
    );
    expect(summary).toContain('It is **wrong**.');
    expect(summary).toContain('```\nfixed();\n```');
    expect(summary).not.toContain('raw json');
    const html = buildHtml(record);
    expect(html).toContain('<code>src/a.ts:3-5</code>');
    expect(html).toContain('<strong>wrong</strong>');
    expect(html).not.toContain('raw json');
  });

  it('says that there are none', () => {
    const summary = buildSummary(reviewed(), 'compact');
    expect(summary).toMatch(/^## ✅ Cursor agent \(docs\): no findings\n\n### The agent said\n/);
    expect(summary).not.toContain('🔎');
    expect(summary).toContain('All in **all** good.');
    expect(buildHtml(reviewed())).toContain('Cursor agent (docs): no findings</h1>');
  });

  it('is skipped where no agent worked, and what is said then is not the agent’s', () => {
    const reason = 'The account has reached its limit.';
    const skipped = { code: 'usage-limit', reason } as const;
    const record = recordOf(reportOf(text(reason)), { skipped });
    const summary = buildSummary(record, 'full');
    expect(summary).toMatch(
      /^## ⏭️ Cursor agent \(docs\): skipped: usage-limit\n\nThe account has reached its limit\.\n/,
    );
    const page = buildHtml(record);
    expect(page).toContain('Cursor agent (docs): skipped: usage-limit</h1>');
    for (const shown of [summary, page]) expect(shown).not.toContain('The agent said');
    const standing = buildSummary({ ...reviewed(finding()), skipped: { code: 'unchanged', reason } }, 'full');
    expect(standing).toMatch(/^## 💬 Cursor agent \(docs\): skipped: unchanged; 1 high\n/);
  });

  it('links each place at the reviewed commit, if that is known', () => {
    const linked = buildSummary(reviewed(finding({ path: 'a b/"><img>#?.ts', endLine: 3 })), 'full');
    expect(linked).toContain(`<a href="${FILES}/a%20b/%22%3E%3Cimg%3E%23%3F.ts#L3">`);
    const startedAt = '2026-01-02T08:00:00Z';
    for (const unknown of [
      { origin: { startedAt } },
      { change: { base: COMMIT, head: '"><img>' } },
      { origin: { startedAt, repositoryUrl: 'https://x/"><img>' } },
    ])
      expect(buildSummary({ ...reviewed(finding()), ...unknown }, 'full')).not.toContain('<a ');
    // No such file can be in a repository.
    expect(buildSummary(reviewed(finding({ path: 'a\ud800b' })), 'full')).not.toContain('<a ');
  });

  it('puts no secret into a link, however it is written', () => {
    const redaction = createRedaction(['pa55/w0rd+x=']);
    const summary = buildSummary(reviewed(finding({ path: 'src/pa55/w0rd+x=' })), 'full', { redaction });
    expect(summary).not.toContain('<a ');
    expect(summary).not.toContain('w0rd');
  });

  it('shows critical and high findings open, however many findings there are', () => {
    const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
    const summary = buildSummary(reviewed(...severities.map((severity) => finding({ severity }))), 'full');
    for (const severity of severities) {
      const [, open] = new RegExp(`<details( open)?><summary>. <b>${severity}</b>`, 'u').exec(summary) ?? [];
      expect([severity, open]).toEqual([
        severity,
        severity === 'critical' || severity === 'high' ? ' open' : undefined,
      ]);
    }
  });

  it('begins with the outcome: no check mark above a finding, and the words of the agent below their title', () => {
    const found = reviewed(finding({ severity: 'critical' }), finding({ severity: 'low', path: 'b.ts' }));
    const first = (record: RunRecord) => buildSummary(record, 'full').split('\n')[0];
    expect(first(found)).toBe('## 💬 Cursor agent (docs): 1 critical, 1 low');
    expect(buildHtml(found)).toMatch(/<h1 class="found">.*: 1 critical, 1 low<\/h1>/);
    expect(first(reviewed(finding({ place: 'no-such-line' })))).toBe(
      '## ✅ Cursor agent (docs): no findings',
    );
    const gate = { ...found, verdict: { status: 'failure', reason: 'findings', detail: 'x' } } as const;
    expect(first(gate)).toBe('## ❌ Cursor agent (docs): 1 critical, 1 low (<code>findings</code>)');
    const failed = { ...found, verdict: { status: 'failure', reason: 'timeout', detail: 'x' } } as const;
    expect(first(failed)).toBe('## ❌ Cursor agent (docs): failed; 1 critical, 1 low (<code>timeout</code>)');
    expect(buildSummary(found, 'full')).toContain('### The agent said\n\nAll in');
    expect(buildSummary(failed, 'full')).toContain('<summary>The agent said</summary>');
  });

  it('sets aside what points at nothing, with why', () => {
    const record = reviewed(
      finding(),
      finding({ place: 'outside-change', path: 'b.ts' }),
      finding({ place: 'no-such-path', path: 'c.ts' }),
      finding({ place: 'no-such-line', path: 'd.ts' }),
    );
    for (const shown of [buildSummary(record, 'full'), buildHtml(record)]) {
      const [placed = '', aside = ''] = shown.split('Set aside');
      expect(placed).toContain('Cursor agent (docs): 2 high');
      expect(placed).toContain('outside the change');
      expect(aside).toMatch(/c\.ts:3-5[\s\S]*there is no such file/);
      expect(aside).toMatch(/d\.ts:3-5[\s\S]*the file has no such line/);
    }
  });

  it('fits, however much there is, and is whole Markdown', () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      finding({
        title: `${index} ${'t'.repeat(200)}`,
        body: '`x` '.repeat(2000),
        suggestion: 'y'.repeat(9000),
      }),
    );
    const summary = buildSummary(reviewed(...many), 'full');
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(SUMMARY_BYTES);
    expect(summary).toContain('): 3,000 high');
    expect(summary).toContain('more, all of them in the report');
    expect(summary.match(/<details/g)?.length ?? 0).toBe(summary.match(/<\/details>/g)?.length ?? 0);
  }, 60_000);

  it('is only text, whatever the agent wrote', () => {
    const shape = (words: string) => {
      const record = reviewed(finding({ title: words, body: words, path: words, suggestion: words }));
      const nodes = allNodes(fromMarkdown(buildSummary(record, 'full'), GFM));
      const html = nodes.flatMap((node) => (node.type === 'html' ? [node.value] : [])).join('\n');
      const headings = nodes.flatMap((node) =>
        node.type === 'heading' && node.depth < 4 ? [node.depth] : [],
      );
      expect(buildHtml(record)).not.toMatch(
        /<img|<iframe|<script(?! type="application\/json" id="data">|>\(\(\))/,
      );
      return { html: html.match(/<\/?(?:details|summary|img|script|table|b|i)\b/g)?.join(' '), headings };
    };
    const expected = shape('word');
    expect(expected.html).toContain('<details <summary');
    fc.assert(
      fc.property(anyText, (words) => {
        expect(shape(`x${words}x`)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('is what the report file holds', () => {
    const report = ReportSchema.parse(buildReport(reviewed(finding())));
    expect(report.review?.findings).toEqual([finding()]);
  });
});

describe('an answer that is data', () => {
  it('is shown as JSON to read', () => {
    const record = recordWith({ structuredOutput: { label: 'bug', note: '```\n</details>' } });
    const summary = buildSummary(record, 'full');
    expect(summary).toContain('````json\n{\n  "label": "bug",');
    expect(summary).not.toContain('raw json');
    expect(buildHtml(record)).toContain('&#34;label&#34;: &#34;bug&#34;');
  });

  it('is shown as it came where it could not be used, with what was wrong before', () => {
    const record = recordOf(reportOf(text('So: <b>{"label"</b>'), result()), {
      verdict: { status: 'failure', reason: 'bad-output', detail: 'There is no JSON in the answer.' },
      corrections: [{ problem: 'the first problem' }],
    });
    const summary = buildSummary(record, 'full');
    expect(summary).toContain('```\nSo: <b>{"label"</b>\n```');
    expect(summary).toContain('Answer 1 could not be used: the first problem');
    expect(buildHtml(record)).toContain('Answer 1 could not be used: the first problem');
  });
});
