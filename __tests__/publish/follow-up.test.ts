import { afterEach, describe, expect, it } from '@jest/globals';
import { connectGithub } from '../../src/github/client.js';
import { digest, readLeftReview } from '../../src/github/marker.js';
import { readMarks } from '../../src/github/review-threads.js';
import { severityFailure, mergeReports } from '../../src/publish/publication.js';
import { publishCheck } from '../../src/publish/publish-check.js';
import { publishReview, type ReviewResult } from '../../src/publish/publish-review.js';
import { openPullRequests } from '../../src/publish/pull-request-api.js';
import { publishSticky, underPull } from '../../src/publish/sticky-comment.js';
import type { Finding, RunRecord } from '../../src/report/model.js';
import { parseReport, type ReportShard } from '../../src/report/read-reports.js';
import { unpackFindings } from '../../src/review/left-findings.js';
import {
  ACTIONS_BOT,
  MARY,
  nodeId,
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeFile,
  type FakeGithub,
  type FakeSettings,
} from '../github/stateful-fake.js';
import { reportOf, text } from '../report/builders.js';
import { BASE, finding, HEAD, mergePlaced, pullOf, reportWith, reviewReport } from './reports.js';

const open: FakeGithub[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});
const start = async (settings: Partial<FakeSettings> = {}): Promise<FakeGithub> => {
  const fake = await startGithub({
    pulls: [pullOf({ files: FILES })],
    permissions: { mary: 'write' },
    ...settings,
  });
  open.push(fake);
  return fake;
};

