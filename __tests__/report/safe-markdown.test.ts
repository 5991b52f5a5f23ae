import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Marked } from 'marked';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { safeHtml, safeMarkdown, safeLine, safeWords } from '../../src/report/safe-markdown.js';
import { hostileText, anyText } from './hostile-text.js';

const parse = (text: string) =>
  fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
const nodesOf = (node: Nodes): Nodes[] => [
  node,
  ...('children' in node ? (node.children as Nodes[]).flatMap(nodesOf) : []),
];
const safe = (text: string) => safeMarkdown(text, 60_000);

/** What a second parser, GitHub's own dialect of another hand, makes of it. */
function htmlOf(markdown: string): string {
  return new Marked({ gfm: true }).parse(markdown, { async: false });
}

describe('safeMarkdown', () => {
  it.each([
    [
      'keeps what Markdown is for',
      '**a** *b* `c` ~~d~~\n\n- x\n- [x] y\n',
      '**a** *b* `c` ~~d~~\n\n- x\n- [x] y',
    ],
    ['keeps tables', '| a | b |\n| --- | :-: |\n| `x\\|y` | 2 |', '| a | b |\n| - | :-: |\n| `x\\|y` | 2 |'],
    [
      'shows HTML as text',
      'a <b>c</b>\n\n<div>\n<img src=x>\n</div>',
      'a \\<b>c\\</b>\n\n\\<div>\n\\<img src=x>\n\\</div>',
    ],
    [
      'turns images into links',
      '![p](https://e.example/p.png)',
      '[image: p](https://e.example/p.png) (e.example)',
    ],
    ['shows where links lead', '[x](https://u:p@e.example/y)', '[x](https://e.example/y) (e.example)'],
    [
      'leaves addresses as they are',
      'see https://e.example/y.',
      'see [https://e.example/y](https://e.example/y).',
    ],
    ['drops other links', '[x](javascript:alert(1)) [y](mailto:a@b.c) [z](/etc)', 'x y z'],
    [
      'resolves references',
      '[x][1] ![i][1] [q]\n\n[1]: https://e.example/',
      '[x](https://e.example/) (e.example) [image: i](https://e.example/) (e.example) \\[q]',
    ],
    [
      'pings no one',
      '@octocat, a@b.example: see #12, o/r#3 and GH-4',
      '`@octocat`, `a@b.example`: see `#12`, `o/r#3` and `GH-4`',
    ],
    [
      'tells none of an Enterprise server',
      'Fixes https://ghe.acme.example/o/r/pull/1',
      'Fixes `https://ghe.acme.example/o/r/pull/1`',
    ],
    ['tells no other issue', '[it](https://github.com/o/r/issues/1)', 'it `https://github.com/o/r/issues/1`'],
    ['takes footnotes in', 'a[^1]\n\n[^1]: b', 'a\\[1]\n\n\\[1]:\n\nb'],
    ['keeps headings below its own', '# a\n\n### b\n\n##### c', '#### a\n\n##### b\n\n###### c'],
    ['draws no diagrams', '```mermaid\ngraph\n```', '```\ngraph\n```'],
    ['sets no formulas', 'costs $5 or $6, $`x`$', 'costs `$5` or `$6,` `$x$`'],
    ['takes alerts for quotations', '> [!WARNING]\n> a', '> **Warning:** a'],
    ['names what cannot be seen', 'a\u202eb&#x200b;c \u001b[31mred', 'a\\<U+202E>b\\<U+200B>c red'],
    ['closes what is open', '````js\nlet a = `', '```js\nlet a = `\n```'],
  ])('%s', (_name, text, expected) => {
    expect(safe(text)).toBe(expected);
  });

  it('keeps code as it is, to the byte', () => {
    const codeText = fc
      .array(
        fc.constantFrom(
          '```',
          '`',
          '~~~',
          '\n',
          '  ',
          '\t',
          '<b>',
          '@x',
          '#1',
          '|',
          'a',
          '\\',
          '&amp;',
          '- ',
        ),
      )
      .map((parts) => parts.join('').replace(/\s+$/, ''));
    fc.assert(
      fc.property(codeText, (code) => {
        const fence = '`'.repeat(12);
        const tree = parse(safe(`${fence}js\n${code}\n${fence}`));
        expect(tree.children).toHaveLength(1);
        expect(tree.children[0]).toMatchObject({ type: 'code', value: code });
      }),
      { numRuns: 500 },
    );
  });

  const ALIVE = new Set(['html', 'image', 'imageReference', 'definition', 'linkReference']);
  const TAGS = new Set([
    ...['p', 'h4', 'h5', 'h6', 'em', 'strong', 'del', 'code', 'pre', 'a', 'ul', 'ol', 'li', 'blockquote'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'hr', 'br', 'input'],
  ]);

  it('leaves nothing that runs, loads, pings or hides, whoever reads it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const markdown = safe(text);
        const nodes = nodesOf(parse(markdown));
        // Nothing comes to life inside of a link but the link.
        const linked = new Set(nodes.filter(({ type }) => type === 'link').flatMap(nodesOf));
        expect(nodes.filter(({ type }) => ALIVE.has(type))).toEqual([]);
        const urls = nodes.flatMap((node) => (node.type === 'link' ? [node.url] : []));
        expect(urls.filter((url) => !/^https?:\/\/[^@/]+(\/|$)/.test(url))).toEqual([]);
        const texts = nodes.flatMap((node) =>
          node.type === 'text' && !linked.has(node) ? [node.value] : [],
        );
        expect(texts.filter((value) => /(^|[^\w`])@\w|(^|\s)#\d/.test(value))).toEqual([]);
        const html = htmlOf(markdown);
        const tags = [...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag = '']) => tag);
        expect(tags.filter((tag) => !TAGS.has(tag))).toEqual([]);
        expect(markdown).not.toMatch(/(?![\n\t])\p{Cc}|[\u200b-\u200f\u2028-\u202e\ufeff]/u);
      }),
      { numRuns: 1500 },
    );
  });

  it('means the same when it is read again', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const types = (markdown: string) => parse(markdown).children.map(({ type }) => type);
        const once = safe(text);
        expect(types(safe(once))).toEqual(types(once));
      }),
      { numRuns: 300 },
    );
  });

  it('takes texts that no parser should be given, and long ones, in pieces', () => {
    expect(safe('['.repeat(5000))).toBe(`\`\`\`\n${'['.repeat(5000)}\n\`\`\``);
    expect(safe(`${'> '.repeat(5000)}a`)).toMatch(/^```\n/);
    const long = safe('Some words, and a list:\n\n- one\n- two\n\n'.repeat(600));
    expect(parse(long).children).toHaveLength(1200);
  });
});

describe('safeHtml', () => {
  const html = (text: string) => safeHtml(text, 60_000);
  it('writes Markdown as HTML, and HTML as text', () => {
    const text = [
      '# a',
      '- [x] **b** `c < d`\n- [ ] ~~e~~ [x](https://e.example/?a=1&b)',
      '5. f\n6. g',
      '> h',
      '| i | j |\n| --- | :-: |\n| `x\\|y` | <b> |',
      '```ts\nif (a < b) "c";\n```',
      '<img src=x onerror=alert(1)>',
    ].join('\n\n');
    expect(html(text).split('\n').join('')).toBe(
      '<h4>a</h4>' +
        '<ul><li><input type="checkbox" disabled="" checked="" /> <strong>b</strong> <code>c &#60; d</code></li>' +
        '<li><input type="checkbox" disabled="" /> <del>e</del> <a href="https://e.example/?a=1&#38;b">x</a> (e.example)</li></ul>' +
        '<ol start="5"><li>f</li><li>g</li></ol><blockquote><p>h</p></blockquote>' +
        '<table><thead><tr><th>i</th><th align="center">j</th></tr></thead>' +
        '<tbody><tr><td><code>x|y</code></td><td align="center">&#60;b&#62;</td></tr></tbody></table>' +
        '<pre><code class="language-ts">if (a &#60; b) &#34;c&#34;;</code></pre>' +
        '<p>&#60;img src=x onerror=alert(1)&#62;</p>',
    );
  });

  it('has only the tags of Markdown, and links only to the web, whatever the text is', () => {
    const TAG =
      /^<(?:\/?(?:p|h[4-6]|em|strong|del|code|pre|ul|li|ol|blockquote|table|thead|tbody|tr|th|td)|\/a|hr \/|br \/|ol start="\d+"|code class="language-[\w+#.-]+"|t[hd] align="(?:left|center|right)"|a href="https?:[^"<>]*"|input type="checkbox" disabled=""(?: checked="")? \/)>$/;
    fc.assert(
      fc.property(anyText, (text) => {
        const tags = [...html(text).matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
        expect(tags.filter((tag) => !TAG.test(tag))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

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
