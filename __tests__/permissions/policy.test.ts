import { describe, expect, it } from '@jest/globals';
import {
  coversKind,
  formatPermission,
  permissions as tokens,
  type PermissionToken,
} from '../../src/permissions/permission-token.js';
import {
  buildPolicy,
  findUselessAllows,
  withoutHook,
  withReadable,
  withRealPaths,
  type PolicyRequest,
} from '../../src/permissions/policy.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';

const request = (given: Partial<PolicyRequest> = {}): PolicyRequest => ({
  preset: 'review',
  allow: [],
  deny: [],
  ...given,
});
const texts = (rules: readonly PermissionToken[]) => rules.map(formatPermission);

describe('buildPolicy', () => {
  it.each([
    ['review', 'ask', false, ['Read(**)'], ['Shell(*)', 'Write(**)']],
    [
      'docs',
      'agent',
      true,
      [
        'Read(**)',
        ...['md', 'markdown'].map((type) => `Write(**/*.${type})`),
        ...['rst', 'txt', 'adoc', 'asciidoc', 'png', 'jpg', 'jpeg', 'gif', 'webp'].map(
          (type) => `Write(docs/**.${type})`,
        ),
      ],
      ['Shell(*)', 'Write(**/*requirements*.txt)'],
    ],
    ['fix-ci', 'agent', true, ['Read(**)', 'Write(**)', 'Shell(*)'], ['Shell(git)']],
    ['edit', 'agent', true, ['Read(**)', 'Write(**)'], ['Shell(*)', 'Write(**/.github/**)']],
    ['custom', 'agent', false, [], ['Shell(*)', 'Write(**)', 'Read(**)', 'WebFetch(*)', 'Mcp(*:*)']],
  ] as const)('knows the preset %s', (preset, mode, force, allow, denied) => {
    const policy = buildPolicy(request({ preset }));
    expect(policy).toMatchObject({ preset, mode, force });
    expect(texts(policy.allow)).toEqual(allow);
    expect(texts(policy.deny)).toEqual(expect.arrayContaining([...denied]));
  });

  it.each(Object.keys(PRESETS) as PresetName[])('denies in %s what no preset lets through', (preset) => {
    expect(texts(buildPolicy(request({ preset })).deny)).toEqual(
      expect.arrayContaining([
        ...['git', 'gh', 'sudo', 'su', 'docker', 'ssh', 'curl', 'wget', 'nc', 'env', 'printenv'].map(
          (c) => `Shell(${c})`,
        ),
        ...['/proc/**', '/sys/**', '**/.git/**', '**/.env*'].map((p) => `Read(${p})`),
        ...['.git/**', '.github/**', '.cursor/**', '.claude/**', '.env*', 'AGENTS.md', 'CLAUDE.md'].map(
          (p) => `Write(**/${p})`,
        ),
        ...['.gitmodules', '.gitattributes', '.husky/**', '.npmrc'].map((p) => `Write(**/${p})`),
        'WebFetch(*)',
        'Mcp(*:*)',
      ]),
    );
  });

  it('adds the tokens of the inputs, each once', () => {
    const policy = buildPolicy(
      request({ allow: tokens('Read(**)', 'Read(x)'), deny: tokens('Shell(git)', 'Read(y)') }),
    );
    expect(texts(policy.allow)).toEqual(['Read(**)', 'Read(x)']);
    expect(texts(policy.deny).filter((rule) => rule === 'Shell(git)')).toHaveLength(1);
    expect(texts(policy.deny)).toContain('Read(y)');
  });

  it('lets an allow lift the very rule it names', () => {
    const policy = buildPolicy(request({ preset: 'fix-ci', allow: tokens('Shell(git)') }));
    expect(texts(policy.deny)).not.toContain('Shell(git)');
    expect(texts(policy.deny)).toContain('Shell(gh)');
  });

  it.each(['review', 'docs'] as const)(
    'keeps the rest of a kind denied in %s if a token allows a part',
    (preset) => {
      const policy = buildPolicy(request({ preset, allow: tokens('Shell(npm)', 'WebFetch(example.com)') }));
      expect(texts(policy.deny)).not.toContain('Shell(*)');
      expect(texts(policy.deny)).not.toContain('WebFetch(*)');
      expect(texts(policy.deny)).toContain('Shell(git)');
      expect(policy.onlyAllowed).toEqual(['Shell', 'WebFetch']);
    },
  );

  it('allows a whole kind only if a token says so', () => {
    const allow = tokens('Shell(npm)', 'Shell(*)');
    expect(buildPolicy(request({ preset: 'docs', allow })).onlyAllowed).toEqual([]);
    expect(buildPolicy(request({ preset: 'fix-ci', allow: tokens('Shell(npm)') })).onlyAllowed).toEqual([]);
    expect(buildPolicy(request({ preset: 'docs' })).onlyAllowed).toEqual([]);
  });

  it('denies the whole kind again where no hook can make the exception', () => {
    const allow = tokens('Shell(npm)');
    const docs = withoutHook(buildPolicy(request({ preset: 'docs', allow })));
    expect(texts(docs.deny)).toContain('Shell(*)');
    expect(texts(docs.deny)).toContain('Shell(git)');
    expect(texts(withoutHook(buildPolicy(request({ mode: 'agent', allow }))).deny)).toContain('Shell(*)');
    const custom = buildPolicy(request({ preset: 'custom', allow: tokens('Write(src/**)') }));
    expect(custom.onlyAllowed).toEqual(['Read', 'Write']);
    // Changes are checked after the run.
    expect(texts(withoutHook(custom).deny)).toContain('Read(**)');
    expect(texts(withoutHook(custom).deny)).not.toContain('Write(**)');
  });

  it.each<[string[], boolean, string[], string[]]>([
    [[], false, ['Read(**)', 'Shell(*)', 'Write(**)', 'WebFetch(*)', 'Mcp(*:*)'], []],
    [['Read(**)'], false, ['Shell(*)', 'Write(**)', 'WebFetch(*)', 'Mcp(*:*)'], []],
    [['Write(**)'], true, ['Shell(*)', 'WebFetch(*)', 'Mcp(*:*)'], ['Read']],
    [['Shell(npm)'], true, ['Read(**)', 'Write(**)', 'WebFetch(*)', 'Mcp(*:*)'], ['Shell']],
    [['WebFetch(a.com)'], false, ['Read(**)', 'Shell(*)', 'Write(**)', 'Mcp(*:*)'], ['WebFetch']],
    [['Mcp(db:query)'], false, ['Read(**)', 'Shell(*)', 'Write(**)', 'WebFetch(*)'], []],
  ])('custom with %j: force %s, denied as a whole %j', (allow, force, whole, onlyAllowed) => {
    const given = request({ preset: 'custom', allow: tokens(...allow), mcpServers: ['db'] });
    const policy = buildPolicy(given);
    const kinds = policy.deny.filter((rule) => coversKind(rule, rule.kind)).map(formatPermission);
    expect([policy.force, kinds, policy.onlyAllowed]).toEqual([force, whole, onlyAllowed]);
  });

  it.each(['Shell(*)', 'Shell(npm)'])('never passes --force for review, with %s', (token) => {
    expect(buildPolicy(request({ mode: 'agent', allow: tokens(token) })).force).toBe(false);
  });

  it('never lets an allow lift what the inputs deny', () => {
    const policy = buildPolicy(request({ allow: tokens('Shell(npm)'), deny: tokens('Shell(npm)') }));
    expect(texts(policy.deny)).toContain('Shell(npm)');
  });
});

