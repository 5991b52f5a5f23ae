import { describe, expect, it } from '@jest/globals';
import { checkStatements, readClaims } from '../../src/documents/statements.js';
import { parseGitDiff } from '../../src/git/diff.js';
import { statementsWords, unprovenOf } from '../../src/report/statements.js';

const CODE: Record<string, string> = {
  'src/options.ts': 'const a = 1;\nexport const retries = count(3);\nexport const depth =\n  count(7);\n}\n',
  'README.md': 'The default of retries is 3.\n',
};
/** Adds lines 3 to 5 (the middle one is empty), and removes a line after line 8. */
const PATCH = `diff --git a/docs/a.md b/docs/a.md
index 1111111..2222222 100644
--- a/docs/a.md
+++ b/docs/a.md
@@ -1,6 +1,8 @@
 one
 two
+Retries are 3 by default.
+
+The depth is 7.
 three
 four
 five
-Gone.
 six
`;
const claim = (more: object = {}) => ({
  ...{ document: 'docs/a.md', startLine: 3, endLine: 3, reason: 'since this change' },
  source: { path: 'src/options.ts', startLine: 2, endLine: 2, quote: 'retries = count(3);' },
  ...more,
});
const source = (more: object) => claim({ source: { ...claim().source, ...more } });
const check = (claims: object[], { patch = PATCH, prefix = '' } = {}) => {
  const read = readClaims([JSON.stringify({ summary: 'S', changes: claims })]);
  if (!read) throw new Error('not read');
  return checkStatements(read, {
    ...{ files: parseGitDiff(patch), prefix },
    linesOf: (path) => CODE[path]?.split('\n'),
  });
};
const problemOf = (one: object) => check([one]).changes[0]?.problem;

describe('statements about a change of documents', () => {
  it('have a source if the quote is there, wherever the agent counted it', () => {
    expect(check([claim()]).changes).toEqual([claim()]);
    const moved = source({ startLine: 40, endLine: 41, quote: 'export const  depth =\n count(7);' });
    expect(check([moved]).changes[0]?.source).toMatchObject({ startLine: 3, endLine: 4 });
    const inside = check([{ ...claim(), document: './a.md' }], { prefix: 'docs' });
    expect(inside.changes[0]).toMatchObject({ document: 'docs/a.md', source: { path: 'src/options.ts' } });
  });

  it.each<[string, object, RegExp]>([
    ['names none', claim({ source: null }), /no source is named/],
    ['names a file that is not there', source({ path: 'src/none.ts' }), /does not exist/],
    ['leads out of the repository', source({ path: '../../etc/passwd' }), /does not exist/],
    [
      'names a document',
      source({ path: 'README.md', quote: 'The default of retries is 3.' }),
      /is a document/,
    ],
    ['names what it wrote itself', source({ path: 'docs/a.md' }), /is a document/],
    ['quotes what is not there', source({ quote: 'retries = count(4);' }), /quote is not in/],
    ['quotes next to nothing', source({ quote: '}' }), /too short/],
    ['is about lines that did not change', claim({ startLine: 6, endLine: 7 }), /none of these lines/],
    ['is about another file', claim({ document: 'docs/b.md' }), /does not touch/],
  ])('are not proven if one %s', (_, one, problem) => {
    expect(problemOf(one)).toMatch(problem);
  });

  it.each([
    ['one long quote', (count: number) => 'ab '.repeat(count)],
    ['a quote of many lines', (count: number) => 'retries\n'.repeat(count)],
    ['a quote that nearly is there', () => `${'retries\n'.repeat(150)}depth`],
  ])('are checked in time whatever is quoted: %s', (_, quoteOf) => {
    const lines = Array.from({ length: 60_000 }, () => 'retries');
    const claims = Array.from({ length: 500 }, () => source({ quote: quoteOf(20_000) }));
    const read = readClaims([JSON.stringify({ summary: 'S', changes: claims })]);
    const startedAt = performance.now();
    const { changes } = checkStatements(read ?? { summary: '', claims: [] }, {
      ...{ files: parseGitDiff(PATCH), prefix: '' },
      linesOf: () => lines,
    });
    expect(changes).toHaveLength(500);
    expect(changes[0]?.source).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('are not proven by code of the change itself', () => {
    const patch = `${PATCH}diff --git a/src/options.ts b/src/options.ts
--- a/src/options.ts
+++ b/src/options.ts
@@ -1,1 +1,2 @@
 const a = 1;
+export const retries = count(3);
`;
    const { changes, uncovered } = check([claim()], { patch });
    expect(changes[0]?.problem).toContain('part of the change itself');
    expect(uncovered).toContainEqual({ document: 'src/options.ts' });
  });

  it('cannot cover everything with one source', () => {
    const many = Array.from({ length: 60 }, (_, at) => `+line ${at}`).join('\n');
    const patch = `diff --git a/docs/a.md b/docs/a.md\nnew file mode 100644\n--- /dev/null\n+++ b/docs/a.md\n@@ -0,0 +1,60 @@\n${many}\n`;
    const { changes } = check([claim({ startLine: 1, endLine: 9_999_999 })], { patch });
    expect(changes[0]?.problem).toContain('60 changed lines');
  });

  it('leave over the changed and removed lines that none is about', () => {
    const { uncovered } = check([claim()]);
    expect(uncovered).toEqual([
      { document: 'docs/a.md', startLine: 5, endLine: 5 },
      { document: 'docs/a.md', startLine: 9, endLine: 9, isRemoval: true },
    ]);
    expect(check([claim({ endLine: 8 })]).uncovered).toEqual([]);
    expect(check([]).uncovered[0]).toEqual({ document: 'docs/a.md', startLine: 3, endLine: 5 });
  });

  it('leave over every file without text, and every removed document', () => {
    const patch = `diff --git a/docs/a.png b/docs/a.png
new file mode 100644
index 0000000..2222222
Binary files /dev/null and b/docs/a.png differ
diff --git a/docs/old.md b/docs/old.md
deleted file mode 100644
--- a/docs/old.md
+++ /dev/null
@@ -1,1 +0,0 @@
-old
`;
    expect(check([], { patch }).uncovered).toEqual([{ document: 'docs/a.png' }, { document: 'docs/old.md' }]);
  });

  it('are told with what nothing shows first', () => {
    const checked = check([claim(), claim({ startLine: 5, endLine: 5, source: null })]);
    expect(unprovenOf(checked)).toEqual([
      { place: 'docs/a.md:5', why: 'no source is named. since this change' },
      { place: 'docs/a.md:9', why: expect.stringContaining('removed') },
    ]);
    expect(statementsWords(checked)).toMatch(
      /^1 changed statement with a source, and 2 places have no source/,
    );
  });

  it('are read from an answer with words around it, and without entries that make no sense', () => {
    const text = `Done.\n\`\`\`json\n${JSON.stringify({ summary: 'S', changes: [claim(), { document: 7 }, null] })}\n\`\`\``;
    expect(readClaims(['', text])).toMatchObject({ summary: 'S', claims: [{ document: 'docs/a.md' }] });
    expect(readClaims(['I wrote docs/a.md.', '{"a": 1}'])).toBeUndefined();
  });
});
