import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { answerHook, findReadDenial, judgeCall } from '../../src/permissions/judge-call.js';
import {
  describeHookDenial,
  formatHookPolicy,
  isForeignHook,
  parseHookDenial,
  readHookMessages,
  parseHookPolicy,
} from '../../src/permissions/hook-messages.js';
import { formatPermission, permissions } from '../../src/permissions/permission-token.js';
import { buildPolicy, withReadable, type PolicyRequest } from '../../src/permissions/policy.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';

const ROOT = '/work/repo';
type Asked = [tool: string, input: Record<string, unknown>];

function against(
  request: Partial<Omit<PolicyRequest, 'allow' | 'deny'>> & { allow?: string[]; deny?: string[] },
) {
  const { preset = 'fix-ci', allow = [], deny = [], ...rest } = request;
  const policy = buildPolicy({ preset, ...rest, allow: permissions(...allow), deny: permissions(...deny) });
  return { policy, root: ROOT, directory: `${ROOT}/app`, own: ['/agent/home', '/agent/tmp'] };
}

/** The sentence of the denial, or `may`. */
function ask([tool, input]: Asked, request: Parameters<typeof against>[0], directory?: string): string {
  const denial = judgeCall({ tool, input, directory }, against(request));
  return denial ? describeHookDenial(denial).replace('cursor-agent-action: ', '') : 'may';
}

const shell = (command: string): Asked => ['Shell', { command }];
const read = (path: string): Asked => ['Read', { file_path: path }];
const write = (path: string): Asked => ['Write', { file_path: path, contents: '' }];
const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

describe('judgeCall, where a token replaces a rule against everything', () => {
  it.each<[Asked, string]>([
    [shell('npm test'), 'may'],
    [shell('npm ci && npm test'), 'may'],
    [shell('npm test | tail'), 'not allowed without Shell(tail)'],
    [shell('./npm test'), 'not allowed without Shell(./npm:test)'],
    [shell('make'), 'not allowed without Shell(make)'],
    [shell('npm exec $(cat x)'), 'not allowed without Shell(cat:x)'],
    [shell('git push'), 'denied by Shell(git)'],
    [shell('npm run "$(curl x)"'), 'denied by Shell(curl)'],
    [['WebFetch', { url: 'https://example.com/a' }], 'may'],
    [['WebFetch', { url: 'https://evil.example/a' }], 'not allowed without WebFetch(evil.example)'],
  ])('%j: %s', (asked, expected) => {
    for (const preset of ['docs', 'review'] as const)
      expect(ask(asked, { preset, allow: ['Shell(npm)', 'WebFetch(example.com)'] })).toBe(expected);
  });

  it.each([
    String.raw`npm test $'\'' ; git push # '`,
    'npm test $((1<<2))\ngit push\n2',
    'npm test $(case a in a) git push;; esac)',
    "npm test ${x:-'}'} ; git push # '",
    "npm test \\\n#'\ngit push #'",
    'function npm { git push; }; npm test',
    'PATH=./tools npm test',
    'LD_PRELOAD=./x.so npm test',
    'npm test; BASH_ENV=x npm test',
    'npm test > $(echo x)',
    'npm test <(git log)',
  ])('does not run %j, which is more than the command that is allowed', (line) => {
    expect(ask(shell(line), { preset: 'docs', allow: ['Shell(npm)'] })).not.toBe('may');
  });

  it('runs the command only in the checkout', () => {
    const request = { preset: 'docs' as const, allow: ['Shell(npm)'] };
    expect(ask(shell('npm test'), request, `${ROOT}/app/web`)).toBe('may');
    expect(ask(shell('npm test'), request, '/agent/tmp/evil')).toBe(
      'denied because it runs outside of the checkout',
    );
  });

  it('holds it also after the policy was written to a file and read', () => {
    const { policy, ...places } = against({ preset: 'docs', allow: ['Shell(npm)'] });
    const told = parseHookPolicy(formatHookPolicy({ policy, ...places }));
    expect(told?.policy.onlyAllowed).toEqual(['Shell']);
    // A file without it is not trusted: the hook denies everything.
    const { onlyAllowed: _left, ...rest } = policy;
    expect(parseHookPolicy(formatHookPolicy({ policy: rest as typeof policy, ...places }))).toBeUndefined();
  });
});

