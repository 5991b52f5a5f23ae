import { describe, expect, it } from '@jest/globals';
import { ESLint, type Linter } from 'eslint';
import { readdirSync, readFileSync } from 'node:fs';
import { MAY_IMPORT } from '../eslint.config.js';
import { readFolderImports } from '../scripts/graph.mjs';

const imports = readFolderImports('src');
const folders = Object.keys(imports);
const eslint = new ESLint({
  overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } }],
  ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-imports',
});

describe('the folders of the sources', () => {
  it('import what MAY_IMPORT allows, and all of that', () => {
    expect(imports).toEqual(MAY_IMPORT);
  });

  it('have no cycles', () => {
    // Removes, again and again, the folders that import none of the remaining ones. Only a cycle would remain.
    let left = folders;
    for (const _ of folders) {
      const current = left;
      left = current.filter((folder) => imports[folder]?.some((other) => current.includes(other)));
    }
    expect(left).toEqual([]);
  });

  it.each(folders)('%s has a lint rule about its imports', async (folder) => {
    const [file = ''] = readdirSync(`src/${folder}`).filter((name) => name.endsWith('.ts'));
    const config = (await eslint.calculateConfigForFile(`src/${folder}/${file}`)) as Linter.Config;
    expect(config.rules).toHaveProperty('no-restricted-imports');
  });

  it('have a code owner of their own where they decide about keys, tokens and permissions', () => {
    const owned = readFileSync('.github/CODEOWNERS', 'utf8').matchAll(
      /^\/src\/([a-z]+)\/ +@OWNER\/security$/gm,
    );
    const guarded = ['agent', 'git', 'install', 'isolation', 'permissions'].concat([
      'propose',
      'publish',
      'trust',
      'workspace',
    ]);
    expect([...owned].map(([, folder]) => folder)).toEqual(guarded);
    expect(guarded.filter((folder) => !folders.includes(folder))).toEqual([]);
  });
});

describe('the import boundaries', () => {
  const lint = async (path: string, code: string) => {
    const [result] = await eslint.lintText(code, { filePath: path });
    return result?.messages.map(({ ruleId }) => ruleId) ?? [];
  };

  it.each([
    ['src/stream/lines.ts', '@actions/core'],
    ['src/stream/lines.ts', '../report/fold.js'],
    ['src/stream/dialects/cursor.ts', '../../report/fold.js'],
    ['src/report/fold.ts', '../review/read-answer.js'],
    ['src/report/fold.ts', '../agent/process.js'],
    ['src/report/fold.ts', '@actions/core'],
    ['src/agent/process.ts', '../stream/lines.js'],
    ['src/agent/process.ts', '@actions/exec'],
    ['src/install/install.ts', '../report/fold.js'],
    ['src/core/failure.ts', '../report/fold.js'],
    ['src/text/markdown.ts', '../core/failure.js'],
    ['src/report/page/page.js', '../../run/run-agent.js'],
    ['src/context/gather.ts', '@actions/github'],
    ['src/context/gather.ts', '../trust/decide.js'],
    ['src/github/client.ts', '../context/gather.js'],
    ['src/plan/plan-change.ts', '../workspace/inspect-layer.js'],
    ['src/plan/plan-change.ts', '../run/gather-context.js'],
    ['src/publish/pull-request-api.ts', '../agent/process.js'],
    ['src/publish/layout.ts', '../stream/events.js'],
    ['src/propose/judge-patch.ts', '../publish/layout.js'],
    ['src/propose/judge-patch.ts', '../agent/process.js'],
  ])('%s may not import %s', async (path, imported) => {
    expect(await lint(path, `import '${imported}';`)).toEqual(['no-restricted-imports']);
  });

  it.each([
    ['src/stream/lines.ts', 'zod'],
    ['src/stream/dialects/cursor.ts', '../events.js'],
    ['src/report/fold.ts', '../stream/events.js'],
    ['src/install/install.ts', '@actions/tool-cache'],
    ['src/run/run-agent.ts', '@actions/core'],
    ['src/context/gather.ts', '../github/client.js'],
    ['src/github/client.ts', '@actions/github'],
    ['src/plan/plan-change.ts', '../github/event.js'],
    ['src/publish/layout.ts', '../report/findings.js'],
  ])('%s may import %s', async (path, imported) => {
    expect(await lint(path, `import '${imported}';`)).toEqual([]);
  });
});
