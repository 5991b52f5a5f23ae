import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFindings, openCheckout } from '../../src/review/check-findings.js';
import { doesCount, PLACES, SEVERITIES } from '../../src/report/findings.js';
import type { Finding } from '../../src/report/model.js';
import { expectAnswer, correctFindings, FINDINGS_EXAMPLE } from '../../src/review/expect-answer.js';
import { correctPath, type Grounds } from '../../src/review/judge-finding.js';
import { type Expectation, settleAnswer } from '../../src/review/read-answer.js';
import { parseGitDiff } from '../../src/git/diff.js';

const finding = (given: Partial<Finding> = {}): Finding => ({
  path: 'src/a.ts',
  startLine: 1,
  endLine: 1,
  severity: 'low',
  title: 'A bug',
  body: '',
  ...given,
});

const DIFF = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
 one
+two
 three
`;
const change = { files: parseGitDiff(DIFF) };
const COUNTS = new Map([
  ['src/a.ts', 20],
  ['src/b.ts', 5],
  ['empty', 0],
]);
const grounds = (known?: Grounds['change']): Grounds => ({
  change: known,
  isExcluded: () => false,
  findFile: (path) => {
    const count = COUNTS.get(path);
    return count === undefined ? { kind: 'none' } : { kind: 'file', path, lines: count };
  },
});

describe('checkFindings', () => {
  it.each<[string, Partial<Finding>, Partial<Finding>?]>([
    ['in-change', {}],
    ['in-change', { startLine: 3, endLine: 4 }],
    ['outside-change', { path: 'src/b.ts' }],
    ['whole-file', { path: 'empty' }],
    ['outside-change', { startLine: 20, endLine: 21, suggestion: 'x' }, { endLine: 20 }],
    ['no-such-path', { path: 'constructor' }],
  ])('tells %s for %j', (place, given, means = {}) => {
    const { suggestion: _dropped, ...expected } = { ...finding(given), ...means };
    expect(checkFindings([finding(given)], grounds(change))).toEqual([{ ...expected, place, count: 1 }]);
  });

  it('keeps the other places that are real, as they are really called', () => {
    const alsoAt = [
      { path: './src/b.ts', startLine: 5, endLine: 9 },
      { path: 'src/c.ts', startLine: 1, endLine: 1 },
      { path: 'src/a.ts', startLine: 90, endLine: 90 },
    ];
    const [kept, none] = checkFindings(
      [finding({ alsoAt }), finding({ title: 'Another', alsoAt: alsoAt.slice(1) })],
      grounds(change),
    );
    expect(kept?.alsoAt).toEqual([{ path: 'src/b.ts', startLine: 5, endLine: 5 }]);
    expect(none).not.toHaveProperty('alsoAt');
  });

  it('does not call a file unchanged if not every changed file is known', () => {
    const partial = { ...change, isPartial: true };
    const places = [{}, { startLine: 9, endLine: 9 }, { path: 'src/b.ts' }].map(
      (given) => checkFindings([finding(given)], grounds(partial))[0]?.place,
    );
    expect(places).toEqual(['in-change', 'outside-change', 'unchecked']);
  });

  it('looks up paths and lines without a change, too', () => {
    const places = [{}, { startLine: 98, endLine: 99 }, { path: 'x' }].map(
      (given) => checkFindings([finding(given)], grounds())[0]?.place,
    );
    expect(places).toEqual(['unchecked', 'no-such-line', 'no-such-path']);
  });

  it('makes one of those that say the same of the same lines', () => {
    const checked = checkFindings(
      [
        finding({ title: 'Off by one', body: 'short' }),
        finding({ title: 'off-by-one!', body: 'much longer', severity: 'high', suggestion: 'x' }),
        finding({ title: 'Off by one', startLine: 2, endLine: 2 }),
      ],
      grounds(change),
    );
    expect(checked).toMatchObject([
      { title: 'Off by one', body: 'much longer', severity: 'high', suggestion: 'x', count: 2 },
      { startLine: 2, count: 1 },
    ]);
  });

  it('loses none and counts all, the worst first', () => {
    const some = fc.record({
      path: fc.constantFrom('src/a.ts', 'src/b.ts', 'none'),
      startLine: fc.integer({ min: 1, max: 4 }),
      endLine: fc.integer({ min: 4, max: 30 }),
      severity: fc.constantFrom(...SEVERITIES),
      title: fc.constantFrom('a', 'b'),
      body: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(some), (findings) => {
        const checked = checkFindings(findings, grounds(change));
        expect(checked.reduce((sum, { count }) => sum + count, 0)).toBe(findings.length);
        const ranks = checked.map(({ severity }) => SEVERITIES.indexOf(severity));
        expect(ranks).toEqual([...ranks].sort((one, other) => one - other));
        for (const { place, path } of checked) {
          expect(PLACES).toContain(place);
          expect(path === 'none').toBe(place === 'no-such-path');
        }
      }),
    );
  });
});

describe('the files of a checkout', () => {
  let [root, outside] = ['', ''];
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'checkout-'));
    outside = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outside, 'secret'), 'a\nb\n');
    mkdirSync(join(root, 'src'));
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git', 'config'), 'x\n');
    writeFileSync(join(root, 'src', 'a b.ts'), 'one\r\ntwo\nthree');
    writeFileSync(join(root, 'empty'), '');
    writeFileSync(join(root, 'large'), 'line\n'.repeat(50_000));
    symlinkSync(join(root, 'src', 'a b.ts'), join(root, 'inside-link'));
    symlinkSync(join(outside, 'secret'), join(root, 'outside-link'));
    symlinkSync(outside, join(root, 'folder-link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
  });
  afterAll(() => {
    for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true });
  });

  it('are counted by their lines', () => {
    const { lineCount: count, lines } = openCheckout(root);
    expect(['src/a b.ts', 'empty', 'large', 'inside-link'].map(count)).toEqual([3, 0, 50_000, 3]);
    expect(lines('src/a b.ts', { startLine: 2, endLine: 3 })).toBe('two\nthree');
    expect(lines('src/none', { startLine: 2, endLine: 3 })).toBeUndefined();
  });

  it('are found name by name, and links are not followed', () => {
    const { findFile } = openCheckout(root);
    const found = (path: string, count: number) => ({ kind: 'file', path, lines: count });
    expect(findFile('SRC/a b.ts')).toEqual(found('src/a b.ts', 3));
    expect(findFile('inside-link')).toEqual(found('inside-link', 0));
    expect(findFile('folder-link/secret')).toEqual({ kind: 'none' });
    expect(findFile('.git/config')).toEqual({ kind: 'none' });
  });

  it.each([
    ...[
      'outside-link',
      'folder-link/secret',
      '../outside/secret',
      'src/../empty',
      '/etc/passwd',
      'pipe',
      'src',
    ],
    ...['.git/config', '.GIT/config', 'src//a b.ts', './empty', '', 'a\0b', 'none'],
  ])('do not reach beyond the checkout: %j', (path) => {
    expect(openCheckout(root).lineCount(path)).toBeUndefined();
    expect(openCheckout(root).findFile(path)).not.toHaveProperty('lines', 2);
    expect(openCheckout(root).lines(path, { startLine: 1, endLine: 1 })).toBeUndefined();
  });
});

describe('what is corrected', () => {
  it.each([
    ['./src/a.ts', 'src/a.ts'],
    ['src\\a.ts', 'src/a.ts'],
    ['/w/repo/src/a.ts', 'src/a.ts'],
    ['/w/repository/a.ts', '/w/repository/a.ts'],
    ['././src//a.ts', 'src/a.ts'],
    ['../a.ts', '../a.ts'],
    ['.github/x.yml', '.github/x.yml'],
  ])('%s is %s', (given, path) => {
    expect(correctPath(given, '/w/repo')).toBe(path);
  });

  const review = (given: object) => ({ summary: 's', findings: [{ ...finding(), ...given }] });
  const { expectation } = expectAnswer({ kind: 'findings' }) as { expectation: Expectation };
  it.each([
    [{ endLine: undefined }, { startLine: 1, endLine: 1 }],
    [{ endLine: null }, { startLine: 1, endLine: 1 }],
    [
      { startLine: 9, endLine: 4 },
      { startLine: 4, endLine: 9 },
    ],
    [
      { startLine: '3', endLine: '4' },
      { startLine: 3, endLine: 4 },
    ],
    [{ severity: ' High' }, { severity: 'high' }],
    [{ suggestion: null }, {}],
    [{ confidence: 0.9 }, {}],
  ])('%j', (given, expected) => {
    const value = correctFindings({ ...review(given), verdict: 'ok' }, '/w');
    expect(value).toEqual(review(expected));
    expect(expectation.check(value)).toEqual([]);
  });

  it.each([
    [{ severity: 'blocker' }, '/findings/0/severity must be equal to one of the allowed values'],
    [{ startLine: 0 }, '/findings/0/startLine must be >= 1'],
    [{ startLine: 0.5 }, '/findings/0/startLine must be integer'],
    [{ path: '' }, '/findings/0/path must NOT have fewer than 1 characters'],
    [{ title: undefined }, "/findings/0 must have required property 'title'"],
    [{ suggestion: 5 }, '/findings/0/suggestion must be string'],
  ])('and not more: %j', (given, problem) => {
    const value = JSON.parse(JSON.stringify(review(given))) as unknown;
    expect(expectation.check(correctFindings(value, '/w')).join()).toContain(problem);
  });

  it('is asked of anything', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const corrected = correctFindings({ summary: '', findings: value }, '/w');
        expect(corrected).toHaveProperty('findings');
        expect(correctFindings(value, '/w')).toBeDefined();
      }),
    );
  });

  it('the rule that a finding names, if it is one', () => {
    const settle = (rule: unknown, path = 'a.ts') => {
      const given = { ...FINDINGS_EXAMPLE, findings: [{ ...finding({ path }), rule }] };
      const value = expectation.kind === 'findings' ? expectation.correct(given, '/w') : given;
      expect(expectation.check(value)).toEqual([]);
      const isRule = (id: string, file: string) => id === 'review.money' && file === 'a.ts';
      const { review, structuredOutput } = settleAnswer(value, expectation, {
        ...{ prefix: '', isRule },
        ...grounds(),
      });
      expect(structuredOutput).toEqual({ ...given, findings: [expect.objectContaining({ path })] });
      return review?.findings[0]?.rule;
    };
    expect(settle('race')).toBe('race');
    expect(settle(' Review.Money ')).toBe('review.money');
    expect(settle('review.money', 'b.ts')).toBeUndefined();
    for (const rule of ['review.other', 'REVIEW.md -->', 7, null, '', 'x'.repeat(41)])
      expect(settle(rule)).toBeUndefined();
  });

  it('a path from where the agent worked', () => {
    const value = { ...FINDINGS_EXAMPLE, findings: [finding({ path: 'b.ts' }), finding({ path: 'c.ts' })] };
    const { review: settled, structuredOutput } = settleAnswer(value, expectation, {
      prefix: 'src',
      isRule: () => false,
      ...grounds(),
    });
    expect(settled?.findings.map(({ path, place }) => `${path} ${place}`)).toEqual([
      'src/b.ts unchecked',
      'c.ts no-such-path',
    ]);
    expect(settled?.findings.filter(doesCount)).toHaveLength(1);
    expect(structuredOutput).toMatchObject({ findings: [{ path: 'src/b.ts' }, { path: 'c.ts' }] });
  });
});