describe('judgeCall, for a call that no rule allows', () => {
  it.each<[Asked]>([
    [read('src/a.ts')],
    [write('src/a.ts')],
    [write(`${ROOT}/other/a.ts`)],
    [['Grep', { pattern: 'x' }]],
    [shell('npm test')],
  ])('names a token that allows it, also below the top of the checkout: %j', (asked) => {
    const others = ['Read(x)', 'Write(x)', 'Shell(x)'];
    const [, token = ''] =
      /^not allowed without (.*)$/.exec(ask(asked, { preset: 'custom', allow: others })) ?? [];
    expect(ask(asked, { preset: 'custom', allow: [token] })).toBe('may');
  });
});

describe('judgeCall, for every preset', () => {
  it.each<[Asked, Record<PresetName, string>]>([
    [
      shell('npm test'),
      {
        review: 'denied by Shell(*)',
        docs: 'denied by Shell(*)',
        edit: 'denied by Shell(*)',
        'fix-ci': 'may',
        custom: 'denied by Shell(*)',
      },
    ],
    [
      shell('make'),
      {
        review: 'denied by Shell(*)',
        docs: 'denied by Shell(*)',
        edit: 'denied by Shell(*)',
        'fix-ci': 'may',
        custom: 'denied by Shell(*)',
      },
    ],
    [
      shell('git push'),
      {
        review: 'denied by Shell(*)',
        docs: 'denied by Shell(*)',
        edit: 'denied by Shell(*)',
        'fix-ci': 'denied by Shell(git)',
        custom: 'denied by Shell(*)',
      },
    ],
    [
      read('src/a.ts'),
      { review: 'may', docs: 'may', edit: 'may', 'fix-ci': 'may', custom: 'denied by Read(**)' },
    ],
    [
      write('src/a.ts'),
      {
        review: 'denied by Write(**)',
        docs: 'not allowed without Write(src/a.ts)',
        edit: 'may',
        'fix-ci': 'may',
        custom: 'denied by Write(**)',
      },
    ],
    [
      write('README.md'),
      {
        review: 'denied by Write(**)',
        docs: 'may',
        edit: 'may',
        'fix-ci': 'may',
        custom: 'denied by Write(**)',
      },
    ],
    [
      ['Grep', { pattern: 'x' }],
      { review: 'may', docs: 'may', edit: 'may', 'fix-ci': 'may', custom: 'denied by Read(**)' },
    ],
    [
      ['TodoWrite', { todos: [] }],
      { review: 'may', docs: 'may', edit: 'may', 'fix-ci': 'may', custom: 'may' },
    ],
    [
      ['List', { file_path: 'src', ignore: [] }],
      { review: 'may', docs: 'may', edit: 'may', 'fix-ci': 'may', custom: 'denied by Read(**)' },
    ],
    [
      ['CreateGoal', { objective: 'x' }],
      { review: 'may', docs: 'may', edit: 'may', 'fix-ci': 'may', custom: 'may' },
    ],
  ])('%j', (asked, expected) => {
    expect(Object.fromEntries(PRESET_NAMES.map((preset) => [preset, ask(asked, { preset })]))).toEqual(
      expected,
    );
  });

  it.each<[Asked, RegExp]>([
    [read('.git/config'), /^denied by Read\(\*\*\/\.git\/\*\*\)$/],
    [read('/proc/self/environ'), /^denied by Read\(\/proc\/\*\*\)$/],
    [read('.ENV.local'), /^denied by Read\(\*\*\/\.env\*\)$/],
    [['Grep', { pattern: 'x', path: '.git' }], /^denied by Read/],
    [write(`${ROOT}/.github/workflows/ci.yml`), /^denied by Write/],
    [write('../.cursor/cli.json'), /^denied by Write/],
    [['Delete', { path: 'AGENTS.md' }], /^denied by Write/],
    [['Task', { prompt: 'push it' }], /^denied because sub-agents cannot be allowed/],
    [['MCP:Task', {}], /^denied because sub-agents cannot be allowed/],
    [['WebSearch', { query: 'x' }], /^denied by WebFetch\(\*\)$/],
    [['WebFetch', { url: 'https://example.com/' }], /^denied by WebFetch\(\*\)$/],
    [['MCP:query', {}], /^denied by Mcp\(\*:\*\)$/],
    [['WriteShellStdin', { shell_id: 1, chars_length: 9 }], /^denied (by Shell|because text that is typed)/],
    [['List', { file_path: '.git' }], /^denied by Read/],
    [['ReadMcpResource', {}], /^denied by Mcp\(\*:\*\)$/],
    [['ComputerUse', {}], /^denied because this version does not know the tool ComputerUse$/],
    [['', {}], /^denied because this version does not know the tool without a name$/],
  ])('%j is denied by all: %s', (asked, expected) => {
    for (const preset of PRESET_NAMES) {
      const allow = preset === 'custom' ? ['Read(**)', 'Write(**)'] : [];
      expect(ask(asked, { preset, allow })).toMatch(expected);
    }
  });
});

