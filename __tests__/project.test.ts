import { describe, expect, it } from '@jest/globals';
import { ESLint } from 'eslint';

describe('the import boundaries', () => {
  const lint = async (path: string, code: string) => {
    const eslint = new ESLint({
      overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } }],
      ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-imports',
    });
    const [result] = await eslint.lintText(code, { filePath: path });
    return result?.messages.map(({ ruleId }) => ruleId) ?? [];
  };

  it.each([
    ['src/stream/lines.ts', '@actions/core'],
    ['src/stream/lines.ts', '../report/fold.js'],
    ['src/stream/dialects/cursor.ts', '../../report/fold.js'],
    ['src/report/fold.ts', '../stream/lines.js'],
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
    ['src/plan/plan-change.ts', '../context/gather.js'],
    ['src/publish/pull-request-api.ts', '../agent/process.js'],
    ['src/publish/layout.ts', '../stream/events.js'],
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
