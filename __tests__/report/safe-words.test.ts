import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { safeLine, safeWords } from '../../src/report/safe-words.js';
import { anyText } from './hostile-text.js';

const render = (markdown: string) =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
const commands = fc.constantFrom(
  '/merge',
  '\n/approve now',
  '\n  /lgtm',
  '\n- /close',
  '```\n/merge\n```\n',
  '\n1. ',
);
const poison = fc.array(fc.oneof(anyText, commands), { maxLength: 8 }).map((parts) => parts.join(''));

describe('words of a report', () => {
  it('have no line that another bot obeys, no element, no mention', () => {
    fc.assert(
      fc.property(poison, (text) => {
        for (const written of [safeWords(text, 5000), safeLine(text, 300)]) {
          expect(written).not.toMatch(/^[ \t]*\/[A-Za-z]/m);
          expect(written).not.toMatch(/^<!--/m);
        }
        expect(render(safeWords(text, 5000))).not.toMatch(/<(?:img|script|details|table\s)/);
      }),
      { examples: [['````\r<!--']] },
    );
  });

  it.each([
    ['/merge', '&#47;merge'],
    ['see a/b', 'see a/b'],
    ['- /merge it', '- &#47;merge it'],
    ['```\n/merge\n```', '> ```\n> /merge\n> ```'],
    ['```\n// merge\n```', '```\n// merge\n```'],
    ['```\n<!-- a mark -->\n```', '> ```\n> <!-- a mark -->\n> ```'],
    ['- a\n\n  ```\n  /merge\n  ```', '- a\n\n  > ```\n  > /merge\n  > ```'],
  ])('%j becomes %j', (text, expected) => {
    expect(safeWords(text, 1000)).toBe(expected);
  });

  it('of code that is quoted are still that code', () => {
    expect(render(safeWords('```\n/merge\n\n  x\n```', 1000))).toContain('<code>/merge\n\n  x\n</code>');
  });
});
