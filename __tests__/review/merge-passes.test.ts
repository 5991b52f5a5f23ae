import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rankOf, SEVERITIES } from '../../src/report/findings.js';
import type { CheckedFinding } from '../../src/report/model.js';
import { compareWords, stemsOf } from '../../src/review/compare-words.js';
import { mergeParts, mergePasses } from '../../src/review/merge-passes.js';

const finding = (given: Partial<CheckedFinding> = {}): CheckedFinding => ({
  path: 'src/session.ts',
  startLine: 40,
  endLine: 42,
  severity: 'medium',
  title: 'An expired session is accepted once more',
  body: 'The age is compared after `openSession` returned, so the first request after the end gets in.',
  place: 'in-change',
  count: 1,
  ...given,
});

/** The same problem as above, in other words. */
const REWORDED = {
  startLine: 42,
  endLine: 45,
  title: 'Sessions are accepted after they expired',
  body: 'openSession() returns before the age of the session is compared: one request too many gets in.',
};
const OTHER = {
  title: 'The password is written to the log',
  body: 'console.log prints all of the credentials, and every operator can read them.',
};

const pairs = (passes: CheckedFinding[][]) =>
  mergePasses(passes).map(({ title, agreement }) => [title, agreement?.found]);

describe('findings of several passes', () => {
  it.each<[string, Partial<CheckedFinding>, number]>([
    ['the same words', {}, 1],
    ['other words, lines that overlap', REWORDED, 1],
    ['another problem on the same lines', OTHER, 2],
    ['the same words in another file', { path: 'src/other.ts' }, 2],
    ['the same words on other lines', { startLine: 43, endLine: 50 }, 2],
    ['the same words about removed lines', { side: 'base' }, 2],
    ['too little in common to be sure', { title: 'A session is wrong', body: 'Look at the limits.' }, 2],
  ])('with %s become one or stay two', (_what, other, count) => {
    expect(mergePasses([[finding()], [finding(other)]])).toHaveLength(count);
  });

  it('are the same on other lines if they quote the same code', () => {
    const body = 'The age is compared too late:\n\n```ts\nconst  session = openSession(id);\n```\n';
    const inline = 'The age is compared too late, see `const session = openSession(id);`.';
    const other = { startLine: 60, endLine: 61, body: inline };
    expect(mergePasses([[finding({ body })], [finding(other)]])).toHaveLength(1);
    expect(
      mergePasses([[finding({ body })], [finding({ ...other, body: 'Too late: `session`.' })]]),
    ).toHaveLength(2);
  });

  it('keep the highest severity, and a suggestion only for the same lines', () => {
    const passes = [
      [finding()],
      [finding({ ...REWORDED, severity: 'critical', suggestion: 'elsewhere' })],
      [finding({ severity: 'low', suggestion: 'here' })],
    ];
    const [merged, ...more] = mergePasses(passes);
    expect(more).toEqual([]);
    expect(merged).toMatchObject({ severity: 'critical', agreement: { found: 3, of: 3 }, count: 3 });
    expect(merged?.suggestion).toBe(merged?.startLine === 40 ? 'here' : 'elsewhere');
  });

  it('come in the order in which most speaks for them', () => {
    const lonely = finding({ ...OTHER, path: 'src/log.ts' });
    expect(pairs([[lonely, finding()], [finding(REWORDED)], []])).toEqual([
      [expect.stringContaining('accepted'), 2],
      [OTHER.title, 1],
    ]);
  });

  it('of one pass never become one', () => {
    expect(
      mergePasses([[finding(), finding({ title: 'An expired session is accepted twice' })], []]),
    ).toHaveLength(2);
  });

  it('are not lost, and no severity gets lower, whatever they are', () => {
    const some = fc.array(
      fc.record({
        path: fc.constantFrom('a', 'b'),
        line: fc.integer({ min: 1, max: 4 }),
        severity: fc.constantFrom(...SEVERITIES),
        title: fc.constantFrom(finding().title, REWORDED.title, OTHER.title, '', 'constructor __proto__'),
        body: fc.constantFrom(finding().body, REWORDED.body, OTHER.body, ''),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 5 }), (drawn) => {
        const passes = drawn.map((list) =>
          list.map(({ line, ...given }) => finding({ startLine: line, endLine: line + 1, ...given })),
        );
        const merged = mergePasses(passes);
        const all = passes.flat();
        expect(merged.reduce((sum, { agreement }) => sum + (agreement?.found ?? 0), 0)).toBe(all.length);
        for (const one of all) {
          const covers = merged.some(
            (other) =>
              other.path === one.path &&
              rankOf(other) <= rankOf(one) &&
              other.startLine <= one.endLine &&
              one.startLine <= other.endLine,
          );
          expect(covers).toBe(true);
        }
        for (const { agreement } of merged) {
          expect(agreement?.of).toBe(passes.length);
          expect(agreement?.found).toBeLessThanOrEqual(passes.length);
        }
      }),
    );
  });

  it('take seconds at most, however many and long they are', () => {
    const body = Array.from({ length: 4000 }, (_, index) => `word${index} \`some long code ${index}\``).join(
      ' ',
    );
    const pass = Array.from({ length: 1000 }, (_, index) => finding({ title: `Finding ${index}`, body }));
    const startedAt = performance.now();
    expect(mergePasses([pass, pass, pass, pass, pass]).length).toBeGreaterThanOrEqual(1000);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

describe('the words of a comment', () => {
  it.each([
    ['openSession', ['open', 'session']],
    ['user_names and userName', ['user', 'nam', 'user', 'nam']],
    ['XMLParser.parse', ['xml', 'parser', 'pars']],
    ['', []],
  ])('%j', (text, stems) => {
    expect(stemsOf(text)).toEqual(stems);
  });

  it('say how alike two comments are', () => {
    const texts = [finding().body, REWORDED.body, OTHER.body, ''];
    const compare = compareWords(texts);
    expect(compare(0, 0)).toBeCloseTo(1);
    expect(compare(0, 1)).toBeGreaterThan(0.3);
    expect(compare(0, 2)).toBeLessThan(0.1);
    expect(compare(0, 3)).toBe(0);
  });
});

describe('what does not count', () => {
  it('never hides what does, and never takes it out of the gate', () => {
    const body = 'It runs `const session = openSession(token, now);` before the age is compared.';
    const real = finding({ startLine: 40, endLine: 42, severity: 'critical', body });
    const slip = finding({ startLine: 9000, endLine: 9000, place: 'no-such-line', severity: 'low', body });
    for (const passes of [
      [[slip], [real]],
      [[real], [slip]],
      [[slip], [slip], [real]],
    ]) {
      const merged = mergePasses(passes);
      expect(merged.map(({ place, severity, startLine }) => [place, severity, startLine])).toEqual([
        ['in-change', 'critical', 40],
      ]);
      expect(mergeParts(passes)).toHaveLength(1);
    }
  });
});

describe('the findings of several parts', () => {
  it('are one list, in which each keeps how many passes of its part found it', () => {
    const one = [finding({ agreement: { found: 2, of: 3 } })];
    const other = [
      finding({ ...REWORDED, agreement: { found: 1, of: 3 } }),
      finding({ ...OTHER, path: 'b.ts' }),
    ];
    const merged = mergeParts([one, other]);
    expect(merged.map(({ path, agreement }) => [path, agreement?.of]).sort()).toEqual([
      ['b.ts', undefined],
      ['src/session.ts', 3],
    ]);
    expect(mergeParts([one])).toEqual(one);
    expect(mergeParts([])).toEqual([]);
  });
});
