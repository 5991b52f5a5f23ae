import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  columnsOf,
  fitColumns,
  renderLine,
  renderLog,
  renderMarkdown,
  wrapText,
} from '../../src/try/terminal.js';

const shownLog = (text: string, verbose: boolean, width = 80): string[] => {
  const lines: string[] = [];
  const log = renderLog((line) => lines.push(line), { width, verbose });
  log.push(text);
  log.end();
  return lines;
};

describe('the log in a terminal', () => {
  it.each([
    ['::group::Title%0A2', '▸ Title\n2'],
    ['::endgroup::', undefined],
    ['::add-mask::x', undefined],
    ['::error title=A%3A b::c%25', 'ERROR A: b: c%'],
    ['plain :: text', 'plain :: text'],
  ])('shows %s', (line, shown) => {
    expect(renderLine(line)).toBe(shown);
  });

  it('puts lines together from pieces', () => {
    const lines: string[] = [];
    const log = renderLog((line) => lines.push(line), { width: 80, verbose: false });
    log.push('a\nb');
    log.push('c\nlast');
    log.end();
    expect(lines).toEqual(['a', 'bc', 'last']);
  });

  it('shows what is inside of a group only when it is asked for', () => {
    const log = '::group::Rules\nallow a\nallow b\n::endgroup::\nafter\n';
    expect(shownLog(log, false)).toEqual(['▸ Rules', 'after']);
    expect(shownLog(log, true)).toEqual(['▸ Rules', 'allow a', 'allow b', 'after']);
  });

  it('indents the rest of a long line', () => {
    expect(shownLog('+0:01 says   one two three four', false, 24)).toEqual([
      '+0:01 says   one two',
      '             three four',
    ]);
  });
});

describe('wrapText', () => {
  it('loses nothing, and no line is wider than it may be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 40 }), (text, width) => {
        const lines = wrapText(text, width);
        const letters = (shown: string) => shown.replace(/[\s\u00a0]/g, '');
        expect(letters(lines.join(''))).toBe(letters(text));
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(Math.max(width, 2));
      }),
    );
  });

  it('counts columns, not characters', () => {
    expect(columnsOf('漢字 ✅ é e\u0301')).toBe(4 + 1 + 2 + 1 + 1 + 1 + 1);
  });
});

describe('fitColumns', () => {
  it('takes from the widest', () => {
    expect(fitColumns([5, 40, 20], 50)).toEqual([5, 25, 20]);
    expect(fitColumns([5, 6], 50)).toEqual([5, 6]);
    expect(fitColumns([3, 3], 1)).toEqual([1, 1]);
  });
});

const SUMMARY = `## ✅ Cursor agent: done

I wrote [the page](https://example.com/x) and \`docs/usage.md\`.

**Time**&nbsp;1.8&nbsp;s · **Tool&nbsp;calls**&nbsp;7

### Denied

| Refused | Allow with |
| --- | --- |
| shell <code>git log &#45;&#45;oneline</code> | <code>Shell(&#42;)</code><br><code>Shell(git)</code> |

### 📝 Files changed

| File |
| --- |
| a.md |

### Where the time went

\`\`\`mermaid
gantt
\`\`\`

| Tool | Share |
| --- | --- |
| read | 50 % |

<details><summary>7 tool calls: <b>3</b> read &amp; more</summary>

hidden

</details>

<details open><summary>Open</summary>

- [x] done
- [ ] open
  1. first

> [!NOTE]
> Mind this.

</details>

\`\`\`js
const code = 1;
\`\`\`
`;

describe('renderMarkdown', () => {
  it('shows headings, tables and lists without marks and entities, and folds what is folded', () => {
    expect(renderMarkdown(SUMMARY, 60).join('\n')).toBe(`✅ Cursor agent: done
─────────────────────

I wrote the page (https://example.com/x) and
\`docs/usage.md\`.

Time 1.8 s · Tool calls 7

Denied

Refused                  Allow with
───────────────────────  ──────────
shell git log --oneline  Shell(*)
                         Shell(git)

Open

- ☑ done
- ☐ open
    1. first

│ [!NOTE]
│ Mind this.

    const code = 1;`);
  });

  it('fits a table into a narrow terminal', () => {
    const table = `| File | Change |\n| --- | --- |\n| ${'a'.repeat(50)} | a long description of what was changed |\n`;
    for (const line of renderMarkdown(table, 40)) expect(columnsOf(line)).toBeLessThanOrEqual(40);
  });

  it('takes any text, and keeps to the width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        for (const line of renderMarkdown(text, 60)) expect(columnsOf(line)).toBeLessThanOrEqual(60);
      }),
    );
  });
});
