import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { FAILURES, type FailureReason } from '../../src/core/failure.js';
import { buildHtml } from '../../src/report/render-html.js';
import type { RunRecord } from '../../src/report/model.js';
import type { AgentEvent } from '../../src/stream/events.js';
import { call, recordOf, reportOf, result, text } from './builders.js';
import { anyText } from './hostile-text.js';

const pageWith = (words: string, given: Partial<RunRecord> = {}) =>
  buildHtml(
    recordOf(
      reportOf(
        { type: 'session', sessionId: words, model: words },
        call('1', { target: words, facts: { output: words } }),
        call('2', { target: words, state: 'denied', message: words }),
        text(words),
        result(),
      ),
      { stderr: words, notes: [words], ...given },
    ),
  );
/** Every tag outside of the answer, whose own are its Markdown's, and of the data. Backticks in a text make it code. */
const tagsOf = (page: string) =>
  [
    ...page
      .replace(/<div class="answer"[\s\S]*?\n<\/div>/, '')
      .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '<$1>')
      .matchAll(/<[^>]*>/g),
  ]
    .map(([tag]) => tag)
    .filter((tag) => !/^<\/?code>$/.test(tag));

const HEAD = 'ffac537e6cbbf934b08745a378932722df287a53';
const ORIGIN: NonNullable<RunRecord['origin']> = {
  startedAt: '2026-11-17T12:05:31.000Z',
  repository: 'o/r',
  repositoryUrl: 'https://example.com/o/r',
  pullRequest: 7,
  commit: HEAD,
  runUrl: 'https://example.com/o/r/actions/runs/12/attempts/2',
};
const CHANGES: Extract<RunRecord['changes'], { kind: 'known' }> = {
  kind: 'known',
  files: [{ path: 'a.md', status: 'modified', added: 2, removed: 1 }],
  applied: 'all',
  paths: ['a.md'],
  ignored: 0,
  omitted: [],
  violations: ['b.md'],
};

