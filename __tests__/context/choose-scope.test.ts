import { afterEach, describe, expect, it } from '@jest/globals';
import type { ReviewScope } from '../../src/context/choose-context.js';
import { chooseScope, markOf, type ReviewTerms } from '../../src/context/choose-scope.js';
import { connectGithub } from '../../src/github/client.js';
import { digest, reviewedMark, writeMarker } from '../../src/github/marker.js';
import { ACTIONS_BOT, MARY, READ_TOKEN, startGithub, type FakeGithub } from '../github/stateful-fake.js';
import { BASE, HEAD, pullOf } from '../publish/reports.js';

const open: FakeGithub[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const REPOSITORY = { owner: 'acme', repo: 'project' };
const SECURITY: ReviewTerms = { pull: 'acme/project#7', prompt: digest('safe?'), policy: {}, secret: 's' };
const STYLE: ReviewTerms = { ...SECURITY, prompt: digest('pretty?') };

/** A pull request with one review under these terms. A user with write access dismissed its finding. */
async function reviewedUnder(terms: ReviewTerms): Promise<FakeGithub> {
  const fake = await startGithub({ pulls: [pullOf({ files: [] })], permissions: { mary: 'write' } });
  open.push(fake);
  const key = digest('key', terms.prompt);
  const mark = reviewedMark(markOf({ head: HEAD, base: BASE }, terms));
  fake.comment(7, ACTIONS_BOT, `${writeMarker({ kind: 'comment', key })}\n${mark}`);
  const body = writeMarker({ kind: 'finding', key, place: digest('place'), what: digest('what') });
  const place = { path: 'a.ts', line: 3, startLine: null, commit: HEAD };
  fake.thumbDown(fake.commentOnLines({ pull: 7, author: ACTIONS_BOT, body, ...place }), MARY);
  return fake;
}

const choose = (fake: FakeGithub, choice: ReviewScope) => {
  const cancel = new AbortController().signal;
  const raw = { base: BASE, head: HEAD, text: '', unread: [], notes: [] };
  return chooseScope(
    {
      choice,
      event: { name: 'pull_request', payload: { action: 'labeled' } },
      pull: { repository: REPOSITORY, number: 7 },
      terms: SECURITY,
      files: {},
      isCumulative: true,
      history: { directory: '', workspace: '', scratch: '', env: {}, token: undefined, cancel },
      github: connectGithub({ token: READ_TOKEN, apiUrl: fake.url, repository: REPOSITORY, cancel }),
    },
    {
      reviewed: { base: BASE, head: HEAD, pullRequest: 7 },
      raw: () => Promise.resolve(raw),
      files: () => Promise.resolve([]),
      isPartial: () => Promise.resolve(false),
    },
  );
};

describe.each(['auto', 'full'] as const)('a full review, with review-scope: %s', (choice) => {
  it('leaves out what was dismissed in an earlier review of the same workflow', async () => {
    const { earlier } = await choose(await reviewedUnder(SECURITY), choice);
    expect([earlier.threads.length, earlier.dismissed.length]).toEqual([1, 1]);
  });

  it('does not leave out what was dismissed in the review of another workflow', async () => {
    const { earlier } = await choose(await reviewedUnder(STYLE), choice);
    expect([earlier.threads.length, earlier.dismissed.length]).toEqual([1, 0]);
  });
});
