import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildPolicy } from '../../src/permissions/policy.js';
import {
  classify,
  isNeverWritable,
  mayMatter,
  NOT_WRITABLE,
  steeringFolders,
} from '../../src/permissions/steering-files.js';
import { denyJudge } from '../../src/permissions/path-policy.js';
import { cliPatternTest } from '../../src/permissions/permission-token.js';

const AGENT_FOLDERS = ['.cursor', '.claude', '.agents', '.codex'];

describe('classify', () => {
  it.each(
    AGENT_FOLDERS.flatMap((folder) => [
      [`${folder}/settings.json`, 'configuration'],
      [`a/b/${folder}/hooks.json`, 'configuration'],
      [`${folder}/what-comes-next.json`, 'configuration'],
      [`${folder}/config.toml`, 'configuration'],
      [`${folder}/hooks/run.sh`, 'configuration'],
      [`${folder}/hooks`, 'configuration'],
      [`${folder}/plugins/p/hooks/hooks.json`, 'configuration'],
      [`${folder}/rules/style.mdc`, 'rules'],
      [`${folder}/rules/data.json`, 'rules'],
      [`${folder}/skills/x/SKILL.md`, 'rules'],
      [`${folder}/agents/x.md`, 'rules'],
      [`${folder}/commands/x.md`, 'rules'],
      [folder, 'rules'],
    ]),
  )('%s is %s', (path, kind) => {
    expect(classify(path)).toBe(kind);
  });

  it.each([
    ['.CURSOR/Hooks.JSON', 'configuration'],
    ['.cur\u017for/hooks.json', 'configuration'],
    ['.cur\u200csor/hooks.json', 'configuration'],
    ['.claude/settings.local.json', 'configuration'],
    ['.clido/config.toml', 'configuration'],
    ['.clido/skills/x.md', 'configuration'],
    ['.mcp.json', 'configuration'],
    ['.cursor/rules/.mcp.json', 'configuration'],
    ['sub/.envrc', 'configuration'],
    ['AGENTS.md', 'rules'],
    ['AGENTS.local.md', 'rules'],
    ['AGENTS.override.md', 'rules'],
    ['sub/CLAUDE.md', 'rules'],
    ['CLAUDE.local.md', 'rules'],
    ['gemini.md', 'rules'],
    ['.github/AGENTS.md', 'rules'],
    ['.cursorrules', 'rules'],
    ['.cursorignore', 'rules'],
    ['.cursorindexingignore', 'configuration'],
    ['node_modules/p/AGENTS.md', 'rules'],
    ['src/cursor/cli.json', undefined],
    ['docs/agents.md.txt', undefined],
    ['docs/agents/guide.md', undefined],
    ['docs/agents-guide.md', undefined],
    ['README.md', undefined],
    ['my.cursor/x.json', undefined],
    ['.github/copilot-instructions.md', undefined],
    ['.npmrc', undefined],
    ['.env', undefined],
    ['.husky/pre-commit', undefined],
  ])('%j is %s', (path, kind) => {
    expect(classify(path)).toBe(kind);
  });
});

describe('in a dot folder of any name', () => {
  it.each(
    ['.grok', '.opencode', '.qwen', '.roo', '.kiro', '.the-next-one', 'a/b/.Grok'].flatMap(
      (folder): [string, string | undefined][] => [
        [`${folder}/skills/x/SKILL.md`, 'rules'],
        [`${folder}/skills/deep/x/skill.md`, 'rules'],
        [`${folder}/agents/x.md`, 'rules'],
        [`${folder}/commands/x.md`, 'rules'],
        [`${folder}/rules/x.mdc`, 'rules'],
        [`${folder}/hooks.json`, 'configuration'],
        [`${folder}/mcp.json`, 'configuration'],
        [`${folder}/settings.json`, 'configuration'],
        [`${folder}/settings.local.json`, 'configuration'],
        [`${folder}/settings/mcp.json`, 'configuration'],
        [`${folder}/plugin.json`, 'configuration'],
        // Everything else in such a folder stays.
        [`${folder}/skills/x/run.sh`, undefined],
        [`${folder}/agents/x.ts`, undefined],
        [`${folder}/notes.md`, undefined],
        [`${folder}/src/hooks.json`, undefined],
        [`${folder}/config.json`, undefined],
      ],
    ),
  )('%s is %s', (given, kind) => {
    expect(classify(given)).toBe(kind);
  });

  it.each(
    ['.git', '.github', '.yarn', '.venv', '.pnpm', 'node_modules', '.vscode', '.idea', '.zed'].flatMap(
      (folder) => [`${folder}/hooks.json`, `${folder}/agents/x.md`, `a/${folder}/b/.grok/skills/x/SKILL.md`],
    ),
  )('%s stays', (given) => {
    expect(classify(given)).toBeUndefined();
  });

  it.each(['hooks.json', 'agents/x.md', 'src/.x', '.x', '.storybook/main.ts', '.eslintrc.json'])(
    '%s is none',
    (given) => {
      expect(classify(given)).toBeUndefined();
    },
  );
});

