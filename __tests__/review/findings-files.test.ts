import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findingsFiles, buildSarif, encodePath } from '../../src/review/findings-files.js';
import { PLACES, SEVERITIES } from '../../src/report/findings.js';
import type { CheckedFinding } from '../../src/report/model.js';

/** A schema of draft-04 as draft-07: what these use of it differs in the name of the id only. */
function validatorOf(path: string) {
  const {
    id: _id,
    $schema: _draft,
    ...schema
  } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  formats.default(ajv);
  return ajv.compile(schema);
}
const isSarif = validatorOf('fixtures/schemas/sarif-2.1.0.json');
const isRdjson = validatorOf('fixtures/schemas/rdjson.json');

interface Sarif {
  runs: {
    results: {
      ruleId: string;
      ruleIndex: number;
      level: string;
      message: { text: string };
      locations: { physicalLocation: { artifactLocation: { uri: string }; region: object } }[];
      partialFingerprints: { primaryLocationLineHash: string };
      fixes?: unknown[];
    }[];
    tool: {
      driver: {
        version: string;
        informationUri: string;
        rules: { id: string; properties: { tags: string[] } }[];
      };
    };
  }[];
}
interface Rdjson {
  diagnostics: {
    message: string;
    location: { path: string };
    severity: string;
    suggestions?: { text: string }[];
  }[];
}

const finding = (given: Partial<CheckedFinding> = {}): CheckedFinding => ({
  path: 'a.ts',
  startLine: 1,
  endLine: 1,
  severity: 'high',
  title: 'A bug',
  body: 'Because.',
  place: 'in-change',
  count: 1,
  ...given,
});

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'findings-'));
  writeFileSync(join(root, 'a.ts'), 'first();\nsecond();\nsecond();\n');
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function filesOf(...findings: CheckedFinding[]) {
  const { sarif, rdjson, notes } = findingsFiles({ summary: 's', findings }, root);
  const [log, diagnostics] = [JSON.parse(sarif) as Sarif, JSON.parse(rdjson) as Rdjson];
  expect(isSarif(log) ? [] : isSarif.errors).toEqual([]);
  expect(isRdjson(diagnostics) ? [] : isRdjson.errors).toEqual([]);
  return { run: log.runs[0]!, results: log.runs[0]!.results, diagnostics: diagnostics.diagnostics, notes };
}