describe('findUselessAllows', () => {
  it.each(['Shell(*)', 'Shell(*:*)', 'Shell(np*:*)'])('finds that deny: %s stops every command', (rule) => {
    const allow = tokens('Shell(npm)', 'Shell(npm:test)');
    expect(findUselessAllows(request({ preset: 'custom', allow, deny: tokens(rule) }))).toEqual([
      { wanted: 'Shell(npm)', why: 'denied', because: rule, by: 'input' },
      { wanted: 'Shell(npm:test)', why: 'denied', because: rule, by: 'input' },
    ]);
  });

  it.each([
    ['fix-ci', 'Write(.github/workflows/ci.yml)', 'Write(**/.github/**)'],
    ['fix-ci', 'Shell(git:log)', 'Shell(git)'],
  ] as const)('finds in %s that %s is stopped by %s', (preset, wanted, because) => {
    expect(findUselessAllows(request({ preset, allow: tokens(wanted) }))).toEqual([
      { wanted, why: 'denied', because, by: 'preset' },
    ]);
  });

  it.each([
    ['review', undefined, 'Shell(npm)', 'ask'],
    ['docs', 'ask', 'Write(notes/**)', 'ask'],
    ['custom', 'plan', 'Shell(npm)', 'plan'],
  ] as const)('finds that %s in mode %s can do nothing with %s', (preset, mode, wanted, because) => {
    expect(findUselessAllows(request({ preset, mode, allow: tokens(wanted) }))).toEqual([
      { wanted, why: 'mode', because },
    ]);
  });

  it('finds that the preset review allows no change, whatever the mode', () => {
    const given = { allow: tokens('Write(src/**)', 'Write(/tmp/out/**)'), mode: 'agent' } as const;
    expect(findUselessAllows(request(given))).toEqual([{ wanted: 'Write(src/**)', why: 'review' }]);
  });

  it.each([
    ['review', 'agent', 'Shell(npm)'],
    ['review', 'ask', 'Read(/etc/hosts)'],
    ['docs', undefined, 'Write(notes/**)'],
    ['docs', undefined, 'Shell(npm)'],
    ['fix-ci', undefined, 'Shell(git)'],
    ['fix-ci', undefined, 'WebFetch(example.com)'],
    ['custom', undefined, 'WebFetch(example.com)'],
  ] as const)('finds nothing wrong in %s, mode %s, with %s', (preset, mode, wanted) => {
    expect(findUselessAllows(request({ preset, mode, allow: tokens(wanted) }))).toEqual([]);
  });
});

