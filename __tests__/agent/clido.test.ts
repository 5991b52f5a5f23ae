import { describe, expect, it } from '@jest/globals';
import { clido } from '../../src/agent/clido.js';
import { permissions as tokens } from '../../src/permissions/permission-token.js';
import { buildPolicy, type PolicyRequest } from '../../src/permissions/policy.js';

function flags(
  request: Partial<PolicyRequest>,
  more: { model?: string; resume?: string; extraArgs?: string[] } = {},
) {
  const policy = buildPolicy({ preset: 'review', allow: [], deny: [], ...request });
  const args = clido.args({ model: 'auto', policy, extraArgs: [], ...more });
  const valueOf = (flag: string) => args[args.indexOf(flag) + 1]?.split(',') ?? [];
  return {
    args,
    mode: valueOf('--permission-mode'),
    allowed: valueOf('--allowed-tools'),
    disallowed: valueOf('--disallowed-tools'),
  };
}

const READ = ['Read', 'Glob', 'Grep', 'Ls', 'SemanticSearch'];
const WRITE = ['Write', 'Edit', 'MultiEdit', 'ApplyPatch'];

describe('clido', () => {
  it.each<[string, Partial<PolicyRequest>, string, string[]]>([
    ['review', { preset: 'review' }, 'plan', [...READ, 'TodoWrite']],
    ['docs', { preset: 'docs' }, 'accept-all', [...READ, ...WRITE, 'TodoWrite']],
    ['edit', { preset: 'edit' }, 'accept-all', [...READ, ...WRITE, 'TodoWrite']],
    ['fix-ci', { preset: 'fix-ci' }, 'accept-all', [...READ, ...WRITE, 'Bash', 'TodoWrite']],
    ['custom with nothing', { preset: 'custom' }, 'plan', ['TodoWrite']],
    [
      'fix-ci, only to plan',
      { preset: 'fix-ci', mode: 'plan' },
      'plan',
      [...READ, ...WRITE, 'Bash', 'TodoWrite'],
    ],
    [
      'fix-ci without the shell',
      { preset: 'fix-ci', deny: tokens('Shell(*)') },
      'accept-all',
      [...READ, ...WRITE, 'TodoWrite'],
    ],
    [
      'fix-ci without any command',
      { preset: 'fix-ci', deny: tokens('Shell(*:*)') },
      'accept-all',
      [...READ, ...WRITE, 'TodoWrite'],
    ],
    [
      'custom with the web',
      { preset: 'custom', allow: tokens('WebFetch(*)') },
      'plan',
      ['WebFetch', 'WebSearch', 'TodoWrite'],
    ],
  ])('maps %s to its tools', (...row) => {
    const [, request, mode, allowed] = row;
    const seen = flags(request);
    expect(seen.mode).toEqual([mode]);
    expect([...seen.allowed].sort()).toEqual([...allowed].sort());
    expect(seen.disallowed.filter((tool) => allowed.includes(tool))).toEqual([]);
  });

  it.each(['review', 'docs', 'edit', 'fix-ci', 'custom'] as const)(
    'never has a tool in %s that goes around the rules',
    (preset) => {
      const { allowed, disallowed } = flags({ preset });
      for (const tool of ['Git', 'TestLoop', 'ExitPlanMode', 'SpawnWorker', 'SpawnReviewer']) {
        expect(allowed).not.toContain(tool);
        expect(disallowed).toContain(tool);
      }
    },
  );

  it('reads the prompt from stdin: nothing on its command line is taken for one', () => {
    const { args } = flags({}, { model: 'gpt-5', resume: 'abc', extraArgs: ['--provider', 'openai'] });
    expect(args).not.toContain('-p');
    expect(args).not.toContain('-q');
    expect(args.slice(0, 2)).toEqual(['--output-format', 'stream-json']);
    expect(args.slice(-6)).toEqual(['--model', 'gpt-5', '--resume', 'abc', '--provider', 'openai']);
  });

  it('has no model called auto', () => {
    expect(flags({}).args).not.toContain('--model');
  });

  it('gets a configuration in the place of the checkout’s, and no repository to commit to', () => {
    const policy = buildPolicy({ preset: 'review', allow: [], deny: [] });
    const files = clido.projectFiles(policy, '/w');
    expect(Object.keys(files)).toEqual(['.clido/config.toml']);
    expect(files['.clido/config.toml']).not.toMatch(/hooks|api_key|base_url/);
    expect(clido.homeFiles(policy, '/w', {})).toEqual({});
    expect(clido.environment(undefined)).toEqual({ GIT_DIR: '/dev/null' });
  });
});
