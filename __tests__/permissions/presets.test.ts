import { describe, expect, it } from '@jest/globals';
import { buildPolicy, findUselessAllows, type PolicyRequest } from '../../src/permissions/policy.js';
import { PRESETS, type PresetName } from '../../src/permissions/presets.js';
import { formatPermission, permissions } from '../../src/permissions/permission-token.js';
import { pathJudge } from '../../src/permissions/path-policy.js';

const ROOT = '/home/runner/work/repo';

function request(preset: PresetName, ...allow: string[]): PolicyRequest {
  return { preset, allow: permissions(...allow), deny: [] };
}
const judge = (preset: PresetName, ...allow: string[]) =>
  pathJudge(buildPolicy(request(preset, ...allow)), { root: ROOT, directory: ROOT });

describe('the preset docs', () => {
  it.each([
    ...['README.md', 'src/deep/notes.markdown', 'docs/guide.md', 'docs/deep/GUIDE.MD'],
    ...['docs/index.rst', 'docs/deep/notes.txt', 'docs/a.adoc', 'docs/a.asciidoc'],
    ...['docs/a.png', 'docs/img/a.jpg', 'docs/a.jpeg', 'docs/a.gif', 'docs/a.webp', 'docs/img/A.PNG'],
    ...['docs/agents/guide.md', 'docs/agents-guide.md', 'docs/claude/notes.md'],
    ...['docs/azure-pipelines.md', 'docs/jenkinsfile.md', 'docs/lefthook.md', 'docs/environment.md'],
  ])('may write %s', (path) => {
    expect(judge('docs')(path)).toBeUndefined();
  });

  it.each([
    ...[
      'docs/conf.py',
      'docs/.vitepress/config.js',
      'docs/package.json',
      'docs/Makefile',
      'docs/_config.yml',
    ],
    ...['docs/make.bat', 'docs/build.sh', 'docs/index.html', 'docs/page.mdx', 'docs/a.svg', 'docs/x.md.js'],
    ...['docs/requirements.txt', 'docs/dev-requirements.txt', 'docs/requirements/base.txt'],
    ...['docs/constraints.txt', 'docs/CMakeLists.txt', 'requirements.txt', 'notes.txt', 'logo.png', 'a.rst'],
    ...['docs', 'docs/README', 'docs/CODEOWNERS', 'packages/a/docs/a.rst', 'src/a.ts', 'README.mdx'],
    ...['AGENTS.md', 'docs/CLAUDE.md', '.cursor/rules/a.md', '.github/pull_request_template.md'],
    ...['docs/.github/a.md', '.claude/commands/x.md', '.agents/skills/a/SKILL.md', 'docs/GEMINI.md'],
  ])('may not write %s', (path) => {
    expect(judge('docs')(path)).toMatch(/Write/);
  });
});

const GUARDED = [
  ...[
    '.cursor/rules/a.mdc',
    '.claude/x',
    '.agents/x',
    '.codex/config.toml',
    '.clido/x',
    '.mcp.json',
    '.envrc',
  ],
  ...['AGENTS.local.md', 'AGENTS.override.md', 'CLAUDE.md', 'GEMINI.md', '.cursorrules', '.cursorignore'],
  ...[
    '.cursorindexingignore',
    '.github/workflows/ci.yml',
    '.github/copilot-instructions.md',
    'docs/CODEOWNERS',
  ],
  ...['.gitmodules', '.gitattributes', '.husky/pre-commit', '.env', '.env.local', '.npmrc', '.pnpmrc'],
  ...[
    '.pnpmfile.cjs',
    '.yarnrc',
    '.yarnrc.yml',
    '.yarn/releases/yarn.cjs',
    'bunfig.toml',
    '.netrc',
    '.pypirc',
  ],
  ...['.ssh/config', '.devcontainer.json', '.devcontainer/devcontainer.json', 'Jenkinsfile'],
  ...['azure-pipelines.yml', '.gitlab-ci.yml', '.circleci/config.yml', '.buildkite/pipeline.yml'],
  ...['.travis.yml', 'bitbucket-pipelines.yml', '.vscode/tasks.json', '.idea/workspace.xml'],
  ...[
    '.pre-commit-config.yaml',
    '.lintstagedrc.json',
    'lefthook.yml',
    '.git/config',
    '.git/hooks/pre-commit',
  ],
];

describe('every preset', () => {
  it.each(GUARDED)('keeps %s from being written, at any depth and in any case', (path) => {
    for (const spelled of [path, `packages/a/${path}`, path.toUpperCase()]) {
      expect(judge('fix-ci')(spelled)).toMatch(/^the rule Write\(\S+\) forbids it$/);
      expect(judge('custom', 'Write(**)')(spelled)).toMatch(/^the rule Write\(\S+\) forbids it$/);
    }
  });

  it.each([
    ...[
      'src/agent/agents/README.md',
      'agents/x.md',
      'package.json',
      'src/env.ts',
      '.gitignore',
      '.eslintrc.json',
    ],
    ...['.yarn/cache/x.zip', '.vscodeignore', 'Dockerfile', 'src/git/x.ts', 'claude/notes.md', 'ssh/x'],
  ])('leaves %s alone', (path) => {
    expect(judge('fix-ci')(path)).toBeUndefined();
  });

  it('lets a user lift each rule by naming it, and none but that', () => {
    const rules = PRESETS['fix-ci'].deny.filter(({ kind }) => kind === 'Write').map(formatPermission);
    expect(rules.length).toBeGreaterThan(40);
    for (const rule of rules) {
      expect(findUselessAllows(request('fix-ci', rule))).toEqual([]);
      const left = buildPolicy(request('fix-ci', rule)).deny.map(formatPermission);
      expect(rules.filter((other) => !left.includes(other))).toEqual([rule]);
    }
  });

  it('names one rule that stands in the way, the same that a user can lift', () => {
    expect(findUselessAllows(request('fix-ci', 'Write(.envrc)'))).toEqual([
      { wanted: 'Write(.envrc)', why: 'denied', because: 'Write(**/.env*)', by: 'preset' },
    ]);
    expect(judge('fix-ci', 'Write(**/.env*)')('.envrc')).toBeUndefined();
  });
});
