// The vendor's own executor inside of the built action: what it asks our hook, what it runs, and what is applied. It is the
// code that the CLI is built from, but it reads no `.cursor/cli.json`. So these tests prove the hook, the layer, the
// namespaces and the network, and not the permission file.
import { afterAll, describe, expect, it } from '@jest/globals';
import { PRESETS } from '../../src/permissions/presets.js';
import { obstacle, removeAccounts, type Account } from '../scenarios/accounts.js';
import { git, makeWorkspace } from '../scenarios/workspace.js';
import type { Call } from './peer/backend.js';
import { answerTo, MCP_CONFIG, reportOf, runPeer, type PeerResult } from './run-peer.js';

/** One request to the executor, the presets that let it run, and the file that it then changes. */
interface Row extends Call {
  runs: readonly string[];
  changes?: string;
}
const row = (name: string, args: object, more: Omit<Row, keyof Call>): Row => ({
  name,
  args: { toolCallId: 'call', ...args },
  ...more,
});

const CUSTOM_ALLOW = ['Read(**)', 'Write(docs/**)', 'Shell(echo)', 'WebFetch(127.0.0.1)'].join('\n');
const ALL = ['review', 'docs', 'edit', 'fix-ci', 'custom'];
const DOCUMENTS = ['docs', 'edit', 'fix-ci', 'custom'];
const SOURCES = ['edit', 'fix-ci'];
const COMMANDS = ['fix-ci'];
const NEVER: readonly string[] = [];
const asksFor = (toolName: string) => ({
  request: { request: { case: 'preToolUse', value: { toolName, toolInput: '{"query":"x"}' } } },
});

/** The executor asks our hook before each of these, once. */
const ASKED: readonly Row[] = [
  row('readArgs', { path: '@WORKSPACE/README.md' }, { runs: ALL }),
  row('readArgs', { path: '@WORKSPACE/.env' }, { runs: NEVER }),
  row('readArgs', { path: '@WORKSPACE/.git/config' }, { runs: NEVER }),
  row('readArgs', { path: '/proc/self/environ' }, { runs: NEVER }),
  row('grepArgs', { pattern: 'text', path: '@WORKSPACE/src' }, { runs: ALL }),
  row('grepArgs', { pattern: 'x', path: '@WORKSPACE/.git' }, { runs: NEVER }),
  row('lsArgs', { path: '@WORKSPACE' }, { runs: ALL }),
  row('lsArgs', { path: '@WORKSPACE/.git' }, { runs: NEVER }),
  row('diagnosticsArgs', { path: '@WORKSPACE/src/a.ts' }, { runs: ALL }),
  row(
    'writeArgs',
    { path: '@WORKSPACE/docs/new.md', fileText: 'x' },
    { runs: DOCUMENTS, changes: 'docs/new.md' },
  ),
  row(
    'writeArgs',
    { path: '@WORKSPACE/docs/long.md', fileText: '@LONG' },
    { runs: DOCUMENTS, changes: 'docs/long.md' },
  ),
  row(
    'writeArgs',
    { path: '@WORKSPACE/src/new.ts', fileText: 'x' },
    { runs: SOURCES, changes: 'src/new.ts' },
  ),
  row('writeArgs', { path: '@WORKSPACE/.github/workflows/a.yml', fileText: '@LONG' }, { runs: NEVER }),
  row('writeArgs', { path: '@WORKSPACE/docs/../.cursor/rules/a.mdc', fileText: 'x' }, { runs: NEVER }),
  row('deleteArgs', { path: '@WORKSPACE/docs/old.md' }, { runs: DOCUMENTS, changes: 'docs/old.md' }),
  row('deleteArgs', { path: '@WORKSPACE/src/old.ts' }, { runs: SOURCES, changes: 'src/old.ts' }),
  row('deleteArgs', { path: '@WORKSPACE/.gitattributes' }, { runs: NEVER }),
  row('shellStreamArgs', { command: 'echo text' }, { runs: [...COMMANDS, 'custom'] }),
  row('shellStreamArgs', { command: 'echo text > made.txt' }, { runs: COMMANDS, changes: 'made.txt' }),
  row('shellStreamArgs', { command: '\n\t\n git log' }, { runs: NEVER }),
  row('shellStreamArgs', { command: 'git log @LONG' }, { runs: NEVER }),
  row('shellStreamArgs', { command: "env -S'git log'" }, { runs: NEVER }),
  row('shellStreamArgs', { command: "script -qc 'git log' /dev/null" }, { runs: NEVER }),
  row('shellStreamArgs', { command: 'coproc git log' }, { runs: NEVER }),
  row(
    'shellArgs',
    { command: 'echo x > whole.txt', parsingResult: {} },
    { runs: COMMANDS, changes: 'whole.txt' },
  ),
  row(
    'backgroundShellSpawnArgs',
    { command: 'sleep 30; eval "$(cat)"', enableWriteShellStdinTool: true },
    { runs: COMMANDS },
  ),
  // The hook is not shown the text.
  row('writeShellStdinArgs', { shellId: '@SHELL', chars: 'git log\n' }, { runs: NEVER }),
  // The executor itself fetches it.
  row('fetchArgs', { url: '@BACKEND/page' }, { runs: ['custom'] }),
  row('fetchArgs', { url: 'http://169.254.169.254/latest' }, { runs: NEVER }),
  row('mcpArgs', { name: 'demo-echo', toolName: 'echo', providerIdentifier: 'demo' }, { runs: NEVER }),
  row(
    'readMcpResourceExecArgs',
    { server: 'demo', uri: 'demo://text', downloadPath: 'docs/got.md' },
    { runs: NEVER },
  ),
  // Tools of the vendor's servers.
  row('executeHookArgs', asksFor('WebSearch'), { runs: NEVER }),
  row('executeHookArgs', asksFor('WebFetch'), { runs: NEVER }),
  row('executeHookArgs', asksFor('Task'), { runs: NEVER }),
];