describe('what tools execute', () => {
  it.each([
    ...['.mise.toml', '.mise.local.toml', 'mise.toml', '.mise/tasks/x', '.config/mise/config.toml'],
    ...['mise/config.toml', 'mise/config.local.toml'],
    ...['action.yml', 'build/action.yaml', 'PULL_REQUEST_TEMPLATE.md', 'docs/pull_request_template.md'],
    ...['ISSUE_TEMPLATE/bug.yml', '.github/ISSUE_TEMPLATE/bug.md'],
  ])('%s is readable, and not writable', (given) => {
    expect(isNeverWritable(given)).toBe(true);
    expect(classify(given)).toBeUndefined();
  });

  it.each(['src/action.ts', 'docs/issues.md', 'mise-en-place.md', 'src/hooks.json', 'docs/agents/guide.md'])(
    '%s is writable',
    (given) => {
      expect(isNeverWritable(given)).toBe(false);
    },
  );
});

/** Paths that are often, but not always, in the table. */
const part = fc.oneof(
  fc
    .constantFrom(...NOT_WRITABLE.flatMap((pattern) => pattern.split('/')))
    .map((text) => text.replaceAll('*', 'x')),
  fc.constantFrom('hooks', 'hooks.json', 'rules', 'AGENTS.override.md', '.envrc', 'a', 'x.json', 'a\n.md'),
);
const inAnyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => Array.from(text, (letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''));
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

describe('the table', () => {
  const denied = denyJudge(buildPolicy({ preset: 'custom', allow: [], deny: [] }), {
    root: '/work',
    directory: '/work',
  });

  it('lets nothing be written that is set aside, in whatever case it is spelled', () => {
    fc.assert(
      fc.property(
        path.chain((plain) => fc.tuple(fc.constant(plain), inAnyCase(plain))),
        ([plain, spelled]) => {
          expect(classify(spelled)).toBe(classify(plain));
          if (classify(spelled) !== undefined) expect(denied(spelled)).toMatch(/^the rule Write\(/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is asked about every path that could be in it', () => {
    fc.assert(
      fc.property(path.chain(inAnyCase), (spelled) => {
        if (classify(spelled) !== undefined) expect(spelled.split('/').some(mayMatter)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('makes no rule that another one makes needless', () => {
    expect(NOT_WRITABLE).toContain('**/.cursor/**');
    expect(NOT_WRITABLE).not.toContain('**/.cursor/*.json');
    expect(new Set(NOT_WRITABLE).size).toBe(NOT_WRITABLE.length);
    const covered = NOT_WRITABLE.filter((one) =>
      NOT_WRITABLE.some((other) => other !== one && cliPatternTest(other)(one)),
    );
    expect(covered).toEqual([]);
  });
});

describe('steeringFolders', () => {
  it.each([
    ['a/.cursor/rules/x.mdc', ['a/.cursor', 'a/.cursor/rules', 'a/.cursor/rules/x.mdc']],
    ['.Clido', ['.Clido']],
    ['a/AGENTS.md', []],
    ['.github/x', []],
  ])('of %s are %j', (given, folders) => {
    expect(steeringFolders(given)).toEqual(folders);
  });
});
