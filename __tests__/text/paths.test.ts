import { describe, expect, it } from '@jest/globals';
import { newPathJudge } from '../../src/text/paths.js';

describe('newPathJudge', () => {
  /** Folders with their names, before the change and after it. */
  const judge = (
    path: string,
    { before = [], after = [path] }: { before?: string[]; after?: string[] } = {},
  ) => {
    const all = (paths: string[]) =>
      new Set(
        paths.flatMap((each) => each.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))),
      );
    const [was, is] = [all(before), all(after)];
    return newPathJudge({
      existed: (each) => was.has(each),
      namesIn: (folder) =>
        [...is]
          .filter((each) => each.startsWith(folder === '' ? '' : `${folder}/`))
          .map((each) => each.slice(folder === '' ? 0 : folder.length + 1))
          .filter((name) => !name.includes('/')),
    })(path);
  };

  it.each<[string, string, RegExp]>([
    ['a right-to-left override', 'docs/guide\u202Edm.js', /invisible/],
    ['an isolate', 'docs/\u2066a\u2069.md', /invisible/],
    ['an Arabic letter mark', 'docs/a\u061c.md', /invisible/],
    ['a zero-width space', 'do\u200bcs/a.md', /invisible/],
    ['a zero-width joiner', 'docs/a\u200d.md', /invisible/],
    ['a byte order mark', '\ufeffREADME.md', /invisible/],
    ['a soft hyphen', 'docs/in\u00addex.md', /invisible/],
    ['a combining grapheme joiner', 'docs/a\u034f.md', /invisible/],
    ['a Hangul filler', 'docs/a\u3164.md', /invisible/],
    ['a variation selector', 'docs/a\ufe0f.md', /invisible/],
    ['a tag character', 'docs/a\u{e0061}.md', /invisible/],
    ['a line separator', 'docs/a\u2028.md', /invisible/],
    ['a no-break space', 'docs/a\u00a0b.md', /invisible/],
    ['an empty Braille pattern', 'docs/a\u2800.md', /invisible/],
    ['a private character that some systems show as a colon', 'docs/x.md\uf03ay', /invisible/],
    ['a tab', 'docs/a\tb.md', /control/],
    ['an escape', 'docs/a\u001b[2K.md', /control/],
    ['a stream of another file', 'docs/x.md:y', /colon/],
    ['a drive', 'c:/x.md', /colon/],
    ['a backslash', 'docs/..\\x.md', /backslash/],
    ['a folder that ends with a dot', 'docs./a.md', /ends with/],
    ['a file that ends with a dot', 'docs/a.md.', /ends with/],
    ['a file that ends with a space', 'docs/a.md ', /ends with/],
    ['a name that begins with a space', 'docs/ a.md', /begins/],
    ['three dots', '.../a.md', /ends with/],
    ['a short name of Windows', 'VSCODE~1/settings.json', /short name/],
    ['a short name in small letters, with an ending', 'docs/readm~12.md', /short name/],
    ['a short name by its hash', 'GI7EB1~1/config', /short name/],
    ...[
      'CON',
      'prn.txt',
      'Aux.md',
      'nul',
      'COM1',
      'com0.log',
      'lpt9.x.y',
      'COM\u00b9',
      'CONIN$',
      'aux .md',
    ].map((name): [string, string, RegExp] => [`the device ${name}`, `docs/${name}`, /device/]),
  ])('refuses %s', (_, path, words) => {
    expect(judge(path)).toMatch(words);
  });

  it.each([
    'docs/guide.md',
    'src/[...slug]/page.tsx',
    'a b/c d.md',
    '.config/x.yml',
    'docs/über.md',
    'docs/ガイド.md',
    'docs/راهنما.md',
    'docs/руководство.md',
    'docs/tilde~one.md',
    'docs/a~1b.md',
    'docs/draft~.md',
    'docs/..hidden',
    'docs/console.md',
    'docs/com10.md',
    'docs/auxiliary.md',
    'docs/👍.md',
    'docs/a+b,c=d@e#f%g!.md',
  ])('has nothing against %s', (path) => {
    expect(judge(path)).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['another case', 'docs/Guide.md', 'docs/guide.md'],
    ['another case of a folder', 'Docs/new.md', 'docs/guide.md'],
    ['a file like a folder', 'Docs', 'docs/guide.md'],
    ['a decomposed letter', 'docs/u\u0308ber.md', 'docs/\u00fcber.md'],
    ['a ligature', 'docs/\ufb01le.md', 'docs/file.md'],
    ['a wide letter', 'docs/\uff21.md', 'docs/a.md'],
    ['a long s', 'docs/\u017fs.md', 'docs/ss.md'],
    ['a sharp s', 'docs/stra\u00dfe.md', 'docs/STRASSE.md'],
    ['a Kelvin sign', 'docs/\u212a.md', 'docs/k.md'],
  ])('refuses a twin: %s', (_, path, other) => {
    expect(judge(path, { before: [other], after: [path, other] })).toMatch(
      /spelled like .*, which is there too/,
    );
    // Of two new ones, each is refused.
    expect(judge(path, { after: [path, other] })).toMatch(/spelled like/);
    expect(judge(other, { after: [path, other] })).toMatch(/spelled like/);
    // A change of case without the old name is a rename.
    expect(judge(path, { before: [other] })).toBeUndefined();
  });

  it('does not judge what was there before', () => {
    const odd = ['docs./x.md:y', 'Makefile', 'makefile', 'Docs/a.md', 'docs/b.md', 'aux/\u200b'];
    for (const path of odd) expect(judge(path, { before: odd, after: odd })).toBeUndefined();
    const after = [...odd, 'docs./new.md', 'docs/new.md'];
    expect(judge('docs./new.md', { before: odd, after })).toBeUndefined();
    expect(judge('docs/new.md', { before: odd, after })).toBeUndefined();
    expect(judge('DOCS/new.md', { before: odd, after: [...odd, 'DOCS/new.md'] })).toMatch(/spelled like/);
  });
});