/** These ask no hook, so they all run. What they change is judged afterwards. */
const UNASKED: readonly Row[] = [
  row('piBashArgs', { command: 'echo x > made.txt' }, { runs: SOURCES, changes: 'made.txt' }),
  row('piBashArgs', { command: 'mkdir .husky; echo x > .husky/pre-commit' }, { runs: NEVER }),
  row(
    'piWriteArgs',
    { path: '@WORKSPACE/docs/new.md', content: 'x' },
    { runs: DOCUMENTS, changes: 'docs/new.md' },
  ),
  row(
    'piWriteArgs',
    { path: '@WORKSPACE/src/new.ts', content: 'x' },
    { runs: SOURCES, changes: 'src/new.ts' },
  ),
  row('piWriteArgs', { path: '@WORKSPACE/.github/workflows/a.yml', content: 'x' }, { runs: NEVER }),
  row(
    'piEditArgs',
    { path: '@WORKSPACE/src/a.ts', edits: [{ oldText: 'text', newText: 'other' }] },
    { runs: SOURCES, changes: 'src/a.ts' },
  ),
  row('piEditArgs', { path: '@WORKSPACE/.npmrc', edits: [{ oldText: 'a', newText: 'b' }] }, { runs: NEVER }),
  row(
    'miniSweAgentBashArgs',
    { command: 'echo x > mini.txt', parsingResult: {} },
    { runs: SOURCES, changes: 'mini.txt' },
  ),
];

/** These read or tell something, and change nothing. They ask no hook. */
const HARMLESS: readonly Call[] = [
  ...['piReadArgs', 'piLsArgs'].map((name) => ({ name, args: { path: '@WORKSPACE/docs' } })),
  ...['piGrepArgs', 'piFindArgs'].map((name) => ({ name, args: { path: '@WORKSPACE', pattern: 'x' } })),
  { name: 'requestContextArgs', args: {} },
  { name: 'gitDiffRequest', args: { cwd: '@WORKSPACE' } },
  { name: 'mcpStateExecArgs', args: {} },
  ...['shell', 'mcp', 'webFetch'].map((kind) => ({ name: `${kind}AllowlistPrecheckArgs`, args: {} })),
  ...['forceBackgroundShellArgs', 'forceBackgroundSubagentArgs'].map((name) => ({ name, args: {} })),
  { name: 'subagentAwaitArgs', args: { agentId: 'nobody' } },
];
/** This executor has these messages, but nothing that does what they say. */
const WITHOUT_HANDLER = [
  ...['redactedRead', 'recordScreen', 'computerUse', 'smartModeClassifier', 'canvasDiagnostics'],
  ...['conversationSearch', 'agentStoreConflict', 'adopt'],
].map((name) => `${name}Args`);
/** Their tests are below. */
const OTHERS = ['subagentArgs', 'listMcpResourcesExecArgs'];

