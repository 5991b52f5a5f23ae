import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { continueReview } from '../../src/context/choose-scope.js';
import {
  describeEarlier,
  dismissedIn,
  standingFindings,
  type EarlierReview,
} from '../../src/context/earlier-review.js';
import { digest, writeMarker, withoutPrompt } from '../../src/github/marker.js';
import type { ReviewThread } from '../../src/github/review-threads.js';
import { titleWords } from '../../src/report/findings.js';
import { hashLines, type Dismissed } from '../../src/review/dismissed.js';
import { planReview } from '../../src/publish/review-plan.js';
import { plainTitle, withoutRepeated } from '../../src/review/open-findings.js';
import { parseReport } from '../../src/report/read-reports.js';
import { parseGitDiff } from '../../src/git/diff.js';
import { escapeText } from '../../src/text/markdown.js';
import { finding, HEAD, mergePlaced, PATCH, reviewReport } from '../publish/reports.js';

const PLACE = digest('place');
const thread = (given: Partial<ReviewThread> = {}): ReviewThread => ({
  ...{ id: 't', commentNodeId: 'c', commentId: 1, url: 'https://github.example/1' },
  ...{ key: 'k', place: PLACE, what: 'w', path: 'src/a.ts', lineCount: 2, line: 9 },
  text: '🟠 <b>high</b> — <b>A &#42;bold&#42; claim</b>\n\nBecause.',
  ...{ isResolved: false, isOutdated: false, isMinimized: false, thumbsDown: [], replies: [] },
  ...given,
});
/** One in which we said that its finding is gone. */
const closed = (one: ReviewThread): ReviewThread => {
  const text = writeMarker({ kind: 'closed', key: digest('key'), place: one.place });
  return { ...one, replies: [{ isOurs: true, association: 'NONE', text }] };
};
const review = (...threads: ReviewThread[]): EarlierReview => ({ threads, dismissed: [], unthreaded: [] });
const standing = (earlier: EarlierReview, diff = '') =>
  standingFindings(earlier, { files: parseGitDiff(diff) });
const dismissed = ({ key, place, what, path, lineCount, url }: ReviewThread): Dismissed => ({
  ...{ login: 'mary', how: 'reply', key, place, what, path, lineCount, url },
});

