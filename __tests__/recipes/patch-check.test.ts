import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, makeFolder, makeWorkspace, removeFolders } from '../scenarios/workspace.js';
import { runChild } from './job-place.js';
import { recipe } from './play.js';
import { textOf } from './workflow-file.js';

afterEach(removeFolders);

const PUSHING = ['scheduled-maintenance', 'update-docs', 'fix-ci'];

async function checkOf(name: string): Promise<string> {
  const steps = (await recipe(name)).jobs.find(({ id }) => id === 'propose')?.steps ?? [];
  const step = steps.find((each) => each.name.startsWith('Apply'));
  if (step?.does.kind !== 'run' || step.does.shell !== 'bash') throw new Error(`${name} has no check`);
  return textOf(step.does.script);
}

/** Runs a recipe's own check of a patch, in a checkout of its own. */
async function check(name: string, patch: string) {
  const workspace = makeWorkspace({ 'README.md': '# Project\n', 'src/a.ts': 'a\n', 'run.sh': 'echo\n' });
  const temp = makeFolder('check');
  mkdirSync(join(temp, 'agent'));
  writeFileSync(join(temp, 'agent', 'changes.patch'), patch);
  writeFileSync(join(temp, 'check.sh'), await checkOf(name));
  const env = { PATH: process.env['PATH'], HOME: temp, RUNNER_TEMP: temp };
  const command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', join(temp, 'check.sh')];
  const { code, log } = await runChild(command, { cwd: workspace, env });
  return { passes: code === 0, log, staged: git(workspace, 'diff', '--cached', '--name-only').trim() };
}

const add = (path: string, mode = '100644', line = 'x') =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
const quoted = (path: string) =>
  `diff --git "a/${path}" "b/${path}"\nnew file mode 100644\n--- /dev/null\n+++ "b/${path}"\n@@ -0,0 +1 @@\n+x\n`;
const remove = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-${line}\n`;
/** More than a pipe holds: a check that stops reading at the first odd line must not miss what it found. */
const many = Array.from({ length: 600 }, (_, index) => add(`docs/${'long'.repeat(30)}${index}.md`)).join('');

const HOSTILE: [string, string][] = [
  ['a workflow', add('.github/workflows/evil.yml')],
  ['a workflow in other letters', add('.GitHub/workflows/evil.yml')],
  ['a workflow after what is allowed', add('docs/ok.md') + add('.github/workflows/evil.yml')],
  ['a workflow before very much that is allowed', add('.github/workflows/evil.yml') + many],
  ['the rules of the agent', add('docs/AGENTS.md')],
  ['the rules of the agent in other letters', add('docs/Claude.MD')],
  ['a hidden file below an allowed folder', add('docs/.npmrc')],
  ['a hidden Markdown file', add('docs/.hidden/x.md')],
  ['a symbolic link', add('docs/link.md', '120000', '/etc/passwd')],
  ['a symbolic link before very much that is allowed', add('docs/0/link.md', '120000', '/etc/passwd') + many],
  ['a submodule', add('docs/sub', '160000', `Subproject commit ${'a'.repeat(40)}`)],
  ['a file outside of the checkout', add('../outside.md')],
  ['a hook of git', add('.git/hooks/pre-push', '100755')],
  ['a hidden name with a line break and a command', quoted('.x\\n::error::planted.md')],
  ['no patch at all', 'hello\n'],
];

describe('the check of a patch', () => {
  // Of all recipes this one allows the most.
  it.each(HOSTILE)('refuses %s', async (_, patch) => {
    const { passes, log } = await check('fix-ci', patch);
    expect(passes).toBe(false);
    expect(log).not.toMatch(/^::error::planted/m);
  });

  it.each(PUSHING)('lets documentation pass in %s.yml', async (name) => {
    expect(await check(name, add('docs/guide.md') + add('NEWS.md'))).toMatchObject({
      passes: true,
      staged: 'NEWS.md\ndocs/guide.md',
    });
  });
});

describe('what each recipe may change', () => {
  it.each([
    ['update-docs', add('src/b.ts'), false],
    ['update-docs', remove('src/a.ts', 'a'), false],
    ['scheduled-maintenance', add('src/b.ts'), true],
    ['scheduled-maintenance', add('package.json'), false],
    ['scheduled-maintenance', remove('run.sh', 'echo'), false],
    ['fix-ci', add('package.json'), true],
    ['fix-ci', remove('src/a.ts', 'a'), true],
    ['fix-ci', add('src/deep/.github/x'), false],
  ])('%s: %j is %s', async (name, patch, passes) => {
    expect(await check(name, patch)).toMatchObject({ passes });
  });

  it('is the only thing in which their checks differ', async () => {
    const scripts = await Promise.all(PUSHING.map(checkOf));
    const [first, ...others] = scripts.map((script) => script.replace(/^.*\) continue ;;$/m, ''));
    expect(first).toContain('git apply --index');
    for (const other of others) expect(other).toBe(first);
  });
});
