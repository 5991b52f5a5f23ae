import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { renderDiffs, type PagePatch } from '../../src/report/diff-view.js';
import { createRedaction } from '../../src/text/redact.js';
import { anyText } from './hostile-text.js';

const fileDiff = (path: string, lines: readonly string[]): string =>
  [
    `diff --git a/${path} b/${path}`,
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -1 +1,${lines.length} @@`,
    '-before',
    ...lines.map((line) => `+${line}`),
    '',
  ].join('\n');
const applied = (text: string, isWhole = true): PagePatch => ({ kind: 'applied', text, isWhole });

describe('renderDiffs', () => {
  it('marks added and removed lines with a sign, an element and a number', () => {
    const html = renderDiffs([applied(fileDiff('a.ts', ['if (a < b) c();']))]);
    expect(html).toContain('<del class="line removed"><span class="at">1</span>−before\n</del>');
    expect(html).toContain('<ins class="line added"><span class="at">1</span>+if (a &#60; b) c();\n</ins>');
    expect(html).toContain('<code>a.ts</code>');
    expect(html).toContain('<span class="plus">+1</span> <span class="minus">−1</span>');
    expect(html).toContain('Applied to the checkout');
  });

  it('says nothing where there is no patch', () => {
    expect(renderDiffs([])).toBe('');
  });

  it('keeps what was rejected apart, and says what has no lines', () => {
    const binary = 'diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIc${MdG\n';
    const moved = 'diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n';
    const html = renderDiffs([applied(moved), { kind: 'rejected', text: binary, isWhole: true }]);
    const [before = '', after = ''] = html.split('<h3>Not applied</h3>');
    expect(before).toContain('<code>o</code> → <code>n</code>');
    expect(before).toContain('None of its lines changed.');
    expect(after).toContain('It is a binary file.');
  });

  it('folds a long file, and every file if there are many', () => {
    const long = Array.from({ length: 200 }, (_, index) => `line ${index}`);
    expect(renderDiffs([applied(fileDiff('a.ts', ['short']))])).toContain('<details class="file" open>');
    expect(renderDiffs([applied(fileDiff('a.ts', long))])).not.toContain(' open>');
    const many = Array.from({ length: 30 }, (_, index) => fileDiff(`${index}.ts`, ['short'])).join('');
    expect(renderDiffs([applied(many)])).not.toContain(' open>');
  });

  it('is bounded, and says where the rest is', () => {
    const long = Array.from({ length: 90_000 }, () => '');
    const one = renderDiffs([applied(fileDiff('a.ts', long))]);
    expect(one.match(/<ins/g)?.length).toBeLessThanOrEqual(5000);
    expect(one).toContain('more lines');
    const many = Array.from({ length: 9000 }, (_, index) => fileDiff(`${index}.ts`, ['short'])).join('');
    const shown = renderDiffs([applied(many, false)]);
    expect(shown.match(/<details/g)?.length).toBeLessThanOrEqual(5000);
    expect(shown).toMatch(/[\d,]+ more files and everything after it: see the output <code>patch-file/);
    expect(renderDiffs([applied('', false)])).toContain('The rest: see the output <code>patch-file</code>.');
    expect(renderDiffs([applied(fileDiff('a.ts', ['x'.repeat(100_000)]))]).length).toBeLessThan(3000);
  });

  it('has the same elements, whatever the lines and the name are', () => {
    const tags = (html: string) =>
      [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/ aria-label="[^"]*"/, ''));
    const expected = tags(renderDiffs([applied(fileDiff('word', ['word']))]));
    fc.assert(
      fc.property(anyText, (words) => {
        const name = `x${words.replace(/[\n\t"\\]/g, '')}x`;
        const html = renderDiffs([applied(fileDiff(name, [words.replaceAll('\n', '')]))]);
        expect(tags(html)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('shows no secret', () => {
    const key = 'key_0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c';
    const html = renderDiffs([applied(fileDiff('a.ts', [`const key = '${key}';`]))], createRedaction([key]));
    expect(html).toContain('***');
    expect(html).not.toContain(key.slice(4, 20));
  });
});
