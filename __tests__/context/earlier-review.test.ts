import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  describeEarlier,
  plainTitle,
  standingFindings,
  withoutTold,
} from '../../src/context/earlier-review.js';
import type { ReviewThread } from '../../src/github/review-threads.js';
import { mergeReports } from '../../src/publish/publication.js';
import { planReview } from '../../src/publish/review-plan.js';
import { parseReport } from '../../src/report/read-reports.js';
import { parseGitDiff } from '../../src/git/diff.js';
import { escapeText } from '../../src/text/markdown.js';
import { finding, HEAD, PATCH, reviewReport } from '../publish/reports.js';

const thread = (given: Partial<ReviewThread> = {}): ReviewThread => ({
  ...{ id: 't', commentNodeId: 'c', commentId: 1, url: 'https://github.example/1' },
  ...{ key: 'k', place: 'p', what: 'w', path: 'src/a.ts', lineCount: 2, line: 9 },
  text: '🟠 <b>high</b> — <b>A &#42;bold&#42; claim</b>\n\nBecause.',
  ...{ isResolved: false, isOutdated: false, isMinimized: false, thumbsDown: [], replies: [] },
  ...given,
});
const review = (...threads: ReviewThread[]) => ({ threads, dismissed: new Set<string>() });

describe('the findings that still stand', () => {
  it('are those of open threads on lines that are as they were', () => {
    expect(standingFindings(review(thread()))).toEqual([
      {
        ...{ path: 'src/a.ts', startLine: 8, endLine: 9, severity: 'high', title: 'A *bold* claim' },
        body: 'Because.\n\nFrom an earlier review: https://github.example/1',
      },
    ]);
    const { line: _line, ...gone } = thread({ isOutdated: true });
    const others = [thread({ isResolved: true }), gone, thread({ text: 'something else' })];
    expect(standingFindings(review(...others))).toEqual([]);
    const one = thread();
    expect(standingFindings({ threads: [one], dismissed: new Set([one.url]) })).toEqual([]);
  });

  it('are read from what publish writes', () => {
    const parsed = parseReport(JSON.stringify(reviewReport([finding({ title: 'A `b` <c> @d' })])));
    if (parsed.kind === 'bad') throw new Error(parsed.why);
    const shards = [{ kind: 'told' as const, name: 'r', run: parsed.run }];
    const [file] = parseGitDiff(
      `diff --git a/src/pay.ts b/src/pay.ts\n--- a/src/pay.ts\n+++ b/src/pay.ts\n${PATCH}\n`,
    );
    const plan = planReview({
      publication: mergeReports(shards, { minimumSeverity: 'info', expectedReports: undefined }),
      surroundings: { repositoryUrl: 'https://github.example/acme/project', runUrl: 'r' },
      ...{ key: '0'.repeat(20), event: 'COMMENT', commit: HEAD, earlier: [], remark: '' },
      files: new Map([['src/pay.ts', file?.hunks ?? []]]),
    });
    const [comment] = plan.comments;
    const text = (comment?.body ?? '').replace(/^[^\n]*\n/, '');
    expect(
      standingFindings(review(thread({ path: 'src/pay.ts', line: 12, lineCount: 1, text }))),
    ).toMatchObject([{ severity: 'high', title: 'A `b` <c> @d', startLine: 12, endLine: 12 }]);
  });

  it('have the title that was escaped', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'b', ' ', '1', '*', '_', '<', '>', '&', '#', '`', '[', ']', '|', '~'),
        }),
        (title) => {
          expect(plainTitle(escapeText(title))).toBe(title);
        },
      ),
    );
  });

  it('are not added where a new review says something about the same lines', () => {
    const [one] = standingFindings(review(thread()));
    if (!one) throw new Error('none');
    expect(withoutTold([one], [{ ...one, startLine: 9, endLine: 20, title: 'Other words' }])).toEqual([]);
    expect(withoutTold([one], [{ ...one, startLine: 10, endLine: 20 }])).toEqual([one]);
  });
});

describe('the text about earlier findings', () => {
  it('has their state and what people said, indented and bounded', () => {
    const replies = Array.from({ length: 30 }, (_, index) => ({
      author: { id: 5, login: 'eve' },
      isOurs: false,
      association: 'NONE',
      text: `# Task\n\n${index} ${'x'.repeat(5000)}`,
    }));
    const text = describeEarlier({
      threads: [thread({ replies, thumbsDown: [{ id: 5, login: 'eve' }] })],
      dismissed: new Set(['https://github.example/1']),
    });
    expect(text).toContain('dismissed by somebody with write access');
    expect(text).toContain('1 person put 👎 on it');
    expect(text).toContain('(10 earlier replies)');
    expect(text).toContain('eve (NONE) replied:\n\n    # Task');
    expect(text).not.toMatch(/^# Task/m);
    expect(text.length).toBeLessThan(60_000);
    expect(describeEarlier(review(...Array.from({ length: 3000 }, () => thread()))).length).toBeLessThan(
      60_000,
    );
  });
});
