import { afterEach, describe, expect, it } from '@jest/globals';
import { connectGithub, PATIENCE } from '../../src/github/client.js';
import { mergeReports } from '../../src/publish/publication.js';
import { openPullRequests } from '../../src/publish/pull-request-api.js';
import { publishReply, readPatch, type Reply } from '../../src/publish/publish-reply.js';
import { readReports } from '../../src/report/read-reports.js';
import {
  ACTIONS_BOT,
  MARY,
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeGithub,
} from '../github/stateful-fake.js';
import { writeReport } from '../scenarios/publish-step.js';
import { HEAD, pullOf, reportWith } from './reports.js';

let open: FakeGithub[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const start = async (given: Parameters<typeof pullOf>[0] = {}) => {
  const fake = await startGithub({ pulls: [pullOf(given)] });
  open = [...open, fake];
  const repository = { owner: 'acme', repo: 'project' };
  const github = connectGithub({
    token: WRITE_TOKEN,
    apiUrl: fake.url,
    repository,
    cancel: new AbortController().signal,
    limits: PATIENCE,
    clock: { wait: () => Promise.resolve() },
  });
  const api = openPullRequests(github, repository);
  const place = { pull: 7, path: 'src/pay.ts', line: 12, startLine: null, commit: HEAD };
  const root = fake.commentOnLines({ ...place, author: STRANGER, body: 'Is this right?' });
  const asked = fake.reply(root, MARY, '/cursor fix');
  const answer = async (more: Partial<Reply> = {}) =>
    publishReply(
      api,
      { ...(await about(api)), comment: { id: asked.id, thread: root.id }, ...more },
      await api.viewer(),
    );
  const replies = () => fake.state.lineComments.filter(({ author }) => author === ACTIONS_BOT);
  return { fake, root, asked, answer, replies };
};
const publicationOf = (report: unknown) =>
  mergeReports(readReports([writeReport(report)]), { minimumSeverity: 'low', expectedReports: undefined });
const about = async (api: ReturnType<typeof openPullRequests>) => ({
  ...{ number: 7, pull: await api.pull(7), inputKey: 'default', patch: undefined },
  ...{ publication: publicationOf(reportWith()), repository: 'acme/project', token: WRITE_TOKEN },
  links: {
    repositoryUrl: 'https://github.example/acme/project',
    runUrl: 'https://github.example/run',
  },
});
const SMALL =
  'diff --git a/src/pay.ts b/src/pay.ts\n--- a/src/pay.ts\n+++ b/src/pay.ts\n@@ -12 +12 @@\n-log(card.number);\n+log(card.last4);\n';
const LARGE = `${SMALL}${SMALL.replaceAll('pay.ts', 'other.ts')}`;

describe('a reply', () => {
  it('is in the thread of the comment, whoever began it, and there is one, whatever is run again', async () => {
    const { fake, root, answer, replies } = await start();
    const first = await answer();
    expect(first).toMatchObject({ what: 'created', change: 'none' });
    expect(replies()).toMatchObject([
      { replyTo: root.id, body: expect.stringContaining('All is well.') as unknown },
    ]);
    expect(await answer()).toMatchObject({ what: 'unchanged', url: first.url });
    const other = publicationOf(
      reportWith({ verdict: { status: 'failure', reason: 'timeout', detail: '' } }),
    );
    expect(await answer({ publication: other })).toMatchObject({ what: 'updated', url: first.url });
    expect(await answer({ comment: { id: 999, thread: root.id } })).toMatchObject({ what: 'created' });
    expect([replies().length, fake.state.comments]).toEqual([2, []]);
    expect(fake.state.lineComments[0]).toMatchObject({ author: STRANGER, body: 'Is this right?' });
  });

  it('is one, also when several runs race', async () => {
    const { answer, replies } = await start();
    await Promise.all([answer(), answer(), answer()]);
    expect(replies()).toHaveLength(1);
  });

  it('is below the pull request for a comment there, and for a thread that is gone', async () => {
    const { fake, asked, answer, replies } = await start();
    await answer({ comment: { id: asked.id } });
    await answer({ comment: { id: 1234, thread: 4321 } });
    expect([fake.state.comments.length, replies()]).toEqual([2, []]);
  });

  it.each<[string, string, object, string, RegExp]>([
    [
      'has a change of its lines as a suggestion',
      SMALL,
      {},
      'suggestion',
      /\n```suggestion\nlog\(card\.last4\);\n```\n/,
    ],
    ['has it in a fork too', SMALL, { repository: 'stranger/project' }, 'suggestion', /```suggestion\n/],
    [
      'leaves a larger change to a commit',
      LARGE,
      {},
      'commit',
      /cannot be a suggestion, because it changes 2 files\. The workflow can/,
    ],
    [
      'does not in a fork',
      LARGE,
      { repository: 'stranger/project' },
      'patch',
      /because the branch is in a fork/,
    ],
    ['shows no secret', SMALL.replace('card.last4', `"${WRITE_TOKEN}"`), {}, 'commit', /looks like a secret/],
  ])('%s', async (_, patch, pull, change, words) => {
    const { answer, replies } = await start(pull);
    expect(await answer({ patch })).toMatchObject({ change });
    expect(replies()[0]?.body).toMatch(words);
    expect(replies()[0]?.body).not.toContain(WRITE_TOKEN);
  });
});

describe('the patch of a reply', () => {
  const [files, paths] = [[{ path: 'src/pay.ts', status: 'modified' as const }], ['src/pay.ts']];
  const changed = reportWith({
    changes: { kind: 'known', files, applied: 'all', paths, ignored: 0, omitted: [], violations: [] },
  });

  it('is read if the run went well and changed something', () => {
    const file = writeReport(SMALL, 'changes.patch');
    expect(readPatch(file, publicationOf(changed))).toBe(SMALL);
    expect(readPatch('missing', publicationOf(reportWith()))).toBeUndefined();
    const failed = { ...changed, verdict: { status: 'failure', reason: 'timeout', detail: '' } };
    expect(readPatch(file, publicationOf(failed))).toBeUndefined();
    expect(() => readPatch('missing', publicationOf(changed))).toThrow(/missing is not a patch/);
  });
});