describe('SARIF', () => {
  it('the schema it is held against knows right from wrong', () => {
    expect(isSarif({ version: '2.1.0', runs: [{ tool: { driver: {} } }] })).toBe(false);
    expect(isRdjson({ diagnostics: [{ message: 1 }] })).toBe(false);
  });

  it('has a run without results where there are no findings, which closes alerts', () => {
    const { results, run, diagnostics, notes } = filesOf();
    expect(results).toEqual([]);
    expect(run.tool.driver.rules).toHaveLength(SEVERITIES.length);
    expect(diagnostics).toEqual([]);
    expect(notes).toEqual([]);
  });

  it('says which version of which program wrote it', () => {
    const { version, informationUri } = filesOf().run.tool.driver;
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toHaveProperty('version', version);
    expect(new URL(informationUri).origin).toBe('https://github.com');
  });

  it('has level, rule and place of each', () => {
    const { results, run } = filesOf(
      ...SEVERITIES.map((severity, index) => finding({ severity, startLine: index + 1, endLine: index + 2 })),
    );
    expect(results.map(({ level }) => level)).toEqual(['error', 'error', 'warning', 'note', 'note']);
    for (const { ruleId, ruleIndex } of results) expect(run.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(results[1]?.locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: 'a.ts', uriBaseId: '%SRCROOT%' },
          region: { startLine: 2, endLine: 3 },
        },
      },
    ]);
    expect(JSON.stringify(run)).not.toContain('security-severity');
  });

  it('leaves out what points at nothing, and says so', () => {
    const { results, diagnostics, notes } = filesOf(...PLACES.map((place) => finding({ place })));
    expect(results).toHaveLength(5);
    expect(diagnostics).toHaveLength(5);
    expect(notes.join()).toContain('4 of 9 findings are set aside');
  });

  it('knows an alert again when its lines have moved or its words have changed', () => {
    const prints = (...findings: CheckedFinding[]) =>
      filesOf(...findings).results.map(
        ({ partialFingerprints }) => partialFingerprints.primaryLocationLineHash,
      );
    const before = prints(finding({ startLine: 2, endLine: 2 }), finding());
    writeFileSync(join(root, 'a.ts'), '// new\n  first();\nsecond();\nsecond();\n');
    const after = prints(
      finding({ startLine: 3, endLine: 3, title: 'Other words' }),
      finding({ startLine: 2, endLine: 2, body: 'Others.' }),
    );
    expect(after).toEqual(before);
    expect(new Set(before).size).toBe(2);
    const twice = prints(finding({ startLine: 3, endLine: 3 }), finding({ startLine: 4, endLine: 4 }));
    expect(twice.map((print) => print.split(':')[1])).toEqual(['1', '2']);
  });

  it.each([
    ['a b/c#d?.ts', 'a%20b/c%23d%3F.ts'],
    ['100%/ä.ts', '100%25/%C3%A4.ts'],
    ['\ud800', '%EF%BF%BD'],
  ])('writes the path %j as %s', (path, uri) => {
    expect(encodePath(path)).toBe(uri);
  });

  it('has messages in which nothing is a link or a placeholder', () => {
    const [result] = filesOf(
      finding({
        title: 'See [here](1) and {0}',
        body: `[x](https://evil.example)\u202E ${'y'.repeat(5000)}`,
      }),
    ).results;
    expect(result?.message.text).toContain('See \\[here](1) and {{0}}. \\[x](https');
    expect(result?.message.text).toContain('<U+202E>');
    expect(result?.message.text.length).toBeLessThanOrEqual(1000);
  });

  it('has no more than GitHub keeps', () => {
    const many = Array.from({ length: 5003 }, (_, index) => finding({ title: String(index) }));
    const { text, notes } = buildSarif({ summary: '', findings: many }, () => undefined);
    expect((JSON.parse(text) as Sarif).runs[0]?.results).toHaveLength(5000);
    expect(notes.join()).toContain('the worst 5000 findings; 3 more');
    for (const { properties } of (JSON.parse(text) as Sarif).runs[0]!.tool.driver.rules)
      expect(properties.tags.length).toBeLessThanOrEqual(10);
  });

  it('is valid whatever the agent said', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    const any = fc.record({
      path: text.filter((path) => path !== ''),
      startLine: fc.integer({ min: 1, max: 9 }),
      endLine: fc.integer({ min: 9, max: 99 }),
      severity: fc.constantFrom(...SEVERITIES),
      title: text.filter((title) => title !== ''),
      body: text,
      suggestion: text,
      place: fc.constantFrom(...PLACES),
      count: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 5 }), (findings) => {
        expect(filesOf(...findings).results.length).toBeLessThanOrEqual(findings.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('rdjson', () => {
  it('has suggestions for whole lines, the last break aside', () => {
    const { diagnostics, results } = filesOf(
      finding({ startLine: 2, endLine: 3, suggestion: '  a();\r\n  b();\n' }),
      finding({ suggestion: '' }),
      finding({ suggestion: 'if (x\u202E) {}' }),
    );
    const range = { start: { line: 2 }, end: { line: 3 } };
    expect(diagnostics[0]).toMatchObject({
      location: { path: 'a.ts', range },
      severity: 'ERROR',
      suggestions: [{ range, text: '  a();\n  b();' }],
    });
    expect(diagnostics[1]?.suggestions).toEqual([expect.objectContaining({ text: '' })]);
    // Characters that cannot be seen are not offered for one click.
    expect(diagnostics[2]?.suggestions).toBeUndefined();
    expect(results.map(({ fixes }) => fixes?.length)).toEqual([1, 1, undefined]);
  });

  it('has messages that are safe as Markdown', () => {
    const [diagnostic] = filesOf(
      finding({ title: 'Ask @octocat', body: '![p](https://evil.example/p.png) <img src=x> **bold**' }),
    ).diagnostics;
    expect(diagnostic?.message).toContain('`@octocat`');
    expect(diagnostic?.message).toContain('**bold**');
    expect(diagnostic?.message).not.toMatch(/!\[|(?<!\\)<img/);
  });
});
