import { expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EarlierReview } from '../../src/context/earlier-review.js';
import { parseGitDiff } from '../../src/git/diff.js';
import type { ReviewThread } from '../../src/github/review-threads.js';
import { doesCount, MAX_FINDINGS } from '../../src/report/findings.js';
import { emptyReport } from '../../src/report/run-report.js';
import { hashLines } from '../../src/review/dismissed.js';
import { expectAnswer } from '../../src/review/expect-answer.js';
import type { ResolvedInputs } from '../../src/run/resolve-inputs.js';
import { draftReview, keepAnswer } from '../../src/run/structured-answer.js';
import { finding } from '../publish/reports.js';
import { git, scratchFolder } from '../sandbox/layer/scratch-repository.js';

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

const thread = (url: string, first: number, last: number): ReviewThread => ({
  ...{ id: url, commentNodeId: 'c', commentId: 1, url, key: 'k', what: url, path: 'a.ts' },
  place: hashLines('a.ts', LINES.slice(first - 1, last)),
  ...{ lineCount: last - first + 1, line: last, originalLine: last },
  text: '🟠 <b>high</b> — <b>It crashes</b>\n\nBecause.',
  ...{ isResolved: false, isOutdated: false, isMinimized: false, thumbsDown: [], replies: [] },
});

it('keeps a finding that stands, if the only new one about its lines was dismissed', () => {
  const workspace = scratchFolder();
  git(workspace, 'init', '-q');
  writeFileSync(join(workspace, 'a.ts'), `${LINES.join('\n')}\n`);
  const [large, small] = [thread('large', 1, 20), thread('small', 12, 12)];
  const { key, place, what, path, lineCount, url } = small;
  const earlier: EarlierReview = {
    threads: [large, small],
    dismissed: [{ login: 'mary', how: 'reply', key, place, what, path, lineCount, url }],
    unthreaded: [],
  };
  const again = finding({ path: 'a.ts', startLine: 12, endLine: 12, title: 'The dismissed one' });
  const answer = JSON.stringify({ summary: 'Looked.', findings: [again] });
  const made = expectAnswer({ kind: 'findings' });
  if ('problems' in made) throw new Error(made.problems.join());
  const diff = `diff --git a/a.ts b/a.ts\nnew file mode 100644\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,30 @@\n+${LINES.join('\n+')}\n`;
  const { recorded } = keepAnswer(
    {
      ...{ exit: { kind: 'exited', code: 0 }, stderr: '', hasWorked: true },
      limits: { timeoutMinutes: 1, idleTimeoutMinutes: 1 },
      ...{ report: { ...emptyReport(), answer }, verdict: { status: 'success' }, network: undefined },
    },
    {
      expectation: made.expectation,
      resolved: { directory: workspace, workspace } as ResolvedInputs,
      inputs: { exclude: [] },
      history: {
        ...{ directory: workspace, workspace, scratch: scratchFolder(), env: {}, token: undefined },
        cancel: new AbortController().signal,
      },
      reviewed: { change: { files: parseGitDiff(diff) } },
      corrections: [],
      rules: { team: [] },
      scope: { earlier, since: { diff: { text: '', unread: [] }, commit: 'c' } },
    },
  );
  expect(recorded.review).toMatchObject({ findings: [{ title: 'It crashes', startLine: 1 }], dismissed: 1 });
});

it('no number of findings beside the change pushes out one that a gate counts', () => {
  const workspace = scratchFolder();
  git(workspace, 'init', '-q');
  writeFileSync(join(workspace, 'a.ts'), `${LINES.join('\n')}\n`);
  const made = expectAnswer({ kind: 'findings' });
  if ('problems' in made) throw new Error(made.problems.join());
  const at = { path: 'a.ts', startLine: 12, endLine: 12, title: 'It crashes' };
  const beside = Array.from({ length: MAX_FINDINGS }, (_, index) =>
    finding({ ...at, path: 'none.ts', startLine: index + 1, endLine: index + 1, severity: 'critical' }),
  );
  const diff = `diff --git a/a.ts b/a.ts\nnew file mode 100644\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,30 @@\n+${LINES.join('\n+')}\n`;
  const answers = [beside, [finding({ ...at, severity: 'high' })]].map((findings) => [
    { summary: '', findings },
  ]);
  const { review } = draftReview(answers, {
    expectation: made.expectation,
    resolved: { directory: workspace, workspace } as ResolvedInputs,
    inputs: { exclude: [] },
    history: {
      ...{ directory: workspace, workspace, scratch: scratchFolder(), env: {}, token: undefined },
      cancel: new AbortController().signal,
    },
    reviewed: { change: { files: parseGitDiff(diff) } },
    ...{ rules: { team: [] }, scope: undefined },
  });
  expect(review?.findings).toHaveLength(MAX_FINDINGS);
  expect(review?.findings.filter(doesCount)).toMatchObject([{ path: 'a.ts', severity: 'high' }]);
});