describe('the findings that still stand', () => {
  it('are those of open threads on lines that are as they were', () => {
    expect(standing(review(thread()))).toEqual([
      {
        ...{ path: 'src/a.ts', startLine: 8, endLine: 9, severity: 'high', title: 'A *bold* claim' },
        body: 'Because.\n\nFrom an earlier review: https://github.example/1',
      },
    ]);
    const { line: _line, ...gone } = thread({ isOutdated: true });
    const others = [closed(thread()), gone, thread({ text: 'something else' })];
    expect(standing(review(...others))).toEqual([]);
    const one = thread();
    expect(standing({ ...review(one), dismissed: [dismissed(one)] })).toEqual([]);
  });

  it('include one that somebody without write access resolved, as the author of a change can', () => {
    const resolved = thread({ isResolved: true, resolvedBy: { id: 5, login: 'eve' } });
    expect(standing(review(resolved))).toHaveLength(1);
    expect(standing({ ...review(resolved), dismissed: [dismissed(resolved)] })).toEqual([]);
  });

  it('are found by their text where GitHub no longer knows their lines, as after a force push', () => {
    const diff = [
      ...['diff --git a/src/a.ts b/src/a.ts', '--- a/src/a.ts', '+++ b/src/a.ts', '@@ -0,0 +20,3 @@'],
      ...['+zero', '+one', '+two', ''],
    ].join('\n');
    const { line: _line, ...moved } = thread({
      isOutdated: true,
      place: hashLines('src/a.ts', ['one', 'two']),
    });
    expect(standing(review(moved), diff)).toMatchObject([{ path: 'src/a.ts', startLine: 21, endLine: 22 }]);
    expect(standing(review(moved), diff.replace('+one', '+1'))).toEqual([]);
    expect(standing(review(closed(moved)), diff)).toEqual([]);
    // GitHub names the lines of the newest commit. This run may be about the one before it.
    const newest = { ...moved, isOutdated: false, line: 9 };
    expect(standing(review(newest), diff)).toMatchObject([{ startLine: 21, endLine: 22 }]);
    expect(standing(review(newest))).toMatchObject([{ startLine: 8, endLine: 9 }]);
  });

  it('include those without a thread, unless a thread of the same finding says more', () => {
    const one = finding();
    const what = digest(titleWords(one.title));
    expect(standing({ ...review(thread()), unthreaded: [one] })).toMatchObject([{}, one]);
    const same = thread({ path: one.path, what, line: 99 });
    expect(standing({ ...review(same), unthreaded: [one] })).toHaveLength(1);
    expect(standing({ ...review(closed(same)), unthreaded: [one] })).toEqual([]);
  });

  it('are those of the review that is continued, if there are several', () => {
    const [ours, other] = [thread(), thread({ key: 'other', url: 'u' })];
    const all = { ...review(ours, other), dismissed: [dismissed(ours), dismissed(other)] };
    expect(continueReview(all, { key: 'k', standing: [] })).toEqual({
      ...review(ours),
      dismissed: [dismissed(ours)],
    });
  });

  it('are read from what publish writes', () => {
    const given = { ...finding({ title: 'A `b` <c> @d' }), agreement: { found: 2, of: 3 } };
    const parsed = parseReport(JSON.stringify(reviewReport([given])));
    if (parsed.kind === 'unread') throw new Error(parsed.why);
    const shards = [{ kind: 'read' as const, name: 'r', run: parsed.run }];
    const [file] = parseGitDiff(
      `diff --git a/src/pay.ts b/src/pay.ts\n--- a/src/pay.ts\n+++ b/src/pay.ts\n${PATCH}\n`,
    );
    const plan = planReview({
      publication: mergePlaced(shards, { minimumSeverity: 'info', expectedReports: undefined }),
      links: { repositoryUrl: 'https://github.example/acme/project', runUrl: 'r' },
      ...{
        key: '0'.repeat(20),
        reviewEvent: 'COMMENT',
        maxComments: 10,
        commit: HEAD,
        earlier: [],
        remark: '',
      },
      files: new Map([['src/pay.ts', file?.hunks ?? []]]),
    });
    const [comment] = plan.comments;
    const text = withoutPrompt((comment?.body ?? '').replace(/^[^\n]*\n/, ''));
    expect(text).toContain('Found by 2 of 3');
    const [read] = standing(review(thread({ path: 'src/pay.ts', line: 12, lineCount: 1, text })));
    expect(read?.body).toMatch(/^Whoever reads the log reads the card number\.\n\nFrom an earlier review: /);
    expect(standing(review(thread({ path: 'src/pay.ts', line: 12, lineCount: 1, text })))).toMatchObject([
      { severity: 'high', title: 'A `b` <c> @d', startLine: 12, endLine: 12 },
    ]);
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
    const [one] = standing(review(thread()));
    if (!one) throw new Error('none');
    expect(withoutRepeated([one], [{ ...one, startLine: 9, endLine: 20, title: 'Other words' }])).toEqual([]);
    expect(withoutRepeated([one], [{ ...one, startLine: 10, endLine: 20 }])).toEqual([one]);
    // A remark does not take the place of something grave, or it would open a gate.
    expect(withoutRepeated([one], [{ ...one, severity: 'medium' }])).toEqual([one]);
    expect(withoutRepeated([one], [{ ...one, severity: 'critical' }])).toEqual([]);
  });
});

describe('a finding that the agent reports although it was dismissed', () => {
  const place = hashLines('src/a.ts', ['one']);
  const change = {
    files: parseGitDiff(
      'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -0,0 +1,9 @@\n+one\n' +
        '+x\n'.repeat(8),
    ),
  };
  const again = finding({ path: 'src/a.ts', startLine: 1, endLine: 2, title: 'In other words' });
  const ours = thread({ place, lineCount: 1 });

  it('is recognised by its code', () => {
    const isDismissed = dismissedIn({ ...review(ours), dismissed: [dismissed(ours)] }, change);
    expect(isDismissed(again)).toBe(true);
    expect(isDismissed({ ...again, startLine: 5, endLine: 5 })).toBe(false);
    expect(dismissedIn(review(ours), change)(again)).toBe(false);
  });

  it('is left to publish if there are several reviews, because the dismissal may be about another one', () => {
    const earlier = { ...review(ours, thread({ key: 'other' })), dismissed: [dismissed(ours)] };
    expect(dismissedIn(earlier, change)(again)).toBe(false);
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
      dismissed: [dismissed(thread())],
      unthreaded: [finding({ body: '# Task' })],
    });
    expect(text).toContain('dismissed by a user with write access');
    expect(text).toContain('1 person put 👎 on it');
    expect(text).toContain('(10 earlier replies)');
    expect(text).toContain('Earlier findings (2)');
    expect(text).toContain('## 2. "src/pay.ts:12"\n\nState: open; it is in the text of the review');
    expect(text).toContain('    high: The card number is logged\n\n    # Task');
    expect(text).toContain('eve (NONE) replied:\n\n    # Task');
    expect(text).not.toMatch(/^# Task/m);
    expect(text.length).toBeLessThan(60_000);
    expect(describeEarlier(review(...Array.from({ length: 3000 }, () => thread()))).length).toBeLessThan(
      60_000,
    );
  });
});
