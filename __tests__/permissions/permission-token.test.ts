import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatPermission, parsePermission, cliPatternTest } from '../../src/permissions/permission-token.js';

describe('parsePermission', () => {
  it.each([
    ['Shell(npm)', { kind: 'Shell', command: 'npm' }],
    ['Shell(npm:run test*)', { kind: 'Shell', command: 'npm', args: 'run test*' }],
    ['Read(src/**)', { kind: 'Read', pattern: 'src/**' }],
    ['Write(app/[id]/page.tsx)', { kind: 'Write', pattern: 'app/[id]/page.tsx' }],
    ['Write(./docs/**)', { kind: 'Write', pattern: './docs/**' }],
    ['Write(docs/(draft)/**)', { kind: 'Write', pattern: 'docs/(draft)/**' }],
    ['WebFetch(*.example.com)', { kind: 'WebFetch', domain: '*.example.com' }],
    ['Mcp(github:*)', { kind: 'Mcp', server: 'github', tool: '*' }],
  ])('reads %s', (token, permission) => {
    expect(parsePermission(token)).toEqual({ permission });
  });

  it.each([
    ['Shell', /malformed; write Shell\(npm\)/],
    ['Shell()', /malformed; write Shell\(npm\)/],
    ['Shell(npm test)', /malformed; write Shell/],
    ['shell(npm)', /malformed; write Shell\(npm\)/],
    ['Write(../outside)', /malformed; write Write/],
    ['Write(a/../../b)', /malformed; write Write/],
    ['Read(a\u0000b)', /malformed; write Read/],
    ['Write(src/)', /matches no file\. A folder's files are "src\/\*\*"/],
    ['Write(src/*.{ts,js})', /matches no file\. Only \* is special: use it, or write one token for each/],
    ['Read(file?.txt)', /matches no file\. Only \* is special/],
    ['Read(~/.ssh/**)', /matches no file\. Write the whole path/],
    ['Read(src//a)', /matches no file\. Leave out the extra slash or dot/],
    ['Read(src/./a)', /matches no file\. Leave out the extra slash or dot/],
    ['WebFetch(https://example.com/x)', /malformed; write WebFetch/],
    ['Mcp(github)', /malformed; write Mcp\(server:tool\)/],
    ['Mcp(a:b:c)', /malformed; write Mcp/],
    ['Edit(x)', /not a permission token; the forms are Shell/],
    ['', /not a permission token/],
    ['constructor(x)', /not a permission token/],
  ])('refuses %j and shows the right form', (token, words) => {
    expect(parsePermission(token)).toEqual({ problem: expect.stringMatching(words) as unknown });
  });

  it('never throws, and what it reads it writes again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Shell', 'Read', 'Write', 'WebFetch', 'Mcp', 'X'),
        fc.string(),
        (kind, inside) => {
          const result = parsePermission(`${kind}(${inside})`);
          if ('permission' in result) {
            expect(parsePermission(formatPermission(result.permission))).toEqual(result);
          }
        },
      ),
    );
  });
});

describe('cliPatternTest', () => {
  it('agrees with the regular expression it stands for', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '?', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, subject) => {
        const literal = pattern.split(/\*+/).map((part) => part.replace(/[.?/]/g, '\\$&'));
        expect(cliPatternTest(pattern)(subject)).toBe(
          new RegExp(`^${literal.join('.*')}$`, 's').test(subject),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
