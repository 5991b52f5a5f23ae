import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { folded } from '../../src/text/markdown.js';
import { renderLine, renderLog, summaryText } from '../../src/try/terminal.js';

const shownLog = (text: string, verbose: boolean): string[] => {
  const lines: string[] = [];
  const log = renderLog((line) => lines.push(line), verbose);
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
    const log = renderLog((line) => lines.push(line), false);
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
});

const SUMMARY = `## ✅ Cursor agent: done

I wrote [the page](https://example.com/x) and \`docs/usage.md\`.

**Time**&nbsp;1.8&nbsp;s · **Tool&nbsp;calls**&nbsp;7

### Denied

| Refused | Allow with |
| --- | --- |
| shell <code>git log &#45;&#45;oneline</code> | <code>Shell(&#42;)</code><br><code>Shell(git)</code> |

<details><summary>7 tool calls: <b>3</b> read &amp; more</summary>

hidden

</details>

<details open><summary>Open</summary>

- [x] done
- [ ] open
  1. first

</details>

\`\`\`js
const code = 1;
\`\`\`
`;

describe('summaryText', () => {
  it('has no marks, tags and entities, and nothing that is folded', () => {
    expect(summaryText(SUMMARY)).toBe(`✅ Cursor agent: done

I wrote [the page](https://example.com/x) and \`docs/usage.md\`.

Time 1.8 s · Tool calls 7

Denied

Refused   Allow with
shell git log --oneline   Shell(*), Shell(git)

Open

- [x] done
- [ ] open
  1. first

\`\`\`js
const code = 1;
\`\`\``);
  });

  it('leaves a fold out with all that is in it', () => {
    const inner = folded('Inner', 'a', true);
    expect(summaryText(`before\n\n${folded('Outer', `${inner}\n\n${inner}`)}\n\nafter`)).toBe(
      'before\n\nafter',
    );
    expect(summaryText(folded('Outer', `x\n\n${folded('Inner', 'a')}`, true))).toBe('Outer\n\nx');
  });

  it('takes any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => void summaryText(text)));
  });
});
