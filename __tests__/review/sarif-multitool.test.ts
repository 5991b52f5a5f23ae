import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PLACES, SEVERITIES } from '../../src/report/findings.js';
import { buildSarif } from '../../src/review/findings-files.js';
import { makeFolder } from '../scenarios/workspace.js';

const program = createRequire(import.meta.url)('@microsoft/sarif-multitool') as string;
beforeAll(() => {
  // What the install script of the package does, which npm need not run.
  chmodSync(program, 0o755);
});

/** The rules of the SARIF SDK, for the format and for GitHub, that a file breaks. */
function brokenRules(sarif: string): string[] {
  const folder = makeFolder('sarif');
  writeFileSync(join(folder, 'findings.sarif'), sarif);
  const rules = ['--rule-kind', 'Sarif;Ghas', '--level', 'Error;Warning'];
  const output = ['--output', 'rules.sarif', '--log', 'ForceOverwrite'];
  const { status, stdout, stderr } = spawnSync(program, ['validate', 'findings.sarif', ...rules, ...output], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1',
      DOTNET_BUNDLE_EXTRACT_BASE_DIR: folder,
    },
  });
  if (!stdout.includes('1 files scanned')) throw new Error(`${status}: ${stdout}${stderr}`);
  const { runs } = JSON.parse(readFileSync(join(folder, 'rules.sarif'), 'utf8').replace(/^\uFEFF/, '')) as {
    runs: { results: { ruleId: string; message: unknown }[] }[];
  };
  return runs.flatMap(({ results }) =>
    results.map(({ ruleId, message }) => `${ruleId} ${JSON.stringify(message)}`),
  );
}

const AWKWARD = [
  ...[
    'a.ts',
    'src/a b/c#d?.ts',
    '100%/ä.ts',
    '日本語/😀.md',
    '-x',
    'a:b/c.ts',
    'c:/x.ts',
    '~/a',
    '.github/x.yml',
  ],
  ...['a+b&c=d;e.ts', "it's (1).ts", '[id]/page.tsx', 'a\\b.ts', 'a\nb', 'x/%2e%2e/y', '\ud800', 'a"b<c>.ts'],
];
const findings = AWKWARD.map((path, at) => ({
  ...{ path, startLine: at + 1, endLine: at + 2, severity: SEVERITIES[at % SEVERITIES.length]! },
  ...{ title: `Bug ${at} [x](1)`, body: 'See [x](https://example.com) {0} "q".', count: 1 + (at % 2) },
  ...{ place: 'in-change' as const, suggestion: 'first();\nsecond();\n' },
}));

describe('the validator of the SARIF SDK', () => {
  it('knows right from wrong, by the rules of the format and by those of GitHub', () => {
    const { text } = buildSarif({ summary: 's', findings: findings.slice(0, 1) }, () => 'text');
    expect(brokenRules(text.replace('"uri": "a.ts"', '"uri": "a b\\\\c.ts"')).join()).toMatch(/SARIF|JSON/);
    expect(brokenRules(text.replace(/"locations": \[[^]*?\],\n(?= *"partial)/, '')).join()).toMatch(/^GH\d/);
  });

  it('finds nothing wrong with a review without findings', () => {
    expect(brokenRules(buildSarif({ summary: 's', findings: [] }, () => undefined).text)).toEqual([]);
  });

  it('finds nothing wrong with findings in files with awkward names', () => {
    expect(brokenRules(buildSarif({ summary: 's', findings }, () => 'text').text)).toEqual([]);
  });

  it('finds nothing wrong with findings of any place, but that some have no lines', () => {
    const placed = PLACES.map((place) => ({ ...findings[0]!, place }));
    const broken = brokenRules(buildSarif({ summary: 's', findings: placed }, () => 'text').text);
    expect(broken.filter((text) => !text.startsWith('SARIF2017'))).toEqual([]);
  });
});