describe('judgeCall, for the preset custom', () => {
  const CALLS: readonly [string, Asked][] = [
    ['read', read('src/a.ts')],
    ['write', write('src/a.ts')],
    ['write elsewhere', write('/etc/profile.d/x.sh')],
    ['command', shell(`node -e 'require("fs").writeFileSync("x", "")'`)],
    ['command that cannot be read', shell('$(cat x) "')],
    ['page', ['WebFetch', { url: 'https://example.com/' }]],
    ['search', ['WebSearch', { query: 'x' }]],
    ['mcp', ['MCP:query', {}]],
  ];
  it.each<[string[], string[]]>([
    [[], []],
    [['Read(src/**)'], ['read']],
    [['Write(**)'], ['read', 'write', 'write elsewhere']],
    [['Write(src/**)'], ['read', 'write']],
    [['Shell(node)'], ['command']],
    [['Shell(*)'], ['command', 'command that cannot be read']],
    [['WebFetch(example.com)'], ['page']],
    [['WebFetch(*)'], ['page', 'search']],
  ])('%j lets through %j, and nothing else', (allow, expected) => {
    const calls = CALLS.filter(
      ([, asked]) => ask(asked, { preset: 'custom', allow, mcpServers: ['db'] }) === 'may',
    );
    expect(calls.map(([name]) => name)).toEqual(expected);
  });
});

