import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { buildHtml } from '../../src/report/render-html.js';
import type { RunRecord } from '../../src/report/model.js';
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
      changes: {
        kind: 'known',
        files: [{ path: 'a.md', status: 'modified', added: 2, removed: 1 }],
        applied: 'all',
        paths: ['a.md'],
        ignored: 0,
        omitted: [],
        violations: ['b.md'],
      },
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

  it('is made of what src/report/page has (npm run page writes it)', () => {
    expect(() => execFileSync(process.execPath, ['scripts/page.mjs', '--check'])).not.toThrow();
  });
});
