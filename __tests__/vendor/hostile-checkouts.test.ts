// What the vendor's own executor reads of a checkout and of HOME when it starts, and that the action shows it nothing of
// what steers agents. The name of the folder does not matter: the next agent's folder is not known yet.
import { afterAll, describe, expect, it } from '@jest/globals';
import { existsSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { classify } from '../../src/permissions/steering-files.js';
import { obstacle, removeAccounts, type Account } from '../scenarios/accounts.js';
import { makeFolder, makeWorkspace } from '../scenarios/workspace.js';
import { answerTo, reportOf, runPeer, traceExecutor } from './run-peer.js';

afterAll(removeAccounts);

const FOLDERS = [
  ...['.cursor', '.claude', '.agents', '.codex', '.grok', '.opencode', '.qwen', '.roo', '.kiro', '.next-one'],
  ...['sub/.cursor', 'sub/.claude', 'sub/.grok'],
];
const CANARY = 'touch "$TMPDIR/canary-of-a-hook"';
const named = (name: string, text: string) => `---\nname: ${name}\ndescription: ${text}\n---\n${text}\n`;
const planted = FOLDERS.flatMap((folder) => {
  const name = folder.replace(/\W+/g, '-');
  return Object.entries({
    'skills/planted/SKILL.md': named(`skill${name}`, 'planted skill'),
    'agents/planted.md': named(`agent${name}`, 'planted agent'),
    'commands/planted.md': 'planted command\n',
    'rules/planted.mdc': `---\nalwaysApply: true\n---\nplanted rule\n`,
    'hooks.json': JSON.stringify({ version: 1, hooks: { sessionStart: [{ command: CANARY }] } }),
    'settings.json': JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: CANARY }] }] },
    }),
    'mcp.json': JSON.stringify({ mcpServers: { planted: { command: 'sh', args: ['-c', CANARY] } } }),
  }).map(([path, text]) => [`${folder}/${path}`, text]);
});
const TEXTS = ['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md', '.cursorrules', 'sub/AGENTS.md', 'sub/CLAUDE.md'];
const HOSTILE = {
  'README.md': '# Project\n',
  'sub/a.ts': 'text\n',
  ...(Object.fromEntries(planted) as Record<string, string>),
  ...Object.fromEntries(TEXTS.map((path) => [path, 'planted text\n'])),
};

const LOOK = [
  { name: 'readArgs', args: { toolCallId: 'call', path: '@WORKSPACE/sub/a.ts' } },
  { name: 'requestContextArgs', args: {} },
  { name: 'mcpStateExecArgs', args: {} },
];

describe('the vendor’s executor alone', () => {
  const workspace = makeWorkspace(HOSTILE);
  const home = makeFolder('home');
  const { outcomes, trace = { paths: [], programs: [] } } = traceExecutor(workspace, home, LOOK);
  const below = (folder: string) =>
    trace.paths.map((path) => relative(folder, path)).filter((path) => !path.startsWith('..'));

  it('finds what a checkout plants, so that it would be noticed below', () => {
    const context = JSON.stringify(outcomes);
    for (const text of ['planted skill', 'planted agent', 'planted rule', 'planted text', '"planted"'])
      expect(context).toContain(text);
    expect(existsSync(join(home, 'canary-of-a-hook'))).toBe(true);
  });

  it('reads nothing of a checkout that is neither set aside nor harmless', () => {
    /** Files that are looked for, and what git itself needs. Shells are looked for as files, and never started. */
    const HARMLESS =
      /^(?:|\.git(?:\/.*)?|(?:.*\/)?\.git|(?:.*\/)?\.gitignore|bash|zsh|README\.md|sub(?:\/a\.ts)?)$/;
    const paths = below(workspace);
    const isFolder = (path: string) =>
      paths.some((one) => one.startsWith(`${path}/`)) ||
      statSync(join(workspace, path), { throwIfNoEntry: false })?.isDirectory() === true;
    const steers = (path: string) =>
      // A folder is known by what it could contain.
      ['', ...(isFolder(path) ? ['/x', '/SKILL.md', '/x.md', '/skills/x/SKILL.md', '/x/SKILL.md'] : [])].some(
        (rest) => classify(path + rest) !== undefined,
      );
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !HARMLESS.test(path) && !steers(path))).toEqual([]);
  });

  it('reads nothing of HOME that is not known', () => {
    const KNOWN = [
      /^\.cursor\/(?:hooks|mcp|sandbox)\.json$/,
      /^\.cursor\/(?:skills|skills-cursor|plugins\/local|projects)(?:\/|$)/,
      /^\.(?:claude|codex|agents|grok|cursor)(?:\/(?:skills|agents|settings\.json))?$/,
      /^(?:|canary-of-a-hook)$/,
    ];
    const paths = below(home);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !KNOWN.some((known) => known.test(path)))).toEqual([]);
  });

  it('starts no program of the checkout, and searches it for nothing that is not known', () => {
    const programs = trace.programs.map(([file = '']) => file.replace(/.*\//, ''));
    expect([...new Set(programs)].sort()).toEqual(['git', 'rg', 'sh']);
    expect(trace.programs.filter(([file = '']) => file.startsWith(workspace))).toEqual([]);
    const searched = trace.programs.flatMap((words) =>
      words.filter((word, at) => words[at - 1] === '--iglob' && !word.startsWith('!')),
    );
    expect([...new Set(searched)].sort()).toEqual(
      [
        ...['**/*.mdc', '**/.cursorignore', '**/.gitignore'],
        ...['.agents', '.claude', '.codex', '.cursor', '.grok'].map((folder) => `*/**/${folder}/**`),
        ...['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md'].map((name) => `*/**/${name}`),
      ].sort(),
    );
  });
});

describe.each<Account>(['root', 'sudo'])(
  'the runner is %s: in the action, the vendor’s executor',
  (account) => {
    const test = obstacle(account) === undefined ? it : it.skip;
    const calls = [...LOOK, { name: 'piBashArgs', args: { command: 'ls -a ~ /tmp "$TMPDIR"' } }];
    const run = (rules: string) =>
      runPeer(account, calls, {
        workspace: makeWorkspace(HOSTILE),
        inputs: { preset: 'fix-ci', 'project-rules': rules },
      });

    test('finds nothing that the checkout plants', async () => {
      const step = await run('none');
      expect(step.outcomes.map(answerTo)).toEqual(calls.map(() => 'ran'));
      // The status that git gives names the files, and nothing of their content.
      expect(JSON.stringify(step.outcomes)).not.toMatch(
        /planted (?:skill|agent|command|rule|text)|"planted"|canary/,
      );
      // Our hook is the only one.
      expect(JSON.stringify(step.outcomes)).toContain('"configuredSteps":["preToolUse"]');
      expect(reportOf(step).hook).toMatchObject({ judged: 1 });
      expect(step.outputs.get('has-changes')).toBe('false');
      expect(step.errors).toEqual([]);
    });

    test('finds rules of a checkout that is trusted, and still no hook and no server', async () => {
      const step = await run('head');
      const found = JSON.stringify(step.outcomes);
      for (const text of ['planted skill', 'planted rule', 'planted text']) expect(found).toContain(text);
      expect(found).toContain('"configuredSteps":["preToolUse"]');
      expect(found).not.toMatch(/canary|"serverName":"planted"/);
      expect(step.errors).toEqual([]);
    });
  },
);