describe('buildHtml', () => {
  it('holds its data so that nothing in it can end it', () => {
    fc.assert(
      fc.property(anyText, (words) => {
        const page = pageWith(words);
        const [, data = ''] =
          /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(page) ?? [];
        expect(data).not.toContain('<');
        const { calls } = JSON.parse(data) as { calls: { facts: { output: string } }[] };
        expect(calls[0]?.facts.output ?? '').toBe(words.slice(0, 4000));
      }),
      { numRuns: 300 },
    );
  });

  it('has the same elements, whatever the texts are', () => {
    const expected = tagsOf(pageWith('word'));
    fc.assert(
      fc.property(anyText, (words) => {
        expect(tagsOf(pageWith(`x${words}x`))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('allows its own style and script by their hashes, and nothing else', () => {
    const page = pageWith('word');
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const hash = (content = '') => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1];
    const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1];
    expect(policy.split('; ')).toEqual([
      `default-src 'none'`,
      `style-src ${hash(style)}`,
      `script-src ${hash(script)}`,
      `base-uri 'none'`,
      `form-action 'none'`,
    ]);
    expect(page).not.toMatch(/ (style|on\w+)=|<(link|img|iframe)\b|@import|url\(/);
  });

  it('tells verdict, remedy, answer, numbers, denials, files, plan and policy', () => {
    const page = pageWith('**Hi**', {
      verdict: { status: 'failure', reason: 'timeout', detail: 'Too late.' },
      changes: CHANGES,
    });
    for (const part of [
      'failed (<code>timeout</code>)',
      'Too late.',
      'Raise <code>timeout-minutes</code>',
      '<p><strong>Hi</strong></p>',
      '<dt>Time</dt>',
      '<h2>Denied</h2>',
      '<span class="plus">+2</span>',
      '<li>b.md</li>',
      'Preset <code>docs</code>',
    ]) {
      expect(page).toContain(part);
    }
  });

  it('lists every permission rule, and shows a name in a title as code', () => {
    const rules = ['Shell(*)', ...Array.from({ length: 29 }, (_, index) => `Write(secret-${index}/**)`)];
    const denied = call('1', { kind: 'shell', target: 'npm test', state: 'denied' });
    const record = recordOf(reportOf(denied, result()));
    const page = buildHtml({ ...record, setup: { ...record.setup!, deny: rules } });
    expect(page).toContain('<summary>Denied, even if allowed (30)</summary>');
    for (const rule of rules) expect(page).toContain(rule);
    expect(page).toContain('or the lines to its own <code>allow</code>');
    expect(page).not.toContain('`allow`');
  });

  it('says where and when the run was, with links', () => {
    const page = pageWith('word', { origin: ORIGIN });
    for (const part of [
      '<dt>Repository</dt><dd><a href="https://example.com/o/r">o/r</a></dd>',
      '<dt>Pull request</dt><dd><a href="https://example.com/o/r/pull/7">#7</a></dd>',
      `<a href="https://example.com/o/r/commit/${HEAD}"><code>${HEAD.slice(0, 7)}</code></a>`,
      '<a href="https://example.com/o/r/actions/runs/12/attempts/2">12, attempt 2</a>',
      '<time datetime="2026-11-17T12:05:31.000Z">2026-11-17 12:05 UTC</time>',
      '<dt>Preset</dt><dd><code>docs</code></dd>',
      '<dt>Model</dt><dd>word</dd>',
    ]) {
      expect(page).toContain(part);
    }
    expect(page).not.toContain('<dt>Session</dt>');
    expect(page).toContain('<li>Session <code>word</code></li>');
  });

  it('links only to the web, and only to a commit that is one', () => {
    const origin = { ...ORIGIN, repositoryUrl: 'javascript:alert(1)', runUrl: '"><b>', commit: 'main' };
    const page = pageWith('word', { origin });
    expect(page).not.toContain('<a href');
    expect(page).not.toContain('<dt>Commit</dt>');
  });

  it('shows the prompt as text, folded if it is long', () => {
    const prompt = (words: string) => pageWith('word', { prompt: words });
    expect(prompt('Fix `a` <b>now</b>')).toContain(
      '<details class="prompt" open><summary><h2>The prompt</h2></summary><pre tabindex="0">Fix `a` &#60;b&#62;now&#60;/b&#62;</pre>',
    );
    expect(prompt('line\n'.repeat(40))).toContain('<details class="prompt"><summary>');
    expect(prompt('')).not.toContain('The prompt');
  });

  it('links a finding to its lines at the reviewed commit, unless they do not exist', () => {
    const finding = (place: 'in-change' | 'no-such-path') => ({
      ...{ path: 'src/a b.ts', startLine: 3, endLine: 5, severity: 'high' as const },
      ...{ title: 'A bug in `parse`', body: 'It is **wrong**.', place, count: 1 },
    });
    const page = (place: 'in-change' | 'no-such-path') =>
      pageWith('word', { origin: ORIGIN, review: { summary: '', findings: [finding(place)] } });
    const address = `https://example.com/o/r/blob/${HEAD}/src/a%20b.ts#L3-L5`;
    expect(page('in-change')).toContain(`<a href="${address}">Open these lines</a>`);
    expect(page('in-change')).toContain('A bug in <code>parse</code>');
    expect(page('no-such-path')).not.toContain('Open these lines');
  });

  it('has no backticks and no JSON in what it says itself, whatever the failure', () => {
    for (const reason of Object.keys(FAILURES) as FailureReason[]) {
      const page = buildHtml(
        recordOf(reportOf({ type: 'unknown', line: 3, why: 'record', label: 'new', sample: '{"a":1}' }), {
          verdict: { status: 'failure', reason, detail: 'See `timeout-minutes`.' },
          exit: { kind: 'ended', why: 'timeout', code: 143 },
          changes: { ...CHANGES, applied: 'none' },
          notes: ['Set `cli-version`.'],
        }),
      ).replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '');
      expect(page).not.toContain('`');
      expect(page).toContain('ended the process at the time limit; its exit code was 143.');
      // What was not recognised is there for those who look for it.
      expect(page.replace(/<details>[\s\S]*?<\/details>/g, '')).not.toMatch(/&#34;|[{}]/);
    }
  });

  it('shows data that was asked for as names and values, and as JSON to those who want it', () => {
    const structuredOutput = { label: '<b>bug</b>', sure: 0.9, reasons: ['one', { deep: null }], none: [] };
    const page = pageWith('word', { structuredOutput });
    expect(page).toContain('<dt>label</dt><dd>&#60;b&#62;bug&#60;/b&#62;</dd>');
    expect(page).toContain('<ul><li>one</li><li><dl class="data"><div><dt>deep</dt><dd>null</dd>');
    expect(page).toContain('<summary>As JSON</summary>');
    const large = pageWith('word', { structuredOutput: Array.from({ length: 2000 }, (_, index) => index) });
    expect(large).not.toContain('As JSON');
    expect(large).toContain('1999');
  });

  it('names the call at which a failed run stopped', () => {
    const started = (id: string): AgentEvent => ({
      type: 'tool-started',
      callId: id,
      tool: { name: 'shell', kind: 'shell', target: `sleep ${id}`, paths: [], isKnown: true },
    });
    const culprit = (reason: FailureReason, ...events: AgentEvent[]) =>
      /"culprit":(\d+)/.exec(
        buildHtml(recordOf(reportOf(...events), { verdict: { status: 'failure', reason, detail: '' } })),
      )?.[1];
    const calls = [call('1', { state: 'failed' }), call('2', { state: 'denied' }), call('3')];
    expect(culprit('timeout', ...calls, started('4'))).toBe('4');
    expect(culprit('agent-error', ...calls)).toBe('1');
    expect(culprit('denied', ...calls)).toBe('2');
    expect(culprit('findings', ...calls)).toBeUndefined();
    expect(culprit('agent-error', call('3'))).toBeUndefined();
    expect(pageWith('word')).not.toContain('"culprit":');
  });

  it('is made of what src/report/page has (npm run page writes it)', () => {
    expect(() => execFileSync(process.execPath, ['scripts/page.mjs', '--check'])).not.toThrow();
  });
});
