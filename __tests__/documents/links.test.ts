import { describe, expect, it } from '@jest/globals';
import { newBrokenLinks, type LinkTree } from '../../src/documents/links.js';

type Files = Record<string, string>;
const treeOf = (files: Files): LinkTree => ({
  textOf: (path) => files[path],
  has: (path) => Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`)),
});
/** What a change of these files breaks. */
const broken = (before: Files, after: Files, others: string[] = []) => {
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...all].filter((path) => before[path] !== after[path]);
  return newBrokenLinks({ changed, others }, treeOf(before), treeOf(after)).map(
    ({ document, line, target }) => `${document}:${line} ${target}`,
  );
};
const REST = {
  'docs/b.md': '# Café & co: `a_b`\n\n# Twice\n# Twice\n<a id="Here"></a>\n',
  'img/x.png': '',
  'src/a.ts': '',
};
const brokenIn = (text: string) => broken(REST, { ...REST, 'docs/a.md': text });

describe('the links of a changed document', () => {
  it.each([
    '[a](b.md) [b](./b.md#café--co-a_b) [c](../docs/b.md#twice-1) [d](#one)\n\n# One\n',
    '[a](/docs/b.md) ![i](../img/x.png) [s](../src/a.ts#L10-L20) [f](../src) [e](b)',
    '[a][ref]\n\n[ref]: b.md#here\n',
    '<a href="b.md#here">x</a> <img src="../img/x.png">',
    '[out](https://example.com/x) [mail](mailto:a@b.c) [up](../../issues) [route](/guide/start) [t](b.md#:~:text=x) [top](#top)',
    '`[not](a-link.md)`\n\n```md\n[nor](this.md)\n```\n\nconst x = list[0][1];\n',
    '[page](b.html) [space](<b.md>) [plain](b.md?plain=1#L3)',
  ])('are right in %j', (text) => {
    expect(brokenIn(text)).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['[a](c.md)', ['docs/a.md:1 c.md']],
    ['\n[a](b.md#thrice)', ['docs/a.md:2 b.md#thrice']],
    ['[a](#two)\n\n# One\n', ['docs/a.md:1 #two']],
    ['![i](../img/y.png)', ['docs/a.md:1 ../img/y.png']],
    ['[a][ref]\n\n[ref]: c.md\n', ['docs/a.md:3 c.md']],
    ['see [the text][nowhere]', ['docs/a.md:1 [the text][nowhere]']],
    ['<a href="c.md">x</a>', ['docs/a.md:1 c.md']],
    ["<img alt='' src='../img/y.png'>", ['docs/a.md:1 ../img/y.png']],
    ['[a](b.md#twice-2)', ['docs/a.md:1 b.md#twice-2']],
    ['[a](/docs/c.md)', ['docs/a.md:1 /docs/c.md']],
  ])('are broken in %j', (text, expected) => {
    expect(brokenIn(text)).toEqual(expected);
  });

  it('count only if the change breaks them', () => {
    const before = { ...REST, 'docs/a.md': '[old](gone.md)\n' };
    expect(broken(before, { ...before, 'docs/a.md': '# New\n\n[old](gone.md) [new](lost.md)\n' })).toEqual([
      'docs/a.md:3 lost.md',
    ]);
    const { 'docs/a.md': text, ...rest } = before;
    expect(broken(before, { ...rest, 'docs/moved.md': text })).toEqual([]);
  });

  it('count in other documents, too, if their target goes', () => {
    const before = { 'a.md': '# One\n# Two\n', 'index.md': '[1](a.md#one) [2](a.md#two)\n' };
    expect(broken(before, { ...before, 'a.md': '# One\n' }, ['index.md'])).toEqual(['index.md:1 a.md#two']);
    expect(broken(before, { 'index.md': before['index.md'] }, ['index.md'])).toHaveLength(2);
  });
});
