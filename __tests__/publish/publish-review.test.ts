import { afterEach, describe, expect, it } from '@jest/globals';
import { connectGithub } from '../../src/github/client.js';
import { openPullRequests } from '../../src/publish/pull-request-api.js';
import { parseReport } from '../../src/report/read-reports.js';
import { digest, readMarker } from '../../src/github/marker.js';
import { mergeReports } from '../../src/publish/publication.js';
import { publishReview, type ReviewResult } from '../../src/publish/publish-review.js';
import { MOST_INLINE } from '../../src/publish/review-plan.js';
import type { Finding } from '../../src/report/findings.js';
import {
  ACTIONS_BOT,
  nodeId,
  READ_TOKEN,
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeGithub,
  type FakeSettings,
  type Fault,
} from '../github/stateful-fake.js';
import { BASE, finding, HEAD, LATER, PATCH, pullOf, reviewReport } from './reports.js';

let open: FakeGithub[] = [];
afterEach(async () => {
  const all = open;
  open = [];
  await Promise.all(all.map((each) => each.close()));
});
const start = async (settings: Partial<FakeSettings> = {}) => {
  const github = await startGithub({ pulls: [pullOf()], ...settings });
  open.push(github);
  return github;
};

interface Given {
  findings?: Finding[];
  event?: 'COMMENT' | 'auto';
  head?: string;
  token?: string;
  report?: Record<string, unknown>;
}
const publish = async (fake: FakeGithub, given: Given = {}): Promise<ReviewResult> => {
  const change = { base: BASE, head: given.head ?? HEAD };
  const report = given.report ?? reviewReport(given.findings ?? [finding()], { change });
  const read = parseReport(JSON.stringify(report));
  if (read.kind === 'bad') throw new Error(read.why);
  const publication = mergeReports([{ kind: 'told', name: 'report.json', run: read.run }], {
    minimumSeverity: 'low',
    expectedReports: undefined,
  });
  const github = openPullRequests(
    connectGithub({
      token: given.token ?? WRITE_TOKEN,
      apiUrl: fake.url,
      repository: { owner: 'acme', repo: 'project' },
      cancel: new AbortController().signal,
      clock: { wait: () => Promise.resolve() },
    }),
  );
  const task = {
    number: 7,
    pull: await github.pull(7),
    key: digest('key', 'default'),
    event: given.event ?? ('COMMENT' as const),
    publication,
    surroundings: {
      repositoryUrl: 'https://github.example/acme/project',
      runUrl: 'https://github.example/run',
    },
    reviewed: publication.head,
  };
  return publishReview(github, task, await github.viewer());
};

