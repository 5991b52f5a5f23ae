import { afterEach, describe, expect, it } from '@jest/globals';
import { readViewer } from '../../src/github/accounts.js';
import { connectGithub } from '../../src/github/client.js';
import { digest, reviewedMark, writeMarker } from '../../src/github/marker.js';
import { findWriters } from '../../src/github/accounts.js';
import { readMarks, readThreads } from '../../src/github/review-threads.js';
import { dismissalsOf, findDismissed } from '../../src/review/dismissed.js';
import { HEAD, PATCH, pullOf } from '../publish/reports.js';
import {
  ACTIONS_BOT,
  MARY,
  startGithub,
  STRANGER,
  WRITE_TOKEN,
  type FakeGithub,
  type FakeLineComment,
} from './stateful-fake.js';
import type { Account } from './shapes.js';

const open: FakeGithub[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const start = async () => {
  const fake = await startGithub({ pulls: [pullOf()], permissions: { mary: 'write' } });
  open.push(fake);
  const repository = { owner: 'acme', repo: 'project' };
  const cancel = new AbortController().signal;
  const github = connectGithub({ token: WRITE_TOKEN, apiUrl: fake.url, repository, cancel });
  const pull = { repository, number: 7 };
  const viewer = await readViewer(github, 'pull-requests: read');
  return { fake, github, pull, viewer };
};

const MARK = { head: HEAD, base: 'b'.repeat(40), policy: 'c'.repeat(20), prompt: 'd'.repeat(20) };
const marked = (mark = MARK) =>
  `${writeMarker({ kind: 'comment', key: digest('key') })}\n${reviewedMark(mark)}\nhello`;
const finding = (name: string) =>
  `${writeMarker({ kind: 'finding', key: digest('key'), place: digest(name), what: digest('w') })}\nThe ${name}.`;

let id = 100;
const onLine = (fake: FakeGithub, author: Account, body: string, line = 12): FakeLineComment => {
  id += 1;
  const comment: FakeLineComment = {
    ...{ id, pull: 7, author, body, review: 1, path: 'src/pay.ts', line, startLine: null },
    ...{ originalLine: line, originalStartLine: null, commit: HEAD, text: PATCH, thumbsDown: [] },
  };
  fake.state.lineComments.push(comment);
  return comment;
};

describe('our marks', () => {
  it('are those in our own comments, the newest first, among 3,000 others', async () => {
    const { fake, github, pull, viewer } = await start();
    fake.comment(7, ACTIONS_BOT, marked());
    for (let index = 0; index < 3000; index += 1) fake.comment(7, STRANGER, `comment ${index}`);
    fake.comment(7, STRANGER, marked({ ...MARK, head: 'f'.repeat(40) }));
    fake.comment(7, ACTIONS_BOT, `I was told: ${marked({ ...MARK, head: 'e'.repeat(40) })}`);
    expect(await readMarks(github, pull, viewer)).toMatchObject([{ mark: MARK }]);
    const newer = { ...MARK, head: '9'.repeat(40) };
    const review = fake.beginReview(7, ACTIONS_BOT, marked(newer));
    review.state = 'COMMENTED';
    expect((await readMarks(github, pull, viewer)).map(({ mark }) => mark.head)).toEqual([newer.head, HEAD]);
  });

  it('are as new as their last change', async () => {
    const { fake, github, pull, viewer } = await start();
    const sticky = fake.comment(7, ACTIONS_BOT, marked());
    fake.comment(7, ACTIONS_BOT, marked({ ...MARK, head: '9'.repeat(40) }));
    sticky.editedAt = '2031-01-01T00:00:00Z';
    expect((await readMarks(github, pull, viewer))[0]?.mark.head).toBe(HEAD);
  });
});

describe('our threads', () => {
  it('are those that a finding of ours began, with what people said', async () => {
    const { fake, github, pull, viewer } = await start();
    for (let index = 0; index < 250; index += 1) onLine(fake, STRANGER, `remark ${index}`);
    onLine(fake, STRANGER, finding('forged'));
    const ours = onLine(fake, ACTIONS_BOT, finding('card'));
    fake.reply(ours, MARY, 'Won’t fix: this is a test card.');
    fake.reply(ours, ACTIONS_BOT, 'All right.');
    fake.thumbDown(ours, STRANGER);
    fake.resolve(ours, MARY);
    onLine(fake, ACTIONS_BOT, 'a comment of another workflow');
    expect(await readThreads(github, pull, viewer)).toEqual([
      {
        ...{ id: `THREAD_${ours.id}`, commentNodeId: `NODE_${ours.id}`, commentId: ours.id },
        url: `https://github.example/acme/project/pull/7#discussion_r${ours.id}`,
        ...{ key: digest('key'), place: digest('card'), what: digest('w') },
        ...{ path: 'src/pay.ts', line: 12, originalLine: 12, lineCount: 1, commit: HEAD },
        text: 'The card.',
        ...{ isResolved: true, resolvedBy: { login: 'mary', id: 11 }, isOutdated: false, isMinimized: false },
        thumbsDown: [{ login: 'stranger', id: 666 }],
        replies: [
          {
            ...{ author: { login: 'mary', id: 11 }, isOurs: false, association: 'NONE' },
            text: 'Won’t fix: this is a test card.',
          },
          {
            ...{ author: { login: 'github-actions', id: ACTIONS_BOT.id }, isOurs: true, association: 'NONE' },
            text: 'All right.',
          },
        ],
      },
    ]);
  });

  it('are dismissed by people with write access only, each of whom is asked about once', async () => {
    const { fake, github, pull, viewer } = await start();
    const byStranger = onLine(fake, ACTIONS_BOT, finding('one'));
    fake.thumbDown(byStranger, STRANGER);
    fake.resolve(byStranger, STRANGER);
    fake.reply(byStranger, STRANGER, '/cursor dismiss');
    const byUs = onLine(fake, ACTIONS_BOT, finding('two'));
    fake.reply(byUs, ACTIONS_BOT, 'False positive.');
    fake.resolve(byUs, ACTIONS_BOT);
    fake.thumbDown(onLine(fake, ACTIONS_BOT, finding('three')), MARY);
    fake.resolve(onLine(fake, ACTIONS_BOT, finding('four')), MARY);
    const byReply = onLine(fake, ACTIONS_BOT, finding('five'));
    fake.reply(byReply, MARY, 'Hm.\nFalse positive, the number is masked.');
    fake.reply(onLine(fake, ACTIONS_BOT, finding('six')), MARY, 'Is this a false positive?');
    // A stranger cannot bring a finding back by talking until the dismissal is far above.
    for (let index = 0; index < 120; index += 1) fake.reply(byReply, STRANGER, `reply ${index}`);
    const threads = await readThreads(github, pull, viewer);
    expect(threads[4]?.replies.map(({ text }) => text)).toEqual([
      expect.stringContaining('False positive'),
      ...Array.from({ length: 120 }, (_, index) => `reply ${index}`),
    ]);
    const logins = threads.flatMap((thread) => dismissalsOf(thread, viewer)).map(({ login }) => login);
    const before = fake.requests.length;
    const writers = await findWriters(github, logins);
    expect(fake.requests.slice(before).map(({ line }) => line.replace(/^.*collaborators/, ''))).toEqual([
      '/stranger/permission',
      '/mary/permission',
    ]);
    expect(findDismissed(threads, { viewer, writers })).toMatchObject([
      { place: digest('three'), login: 'mary', how: 'thumbs down', range: { startLine: 12, endLine: 12 } },
      { place: digest('four'), login: 'mary', how: 'resolved' },
      { place: digest('five'), login: 'mary', how: 'reply' },
    ]);
  });
});
