import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseGitDiff } from '../../src/git/diff.js';
import { blockingFindings, SEVERITIES } from '../../src/report/findings.js';
import type { CheckedFinding, Validation } from '../../src/report/model.js';
import { codeLines } from '../../src/review/code-lines.js';
import { expectVerdicts } from '../../src/review/expect-answer.js';
import {
  byWorth,
  claimsOf,
  judgeVerdict,
  judgeVerdicts,
  VERDICTS_EXAMPLE,
  withValidation,
  type GivenVerdict,
} from '../../src/review/validate-findings.js';

const FILES: Record<string, string> = {
  'src/a.ts':
    'const one = first();\nconst two = second(one);\n/* never null\n   const safe = checked(two); */\nreturn two; // always checked\n',
  'src/b.ts': 'export const limit = 10;\nexport const other = compute(limit);\n',
  'docs/guide.md': 'The total is always positive, because of the guard.\n',
};
const DIFF = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@
 const one = first();
+const two = second(one);
 /* never null
    const safe = checked(two); */
 return two; // always checked
diff --git a/logo.svg b/logo.svg
index 1..2 100644
Binary files a/logo.svg and b/logo.svg differ
`;
const change = { files: parseGitDiff(DIFF) };
const grounds = { change, readText: (path: string) => FILES[path] };
const quote = (path: string, startLine: number, text: string, endLine = startLine) => ({
  ...{ path, startLine, endLine, text },
});
const given = (verdict: GivenVerdict['verdict'], at?: GivenVerdict['quote']): GivenVerdict => ({
  ...{ id: 1, verdict, reason: 'So it is.' },
  ...(at ? { quote: at } : {}),
});
const FIRST = quote('src/a.ts', 1, 'const one = first();');

const finding = (more: Partial<CheckedFinding> = {}): CheckedFinding => ({
  ...{
    path: 'src/a.ts',
    startLine: 1,
    endLine: 1,
    severity: 'medium',
    title: 'It breaks',
    body: 'Secret reasons.',
  },
  ...{ place: 'in-change', count: 1 },
  ...more,
});

describe('a verdict about a finding', () => {
  it.each<[string, string, GivenVerdict['quote'], typeof grounds?]>([
    ['refuted', 'refuted', FIRST],
    ['refuted', 'refuted', quote('./src/a.ts', 1, '   const  one = first();  ')],
    ['refuted', 'refuted', quote('src/b.ts', 1, `${FILES['src/b.ts']}`, 2)],
    ['unproven', 'refuted', undefined],
    ['unproven', 'refuted', quote('src/a.ts', 1, 'const one = last();')],
    ['unproven', 'refuted', quote('src/a.ts', 4, 'const one = first();')],
    ['unproven', 'refuted', quote('src/none.ts', 1, 'const one = first();')],
    ['unproven', 'refuted', quote('src/a.ts', 900, 'const one = first();', 1)],
    ['unproven', 'refuted', quote('src/a.ts', 1, '();')],
    // What the author of the change wrote, or may have written.
    ['unproven', 'refuted', quote('src/a.ts', 2, 'const two = second(one);')],
    ['unproven', 'refuted', quote('src/a.ts', 1, 'const one = first();\nconst two = second(one);', 2)],
    ['unproven', 'refuted', FIRST, { ...grounds, change: { ...change, isPartial: true } as typeof change }],
    ['unproven', 'refuted', FIRST, { ...grounds, change: undefined as unknown as typeof change }],
    // What is no code.
    ['unproven', 'refuted', quote('src/a.ts', 4, 'const safe = checked(two);')],
    ['unproven', 'refuted', quote('src/a.ts', 5, 'return two; // always checked')],
    ['unproven', 'refuted', quote('docs/guide.md', 1, 'The total is always positive')],
    // A confirmation only has to be there.
    ['confirmed', 'confirmed', quote('src/a.ts', 2, 'const two = second(one);')],
    ['unproven', 'confirmed', quote('src/a.ts', 2, 'const two = third(one);')],
    ['unproven', 'confirmed', undefined],
    ['unproven', 'unproven', FIRST],
  ])('is %s for %s with %j', (expected, verdict, at, held = grounds) => {
    const judged = judgeVerdict(given(verdict as GivenVerdict['verdict'], at), held);
    expect(judged.verdict).toBe(expected);
    expect(judged.quote === undefined).toBe(expected === 'unproven');
  });

  it('counts only if there is exactly one', () => {
    const [one, other] = [finding(), finding({ startLine: 2 })];
    const twice = [given('refuted', FIRST), given('confirmed', FIRST)];
    expect(judgeVerdicts([one, other], [...twice, { ...given('unproven'), id: 2 }], grounds)).toEqual(
      new Map([[other, { verdict: 'unproven', reason: 'So it is.' }]]),
    );
    expect(judgeVerdicts([one], [{ ...given('refuted', FIRST), id: 7 }], grounds).size).toBe(0);
  });

  it('is asked for without the reasons of the finding, in a form of its own', () => {
    expect(JSON.stringify(claimsOf([finding()]))).toBe(
      '[{"id":1,"path":"src/a.ts","startLine":1,"endLine":1,"claim":"It breaks"}]',
    );
    const { check, exampleIsValid } = expectVerdicts();
    expect([check(VERDICTS_EXAMPLE), exampleIsValid]).toEqual([[], true]);
    expect(check({ summary: 's', findings: [] })).not.toEqual([]);
  });
});

const validations: (Validation | undefined)[] = [
  undefined,
  ...(['confirmed', 'refuted', 'unproven'] as const).map((verdict) => ({ verdict, reason: 'So it is.' })),
];

describe('a finding with its validation', () => {
  it.each(SEVERITIES.flatMap((severity) => validations.map((one) => [severity, one] as const)))(
    'of severity %s is withheld only if it is refuted and not grave: %j',
    (severity, validation) => {
      const isWithheld = validation?.verdict === 'refuted' && !['critical', 'high'].includes(severity);
      expect(withValidation(finding({ severity }), validation).withheld !== undefined).toBe(isWithheld);
    },
  );

  it('never leaves a gate, whatever the verdict', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...SEVERITIES), fc.constantFrom(...validations))),
        fc.constantFrom(...SEVERITIES),
        (drawn, least) => {
          const before = drawn.map(([severity]) => finding({ severity }));
          const after = drawn.map(([severity, validation]) =>
            withValidation(finding({ severity }), validation),
          );
          expect(blockingFindings(after.sort(byWorth), least)).toHaveLength(
            blockingFindings(before, least).length,
          );
        },
      ),
    );
  });

  it('comes where it belongs: first by severity, then by what speaks for it', () => {
    const all = [
      finding({ title: 'refuted', validation: { verdict: 'refuted', reason: '' } }),
      finding({ title: 'unproven', validation: { verdict: 'unproven', reason: '' } }),
      finding({ title: 'open' }),
      finding({ title: 'agreed', agreement: { found: 2, of: 3 } }),
      finding({ title: 'confirmed', validation: { verdict: 'confirmed', reason: '' } }),
      finding({ title: 'high', severity: 'high', validation: { verdict: 'refuted', reason: '' } }),
    ];
    expect(all.sort(byWorth).map(({ title }) => title)).toEqual([
      ...['high', 'agreed', 'confirmed', 'open', 'unproven', 'refuted'],
    ]);
  });
});

describe('the code of a file', () => {
  it.each([
    ['a.ts', 'x(); // y', 'x(); '],
    ['a.ts', 'x(); /* y */ z();', 'x();  z();'],
    ['a.py', 'x() # y', 'x() '],
    ['a.py', '"""\nsafe()\n"""\nx()', '\n\n\nx()'],
    ['a.sql', 'select 1 -- y', 'select 1 '],
    ['a.html', '<p> <!-- y\nz --></p>', '<p> \n</p>'],
    ['a.c', 'void (*f)(int);', 'void (*f)(int);'],
    ['a.ml', 'let x (* y *) = 1', 'let x  = 1'],
    ['a.hs', 'x {- y -} = 1', 'x  = 1'],
    ['a.c', ' * y', ''],
    ['Makefile', 'all: x', 'all: x'],
    ['README', 'all: x', ''],
    ['a.js', 'fetch("https://x")', 'fetch("https:'],
  ])('%s: %j', (path, text, code) => {
    expect(codeLines(path, text).join('\n')).toBe(code);
  });

  it('has as many lines, and nothing that is not in the file', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a();', '/*', '*/', '"""', '//', ' # b', '<!--', '-->', '\n')),
        (parts) => {
          const lines = parts.join('').split('\n');
          const code = codeLines('a.ts', lines.join('\n'));
          expect(code).toHaveLength(lines.length);
          for (const [index, line] of code.entries())
            expect(line.length).toBeLessThanOrEqual(lines[index]!.length);
        },
      ),
    );
  });
});
