import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildPolicy, findUselessAllows, type PolicyRequest } from '../../src/permissions/policy.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';
import { formatPermission, parsePermission, permissions } from '../../src/permissions/permission-token.js';
import { allowTokens } from '../../src/permissions/allow-advice.js';
import { TOOL_KINDS, type ToolKind } from '../../src/stream/events.js';

const tokensFor = (kind: ToolKind, target: string) => allowTokens({ kind, target });
const parsed = (tokens: readonly string[]) => permissions(...tokens);
const rulesOf = (request: PolicyRequest) => {
  const { force, allow, deny } = buildPolicy(request);
  return { force, allow: allow.map(formatPermission), deny: deny.map(formatPermission) };
};

describe('allowTokens', () => {
  it.each<[ToolKind, string, string[]]>([
    ['shell', 'git push', ['Shell(git)']],
    ['shell', 'X=1 npm test 2>&1 | tail -3 && git push > log', ['Shell(npm)', 'Shell(tail)', 'Shell(git)']],
    ['shell', 'echo "a; rm b" && (cd x; make)', ['Shell(echo)', 'Shell(cd)', 'Shell(make)']],
    ['shell', '', []],
    ['read', 'src/a.ts', ['Read(src/a.ts)']],
    ['read', '../up', []],
    ['edit', 'docs/a b.md', ['Write(docs/a b.md)']],
    ['delete', 'x', ['Write(x)']],
    ['web', 'https://user@example.com:8080/x', ['WebFetch(example.com)']],
    ['web', 'how to cook', []],
    ['mcp', 'db:query', ['Mcp(db:query)']],
    ['mcp', 'query', ['Mcp(*:query)']],
    ['search', 'x in y', []],
  ])('names for %s %j the tokens %j', (kind, target, expected) => {
    expect(tokensFor(kind, target)).toEqual(expected);
  });

  it('gives only tokens that the input takes, whatever the call', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TOOL_KINDS),
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\w ./:;|&$()'"`-]*$/)),
        (kind, target) => {
          for (const token of tokensFor(kind, target))
            expect(parsePermission(token)).toHaveProperty('permission');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('names the rule itself where deny would win over the narrower token', () => {
    const docs = rulesOf({ preset: 'docs', allow: [], deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'git log' }, docs)).toEqual(['Shell(*)', 'Shell(git)']);
    expect(allowTokens({ kind: 'edit', target: '.github/workflows/ci.yml' }, docs)).toEqual([
      'Write(**/.github/**)',
    ]);
    const review = rulesOf({ preset: 'review', allow: [], deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, review)).toEqual(['Shell(npm)']);
  });

  it('names the rule that found its command inside of another one', () => {
    const fixCi = rulesOf({ preset: 'fix-ci', allow: [], deny: [] });
    for (const target of [`bash -c 'git push'`, '/usr/bin/git push', 'xargs git push', 'grep -rn git src'])
      expect(allowTokens({ kind: 'shell', target }, fixCi)).toEqual(['Shell(git)']);
    expect(allowTokens({ kind: 'shell', target: 'legit push' }, fixCi)).toEqual([]);
    const custom = rulesOf({ preset: 'custom', allow: [], deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'bash -c "git push"' }, custom)).toEqual([
      'Shell(bash)',
      'Shell(git)',
    ]);
  });

  it('reads Shell(*:*) as every command, like the policy does', () => {
    const denied = rulesOf({ preset: 'custom', force: true, allow: [], deny: parsed(['Shell(*:*)']) });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, denied)).toEqual(['Shell(*:*)']);
    const allowed = rulesOf({ preset: 'custom', allow: parsed(['Shell(*:*)']), deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, allowed)).toEqual([]);
  });

  it('names nothing where the rules are not what stood in the way', () => {
    const custom = rulesOf({ preset: 'custom', allow: parsed(['Shell(npm)']), deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, custom)).toEqual([]);
  });

  it('names tokens that in truth allow the call, under every preset', () => {
    const calls: [ToolKind, string][] = [
      ['shell', 'git push'],
      ['shell', 'npm test | tail'],
      ['edit', 'src/a.ts'],
      ['edit', '.github/x.yml'],
      ['read', '.env.local'],
      ['web', 'https://example.com/'],
      ['mcp', 'db:query'],
    ];
    for (const preset of Object.keys(PRESETS) as PresetName[]) {
      for (const [kind, target] of calls) {
        const tokens = allowTokens({ kind, target }, rulesOf({ preset, allow: [], deny: [] }));
        // An MCP tool needs its server in mcp-config besides.
        const mcpServers = kind === 'mcp' ? ['db'] : [];
        const request = { preset, allow: parsed(tokens), deny: [], mcpServers };
        expect({ preset, target, useless: findUselessAllows(request) }).toMatchObject({ useless: [] });
        expect({ preset, target, left: allowTokens({ kind, target }, rulesOf(request)) }).toMatchObject({
          left: [],
        });
      }
    }
  });
});

describe('allowTokens for a call that a hook denied', () => {
  const ours = (rule: string) => `Shell blocked by preToolUse hook: cursor-agent-action: denied by ${rule}`;
  const denied = (target: string, message: string) => ({ kind: 'shell', target, message, byHook: true });
  const rules = { force: true, allow: [], deny: ['Shell(git)', 'Shell(curl)'] };

  it('is nothing if the hook is not ours', () => {
    expect(allowTokens(denied('git push', 'Command execution was blocked by a hook.'))).toEqual([]);
    expect(allowTokens(denied('git push', 'Command execution was blocked by a hook.'), rules)).toEqual([]);
  });

  it('names the rule of our own hook, also if only the hook saw the command', () => {
    expect(allowTokens(denied('git push', ours('Shell(git)')), rules)).toEqual(['Shell(git)']);
    expect(allowTokens(denied('bash -c "curl x"', ours('Shell(curl)')), rules)).toEqual(['Shell(curl)']);
  });

  it('needs no further token if the narrower one already lifts the rule', () => {
    const strict = { force: false, allow: [], deny: ['Shell(*)'] };
    expect(allowTokens(denied('make', ours('Shell(*)')), strict)).toEqual(['Shell(make)']);
  });

  it('is nothing if the rule is no token', () => {
    const call = { kind: 'task', target: 'x', message: ours('Task'), byHook: true };
    expect(allowTokens(call, rules)).toEqual([]);
  });

  it('does not read the message of a call that no hook denied', () => {
    const call = { kind: 'shell', target: 'make', message: ours('Shell(git)') };
    expect(allowTokens(call)).toEqual(['Shell(make)']);
  });
});
