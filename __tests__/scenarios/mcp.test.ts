import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startGitServer, type GitServer } from '../context/git-server.js';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { runStep } from './step.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

const VALUE = 'mcp-env-value-1';
const CONFIG = {
  mcpServers: {
    docs: {
      command: 'npx',
      args: ['-y', 'docs-server', '--api-key', 'mcp-argument-1'],
      env: { DOCS_TOKEN: VALUE },
    },
    search: { url: 'https://mcp.example.com/v1', headers: { Authorization: 'Bearer mcp-header-value-1' } },
  },
};
const permissions = (cliJson: unknown) =>
  (cliJson as { permissions: { allow: string[]; deny: string[] } }).permissions;

describe('without mcp-config', () => {
  it.each(['review', 'docs', 'edit', 'fix-ci', 'custom'])(
    'no MCP server is approved or allowed: %s',
    async (preset) => {
      const canary = { mcpServers: { canary: { command: 'touch', args: ['canary'] } } };
      const workspace = makeWorkspace({ 'README.md': 'x', '.cursor/mcp.json': JSON.stringify(canary) });
      const agent = fakeAgent(ANSWERS);
      await runStep({ workspace, inputs: { 'cli-path': agent.path, preset } });
      const [seen] = agent.sightings();
      expect(seen?.argv).not.toContain('--approve-mcps');
      expect(permissions(seen?.cliJson).deny).toContain('Mcp(*:*)');
      expect(permissions(seen?.cliJson).allow.join()).not.toContain('Mcp(');
      expect(seen?.homeMcp).toBeUndefined();
      expect(existsSync(join(workspace, 'canary'))).toBe(false);
    },
  );

  it.each(['review', 'custom'])('allow alone does not lift the rule: %s', async (preset) => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ inputs: { 'cli-path': agent.path, preset, allow: 'Mcp(docs:find)' } });
    expect(step.errors[0]).toMatch(
      /allow: Mcp\(docs:find\) would have no effect, because no MCP server runs without mcp-config/,
    );
    expect(agent.sightings()).toEqual([]);
  });
});

describe('with mcp-config', () => {
  it('its servers alone are written to the private home, approved and allowed', async () => {
    const agent = fakeAgent(`
      const { statSync } = await import('node:fs');
      init(); say('mode ' + (statSync(process.env.HOME + '/.cursor/mcp.json').mode & 0o777).toString(8)); finish();
    `);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'mcp-config': JSON.stringify(CONFIG), deny: 'Mcp(docs:drop)' },
    });
    expect(step.errors).toEqual([]);
    const [seen] = agent.sightings();
    expect(seen?.argv.filter((argument) => argument === '--approve-mcps')).toHaveLength(1);
    expect(seen?.homeMcp).toEqual(CONFIG);
    const { allow, deny } = permissions(seen?.cliJson);
    expect(allow.filter((rule) => rule.startsWith('Mcp('))).toEqual(['Mcp(docs:*)', 'Mcp(search:*)']);
    expect(deny.filter((rule) => rule.startsWith('Mcp('))).toEqual(['Mcp(docs:drop)']);
    expect(step.outputs.get('result')).toBe('mode 600');
    expect(existsSync(join(step.workspace, '.cursor'))).toBe(false);
  });

  it('allow narrows a server to some of its tools', async () => {
    const agent = fakeAgent(ANSWERS);
    await runStep({
      inputs: { 'cli-path': agent.path, 'mcp-config': JSON.stringify(CONFIG), allow: 'Mcp(docs:find)' },
    });
    const { allow } = permissions(agent.sightings()[0]?.cliJson);
    expect(allow.filter((rule) => rule.startsWith('Mcp('))).toEqual(['Mcp(docs:find)', 'Mcp(search:*)']);
  });

  it('comes from a file of the workspace, or one named by its whole path', async () => {
    const text = JSON.stringify(CONFIG);
    const workspace = makeWorkspace({ 'ci/mcp.json': text });
    const outside = makeFolder();
    writeTree(outside, { 'mcp.json': text });
    for (const file of ['ci/mcp.json', join(outside, 'mcp.json')]) {
      const agent = fakeAgent(ANSWERS);
      await runStep({ workspace, inputs: { 'cli-path': agent.path, 'mcp-config': file } });
      expect(agent.sightings()[0]?.homeMcp).toEqual(CONFIG);
    }
    expect(statSync(join(workspace, 'ci/mcp.json')).isFile()).toBe(true);
  });

  it('has no server in it: then nothing is approved', async () => {
    const agent = fakeAgent(ANSWERS);
    await runStep({ inputs: { 'cli-path': agent.path, 'mcp-config': '{"mcpServers":{}}' } });
    expect(agent.sightings()[0]?.argv).not.toContain('--approve-mcps');
    expect(permissions(agent.sightings()[0]?.cliJson).deny).toContain('Mcp(*:*)');
  });

  it('what its env, headers and arguments hold is masked and in no sink', async () => {
    const values = [VALUE, 'mcp-header-value-1', 'mcp-argument-1'];
    const { path } = fakeAgent(`
      init(); const words = ${JSON.stringify(values.join(' '))};
      say(words); complain(words); call('1', 'shellToolCall', { command: words }, { success: { exitCode: 0, stdout: words } });
      finish(words);
    `);
    const step = await runStep({ inputs: { 'cli-path': path, 'mcp-config': JSON.stringify(CONFIG) } });
    const log = step.stdout.split('\n').filter((line) => !line.startsWith('::add-mask::'));
    const files = ['transcript-file', 'report-file', 'result-file'].map((name) =>
      readFileSync(step.outputs.get(name)!, 'utf8'),
    );
    for (const value of values) {
      expect(step.stdout).toContain(`::add-mask::${value}`);
      for (const sink of [...log, step.summary, ...step.outputs.values(), ...files])
        expect(sink).not.toContain(value);
    }
    expect(step.outputs.get('result')).toContain('***');
  });

  it.each<[string, string, RegExp]>([
    ['broken JSON', '{"mcpServers": {,', /mcp-config: not valid JSON/],
    ['no servers', '{"servers": {}}', /mcp-config: mcpServers: /],
    ['neither', '{"mcpServers":{"a":{}}}', /mcpServers\.a: give either "command".*or "url"/],
    ['both', '{"mcpServers":{"a":{"command":"x","url":"https://x"}}}', /mcpServers\.a: .*not both/],
    ['a wrong value', '{"mcpServers":{"a":{"command":"x","env":{"T":1}}}}', /mcpServers\.a\.env\.T: /],
    [
      'an unknown field',
      '{"mcpServers":{"a":{"command":"x","envv":{"T":"SECRET"}}}}',
      /mcpServers\.a: .*envv/,
    ],
    ['no address', '{"mcpServers":{"a":{"url":"file:///SECRET"}}}', /mcpServers\.a\.url: is not an http/],
    ['a name that is a pattern', '{"mcpServers":{"*":{"command":"x"}}}', /mcpServers\.\*: a name has/],
    ['a name that is a trap', '{"mcpServers":{"__proto__":{"command":"x"}}}', /__proto__: a name has/],
    ['a missing file', 'no/mcp.json', /mcp-config: "no\/mcp\.json" does not exist/],
    ['a file outside', '../../../etc/hostname', /mcp-config: .*(leads out of the workspace|does not exist)/],
  ])('is refused with the place of the mistake: %s', async (_name, config, words) => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({ inputs: { 'cli-path': agent.path, 'mcp-config': config } });
    expect(step.outputs.get('failure-reason')).toBe('invalid-input');
    expect(step.errors[0]).toMatch(words);
    expect(step.errors[0]).not.toContain('SECRET');
    expect(agent.sightings()).toEqual([]);
  });
});