const FILES = {
  'README.md': '# Project\n',
  'docs/old.md': 'old\n',
  'src/a.ts': 'text\n',
  'src/old.ts': 'old\n',
  '.env': 'KEY=1\n',
  '.npmrc': 'a=1\n',
  '.gitattributes': '* text=auto\n',
};
const changedFiles = ({ workspace }: PeerResult): string[] =>
  git(workspace, '-c', 'safe.directory=*', 'status', '--porcelain', '--untracked-files=all')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.slice(3))
    .sort();
const changesOf = (rows: readonly Row[], preset: string): string[] =>
  rows
    .flatMap(({ runs, changes }) => (changes !== undefined && runs.includes(preset) ? [changes] : []))
    .sort();
const inputsOf = (preset: string) => ({ preset, ...(preset === 'custom' ? { allow: CUSTOM_ALLOW } : {}) });
const label = ({ name, args }: Call) => `${name} ${JSON.stringify(args)}`;

/** All of it as one account. Each has a file of its own, so that they run beside each other. */
export function describeCalls(account: Account): void {
  afterAll(removeAccounts);
  describe(`the runner is ${account}: the vendor’s executor`, () => {
    callsAs(account);
  });
}

function callsAs(account: Account): void {
  const missing = obstacle(account);
  if (missing !== undefined) {
    it(`was not tried here: ${missing}`, () => {
      expect(obstacle(account)).toBe(missing);
    });
    return;
  }
  const run = (preset: string, calls: readonly Call[], inputs = {}) =>
    runPeer(account, calls, {
      workspace: makeWorkspace(FILES),
      inputs: { ...inputsOf(preset), ...inputs },
    });

  describe.each(Object.keys(PRESETS))('with the preset %s', (preset) => {
    it('runs what the policy allows, and nothing else of what it asks for', async () => {
      expect(ALL).toContain(preset);
      const step = await run(preset, ASKED);
      const answers = ASKED.map((one, at) => `${label(one)}: ${answerTo(step.outcomes[at])}`);
      const expected = ASKED.map((one) => `${label(one)}: ${one.runs.includes(preset) ? 'ran' : 'denied'}`);
      expect(answers).toEqual(expected);
      expect(step.errors).toEqual([]);
      const allowed = ASKED.filter(({ runs }) => runs.includes(preset));
      expect(changedFiles(step)).toEqual(changesOf(ASKED, preset));
      const { hook, report } = reportOf(step);
      expect(hook).toMatchObject({ judged: ASKED.length, denied: ASKED.length - allowed.length });
      // The words of the executor are recognised as refusals in the stream.
      const announced = ASKED.filter(({ name }) => name !== 'executeHookArgs');
      expect(report.tools.map(({ state }) => state === 'denied')).toEqual(
        announced.map(({ runs }) => !runs.includes(preset)),
      );
    });

    it('applies nothing that the policy does not allow of what tools do that ask no hook', async () => {
      const step = await run(preset, UNASKED, { 'on-violation': 'revert' });
      // For a review even the layer is read-only.
      const answers = step.outcomes.map(answerTo);
      expect(answers.map((answer) => /read-only|ENOENT/i.test(answer))).toEqual(
        UNASKED.map(({ name }) => preset === 'review' && name !== 'piBashArgs'),
      );
      expect(reportOf(step).hook).toMatchObject({ judged: 0 });
      expect(step.outputs.get('failure-reason')).toBe('policy-violation');
      expect(changedFiles(step)).toEqual(changesOf(UNASKED, preset));
    });
  });

  it('understands no request that these tests do not know', async () => {
    const step = await run('docs', [...HARMLESS, ...WITHOUT_HANDLER.map((name) => ({ name, args: {} }))]);
    const known = [...ASKED, ...UNASKED, ...HARMLESS].map(({ name }) => name);
    expect([...step.requests].sort()).toEqual([...new Set([...known, ...WITHOUT_HANDLER, ...OTHERS])].sort());
    const answers = step.outcomes.map((one) => answerTo(one));
    expect(answers.filter((answer) => answer.includes('did not answer'))).toEqual([]);
    expect(answers.slice(HARMLESS.length)).toEqual(
      WITHOUT_HANDLER.map(() => expect.stringMatching(/No handler found|not enabled for this environment/)),
    );
    expect(step.errors).toEqual([]);
    expect(changedFiles(step)).toEqual([]);
    expect(reportOf(step).hook).toMatchObject({ judged: 0 });
  });

  it('starts a sub-agent without asking, but asks before each of its calls', async () => {
    const inner = [
      row('writeArgs', { path: '@WORKSPACE/docs/new.md', fileText: 'x' }, { runs: DOCUMENTS }),
      row('writeArgs', { path: '@WORKSPACE/src/new.ts', fileText: 'x' }, { runs: SOURCES }),
      row('shellStreamArgs', { command: 'echo x > made.txt' }, { runs: COMMANDS }),
    ];
    const args = { toolCallId: 'call', subagentType: 'generalPurpose', prompt: 'x' };
    const step = await run('docs', [{ name: 'subagentArgs', args, inner }]);
    expect(step.outcomes.map(answerTo)).toEqual(['ran', 'denied', 'denied', 'ran']);
    expect(reportOf(step).hook).toMatchObject({ judged: 3, denied: 2 });
    expect(changedFiles(step)).toEqual(['docs/new.md']);
  });

  it('cannot leave the isolation with a command that asks no hook', async () => {
    const commands = [
      'grep -la runtime-token-canary /proc/[0-9]*/environ',
      'sudo -n true',
      'echo x > .git/HEAD',
      'echo {} > ~/.cursor/hooks.json',
      'echo {} > .cursor/hooks.json',
      'touch /etc/made-by-agent',
      'timeout 5 bash -c ": < /dev/tcp/1.1.1.1/443"',
    ];
    const step = await run(
      'fix-ci',
      commands.map((command) => ({
        name: 'piBashArgs',
        args: { command: `if ${command}; then echo IT WORKED; fi` },
      })),
    );
    expect(step.outcomes.map(answerTo)).toEqual(commands.map(() => 'ran'));
    expect(step.outcomes.filter(({ outcome }) => JSON.stringify(outcome).includes('IT WORKED'))).toEqual([]);
    expect(changedFiles(step)).toEqual([]);
  });

  describe('with an MCP server', () => {
    const call = (tool: string) => ({
      name: 'mcpArgs',
      args: { toolCallId: 'call', name: `demo-${tool}`, toolName: tool, providerIdentifier: 'demo' },
    });
    const resource = (downloadPath?: string) => ({
      name: 'readMcpResourceExecArgs',
      args: { toolCallId: 'call', server: 'demo', uri: 'demo://text', downloadPath },
    });
    const CALLS = [
      { name: 'listMcpResourcesExecArgs', args: { server: 'demo' } },
      ...[call('echo'), call('other'), resource(), resource('docs/got.md'), resource('src/got.ts')],
    ];

    // The executor does not tell the hook which server a tool belongs to.
    it.each([
      ['the whole server is allowed', '', ['ran', 'ran', 'ran', 'ran', 'ran', 'denied'], ['docs/got.md']],
      ['one tool is allowed', 'Mcp(demo:echo)', ['ran', 'ran', 'denied', 'denied', 'denied', 'denied'], []],
    ])('of which %s', async (_, allow, answers, changed) => {
      const step = await run('docs', CALLS, { 'mcp-config': MCP_CONFIG, allow });
      expect(step.outcomes.map(answerTo)).toEqual(answers);
      expect(changedFiles(step)).toEqual(changed);
      expect(step.errors).toEqual([]);
    });
  });
}
