import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../report/hostile-text.js';
import { codeText, escapeText, fenced, table } from '../../src/text/markdown.js';

describe('escapeText', () => {
  it('leaves no mark that Markdown or HTML could read', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const own = /<\/?(?:code|span)>/g;
        expect(escapeText(text).replace(own, '')).not.toMatch(/[<>]/);
        const escaped = escapeText(text).replace(own, '').replaceAll('@', '');
        expect(escaped).not.toMatch(/[<>`*_[\]|~@$\\\n\r]/);
        expect(escaped.replace(/&#\d+;/g, '')).not.toMatch(/[&#]/);
        // With our own elements in it: they keep apart what stands on either side.
        expect(escapeText(text)).not.toMatch(/:\/\/|www\.|^\s*([-+]|\d+[.)])/i);
      }),
      { numRuns: 1000 },
    );
  });

  it('shows the text as it was', () => {
    const decode = (text: string) =>
      text
        .replace(/<[^>]*>/g, '')
        .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    expect(decode(escapeText('a <b> & *c* | `d` @e #1 https://x'))).toBe('a <b> & *c* | `d` @e #1 https://x');
  });
});

describe('escapeText and people', () => {
  it('keeps mentions and references in code, and mail addresses apart', () => {
    expect(escapeText('ask @octocat about #12 at a@b.example')).toBe(
      'ask <code><span>@</span>octocat</code> about <code>&#35;12</code> at <code>a<span>@</span>b.example</code>',
    );
  });
});

describe('fenced', () => {
  it('is closed by its last line only, whatever stands inside', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = fenced(text).split('\n');
        const fence = lines[0]!;
        expect(fence).toMatch(/^`{3,}$/);
        expect(lines.at(-1)).toBe(fence);
        const closing = new RegExp(`^ {0,3}\`{${fence.length},}\\s*$`);
        expect(lines.slice(1, -1).some((line) => closing.test(line))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('counts the backticks that are left when colours are taken out', () => {
    expect(fenced('```\u001b[31m```')).toBe('```````\n``````\n```````');
  });

  it('keeps code as it is', () => {
    expect(fenced('const a = `x`;\n```js\n```')).toBe('````\nconst a = `x`;\n```js\n```\n````');
  });
});

describe('table', () => {
  it('has the rows and columns it was given, whatever the cells hold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, anyText), { maxLength: 5 }), (rows) => {
        const lines = table(
          ['A', 'B'],
          rows.map(([a, b]) => [codeText(a), escapeText(b)]),
        ).split('\n');
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect(line.match(/\|/g)).toHaveLength(3);
      }),
    );
  });
});