describe('commands', () => {
  it.each([
    '/usr/bin/git push',
    `bash -lc 'git push'`,
    'env git push',
    'npm test && git push',
    'ls | xargs git add',
    'echo $(git log)',
    'p=git; $p push',
    'git push "',
    'GIT push',
    '\n\n\tgit push',
    'git\tpush',
    `env -S'git push'`,
    `env -iS 'git push'`,
    `env --split-string='git push'`,
    `script -qc 'git push' /dev/null`,
    `script --command='git push' log`,
    'script -q /dev/null git push',
    'script -q -- git push',
    'coproc git push',
    'coproc P { git push; }',
  ])('%j is denied where git is', (line) => {
    expect(ask(shell(line), {})).toMatch(/^denied by Shell\((git|env)\)$/);
  });

  it.each([
    'grep -rn git src',
    'npm run git-hooks',
    'echo "no git here"',
    './configure && make',
    'cat docs/git.md',
  ])('%j is not about git', (line) => {
    expect(ask(shell(line), {})).toBe('may');
  });

  it('reads the arguments of a rule', () => {
    expect(ask(shell('npm publish --tag x'), { deny: ['Shell(npm:publish*)'] })).toBe(
      'denied by Shell(npm:publish*)',
    );
    expect(ask(shell('npm test'), { deny: ['Shell(npm:publish*)'] })).toBe('may');
    const custom = { preset: 'custom' as const, allow: ['Shell(npm:test*)'] };
    expect(ask(shell('npm test -- a'), custom)).toBe('may');
    expect(ask(shell('npm publish'), custom)).toMatch(/^not allowed/);
    expect(ask(shell('npm test; make'), custom)).toBe('not allowed without Shell(make)');
    expect(ask(shell('env -S npm publish'), { deny: ['Shell(npm:publish*)'], allow: ['Shell(env)'] })).toBe(
      'denied by Shell(npm:publish*)',
    );
  });

  it('may begin with blank lines and tabs', () => {
    const custom = { preset: 'custom' as const, allow: ['Shell(npm)'] };
    expect(ask(shell('\n\n\tnpm test\n'), custom)).toBe('may');
    expect(ask(shell('npm\ttest'), custom)).toBe('may');
    expect(ask(shell('npm test\nmake'), custom)).toBe('not allowed without Shell(make)');
  });

  it('that run already take text only if every command may run', () => {
    const typed: Asked = ['WriteShellStdin', { shell_id: 1, chars_length: 9 }];
    expect(ask(typed, { preset: 'custom', allow: ['Shell(npm)'] })).toMatch(/typed into/);
    // The rules against single commands cannot be held for it.
    expect(ask(typed, { preset: 'fix-ci' })).toMatch(/typed into/);
    const free = against({ preset: 'custom', allow: ['Shell(*)'] });
    const deny = free.policy.deny.filter(({ kind }) => kind !== 'Shell');
    const judged = { ...free, policy: { ...free.policy, deny } };
    expect(judgeCall({ tool: typed[0], input: typed[1] }, judged)).toBeUndefined();
  });

  it('does not take a program in a folder for the one that is allowed, nor a line that it cannot read', () => {
    const custom = { preset: 'custom' as const, allow: ['Shell(npm)'] };
    expect(ask(shell('./npm test'), custom)).toMatch(/^not allowed/);
    expect(ask(shell('$X test'), custom)).toBe('not allowed without Shell(*)');
    expect(ask(shell('$X test'), { ...custom, allow: ['Shell(*)'] })).toBe('may');
  });
});