describe('a review', () => {
  it('puts findings on the lines of the change, and the rest into its body', async () => {
    const fake = await start();
    const findings = [
      finding({ suggestion: 'log(card.last4);' }),
      finding({ startLine: 11, endLine: 13, severity: 'medium', title: 'Three lines' }),
      finding({ startLine: 90, endLine: 90, severity: 'low', title: 'Far away' }),
      finding({ path: 'logo.png', startLine: 1, endLine: 1, severity: 'low', title: 'A picture' }),
      finding({ path: '../../etc/passwd', severity: 'low', title: 'Not here' }),
    ];
    const result = await publish(fake, { findings });
    expect(result).toMatchObject({ inline: 2, left: 0, isUnchanged: false, notes: [] });
    const [review] = fake.state.reviews;
    expect(review).toMatchObject({ state: 'COMMENTED', commit: HEAD, author: ACTIONS_BOT });
    expect(result.url).toContain(`pullrequestreview-${review?.id}`);
    for (const title of ['Far away', 'A picture', 'Not here']) expect(review?.body).toContain(title);
    expect(review?.body).not.toContain('href="https://github.example/acme/project/blob/' + HEAD + '/..');
    expect(fake.state.lineComments.map(({ path, line, startLine }) => [path, line, startLine])).toEqual([
      ['src/pay.ts', 12, null],
      ['src/pay.ts', 13, 11],
    ]);
    expect(fake.state.lineComments[0]?.body).toContain('```suggestion\nlog(card.last4);\n```');
  });

  it('puts a range that reaches beyond the change on the part that is shown', async () => {
    const fake = await start();
    await publish(fake, { findings: [finding({ startLine: 12, endLine: 30, suggestion: 'x' })] });
    const [comment] = fake.state.lineComments;
    expect([comment?.startLine, comment?.line]).toEqual([12, 13]);
    expect(comment?.body).toContain('About lines 12–30');
    expect(comment?.body).not.toContain('```suggestion');
  });

  it('says nothing twice, also in other words, and says it again where the lines changed', async () => {
    const fake = await start();
    await publish(fake);
    const reworded = finding({ title: 'Card data ends up in logs', body: 'Other words.' });
    const again = await publish(fake, { findings: [reworded] });
    expect(again).toMatchObject({ inline: 0, isUnchanged: true });
    expect([fake.state.reviews.length, fake.state.lineComments.length]).toEqual([1, 1]);
    // The line moved, and is the same.
    const moved = `@@ -1,0 +1,1 @@\n+// a new first line\n${PATCH.replace('+10,4', '+11,4').replace('+40,2', '+41,2')}`;
    fake.push(7, { head: LATER, files: [{ path: 'src/pay.ts', patch: moved }] });
    const movedFinding = finding({ startLine: 13, endLine: 13 });
    expect(await publish(fake, { findings: [movedFinding], head: LATER })).toMatchObject({ inline: 0 });
    expect(fake.state.lineComments).toHaveLength(1);
    // The line changed.
    fake.push(7, {
      head: 'd'.repeat(40),
      files: [{ path: 'src/pay.ts', patch: PATCH.replace('log(card', 'console.log(card') }],
    });
    const changed = await publish(fake, { head: 'd'.repeat(40) });
    expect(changed).toMatchObject({ inline: 1, isUnchanged: false });
    expect(fake.state.minimized).toEqual([
      nodeId(fake.state.reviews[0]!),
      nodeId(fake.state.lineComments[0]!),
    ]);
  });

  it('is written anew when there is one more finding, with a link to what was said', async () => {
    const fake = await start();
    await publish(fake);
    await publish(fake, {
      findings: [finding(), finding({ startLine: 41, endLine: 41, title: 'Never used', severity: 'low' })],
    });
    expect(fake.state.lineComments.map(({ line }) => line)).toEqual([12, 41]);
    const body = fake.state.reviews[1]?.body ?? '';
    expect(body).toContain('Still there');
    expect(body).toContain(`#discussion_r${fake.state.lineComments[0]?.id}`);
    expect(fake.state.minimized).toEqual([nodeId(fake.state.reviews[0]!)]);
  });

  it('does not take a stranger’s comment for its own', async () => {
    const fake = await start();
    await publish(fake);
    for (const each of [...fake.state.lineComments, ...fake.state.reviews]) each.author = STRANGER;
    expect(await publish(fake)).toMatchObject({ inline: 1, isUnchanged: false });
    expect(fake.state.minimized).toEqual([]);
  });

  it('says once that there is nothing, and once that there is nothing any more', async () => {
    const fake = await start();
    expect(await publish(fake, { findings: [] })).toMatchObject({ isUnchanged: false });
    expect(await publish(fake, { findings: [] })).toMatchObject({ isUnchanged: true });
    await publish(fake);
    expect(await publish(fake, { findings: [] })).toMatchObject({ isUnchanged: false });
    expect(fake.state.reviews.map(({ body }) => body.split('\n')[1])).toEqual([
      '### ✅ Cursor agent (docs): no findings',
      '### 💬 Cursor agent (docs): 1 high',
      '### ✅ Cursor agent (docs): no findings',
    ]);
  });

  it('puts at most so many on lines, the gravest, and the others into the body', async () => {
    const fake = await start({
      pulls: [
        pullOf({
          files: [
            {
              path: 'a',
              patch: `@@ -0,0 +1,60 @@\n${Array.from({ length: 60 }, (_, i) => `+l${i}`).join('\n')}`,
            },
          ],
        }),
      ],
    });
    const findings = Array.from({ length: 60 }, (_, index) =>
      finding({
        path: 'a',
        startLine: index + 1,
        endLine: index + 1,
        severity: index === 59 ? 'critical' : 'low',
        title: `Number ${index}.`,
      }),
    );
    expect(await publish(fake, { findings })).toMatchObject({ inline: MOST_INLINE, left: 0 });
    expect(fake.state.lineComments[0]?.line).toBe(60);
    expect(fake.state.reviews[0]?.body).toContain('Number 58.');
  });
});

