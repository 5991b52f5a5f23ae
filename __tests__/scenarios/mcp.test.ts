import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { runStep } from './step.js';
import { makeFolder, makeWorkspace, writeTree } from './workspace.js';

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