describe('withReadable', () => {
  it('adds the folder as it may be written, unless everything may be read already', () => {
    const custom = buildPolicy(request({ preset: 'custom' }));
    expect(texts(withReadable(custom, '/tmp/run/context').allow)).toEqual(['Read(/tmp/run/context/**)']);
    expect(texts(withReadable(custom, 'C:\\run\\context').allow)).toEqual([
      'Read(C:\\run\\context/**)',
      'Read(C:/run/context/**)',
    ]);
    const review = buildPolicy(request());
    expect(withReadable(review, '/tmp/run/context')).toBe(review);
    const readable = withReadable(custom, '/tmp/run/context');
    expect(readable.onlyAllowed).toEqual(['Read']);
    expect(texts(readable.deny)).not.toContain('Read(**)');
    expect(texts(withoutHook(readable).deny)).toContain('Read(**)');
  });

  it('leaves what the inputs deny', () => {
    const deny = tokens('Read(**)');
    const custom = buildPolicy(request({ preset: 'custom', deny }));
    expect(texts(withReadable(custom, '/tmp/run/context', deny).deny)).toContain('Read(**)');
  });
});

describe('withRealPaths', () => {
  /** As on macOS. */
  const realPath = (path: string) => path.replace(/^\/tmp(?=\/|$)/, '/private/tmp');
  const given = (...deny: string[]) =>
    texts(withRealPaths({ ...buildPolicy(request()), deny: tokens(...deny) }, realPath).deny);

  it('adds where a link in an absolute path leads, because the CLI compares text', () => {
    expect(given('Read(/tmp/x/**)', 'Write(/tmp/a*/b)', 'Write(/tmp)')).toEqual([
      ...['Read(/tmp/x/**)', 'Read(/private/tmp/x/**)'],
      ...['Write(/tmp/a*/b)', 'Write(/private/tmp/a*/b)'],
      ...['Write(/tmp)', 'Write(/private/tmp)'],
    ]);
  });

  it('leaves every other rule as it is', () => {
    const rules = [
      'Read(/proc/**)',
      'Read(tmp/x)',
      'Write(**/tmp/**)',
      'Read(/*)',
      'Shell(/tmp/x)',
      'Mcp(*:*)',
    ];
    expect(given(...rules)).toEqual(rules);
  });

  it('does so for what is allowed, too', () => {
    const policy = buildPolicy(request({ preset: 'custom', allow: tokens('Write(/tmp/out/**)') }));
    expect(texts(withRealPaths(policy, realPath).allow)).toEqual([
      'Write(/tmp/out/**)',
      'Write(/private/tmp/out/**)',
    ]);
  });
});