describe('a file of a checkout that is not proven to be the default branch', () => {
  const servers = (name: string) => ({ mcpServers: { [name]: { command: 'npx', args: [name] } } });
  const READS = `init(); say(existsSync('AGENTS.md') ? readFileSync('AGENTS.md', 'utf8') : 'no rules'); finish();`;
  let server: GitServer | undefined;
  afterEach(() => server?.close());

  /** A branch that changes rules and servers, dispatched; the default branch is on a server. */
  async function dispatched(inputs: Record<string, string>, { isReachable = true, onMain = true } = {}) {
    const folder = makeFolder('server');
    const workspace = makeWorkspace({
      'AGENTS.md': 'rules of main',
      'README.md': 'x',
      ...(onMain ? { 'ci/mcp.json': JSON.stringify(servers('ours')) } : {}),
    });
    git(workspace, 'branch', '-M', 'main');
    git(folder, 'clone', '--quiet', '--bare', `file://${workspace}`, join(folder, 'acme', 'project'));
    git(workspace, 'checkout', '--quiet', '-b', 'feature');
    writeTree(workspace, { 'AGENTS.md': 'codeword xyzzy', 'ci/mcp.json': JSON.stringify(servers('theirs')) });
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'feature');
    // The checkout claims that its branch is the default one.
    git(workspace, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    server = await startGitServer(folder);
    const agent = fakeAgent(READS);
    const step = await runStep({
      workspace,
      inputs: { 'cli-path': agent.path, 'mcp-config': 'ci/mcp.json', ...inputs },
      env: {
        ...{ GITHUB_EVENT_NAME: 'workflow_dispatch', GITHUB_REF: 'refs/heads/feature' },
        ...{ GITHUB_SHA: git(workspace, 'rev-parse', 'HEAD').trim(), GITHUB_REPOSITORY: 'acme/project' },
        GITHUB_SERVER_URL: isReachable ? server.url : 'http://127.0.0.1:9',
      },
    });
    expect(step.errors).toEqual([]);
    const [seen] = agent.sightings();
    return { step, rules: step.outputs.get('result'), mcp: seen?.homeMcp, argv: seen?.argv ?? [] };
  }

  it('is read from the default branch, and so are the rules', async () => {
    const { step, rules, mcp } = await dispatched({});
    expect([rules, mcp]).toEqual(['rules of main', servers('ours')]);
    expect(step.stdout).toMatch(/The MCP servers are those of ci\/mcp\.json of the default branch/);
    expect(step.stdout).toMatch(/The project rules are those of the default branch/);
  });

  it('is as it is in the checkout if the workflow says head', async () => {
    const { rules, mcp } = await dispatched({ 'project-rules': 'head' });
    expect([rules, mcp]).toEqual(['codeword xyzzy', servers('theirs')]);
  });

  it('is none if the default branch cannot be fetched or has none; log and summary say so', async () => {
    const lost = await dispatched({}, { isReachable: false });
    expect([lost.rules, lost.mcp]).toEqual(['no rules', undefined]);
    expect(lost.argv).not.toContain('--approve-mcps');
    for (const text of [lost.step.stdout, lost.step.summary]) {
      expect(text).toMatch(/No MCP server runs, because the trusted version of mcp-config/);
      expect(text).toMatch(/project rules of the base could not be read/);
    }
    await server?.close();
    const { step, mcp } = await dispatched({}, { onMain: false });
    expect(mcp).toBeUndefined();
    for (const text of [step.stdout, step.summary])
      expect(text).toMatch(/No MCP server runs, because the default branch .* has no file/);
  });
});
