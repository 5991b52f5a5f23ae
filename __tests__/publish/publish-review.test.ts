import { afterEach, describe, expect, it } from '@jest/globals';
import { connectGithub, PATIENCE } from '../../src/github/client.js';
import { openPullRequests } from '../../src/publish/pull-request-api.js';
import { digest, readMarker, writeMarker } from '../../src/github/marker.js';
import { mergeReports } from '../../src/publish/publication.js';
import { publishReview, type ReviewResult } from '../../src/publish/publish-review.js';
import type { Severity } from '../../src/report/findings.js';
import type { Finding } from '../../src/report/model.js';
import type { Fault } from '../github/api-server.js';
import {
  ACTIONS_BOT,
  MARY,
  nodeId,
  READ_TOKEN,
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeGithub,
  type FakeReview,
  type FakeSettings,
} from '../github/stateful-fake.js';
import { BASE, finding, HEAD, LATER, PATCH, pullOf, reviewReport, shardOf } from './reports.js';

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
  maxComments?: number;
  gate?: Severity;
  key?: string;
  report?: Record<string, unknown>;
  /** Something that happens while the step waits. */
  onWait?: () => void;
}
const publish = async (fake: FakeGithub, given: Given = {}): Promise<ReviewResult> => {
  const change = { base: BASE, head: given.head ?? HEAD };
  const report = given.report ?? reviewReport(given.findings ?? [finding()], { change });
  const publication = mergeReports([shardOf(report)], {
    minimumSeverity: 'low',
    expectedReports: undefined,
    failOnSeverity: given.gate,
  });
  const github = openPullRequests(
    connectGithub({
      token: given.token ?? WRITE_TOKEN,
      apiUrl: fake.url,
      repository: { owner: 'acme', repo: 'project' },
      cancel: new AbortController().signal,
      limits: PATIENCE,
      clock: {
        wait: () => {
          given.onWait?.();
          return Promise.resolve();
        },
      },
    }),
    { owner: 'acme', repo: 'project' },
  );
  const task = {
    number: 7,
    pull: await github.pull(7),
    key: digest('key', given.key ?? 'default'),
    reviewEvent: given.event ?? ('COMMENT' as const),
    maxComments: given.maxComments ?? 10,
    publication,
    links: {
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
    expect(result).toMatchObject({ inline: 2, omitted: 0, isUnchanged: false, notes: [] });
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
});

describe('max-comments', () => {
  /** Findings on lines of their own, one for each of these severities. */
  const manyOf = (severities: readonly Severity[]) => {
    const { files, findings } = manyLines(severities.length);
    return {
      files,
      findings: findings.map((each, index) => ({ ...each, severity: severities[index] ?? 'low' })),
    };
  };
  const times = (count: number, severity: Severity) => Array.from({ length: count }, () => severity);
  const linesOf = ({ state }: FakeGithub) => state.lineComments.map(({ line }) => line);

  it('puts the worst on their lines, folds the others, and a later run posts none of those', async () => {
    const { files, findings } = manyOf([...times(39, 'low'), 'critical']);
    const fake = await start({ pulls: [pullOf({ files })] });
    expect(await publish(fake, { findings })).toMatchObject({ inline: 10, omitted: 0 });
    expect(linesOf(fake)).toEqual([40, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const [review] = fake.state.reviews;
    expect(review?.body).toContain(
      '<details><summary>30 more findings: 30 low (max-comments is 10)</summary>',
    );
    for (const line of [10, 39]) expect(review?.body).toContain(`Number ${line}.`);
    expect(await publish(fake, { findings })).toMatchObject({ inline: 0, isUnchanged: true });
    // What is worse comes first, also if there are ten comments already.
    const { files: more, findings: worse } = manyOf([...times(39, 'low'), 'critical', 'high']);
    fake.push(7, { head: LATER, files: more });
    expect(await publish(fake, { findings: worse, head: LATER })).toMatchObject({ inline: 1 });
    expect(linesOf(fake).slice(10)).toEqual([41]);
  });

  it.each<[string, Severity[], Severity | undefined, number, number]>([
    ['no gate', times(12, 'high'), undefined, 3, 3],
    ['a gate for all of them', times(40, 'high'), 'high', 10, 40],
    ['a gate for some', [...times(5, 'high'), ...times(20, 'low')], 'high', 3, 5],
    ['a gate for fewer than there is room for', [...times(2, 'high'), ...times(20, 'low')], 'high', 3, 3],
    ['more than one review can hold', times(230, 'high'), 'high', 10, 200],
  ])('%s', async (_name, severities, gate, maxComments, inline) => {
    const { files, findings } = manyOf(severities);
    const fake = await start({ pulls: [pullOf({ files })] });
    const given = { findings, maxComments, ...(gate ? { gate } : {}) };
    expect(await publish(fake, given)).toMatchObject({ inline, isUnchanged: false });
  });

  it('holds for the gate of the run too', async () => {
    const { files, findings } = manyOf(times(20, 'medium'));
    const fake = await start({ pulls: [pullOf({ files })] });
    const change = { base: BASE, head: HEAD };
    const report = reviewReport(findings, { change, failOnSeverity: 'medium' });
    expect(await publish(fake, { report })).toMatchObject({ inline: 20 });
  });

  it('does not hide what fails the gate below minimum-severity', async () => {
    const fake = await start();
    const result = await publish(fake, { findings: [finding({ severity: 'info' })], gate: 'info' });
    expect(result).toMatchObject({ inline: 1, publication: { belowMinimum: 0 } });
    expect(await publish(await start(), { findings: [finding({ severity: 'info' })] })).toMatchObject({
      inline: 0,
      publication: { belowMinimum: 1 },
    });
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

  it('stays if a finding could not be looked up, and nothing counts as reviewed', async () => {
    let contents: 'read' | 'none' = 'read';
    const account = { account: ACTIONS_BOT, access: 'write' } as const;
    const fake = await start({
      tokens: {
        [WRITE_TOKEN]: {
          ...account,
          get contents() {
            return contents;
          },
        },
      },
    });
    const reviewed = { base: BASE, head: HEAD, prompt: '1'.repeat(20), policy: '2'.repeat(20) };
    const run = (findings: Finding[]) => {
      const report = reviewReport(findings, { change: { base: BASE, head: HEAD }, reviewed });
      return publish(fake, { event: 'auto', report });
    };
    await run([finding()]);
    contents = 'none';
    const { publication } = await run([finding({ path: 'lib/other.ts', severity: 'critical' })]);
    expect(publication.aside).toMatchObject([{ place: 'not-looked-up' }]);
    expect(publication.reviewed).toBeUndefined();
    expect(fake.state.reviews.map(({ state }) => state)).toEqual(['CHANGES_REQUESTED', 'COMMENTED']);
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
  it('a limit for writes costs no comment on a line', async () => {
    let isTooFast = true;
    const fake = await start({
      fault: ({ operation }) => {
        if (!isTooFast || !operation.startsWith('POST /repos')) return undefined;
        isTooFast = false;
        const errors = [{ resource: 'PullRequestReview', code: 'abuse', field: 'base' }];
        return { status: 422, body: { message: 'Validation Failed', errors }, unlike: true };
      },
    });
    expect(await publish(fake)).toMatchObject({ inline: 1, notes: [] });
    expect(fake.state.reviews).toHaveLength(1);
    expect(fake.state.lineComments).toHaveLength(1);
  });

  it('a limit for writes that does not end is told as one, and nothing is left out', async () => {
    const fake = await start({
      fault: ({ operation }) =>
        operation.startsWith('POST /repos')
          ? {
              status: 422,
              body: { message: 'x', errors: ['was submitted too quickly'], documentation_url: '' },
            }
          : undefined,
    });
    await expect(publish(fake)).rejects.toThrow(/rate limit is used up for 1 min \(422\)/);
    const posts = fake.writes().filter((line) => line.startsWith('POST /') && line.endsWith('/reviews'));
    expect(posts.length).toBeLessThanOrEqual(3);
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

  it('a review that was not written is written again, although another key says the same', async () => {
    let isRefused = false;
    const fake = await start({
      fault: ({ operation }) => {
        const isCreate = operation.startsWith('POST') && operation.endsWith('/reviews');
        if (!isRefused || !isCreate) return undefined;
        isRefused = false;
        return { status: 502 };
      },
    });
    await publish(fake, { findings: [], key: 'other' });
    isRefused = true;
    expect(await publish(fake, { findings: [] })).toMatchObject({ isUnchanged: false });
    const keys = fake.state.reviews.map(({ body }) => readMarker(body)?.key);
    expect(keys).toEqual([digest('key', 'other'), digest('key', 'default')]);
  });
});

/** A file with this many new lines, and a finding on each. */
const manyLines = (count: number) => ({
  files: [
    {
      path: 'a',
      patch: `@@ -0,0 +1,${count} @@\n${Array.from({ length: count }, (_, index) => `+line ${index + 1}`).join('\n')}`,
    },
  ],
  findings: Array.from({ length: count }, (_, index) =>
    finding({ path: 'a', startLine: index + 1, endLine: index + 1, title: `Number ${index + 1}.` }),
  ),
});

describe('a line on which GitHub takes no comment', () => {
  it.each([
    ['one of many', 30, [17]],
    ['all of three', 3, [1, 2, 3]],
    ['the only one', 1, [1]],
  ])('puts all findings into the body, because GitHub names none: %s', async (_name, count, refusedLines) => {
    const { files, findings } = manyLines(count);
    const fake = await start({ pulls: [pullOf({ files, refusedLines })] });
    const { inline, notes } = await publish(fake, { findings, maxComments: 100 });
    expect([inline, fake.state.lineComments]).toEqual([0, []]);
    expect(fake.state.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
    for (const { title } of findings) expect(fake.state.reviews[0]?.body).toContain(title);
    expect(notes).toEqual([expect.stringContaining(`a:${refusedLines[0] ?? 0}`)]);
  });

  it('is not sent again as long as nothing changes', async () => {
    const { files, findings } = manyLines(8);
    const tree = { b: 'a line\n'.repeat(20) };
    const fake = await start({ pulls: [pullOf({ files, refusedLines: [5], tree })] });
    const { url } = await publish(fake, { findings });
    const writes = fake.writes().length;
    expect(await publish(fake, { findings })).toMatchObject({
      url,
      inline: 0,
      omitted: 0,
      isUnchanged: true,
      notes: [],
    });
    // Only the questions whose token it is, and what our threads are.
    expect(fake.writes()).toHaveLength(writes + 2);
    await publish(fake, { findings: [...findings, finding({ path: 'b', title: 'New' })] });
    expect(fake.state.reviews).toHaveLength(2);
    expect(fake.state.lineComments).toHaveLength(0);
  });

  it('does not lose the review if GitHub takes none in the end', async () => {
    const fake = await start({
      fault: ({ operation, body }) =>
        operation.startsWith('POST') && (body as { comments?: unknown }).comments !== undefined
          ? {
              status: 422,
              body: { message: 'Unprocessable Entity', errors: ['odd'], documentation_url: 'x' },
            }
          : undefined,
    });
    const { inline, notes } = await publish(fake);
    expect([inline, notes.length]).toEqual([0, 1]);
    expect(fake.state.reviews[0]?.body).toContain('The card number is logged');
  });
});

describe('a pending review of the same account', () => {
  const leftBehind = writeMarker({ kind: 'review', key: digest('key', 'x'), state: digest('probe') });

  it.each([
    [
      'a person',
      MARY,
      /^Could not write the review: mary has a pending review on #7.*Submit or discard it as mary/,
    ],
    ['a bot', ACTIONS_BOT, /github-actions\[bot\] has a pending review.*gh api --method DELETE repos/],
  ])('that is not ours is named and left alone: %s', async (_name, account, words) => {
    const fake = await start({ tokens: { [WRITE_TOKEN]: { account, access: 'write' } } });
    const { id } = fake.beginReview(7, account, 'I am not done yet.');
    const error: unknown = await publish(fake).catch((reason: unknown) => reason);
    expect((error as Error).message).toMatch(words);
    expect(String(error)).toContain(`#pullrequestreview-${id}`);
    expect(fake.state.reviews).toMatchObject([{ id, state: 'PENDING', body: 'I am not done yet.' }]);
  });

  it('of another run that is writing its review is waited for', async () => {
    let begun: FakeReview | undefined;
    const fake = await start({
      fault: ({ operation }) => {
        if (begun === undefined && operation.startsWith('POST /repos'))
          begun = fake.beginReview(7, ACTIONS_BOT, leftBehind);
        return undefined;
      },
    });
    const submit = () => {
      if (begun) begun.state = 'COMMENTED';
    };
    expect(await publish(fake, { onWait: submit })).toMatchObject({ inline: 1 });
    expect(fake.state.reviews.map(({ state }) => state)).toEqual(['COMMENTED', 'COMMENTED']);
    expect(fake.writes().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });

  it('of somebody else is not seen', async () => {
    const fake = await start();
    fake.beginReview(7, STRANGER, leftBehind);
    expect(await publish(fake)).toMatchObject({ inline: 1 });
  });
});

describe('a token that may not compare commits', () => {
  it('is not read-only: the review names the permission and puts nothing on lines', async () => {
    const token = { account: ACTIONS_BOT, access: 'write', contents: 'none' } as const;
    const fake = await start({ tokens: { [WRITE_TOKEN]: token } });
    fake.push(7, { head: LATER, files: [{ path: 'src/pay.ts', patch: '@@ -1 +1 @@\n-a\n+b' }] });
    const { inline, notes } = await publish(fake);
    expect([inline, notes]).toEqual([0, [expect.stringContaining('Add `contents: read` below')]]);
    expect(fake.state.reviews[0]?.body).toContain('Add `contents: read` below');
    expect(fake.state.reviews[0]?.body).toContain('The card number is logged');
  });

  it('is all that is needed while there are no newer commits', async () => {
    const token = { account: ACTIONS_BOT, access: 'write', contents: 'none' } as const;
    const fake = await start({ tokens: { [WRITE_TOKEN]: token } });
    expect(await publish(fake)).toMatchObject({ inline: 1, notes: [] });
  });
});

describe('a pull request that is longer than GitHub’s lists', () => {
  const commits = Array.from({ length: 400 }, (_, index) => index.toString(16).padStart(40, '0'));
  const files = [{ path: 'src/pay.ts', patch: PATCH }];
  const long = (reviewed: string) =>
    pullOf({ commits: [...commits, LATER], head: LATER, filesAt: { [reviewed]: files } });

  it.each([0, 249, 250, 399])('finds commit %i of 401', async (index) => {
    const reviewed = commits[index] ?? '';
    const fake = await start({ pulls: [long(reviewed)] });
    expect(await publish(fake, { head: reviewed })).toMatchObject({ inline: 1 });
    expect(fake.state.reviews[0]).toMatchObject({ commit: reviewed });
  });

  it('does not take a commit of the base for one of its own', async () => {
    const fake = await start({ pulls: [long(LATER)] });
    expect(await publish(fake, { head: BASE })).toMatchObject({ inline: 0 });
    expect(fake.state.reviews[0]?.body).toContain('no longer part of this pull request');
  });

  it.each([
    ['the pull request', 3000, HEAD],
    ['an earlier commit', 300, LATER],
  ])('says that the files of %s end at %i', async (_name, most, head) => {
    const all = Array.from({ length: most }, (_, index) => ({ path: `file-${index}`, patch: PATCH }));
    const fake = await start({ pulls: [pullOf({ files: [...all, ...files] })] });
    if (head === LATER) fake.push(7, { head, files: [] });
    expect(await publish(fake, { findings: [finding({ path: 'file-1' }), finding()] })).toMatchObject({
      inline: 1,
    });
    expect(fake.state.reviews[0]?.body).toContain(
      `GitHub lists only ${most === 3000 ? '3,000' : '300'} of the changed files`,
    );
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