/** A new file with these lines. */
const added = (path: string, ...lines: string[]): FakeFile => ({
  path,
  patch: [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n'),
});
const PAY = ['charge(total);', 'log(card.number);', 'retry(charge);', 'return total;'];
const FILES = [added('pay.ts', ...PAY), added('mail.ts', 'send(to);', 'send(to);')];
const CARD = finding({ path: 'pay.ts', startLine: 2, endLine: 2, title: 'The card number is logged' });
const RETRY = finding({ path: 'pay.ts', startLine: 3, endLine: 3, title: 'A charge is repeated' });
const MAIL = finding({
  path: 'mail.ts',
  startLine: 2,
  endLine: 2,
  title: 'Two mails are sent',
  severity: 'low',
});
const commit = (letter: string) => letter.repeat(40);

interface Given {
  head?: string;
  covered?: string[];
  record?: Partial<RunRecord>;
  shards?: number;
  token?: string;
  event?: 'auto';
}

const REPOSITORY = { owner: 'acme', repo: 'project' };
const clientOf = (fake: FakeGithub, token = WRITE_TOKEN) =>
  connectGithub({
    token,
    apiUrl: fake.url,
    repository: REPOSITORY,
    cancel: new AbortController().signal,
    clock: { wait: () => Promise.resolve() },
  });

const shardOf = (
  findings: Finding[],
  { head = HEAD, covered = ['pay.ts', 'mail.ts'], record }: Given,
  isShare = false,
): ReportShard => {
  const report = reviewReport(findings, {
    change: { base: BASE, head, pullRequest: 7 },
    reviewed: { head, base: BASE, policy: digest('policy'), prompt: digest('prompt') },
    context: [
      {
        ...{
          kind: 'diff',
          description: 'd',
          file: 'f',
          bytes: 1,
          items: covered.length,
          leftOut: [],
          inlined: true,
        },
        files: covered,
        ...(isShare ? { isShare } : {}),
      },
    ],
    ...record,
  });
  return readShard(report, covered.join());
};

const readShard = (report: unknown, name = 'report.json'): ReportShard => {
  const read = parseReport(JSON.stringify(report));
  if (read.kind === 'unread') throw new Error(read.why);
  return { kind: 'read', name, run: read.run };
};
const REASON = 'The account has no runs left.';
const REPORT_OF_LIMIT = reportWith({
  skipped: { code: 'usage-limit', reason: REASON },
  report: reportOf(text(REASON)),
  change: { base: BASE, head: HEAD, pullRequest: 7 },
});

const merge = (shards: ReportShard[], expectedReports?: number) =>
  mergeReports(shards, { minimumSeverity: 'low', expectedReports });

async function publishShards(
  fake: FakeGithub,
  shards: ReportShard[],
  given: Given = {},
): Promise<ReviewResult> {
  const api = openPullRequests(clientOf(fake, given.token), REPOSITORY);
  const publication = merge(shards, given.shards);
  const task = {
    ...{
      number: 7,
      pull: await api.pull(7),
      key: digest('key', 'default'),
      reviewEvent: given.event ?? ('COMMENT' as const),
    },
    publication,
    links: {
      repositoryUrl: 'https://github.example/acme/project',
      runUrl: 'https://github.example/run',
    },
    reviewed: publication.head,
  };
  return publishReview(api, task, await api.viewer());
}
const publish = (fake: FakeGithub, findings: Finding[], given: Given = {}) =>
  publishShards(fake, [shardOf(findings, given)], given);

const marks = async (fake: FakeGithub) => {
  const github = clientOf(fake);
  const viewer = { id: ACTIONS_BOT.id, login: ACTIONS_BOT.login };
  return (await readMarks(github, { repository: REPOSITORY, number: 7 }, viewer)).map(
    ({ mark }) => mark.head,
  );
};
const roots = ({ state }: FakeGithub) =>
  state.lineComments
    .filter(({ replyTo }) => replyTo === undefined)
    .map(({ path, originalLine }) => `${path}:${originalLine}`);
const repliesTo = ({ state }: FakeGithub, id: number) =>
  state.lineComments.filter(({ replyTo }) => replyTo === id);

describe('a review that follows another one', () => {
  const down = (each: Finding) => ({ ...each, startLine: each.startLine + 1, endLine: each.endLine + 1 });

  it('writes only its mark if it says the same, in other words and on lines that moved', async () => {
    const fake = await start();
    expect(await publish(fake, [CARD, RETRY, MAIL])).toMatchObject({ inline: 3, isUnchanged: false });
    expect(roots(fake)).toEqual(['pay.ts:2', 'pay.ts:3', 'mail.ts:2']);
    const again = await publish(fake, [{ ...CARD, title: 'PAN in the log' }, RETRY, MAIL]);
    expect(again).toMatchObject({ inline: 0, isUnchanged: true, notes: [] });
    fake.push(7, { head: commit('1'), files: [added('pay.ts', '// pay', ...PAY), FILES[1]!] });
    const moved = await publish(fake, [down(CARD), down(RETRY), MAIL], { head: commit('1') });
    expect(moved).toMatchObject({ inline: 0, isUnchanged: true });
    expect([fake.state.reviews.length, fake.state.lineComments.length]).toEqual([1, 3]);
    expect(await marks(fake)).toEqual([commit('1')]);
  });

  it('says it again where the dismissed lines changed, and where what was fixed is back', async () => {
    const fake = await start();
    await publish(fake, [CARD, RETRY, MAIL]);
    const [card, retry, mail] = fake.state.lineComments;
    fake.reply(card!, STRANGER, '/cursor dismiss');
    fake.reply(mail!, MARY, 'Won’t fix: both mails are wanted.');
    const fixed = [added('pay.ts', PAY[0]!, PAY[1]!, 'retryOnce(charge);', PAY[3]!), FILES[1]!];
    fake.push(7, { head: commit('1'), files: fixed });
    const wider = { ...MAIL, startLine: 1, title: 'The mail is duplicated', severity: 'high' as const };
    const { publication } = await publish(fake, [CARD, wider], { head: commit('1') });
    expect(publication.dismissed).toBe(1);
    expect(severityFailure(publication, 'high')).toContain('1 finding is of severity high');
    expect(retry?.resolvedBy).toEqual(ACTIONS_BOT);
    expect(repliesTo(fake, retry!.id).map(({ author, body }) => [author.login, body.split('\n')[1]])).toEqual(
      [
        [
          ACTIONS_BOT.login,
          'These lines are no longer in the change as they were, and the review of 1111111111 does not report this any more.',
        ],
      ],
    );
    const last = [added('pay.ts', ...PAY), added('mail.ts', 'send(to);', 'send(to, "twice");')];
    fake.forcePush(7, { head: commit('2'), base: commit('b'), files: last });
    expect(await publish(fake, [CARD, RETRY, MAIL], { head: commit('2') })).toMatchObject({ inline: 2 });
    expect(fake.state.lineComments.filter(({ replyTo }) => replyTo === undefined).slice(3)).toMatchObject([
      { path: 'pay.ts', originalLine: 3 },
      { path: 'mail.ts', originalLine: 2 },
    ]);
    // A stranger spoke in the thread about the card: it is left to people, also when the finding is gone.
    fake.forcePush(7, { head: commit('3'), files: [added('mail.ts', 'send(to);')] });
    await publish(fake, [], { head: commit('3'), covered: ['mail.ts'] });
    expect([card?.resolvedBy, mail?.resolvedBy]).toEqual([undefined, undefined]);
    const byUs = fake.state.lineComments.filter(({ resolvedBy }) => resolvedBy?.id === ACTIONS_BOT.id);
    expect(byUs).toHaveLength(3);
  });

  it('writes nothing if a review of a newer commit is there, and its gate still counts', async () => {
    const fake = await start();
    await publish(fake, []);
    fake.push(7, { head: commit('1'), files: FILES });
    await publish(fake, [], { head: commit('1') });
    const late = await publish(fake, [CARD]);
    expect(late).toMatchObject({ isUnchanged: true, notes: [expect.stringContaining('newest commit')] });
    expect(severityFailure(late.publication, 'high')).toContain('1 finding');
    expect([fake.state.lineComments, await marks(fake)]).toEqual([[], [commit('1')]]);
  });

  it('leaves the findings that have no thread to the next run, also those that are not shown', async () => {
    const tree = { 'other.ts': 'a line\n'.repeat(20) };
    const fake = await start({ pulls: [pullOf({ files: FILES, tree })] });
    const elsewhere = finding({ path: 'other.ts', startLine: 9, endLine: 9, title: 'Elsewhere' });
    const small = finding({ path: 'mail.ts', startLine: 1, endLine: 1, title: 'Small', severity: 'info' });
    const left = async () => {
      const viewer = { id: ACTIONS_BOT.id, login: ACTIONS_BOT.login };
      const [newest] = await readMarks(clientOf(fake), { repository: REPOSITORY, number: 7 }, viewer);
      return unpackFindings(newest?.findings ?? '').map(({ title }) => title);
    };
    await publish(fake, [CARD, elsewhere, small]);
    expect(await left()).toEqual(['Elsewhere', 'Small']);
    // If GitHub takes no comment on a line, that finding has no thread either.
    fake.push(7, { head: commit('1'), files: FILES });
    fake.state.pulls[0]!.refusedLines = [3];
    await publish(fake, [CARD, RETRY, elsewhere], { head: commit('1') });
    expect((await left()).sort()).toEqual(['A charge is repeated', 'Elsewhere']);
  });

  it.each(['thumbs down', 'resolved', 'reply'])(
    'does not repeat what a maintainer dismissed: %s',
    async (how) => {
      const fake = await start();
      await publish(fake, [CARD]);
      const [ours] = fake.state.lineComments;
      if (how === 'thumbs down') fake.thumbDown(ours!, MARY);
      else if (how === 'resolved') fake.resolve(ours!, MARY);
      else fake.reply(ours!, MARY, 'False positive.');
      const { publication } = await publish(fake, [{ ...CARD, title: 'PAN in the log', startLine: 1 }]);
      expect(publication).toMatchObject({ standing: [], findings: [], dismissed: 1 });
      expect(severityFailure(publication, 'high')).toBeUndefined();
      // A finding about much more code, and one beside it, are other findings.
      const other = { ...CARD, startLine: 3, endLine: 3, title: 'Beside it' };
      expect((await publish(fake, [other])).inline).toBe(1);
    },
  );
});

describe('a thread whose finding is gone', () => {
  const FIXED = [added('pay.ts', 'charge(total);'), FILES[1]!];
  const begin = async (settings: Partial<FakeSettings> = {}) => {
    const fake = await start(settings);
    await publish(fake, [CARD]);
    fake.push(7, { head: commit('1'), files: FIXED });
    return { fake, ours: fake.state.lineComments[0]! };
  };

  it('is folded away where the token may not resolve it, once', async () => {
    const { fake, ours } = await begin({
      tokens: { [WRITE_TOKEN]: { account: ACTIONS_BOT, access: 'write', resolving: false } },
    });
    await publish(fake, [], { head: commit('1') });
    expect(ours.resolvedBy).toBeUndefined();
    expect(fake.state.minimized.filter((id) => id === nodeId(ours))).toHaveLength(1);
    await publish(fake, [], { head: commit('1') });
    expect(repliesTo(fake, ours.id)).toHaveLength(1);
    expect(fake.state.minimized.filter((id) => id === nodeId(ours))).toHaveLength(1);
  });

  it('gets one answer, even if the answer of GitHub to it is lost', async () => {
    let isLost = false;
    const { fake, ours } = await begin({
      fault: ({ operation }) => {
        if (isLost || !operation.endsWith('/replies')) return undefined;
        isLost = true;
        return { after: 'hang up' };
      },
    });
    await publish(fake, [], { head: commit('1') });
    expect(repliesTo(fake, ours.id)).toHaveLength(1);
    expect(ours.resolvedBy).toEqual(ACTIONS_BOT);
  });

  it.each<[string, Finding[], Given]>([
    ['a run that was not given the file', [], { covered: ['mail.ts'] }],
    ['a run that failed', [], { record: { verdict: { status: 'failure', reason: 'timeout', detail: '' } } }],
    ['a run that reports it on other lines', [{ ...CARD, startLine: 1, endLine: 1 }], {}],
    ['a run of an older commit', [], { head: HEAD }],
  ])('stays open after %s', async (_name, findings, given) => {
    const { fake, ours } = await begin();
    await publish(fake, findings, { head: commit('1'), ...given });
    expect(ours.resolvedBy).toBeUndefined();
    expect(repliesTo(fake, ours.id)).toEqual([]);
  });

  it('stays open while a person’s words are in it', async () => {
    const { fake, ours } = await begin();
    fake.reply(ours, MARY, 'What should I do instead?');
    await publish(fake, [], { head: commit('1') });
    expect(ours.resolvedBy).toBeUndefined();
    expect(fake.state.minimized).not.toContain(nodeId(ours));
  });
});

describe('a matrix', () => {
  const shards = (findings: Finding[], given: Given = {}) => [
    shardOf(findings, { ...given, covered: ['pay.ts'] }, true),
    shardOf([], { ...given, covered: ['mail.ts'] }, true),
  ];

  it('leaves the mark only if all reports came', async () => {
    const fake = await start();
    await publishShards(fake, shards([CARD]).slice(0, 1));
    await publishShards(fake, shards([CARD]).slice(0, 1), { shards: 2 });
    await publishShards(fake, shards([CARD]));
    expect(await marks(fake)).toEqual([]);
    await publishShards(fake, shards([CARD]), { shards: 2 });
    expect(await marks(fake)).toEqual([HEAD]);
  });

  it('closes nothing that only a skipped shard was about', async () => {
    const fake = await start();
    await publish(fake, [CARD, MAIL]);
    const [card, mail] = fake.state.lineComments;
    fake.push(7, { head: commit('1'), files: [added('pay.ts', 'x'), added('mail.ts', 'y')] });
    const [pay, skipped] = shards([], { head: commit('1') });
    if (skipped?.kind === 'read') skipped.run.skipped = { code: 'unchanged', reason: 'Nothing is new.' };
    await publishShards(fake, [pay!, skipped!], { shards: 2 });
    expect([card?.resolvedBy, mail?.resolvedBy]).toEqual([ACTIONS_BOT, undefined]);
    expect(await marks(fake)).toContain(commit('1'));
  });

  it('closes what its shards looked at, and keeps dismissed findings away', async () => {
    const fake = await start();
    await publish(fake, [CARD, MAIL]);
    const [card, mail] = fake.state.lineComments;
    fake.push(7, { head: commit('1'), files: [added('pay.ts', 'x'), added('mail.ts', 'y')] });
    await publishShards(fake, shards([], { head: commit('1') }).slice(0, 1), { shards: 2 });
    expect([card?.resolvedBy, mail?.resolvedBy]).toEqual([ACTIONS_BOT, undefined]);
    await publishShards(fake, shards([], { head: commit('1') }), { shards: 2 });
    expect(mail?.resolvedBy).toEqual(ACTIONS_BOT);
  });
});

describe('the mark', () => {
  it('is not left for a commit that the review is not put on', async () => {
    const fake = await start();
    const reviewed = { head: commit('9'), base: BASE, policy: digest('p'), prompt: digest('q') };
    await publish(fake, [CARD], { record: { reviewed } });
    expect(await marks(fake)).toEqual([]);
  });

  it('stays in the one comment when a later run has none, also if two runs race', async () => {
    const fake = await start();
    const api = openPullRequests(clientOf(fake), REPOSITORY);
    const viewer = await api.viewer();
    const key = digest('key', 'default');
    const body = `<!-- cursor-agent-action comment key=${key} -->\nhello`;
    const mark = { head: HEAD, base: BASE, policy: digest('p'), prompt: digest('q') };
    const place = underPull(api, 7);
    const sticky = { key, body, memory: { mark, findings: 'QUJD' } };
    await Promise.all([publishSticky(place, sticky, viewer), publishSticky(place, sticky, viewer)]);
    expect(fake.state.comments).toHaveLength(1);
    await publishSticky(place, { key, body: body.replace('hello', 'it failed') }, viewer);
    const [comment] = fake.state.comments;
    expect(comment?.body).toContain('it failed');
    expect(readLeftReview(comment?.body ?? '')).toEqual({ mark, findings: 'QUJD' });
    const newer = { ...mark, head: commit('1') };
    const memory = { mark: newer, findings: '' };
    await publishSticky(place, { key, body, memory, keep: (there) => there }, viewer);
    expect(readLeftReview(comment?.body ?? '')).toEqual(memory);
    const isNewer = () => true;
    await publishSticky(place, { key, body: `${body} late`, memory: sticky.memory, isNewer }, viewer);
    expect(readLeftReview(comment?.body ?? '')).toEqual(memory);
    expect(comment?.body).not.toContain('late');
    expect(comment?.body).toContain('it failed');
  });

  it('stays where a limit was reached, which is said in one line until there is a new result', async () => {
    const fake = await start();
    await publish(fake, [CARD], { event: 'auto' });
    fake.push(7, { head: commit('1'), files: FILES });
    const report = { ...REPORT_OF_LIMIT, change: { base: BASE, head: commit('1'), pullRequest: 7 } };
    for (const _run of ['first', 'second'])
      expect(await publishShards(fake, [readShard(report)], { event: 'auto' })).toMatchObject({
        isUnchanged: true,
      });
    const [review] = fake.state.reviews;
    expect(review?.state).toBe('CHANGES_REQUESTED');
    expect(review?.body.match(/was skipped: usage-limit\. The account has no runs left\./g)).toHaveLength(1);
    expect(review?.body).toContain('1 high');
    expect(await marks(fake)).toEqual([HEAD]);
    await publish(fake, [CARD], { head: commit('1'), event: 'auto' });
    expect(fake.state.reviews).toHaveLength(1);
    expect(review?.body).not.toContain('usage-limit');
  });

  it('is one line where a limit was reached before anything was reviewed', async () => {
    const fake = await start();
    await publishShards(fake, [readShard(REPORT_OF_LIMIT)]);
    await publishShards(fake, [readShard(REPORT_OF_LIMIT)]);
    expect(fake.state.reviews).toHaveLength(1);
    const body = fake.state.reviews[0]?.body ?? '';
    expect(body).toContain(
      '### ⏭️ Cursor agent (docs): skipped: usage-limit\n\nThe account has no runs left.\n',
    );
    expect(body).not.toContain('The agent said');
    expect(body.match(/usage-limit/g)).toHaveLength(1);
  });

  it('moves with a run that was skipped, and nothing is posted or closed', async () => {
    const fake = await start();
    await publish(fake, [CARD]);
    fake.forcePush(7, { head: commit('1'), files: FILES });
    const skipped = shardOf([], { head: commit('1'), covered: [] });
    if (skipped.kind === 'read') skipped.run.skipped = { code: 'unchanged', reason: 'Nothing is new.' };
    expect(await publishShards(fake, [skipped])).toMatchObject({ isUnchanged: true });
    expect(await marks(fake)).toEqual([commit('1')]);
    expect(fake.state.reviews).toHaveLength(1);
    expect(fake.state.lineComments[0]?.resolvedBy).toBeUndefined();
  });
});

describe('a check run', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      finding({ path: 'pay.ts', startLine: index + 1, endLine: index + 1, title: `Number ${index}` }),
    );
  const check = (fake: FakeGithub, findings: Finding[], severity?: 'high' | 'low') => {
    const publication = mergePlaced([shardOf(findings, {})], {
      minimumSeverity: 'low',
      expectedReports: undefined,
    });
    return publishCheck(clientOf(fake), {
      ...{ commit: HEAD, inputKey: 'default', publication, summary: 'The summary.' },
      failOnSeverity: severity,
    });
  };

  it('has its annotations in batches of 50, and is not written twice', async () => {
    const fake = await start();
    expect(await check(fake, many(120), 'high')).toMatchObject({ annotations: 120, isUnchanged: false });
    const [run] = fake.state.checks;
    expect(run).toMatchObject({
      name: 'Cursor Agent',
      status: 'completed',
      conclusion: 'failure',
      head_sha: HEAD,
    });
    expect(run?.annotations).toHaveLength(120);
    expect(run?.title).toBe('💬 Cursor agent (docs): 120 high');
    expect(run?.summary).toContain('120 findings are of severity high or above');
    expect(fake.writes()).toHaveLength(3);
    expect(await check(fake, many(120), 'high')).toMatchObject({ isUnchanged: true });
    expect(fake.writes()).toHaveLength(3);
  });

  it('is finished by the next run where a run was ended in the middle', async () => {
    let requests = 0;
    const fake = await start({
      fault: ({ operation }) => {
        if (!operation.startsWith('PATCH')) return undefined;
        requests += 1;
        return requests === 1 ? { status: 404, body: { message: 'x', documentation_url: '' } } : undefined;
      },
    });
    await expect(check(fake, many(120), 'high')).rejects.toThrow();
    expect(await check(fake, many(120), 'high')).toMatchObject({ isUnchanged: false });
    expect(fake.state.checks).toHaveLength(1);
    expect(fake.state.checks[0]?.annotations.map(({ title }) => title)).toEqual(
      many(120).map(({ title }) => `high: ${title}`),
    );
    expect(fake.state.checks[0]?.status).toBe('completed');
  });

  it.each<[string, Finding[], 'high' | 'low' | undefined, string]>([
    ['findings without a gate', [CARD], undefined, 'neutral'],
    ['nothing without a gate', [], undefined, 'success'],
    ['findings below the gate', [MAIL], 'high', 'success'],
    ['findings at the gate', [MAIL], 'low', 'failure'],
  ])('concludes from %s', async (_name, findings, severity, conclusion) => {
    const fake = await start();
    await check(fake, findings, severity);
    expect(fake.state.checks.map((each) => each.conclusion)).toEqual([conclusion]);
  });

  it('names the permission that is missing', async () => {
    const fake = await start({
      tokens: { [WRITE_TOKEN]: { account: ACTIONS_BOT, access: 'write', checks: 'none' } },
    });
    await expect(check(fake, [CARD])).rejects.toThrow(/Add `checks: write` below `permissions:`/);
  });
});
