import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withoutCredentials } from '../../src/git/git-config.js';

const SECRET = 'c2VjcmV0';

describe('a git configuration for the agent', () => {
  it('keeps what git needs', () => {
    const config =
      '[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n' +
      '[remote "origin"]\n\turl = https://github.com/some/project\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n' +
      '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n';
    expect(withoutCredentials(config)).toBe(config);
  });

  it.each([
    [
      'a header of actions/checkout',
      `[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic ${SECRET}`,
    ],
    ['a section and a setting in one line', `[http] extraheader = ${SECRET}`],
    ['a token in the address', `[remote "origin"]\n\turl = https://x-access-token:${SECRET}@github.com/a/b`],
    ['a token as the user', `[remote "origin"]\n\turl = https://${SECRET}@github.com/a/b`],
    ['a password with an at sign', `[remote "origin"]\n\turl = https://u:p@${SECRET}@github.com/a/b`],
    ['a token in the query', `[submodule "s"]\n\turl = https://github.com/a/b?access_token=${SECRET}`],
    ['a rewritten address', `[url "https://${SECRET}@github.com/"]\n\tinsteadOf = https://github.com/`],
    ['an address as a name', `[remote "https://${SECRET}@github.com/"]\n\tfetch = x`],
    ['a helper', `[credential]\n\thelper = "!echo password=${SECRET}"`],
    ['a section by another case', `[HTTP "x"]\n\tExtraHeader = ${SECRET}`],
    ['a section with a dot', `[http.https://github.com/]\n\textraheader = ${SECRET}`],
    ['a setting that goes on in the next line', `[core]\n\teol = \\\n${SECRET}`],
    ['a comment', `[core]\n\t# ${SECRET}\n\t; ${SECRET}`],
    ['a file to include', `[includeIf "gitdir:/w/.git"]\n\tpath = /t/git-credentials-${SECRET}.config`],
  ])('drops %s', (_, config) => {
    expect(withoutCredentials(`${config}\n[core]\n\tbare = false\n`)).not.toContain(SECRET);
    expect(withoutCredentials(`${config}\n[core]\n\tbare = false\n`)).toContain('bare = false');
  });

  it('says nothing but the settings it knows, whatever it is given', () => {
    const known =
      /^(\[(core|extensions|remote|branch|submodule)( "[^\n]*")?\]|\t[A-Za-z][A-Za-z0-9-]* = [^\n]*)$/i;
    const piece = fc.constantFrom(
      '[core]',
      '[',
      ']',
      '"',
      '\\',
      '\n',
      ' = ',
      'bare',
      'url',
      '[remote "a"]',
      SECRET,
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const lines = withoutCredentials(pieces.join('')).split('\n').slice(0, -1);
        expect(lines.filter((line) => !known.test(line))).toEqual([]);
      }),
    );
  });
});
