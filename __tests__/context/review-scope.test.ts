import { describe, expect, it } from '@jest/globals';
import type { ChangeSince } from '../../src/context/change-since.js';
import {
  askedInFull,
  chooseMark,
  judgeSince,
  markOf,
  nothingReviewable,
  type ReviewTerms,
} from '../../src/context/choose-scope.js';
import type { ReviewedMark } from '../../src/github/marker.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const terms: ReviewTerms = {
  pull: 'acme/project#7',
  prompt: '1'.repeat(20),
  policy: { preset: 'review' },
  secret: 'key',
};
const mark = markOf({ head: HEAD, base: BASE }, terms);
const found = (one: ReviewedMark, url = 'u') => ({ mark: one, findings: '', at: '', url });

describe('the mark that a review continues', () => {
  it('is the newest under the same terms', () => {
    const marks = [found({ ...mark, head: 'c'.repeat(40) }, 'forged'), found(mark, 'ours')];
    expect(chooseMark('auto', marks, terms)).toEqual(found(mark, 'ours'));
    expect(chooseMark('auto', [], terms)).toEqual({
      kind: 'full',
      why: expect.stringMatching(/^no earlier/),
    });
  });

  it.each<[string, Partial<ReviewTerms>]>([
    ['pull request', { pull: 'acme/project#8' }],
    ['policy', { policy: { preset: 'review', exclude: ['docs/**'] } }],
    ['key', { secret: 'another key' }],
  ])('is never one of another %s', (_what, other) => {
    for (const choice of ['auto', 'new'] as const)
      expect(chooseMark(choice, [found(mark)], { ...terms, ...other })).toMatchObject({ kind: 'full' });
  });

  it.each(['head', 'base', 'policy', 'prompt'] as const)('is never one whose %s was changed', (field) => {
    const forged = { ...mark, [field]: mark[field].replace(/./g, '0') };
    expect(chooseMark('new', [found(forged)], terms)).toMatchObject({ kind: 'full' });
  });

  it('may have another prompt only with review-scope: new', () => {
    const other = { ...terms, prompt: '2'.repeat(20) };
    expect(chooseMark('auto', [found(mark)], other)).toMatchObject({
      kind: 'full',
      why: expect.stringContaining('prompt') as unknown,
    });
    expect(chooseMark('new', [found(mark)], other)).toEqual(found(mark));
  });
});

const part = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+y\n`;
const since = (paths: readonly string[], more: Partial<ChangeSince> = {}): ChangeSince => ({
  standing: [],
  diff: { text: paths.map(part).join(''), unread: [] },
  same: [],
  fromBase: { files: 0, touched: 0 },
  ...more,
});
const moved = (from: string, to: string) =>
  since([], {
    diff: {
      text: `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`,
      unread: [],
    },
  });
const files = {
  exclude: ['docs/'],
  paths: new Set(['a.ts', 'b.ts', 'yarn.lock', 'docs/a.md', 'docs/b.md']),
};
const judge = (choice: 'auto' | 'new', what: ChangeSince, now = 'c'.repeat(40)) =>
  judgeSince(choice, what, { then: HEAD, now, ...files });

describe('what is reviewed after a review', () => {
  it.each([
    ['nothing, the same commit', since([]), HEAD, 'nothing', /already reviewed/],
    ['nothing, a rebase', since([]), undefined, 'nothing', /only its commits or its base/],
    ['nothing, generated files', since(['yarn.lock']), undefined, 'nothing', /only generated files/],
    ['nothing, excluded files', since(['docs/a.md']), undefined, 'nothing', /exclude matches/],
    ['nothing, files of another run', since(['other.ts']), undefined, 'nothing', /requested/],
    ['a source that became a document', moved('a.ts', 'docs/a.md'), undefined, 'new', /reviewed before/],
    ['a source that became generated', moved('a.ts', 'yarn.lock'), undefined, 'new', /reviewed before/],
    ['nothing, a document that moved', moved('docs/b.md', 'docs/a.md'), undefined, 'nothing', /exclude/],
    ['what is new', since(['a.ts', 'yarn.lock']), undefined, 'new', /reviewed before/],
    [
      'a file that could not be read',
      since([], { diff: { text: '', unread: ['a.ts'] } }),
      undefined,
      'new',
      /reviewed before/,
    ],
    [
      'everything, if the base changed the same files',
      since(['a.ts'], { same: ['b.ts'], fromBase: { files: 9, touched: 2 } }),
      undefined,
      'full',
      /most of the same files/,
    ],
    [
      'everything, if the base changed very much',
      since(['a.ts'], { fromBase: { files: 501, touched: 0 } }),
      undefined,
      'full',
      /501 files/,
    ],
  ] as const)('is %s', (_name, what, now, kind, why) => {
    expect(judge('auto', what, now)).toMatchObject({ kind, why: expect.stringMatching(why) as unknown });
  });

  it('counts the files that nothing but their generated path exempts', () => {
    expect(judge('auto', since(['yarn.lock', 'docs/a.md'])).unreadGenerated).toBe(1);
    expect(judge('auto', since(['docs/a.md'])).unreadGenerated).toBe(0);
    expect(judge('auto', since(['a.ts', 'yarn.lock'])).unreadGenerated).toBeUndefined();
  });

  it('is what is new with review-scope: new, whatever the base did', () => {
    expect(judge('new', since(['a.ts'], { fromBase: { files: 501, touched: 9 } }))).toMatchObject({
      kind: 'new',
    });
  });

  it('is everything if a person asks', () => {
    expect(askedInFull({ name: 'issue_comment' })).toBe('a comment asked for it');
    expect(askedInFull({ name: 'pull_request', payload: { action: 'labeled' } })).toBe(
      'a label asked for it',
    );
    expect(askedInFull({ name: 'pull_request', payload: { action: 'synchronize' } })).toBeUndefined();
    expect(askedInFull({ name: 'constructor' })).toBeUndefined();
  });

  it('says why no file is reviewed', () => {
    expect(nothingReviewable(['docs/a.md', 'yarn.lock'], files)).toBe(
      'only files changed that are generated or that exclude matches',
    );
    expect(nothingReviewable(['docs/a.md', 'a.ts'], files)).toBeUndefined();
  });

  it('reviews files with a generated path if a gate needs it, excluded ones never', () => {
    const gated = { ...files, withGenerated: true };
    expect(nothingReviewable(['yarn.lock'], files)).toBe('only generated files changed');
    expect(nothingReviewable(['yarn.lock'], gated)).toBeUndefined();
    expect(nothingReviewable(['docs/a.md'], gated)).toBe('only files changed that exclude matches');
  });
});