describe('paths', () => {
  it('start from the directory of the call, and are judged without dots', () => {
    expect(ask(write('../../repo/.git/config'), {}, `${ROOT}/app`)).toMatch(/^denied by/);
    expect(ask(write('config'), {}, `${ROOT}/.git`)).toMatch(/^denied by/);
    expect(ask(write(`${ROOT}/x/../.GitHub/a.yml`), {})).toMatch(/^denied by/);
    expect(ask(write('.g\u200cit/config'), {})).toMatch(/^denied by/);
    expect(ask(['Read', { path: `file://${ROOT}/.env` }], {})).toMatch(/^denied by/);
    expect(ask(['Read', { path: '.git\\config' }], {})).toMatch(/^denied by/);
  });

  it('outside of the checkout need a rule without force, except in the agent’s own folders', () => {
    const custom = { preset: 'custom' as const, allow: ['Read(app/**)', 'Write(app/**)'] };
    expect(ask(read('/etc/passwd'), custom)).toBe('not allowed without Read(/etc/passwd)');
    expect(ask(write('/etc/passwd'), custom)).toBe('not allowed without Write(/etc/passwd)');
    expect(ask(read('~/.cursor/projects/x/terminals/1.txt'), custom)).toBe('may');
    expect(ask(write('/agent/tmp/x'), custom)).toBe('may');
    expect(ask(write('/agent/temporary/x'), custom)).toMatch(/^not allowed/);
  });

  it('that may be written may be read, because an edit asks as Read first', () => {
    const custom = { preset: 'custom' as const, allow: ['Write(src/**)'] };
    expect(ask(read('src/a.ts'), custom)).toBe('may');
    expect(ask(['Grep', { path: 'src' }], custom)).toBe('may');
    expect(ask(read('b.ts'), custom)).toMatch(/^not allowed/);
  });

  it('of the context may be read', () => {
    const policy = withReadable(against({ preset: 'custom' }).policy, '/run/context');
    const judged = { ...against({ preset: 'custom' }), policy };
    const readOf = (path: string) => judgeCall({ tool: 'Read', input: { path } }, judged);
    expect(readOf('/run/context/diff.md')).toBeUndefined();
    expect(readOf(`${ROOT}/src/a.ts`)).toMatchObject({ by: 'no-rule' });
  });

  it.each<Asked>([
    ['ApplyPatch', { patch: '*** Begin Patch\n*** Update File: src/a.ts\n*** Add File: .github/x.yml\n' }],
    ['ApplyPatch', { patch: '--- a/src/a.ts\n+++ b/.github/x.yml\n' }],
    ['StrReplace', { path: '.github/x.yml', old_string: '', new_string: '' }],
    ['', { path: '.github/x.yml', contents: '' }],
  ])('%j are found in what an edit names', (...asked) => {
    expect(ask(asked, {})).toMatch(/^denied by Write\(\*\*\/\.github/);
  });

  it('must be named by a write', () => {
    expect(ask(['Write', { contents: 'x' }], {})).toMatch(/names no path/);
  });

  it('of a review are never written, whatever else is allowed', () => {
    expect(ask(write('docs/a.md'), { preset: 'review', allow: ['Write(docs/**)'] })).toMatch(/preset review/);
  });
});

describe('web, MCP and modes', () => {
  it('a site needs its rule, a search the rule for all', () => {
    const one = { preset: 'custom' as const, allow: ['WebFetch(*.example.com)'] };
    expect(ask(['WebFetch', { url: 'https://docs.example.com/x' }], one)).toBe('may');
    expect(ask(['WebFetch', { url: 'https://example.org/x' }], one)).toBe(
      'not allowed without WebFetch(example.org)',
    );
    expect(ask(['WebFetch', {}], one)).toMatch(/^not allowed/);
    expect(ask(['WebSearch', { query: 'x' }], one)).toBe('not allowed without WebFetch(*)');
    expect(ask(['WebSearch', { query: 'x' }], { allow: ['WebFetch(*)'] })).toBe('may');
  });

  it('a tool needs a server that is configured and may do it', () => {
    const servers = { mcpServers: ['db'] };
    expect(ask(['MCP:query', {}], servers)).toBe('may');
    expect(ask(['MCP:other:query', {}], servers)).toBe('not allowed without Mcp(other:query)');
    expect(ask(['MCP:query', { server: 'other' }], servers)).toMatch(/^not allowed/);
    const narrowed = { ...servers, allow: ['Mcp(db:query)'] };
    expect(ask(['MCP:query', {}], narrowed)).toBe('may');
    expect(ask(['MCP:drop', {}], narrowed)).toBe('not allowed without Mcp(db:drop)');
    expect(ask(['MCP:query', {}], { ...servers, deny: ['Mcp(*:query)'] })).toBe('denied by Mcp(*:query)');
  });

  it('a tool whose server is not named must be allowed on each of them', () => {
    const two = { mcpServers: ['a', 'b'], allow: ['Mcp(a:query)'] };
    expect(ask(['MCP:query', {}], two)).toBe('may');
    expect(ask(['MCP:drop', {}], two)).toBe('not allowed without Mcp(a:drop)');
    expect(ask(['CallMcpTool', { server: 'a', toolName: 'query' }], two)).toBe('may');
    expect(ask(['CallMcpTool', { server: 'a', toolName: 'drop' }], two)).toMatch(/^not allowed/);
    expect(ask(['CallMcpTool', { toolName: 'drop' }], two)).toMatch(/^not allowed/);
    expect(ask(['CallMcpTool', {}], two)).toBe('denied because no Mcp rule allows it');
  });

  it('a resource needs the whole server, and a rule for the file that it is saved to', () => {
    const resource = (more: object): Asked => ['FetchMcpResource', { server: 'db', uri: 'db://x', ...more }];
    const servers = { preset: 'docs' as const, mcpServers: ['db'] };
    expect(ask(resource({}), servers)).toBe('may');
    expect(ask(resource({ server: 'other' }), servers)).toBe('not allowed without Mcp(other:*)');
    expect(ask(resource({ server: undefined }), { ...servers, mcpServers: ['db', 'b'] })).toBe('may');
    expect(ask(resource({}), { ...servers, allow: ['Mcp(db:query)'] })).toBe('not allowed without Mcp(db:*)');
    expect(ask(resource({ download_path: 'docs/a.md' }), servers)).toBe('may');
    expect(ask(resource({ download_path: 'src/a.ts' }), servers)).toBe('not allowed without Write(src/a.ts)');
    expect(ask(resource({ download_path: '.github/workflows/a.yml' }), servers)).toMatch(/^denied by Write/);
  });

  it('a run that may only read stays one', () => {
    expect(ask(['SwitchMode', { mode: 'agent' }], { preset: 'review' })).toMatch(
      /the mode of this run is ask/,
    );
    expect(ask(['SwitchMode', { mode: 'plan' }], {})).toBe('may');
  });
});

describe('what the model adds to a call', () => {
  const answer = (tool: string, input: object, request: Parameters<typeof against>[0]) =>
    (
      JSON.parse(
        answerHook(JSON.stringify({ tool_name: tool, tool_input: input, cwd: `${ROOT}/app` }), {
          ...against(request),
          reportTo: undefined,
        }).answer,
      ) as { permission: string }
    ).permission;

  it('does not move the paths of a file tool elsewhere', () => {
    const input = { file_path: 'src/x.js', contents: '', working_directory: '/agent/tmp' };
    expect(answer('Write', input, { preset: 'docs' })).toBe('deny');
  });

  it('does not choose the MCP server whose rules hold', () => {
    const request = { mcpServers: ['a', 'b'], allow: ['Mcp(a:*)', 'Mcp(b:*)'], deny: ['Mcp(b:del)'] };
    expect(answer('MCP:del', { server_name: 'a' }, request)).toBe('deny');
    expect(answer('MCP:get', {}, request)).toBe('allow');
  });

  it('does not hide a site behind another spelling of its name', () => {
    const request = { allow: ['WebFetch(*)'], deny: ['WebFetch(evil.com)'] };
    for (const url of ['https://evil.com./x', 'https://EVIL.com/', 'evil.com/x'])
      expect(answer('WebFetch', { url }, request)).toBe('deny');
    expect(answer('WebFetch', { url: 'https://good.com/' }, request)).toBe('allow');
  });
});

describe('the rule against a read', () => {
  it.each([
    ['.env', 'Read(**/.env*)'],
    ['/repo/app/../.env', 'Read(**/.env*)'],
    ['/proc/1/environ', 'Read(/proc/**)'],
    ['README.md', undefined],
  ])('of %s is %s', (path, expected) => {
    const rule = findReadDenial(path, against({}));
    expect(rule && formatPermission(rule)).toBe(expected);
  });
});

describe('the hook’s own words', () => {
  it('are found again in what the CLI makes of them', () => {
    for (const rule of ['Shell(git)', 'Write(**/.github/**)', 'Write(a (b).md)', 'Mcp(*:*)']) {
      const [token] = permissions(rule);
      for (const by of ['rule', 'no-rule'] as const) {
        const denial = { by, token: token! };
        const sentence = describeHookDenial(denial);
        for (const text of [
          sentence,
          `Shell blocked by preToolUse hook: ${sentence}`,
          `File read was blocked by a hook: ${sentence}\n\nTo view or modify configured hooks, go to Settings (x).`,
        ])
          expect(parseHookDenial(text)).toEqual(denial);
      }
    }
    const action = { by: 'action' as const, why: 'sub-agents cannot be allowed' };
    expect(parseHookDenial(`x: ${describeHookDenial(action)}`)).toEqual(action);
    for (const text of [
      '',
      'blocked by a hook: no',
      'cursor-agent-action: denied by x',
      'cursor-agent-action:',
      // A command that only speaks of it.
      '"echo cursor-agent-action: denied by Shell(x)" was blocked by a hook',
    ])
      expect(parseHookDenial(text)).toBeUndefined();
  });

  const OUR_PROGRAM = "'/opt/node' '/tmp/cursor-agent-a1/sandbox/agents/0/hook/hook.cjs'";
  const NOT_ANSWERED = 'the hook of this action did not answer';
  const failing = (command: string) =>
    `Tool blocked because this hook is configured to fail closed (block when it fails). Hook "${command}" returned no output.`;
  it('are found among the messages of other hooks, of which each has a line', () => {
    const [token] = permissions('Shell(git)');
    const own = { by: 'rule' as const, token: token! };
    const sentence = describeHookDenial(own);
    for (const [text, expected] of [
      [sentence, { own, others: [] }],
      [`not here\n${sentence}`, { own, others: ['not here'] }],
      [`${sentence}\nnot here\n`, { own, others: ['not here'] }],
      [`MCP tool execution was blocked by a hook: ${sentence}\nno`, { own, others: ['no'] }],
      ['no\nnever', { own: undefined, others: ['no', 'never'] }],
      [
        failing(OUR_PROGRAM),
        { own: { by: 'action', why: `${NOT_ANSWERED}: returned no output.` }, others: [] },
      ],
      [failing('/etc/cursor/hook.cjs'), { own: undefined, others: [failing('/etc/cursor/hook.cjs')] }],
    ] as const) {
      expect(readHookMessages(text)).toEqual(expected);
      expect(isForeignHook(readHookMessages(text))).toBe(expected.others.length > 0);
    }
  });

  it('come back from the policy file as they went in', () => {
    const policy = { ...against({ allow: ['Write(docs/**)'] }), reportTo: '/x/reports' };
    expect(parseHookPolicy(formatHookPolicy(policy))).toEqual(policy);
    for (const text of ['', '{}', '[]', 'null', '{"policy":{"allow":[],"deny":["x"]}}'])
      expect(parseHookPolicy(text)).toBeUndefined();
    const whole = JSON.parse(formatHookPolicy(policy)) as Record<string, unknown>;
    for (const field of ['policy', 'root', 'directory', 'own'])
      expect(parseHookPolicy(JSON.stringify({ ...whole, [field]: undefined }))).toBeUndefined();
  });

  it('answer any question, and deny what they cannot read', () => {
    const policy = against({});
    const permissionOf = (question: string, given: typeof policy | undefined = policy) =>
      (JSON.parse(answerHook(question, given).answer) as { permission: string }).permission;
    expect(permissionOf(JSON.stringify({ tool_name: 'Shell', tool_input: { command: 'make' } }))).toBe(
      'allow',
    );
    expect(permissionOf(JSON.stringify({ tool_name: 'Shell', tool_input: '{"command":"make"}' }))).toBe(
      'allow',
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (question) => {
        expect(permissionOf(question)).toBe('deny');
      }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('Shell', 'Read', 'Write', 'Task', 'WebFetch', 'MCP:x'),
        fc.jsonValue(),
        (tool, input) => {
          expect(['allow', 'deny']).toContain(
            permissionOf(JSON.stringify({ tool_name: tool, tool_input: input })),
          );
        },
      ),
    );
  });

  it('deny everything without a policy', () => {
    const { answer } = answerHook('{"tool_name":"TodoWrite","tool_input":{}}', undefined);
    expect(JSON.parse(answer)).toMatchObject({ permission: 'deny' });
  });
});
