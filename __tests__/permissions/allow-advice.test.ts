import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildPolicy, findUselessAllows, type PolicyRequest } from '../../src/permissions/policy.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';
import { formatPermission, parsePermission, permissions } from '../../src/permissions/permission-token.js';
import { adviseOn } from '../../src/permissions/allow-advice.js';
import { TOOL_KINDS, type ToolKind } from '../../src/stream/events.js';

const allowTokens = (...asked: Parameters<typeof adviseOn>) => adviseOn(...asked).tokens;
const tokensFor = (kind: ToolKind, target: string) => allowTokens({ kind, target });
const parsed = (tokens: readonly string[]) => permissions(...tokens);
const rulesOf = (request: PolicyRequest) => {
  const { preset, force, allow, deny, onlyAllowed } = buildPolicy(request);
  return { preset, force, onlyAllowed, allow: allow.map(formatPermission), deny: deny.map(formatPermission) };
};

describe('allowTokens', () => {
  it.each<[ToolKind, string, string[]]>([
    ['shell', 'X=1 npm test 2>&1 | tail -3 && make > log', ['Shell(npm)', 'Shell(tail)', 'Shell(make)']],
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

  it('names the token that replaces the rule against the whole kind, never that rule', () => {
    const docs = rulesOf({ preset: 'docs', allow: [], deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, docs)).toEqual(['Shell(npm)']);
    expect(allowTokens({ kind: 'web', target: 'https://example.com/a' }, docs)).toEqual([
      'WebFetch(example.com)',
    ]);
    const review = rulesOf({ preset: 'review', allow: [], deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, review)).toEqual(['Shell(npm)']);
  });

  it('names what is missing where only some commands are allowed', () => {
    const docs = rulesOf({ preset: 'docs', allow: parsed(['Shell(npm)']), deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test | tail' }, docs)).toEqual(['Shell(tail)']);
  });

  it.each<[ToolKind, string, RegExp]>([
    ['shell', 'git log', /later step/],
    ['shell', 'npm test && /usr/bin/git push', /later step/],
    ['shell', 'xargs git push', /later step/],
    ['shell', 'gh pr list', /later step/],
    ['shell', 'sudo make', /isolation/],
    ['shell', 'docker ps', /isolation/],
    ['shell', 'curl https://example.com', /Download/],
    ['shell', 'printenv', /credential/],
    ['shell', 'bash build.sh', /runs any command/],
    ['edit', '.github/workflows/ci.yml', /a person/],
    ['edit', 'AGENTS.md', /a person/],
    ['edit', 'x/.git/config', /a person/],
    ['read', '.env.local', /credentials/],
    ['read', '/proc/1/environ', /credentials/],
  ])('advises against %s %s and says what to do instead', (kind, target, expected) => {
    for (const preset of ['docs', 'fix-ci', 'custom'] as const) {
      const rules = rulesOf({ preset, allow: [], deny: [] });
      // Where every command may run, a shell is not what was denied.
      if (preset === 'fix-ci' && target === 'bash build.sh') continue;
      const { tokens, instead } = adviseOn({ kind, target }, rules);
      expect({ preset, tokens, instead }).toEqual({
        preset,
        tokens: [],
        instead: expect.stringMatching(expected),
      });
    }
  });

  it('says that the preset review allows no change', () => {
    const review = rulesOf({ preset: 'review', allow: [], deny: [] });
    expect(adviseOn({ kind: 'edit', target: 'src/a.ts' }, review)).toEqual({
      tokens: [],
      instead: 'The preset review allows no change. Use preset docs, edit, fix-ci or custom.',
    });
  });

  it('says so if the workflow itself denies it', () => {
    const rules = rulesOf({
      preset: 'fix-ci',
      allow: [],
      deny: parsed(['Shell(npm:publish*)', 'Write(src/**)']),
    });
    expect(adviseOn({ kind: 'edit', target: 'src/a.ts' }, rules)).toEqual({
      tokens: [],
      instead: 'The workflow itself denies it: Write(src/**) in deny.',
    });
    const custom = rulesOf({ preset: 'custom', allow: [], deny: parsed(['Shell(*:*)']) });
    expect(adviseOn({ kind: 'shell', target: 'npm test' }, custom).tokens).toEqual([]);
  });

  it('reads Shell(*:*) as every command, like the policy does', () => {
    const allowed = rulesOf({ preset: 'custom', allow: parsed(['Shell(*:*)']), deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, allowed)).toEqual([]);
  });

  it('names nothing where the rules are not what stood in the way', () => {
    const custom = rulesOf({ preset: 'custom', allow: parsed(['Shell(npm)']), deny: [] });
    expect(allowTokens({ kind: 'shell', target: 'npm test' }, custom)).toEqual([]);
  });

  it('names tokens that in truth allow the call, under every preset', () => {
    const calls: [ToolKind, string][] = [
      ['shell', 'npm test | tail'],
      ['edit', 'src/a.ts'],
      ['web', 'https://example.com/'],
      ['mcp', 'db:query'],
    ];
    for (const preset of Object.keys(PRESETS) as PresetName[]) {
      for (const [kind, target] of calls) {
        if (preset === 'review' && kind === 'edit') continue;
        const tokens = allowTokens({ kind, target }, rulesOf({ preset, allow: [], deny: [] }));
        // An MCP tool needs its server in mcp-config besides.
        const mcpServers = kind === 'mcp' ? ['db'] : [];
        const request = { preset, mode: 'agent' as const, allow: parsed(tokens), deny: [], mcpServers };
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

  it('is nothing if another hook denied it, too', () => {
    const both = `${ours('Shell(make)')}\nnot here`;
    expect(allowTokens(denied('make all', both), { ...rules, deny: ['Shell(make)'] })).toEqual([]);
  });

  it('names the rule of our own hook, also if only the hook saw the command', () => {
    const more = { ...rules, deny: ['Shell(make)'] };
    expect(allowTokens(denied('make all', ours('Shell(make)')), more)).toEqual(['Shell(make)']);
    expect(allowTokens(denied('ninja "$x"', ours('Shell(make)')), more)).toEqual(['Shell(make)']);
  });

  it('needs no further token if the narrower one already lifts the rule', () => {
    const strict = { force: false, allow: [], deny: ['Shell(*)'] };
    expect(allowTokens(denied('make', ours('Shell(*)')), strict)).toEqual(['Shell(make)']);
  });

  it('is nothing if the rule is no token', () => {
    const call = { kind: 'task', target: 'x', message: ours('Task'), byHook: true };
    expect(allowTokens(call, rules)).toEqual([]);
  });

  it('never names a rule for everything, which the hook names if it cannot read a line', () => {
    const call = denied('$(cat x)', 'cursor-agent-action: not allowed without Shell(*)');
    expect(adviseOn(call, { force: false, allow: [], deny: [] })).toEqual({
      tokens: [],
      instead: expect.stringContaining('cannot be told'),
    });
  });

  it('does not read the message of a call that no hook denied', () => {
    const call = { kind: 'shell', target: 'make', message: ours('Shell(git)') };
    expect(allowTokens(call)).toEqual(['Shell(make)']);
  });
});