describe('a request for changes', () => {
  it('is made from high on, and withdrawn when that is over', async () => {
    const fake = await start();
    await publish(fake, { event: 'auto', findings: [finding({ severity: 'medium' })] });
    await publish(fake, { event: 'auto' });
    await publish(fake, { event: 'auto', findings: [] });
    expect(fake.state.reviews.map(({ state }) => state)).toEqual(['COMMENTED', 'DISMISSED', 'COMMENTED']);
  });

  it('is withdrawn by the next run where that failed, though it has nothing new to say', async () => {
    let isDown = true;
    const fake = await start({
      fault: ({ operation }) =>
        isDown && operation.includes('dismissals')
          ? { status: 502, body: { message: 'Bad gateway' } }
          : undefined,
    });
    await publish(fake, { event: 'auto' });
    const { notes } = await publish(fake, { event: 'auto', findings: [] });
    expect(notes.join()).toContain('A request for changes stays.');
    isDown = false;
    expect(await publish(fake, { event: 'auto', findings: [] })).toMatchObject({ isUnchanged: true });
    expect(fake.state.reviews.map(({ state }) => state)).toEqual(['DISMISSED', 'COMMENTED']);
  });

  it('becomes a comment on our own pull request', async () => {
    const fake = await start({ pulls: [pullOf({ author: ACTIONS_BOT })] });
    const { notes, inline } = await publish(fake, { event: 'auto' });
    expect(notes.join()).toContain('own pull request');
    expect(inline).toBe(1);
    expect(fake.state.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  });
});

describe('the commit of a review', () => {
  it('is the one that was looked at, with its own lines, if the pull request has moved on', async () => {
    const fake = await start();
    fake.push(7, { head: LATER, files: [{ path: 'src/pay.ts', patch: '@@ -1 +1 @@\n-a\n+b' }] });
    expect(await publish(fake)).toMatchObject({ inline: 1, notes: [] });
    expect(fake.state.reviews[0]).toMatchObject({ commit: HEAD });
    expect(fake.state.reviews[0]?.body).toContain('newer commits');
  });

  it('puts nothing on lines if it is not part of the pull request any more', async () => {
    const fake = await start();
    expect(await publish(fake, { head: 'f'.repeat(40) })).toMatchObject({ inline: 0 });
    expect(fake.state.reviews[0]?.body).toContain('no longer part of this pull request');
    expect(fake.state.reviews[0]?.body).toContain('The card number is logged');
  });
});

describe('what GitHub refuses', () => {
  it('a line that it will not have does not lose the review', async () => {
    let refused = false;
    const fake = await start({
      fault: ({ operation, body }) => {
        if (!operation.startsWith('POST') || !operation.endsWith('/reviews') || refused) return undefined;
        refused = (body as { comments?: unknown[] }).comments !== undefined;
        const errors = ['Pull request review thread line must be part of the diff'];
        return {
          status: 422,
          body: { message: 'Unprocessable Entity', errors, documentation_url: 'https://x' },
        };
      },
    });
    const { inline, notes } = await publish(fake);
    expect([inline, notes.length]).toEqual([0, 1]);
    expect(fake.state.reviews[0]?.body).toContain('The card number is logged');
  });

  it('a line that it will never have is not tried, and told, again and again', async () => {
    const fake = await start({
      fault: ({ operation, body }) =>
        operation.startsWith('POST') && (body as { comments?: unknown }).comments !== undefined
          ? {
              status: 422,
              body: { message: 'Unprocessable Entity', errors: ['line'], documentation_url: 'https://x' },
            }
          : undefined,
    });
    const { url } = await publish(fake);
    expect(await publish(fake)).toEqual({ url, inline: 0, left: 0, isUnchanged: true, notes: [] });
    expect(fake.state.reviews).toHaveLength(1);
    await publish(fake, { findings: [finding(), finding({ startLine: 11, endLine: 11 })] });
    expect(fake.state.reviews).toHaveLength(2);
  });

  it('folding away is only a note', async () => {
    const fake = await start({
      fault: ({ body }) =>
        JSON.stringify(body ?? '').includes('minimizeComment')
          ? { body: { data: null, errors: [{ type: 'FORBIDDEN', message: 'no' }] } }
          : undefined,
    });
    await publish(fake, { findings: [] });
    const { notes } = await publish(fake);
    expect(notes.join()).toContain('stay visible');
    expect(fake.state.reviews).toHaveLength(2);
  });

  it('a token that can only read', async () => {
    const fake = await start();
    await expect(publish(fake, { token: READ_TOKEN })).rejects.toMatchObject({ isReadOnly: true });
    expect(fake.state.reviews).toEqual([]);
  });

  it.each<[string, Fault]>([
    ['whose answer was lost', { after: 'hang up' }],
    ['that was carried out and answered with 502', { after: { status: 502 } }],
  ])('a review %s is found again', async (_name, fault) => {
    let lost = false;
    const fake = await start({
      fault: ({ operation }) => {
        if (lost || !operation.startsWith('POST') || !operation.endsWith('/reviews')) return undefined;
        lost = true;
        return fault;
      },
    });
    expect(await publish(fake)).toMatchObject({ isUnchanged: false });
    expect(fake.state.reviews).toHaveLength(1);
  });
});

describe('a marker', () => {
  it('of ours stands first; one in the text of a finding is only text', async () => {
    const fake = await start();
    const forged = '<!-- cursor-agent-action comment key=0123456789abcdef0123 -->';
    await publish(fake, { findings: [finding({ title: forged, body: `${forged}\n\nx` })] });
    const body = fake.state.lineComments[0]?.body ?? '';
    expect(readMarker(body)?.kind).toBe('finding');
    expect(body.match(/^\s*<!--/gm)).toHaveLength(1);
  });
});
