import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeMarker } from '../../src/github/marker.js';
import { reviewedMark, type ReviewedMark } from '../../src/github/reviewed-mark.js';
import { startGitServer, type GitServer } from '../context/git-server.js';
import { commit, edit, lines } from '../context/history-scenes.js';
import {
  ACTIONS_BOT,
  MARY,
  READ_TOKEN,
  startGithub,
  STRANGER,
  type FakeGithub,
  type FakeLineComment,
} from '../github/stateful-fake.js';
import { git, removeScratch, scratchFolder } from '../workspace/scratch-repository.js';
import { fakeAgent } from './fake-agent.js';
import { eventOf } from './publish-step.js';
import { runStep } from './step.js';
import { removeFolders } from './workspace.js';

let folder: string;
let origin: string;
let server: GitServer;
let github: FakeGithub;
/** Whether the token may not read the conversation. */
let isRefused = false;
beforeAll(async () => {
  folder = scratchFolder();
  server = await startGitServer(folder);
});
beforeEach(async () => {
  origin = join(folder, 'acme', 'project');
  mkdirSync(origin, { recursive: true });
  git(origin, 'init', '-q', '-b', 'main');
  git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  commit(origin, { 'a.txt': lines(40), 'b.txt': lines(40), 'c.txt': lines(40), 'main.txt': 'one\n' });
  git(origin, 'checkout', '-q', '-b', 'change');
  commit(origin, { 'a.txt': edit({ 7: 'wrong seven' }), 'b.txt': edit({ 9: 'nine' }) });
  const pull = { number: 7, head: tipOf('change'), base: tipOf('main'), author: MARY, files: [] };
  isRefused = false;
  github = await startGithub({
    pulls: [pull],
    permissions: { mary: 'write' },
    fault: ({ operation }) =>
      isRefused && operation === 'POST /graphql'
        ? { status: 403, body: { message: 'Resource not accessible by integration' } }
        : undefined,
  });
});
afterEach(async () => {
  await github.close();
  removeFolders();
  git(folder, 'init', '-q');
  git(folder, 'clean', '-ffdxq');
});
afterAll(async () => {
  await server.close();
  removeScratch();
});

const tipOf = (branch: string): string => git(origin, 'rev-parse', branch).trim();

/** What actions/checkout leaves of the head. */
function checkoutHead(): string {
  const clone = join(scratchFolder(), 'clone');
  mkdirSync(clone);
  git(clone, 'init', '-q', '-b', 'main');
  git(clone, 'fetch', '-q', '--no-tags', '--depth=1', `file://${origin}`, tipOf('change'));
  git(clone, 'checkout', '-q', '--detach', 'FETCH_HEAD');
  return clone;
}

const repository = { id: 1001, name: 'project', full_name: 'acme/project', default_branch: 'main' };
const account = { login: 'mary', id: 11, type: 'User' };
const payload = (action: string) => ({
  action,
  pull_request: {
    number: 7,
    title: 'Make it better',
    body: '',
    user: account,
    labels: [],
    base: { ref: 'main', sha: tipOf('main'), repo: repository },
    head: { ref: 'change', sha: tipOf('change'), repo: repository },
  },
  repository,
  sender: account,
});

const FINDING = {
  ...{ path: 'a.txt', startLine: 7, endLine: 7, severity: 'high' },
  ...{ title: 'Seven is wrong', body: 'It says “wrong seven”.' },
};

interface Review {
  action?: string;
  findings?: object[];
  inputs?: Record<string, string>;
}

/** One run of the review, and what it left. */
async function review({ action = 'synchronize', findings = [], inputs = {} }: Review = {}) {
  const answer = JSON.stringify({ summary: 'Looked.', findings });
  const agent = fakeAgent(`init(); say(${JSON.stringify(answer)}); finish();`);
  const step = await runStep({
    workspace: checkoutHead(),
    inputs: {
      'cli-path': agent.path,
      context: 'auto',
      prompt: 'Review it.',
      'output-schema': 'findings',
      'github-token': READ_TOKEN,
      ...inputs,
    },
    env: {
      ...eventOf('pull_request', payload(action)),
      GITHUB_REPOSITORY: 'acme/project',
      GITHUB_ACTOR: 'mary',
      GITHUB_TRIGGERING_ACTOR: 'mary',
      GITHUB_SERVER_URL: server.url,
      GITHUB_API_URL: github.url,
    },
  });
  const report = JSON.parse(readFileSync(step.outputs.get('report-file') ?? '', 'utf8')) as {
    scope?: { kind: string; why: string };
    skipped?: { reason: string; url?: string };
    reviewed?: ReviewedMark;
    context?: { kind: string; files?: string[] }[];
    review?: { findings: { title: string; place: string }[] };
  };
  const [sighting, ...more] = agent.sightings();
  return {
    step,
    report,
    prompt: sighting?.stdin ?? '',
    paid: (sighting ? 1 : 0) + more.length,
    given: report.context?.find(({ kind }) => kind === 'diff')?.files,
    titles: report.review?.findings.map(({ title }) => title),
  };
}

/** What publish leaves on the pull request. */
function leaveMark({ report }: Awaited<ReturnType<typeof review>>): void {
  if (!report.reviewed) throw new Error('the run left nothing to mark');
  const marker = writeMarker({ kind: 'review', key: '0'.repeat(20), state: '1'.repeat(20) });
  github.comment(7, ACTIONS_BOT, `${marker}\n${reviewedMark(report.reviewed)}\nA review`);
}

function leaveFinding(): FakeLineComment {
  const marker = writeMarker({
    kind: 'finding',
    key: '0'.repeat(20),
    place: '2'.repeat(20),
    what: '3'.repeat(20),
  });
  const comment: FakeLineComment = {
    ...{ id: 501, pull: 7, author: ACTIONS_BOT, review: 500, path: 'a.txt', commit: tipOf('change') },
    ...{ line: 7, startLine: null, originalLine: 7, originalStartLine: null, text: 'wrong seven' },
    body: `${marker}\n🟠 <b>high</b> — <b>Seven is wrong</b>\n\nIt says so.`,
    thumbsDown: [],
  };
  github.state.lineComments.push(comment);
  return comment;
}

describe('the life of a pull request', () => {
  it('costs an agent only where something is new, and keeps what was found', async () => {
    let paid = 0;
    const next = async (given: Review = {}) => {
      const done = await review(given);
      expect(done.step.warnings).toEqual([]);
      paid += done.paid;
      return done;
    };

    const opened = await next({ action: 'opened', findings: [FINDING] });
    expect(opened.report.scope).toEqual({
      kind: 'full',
      why: 'no earlier review left its mark on this pull request',
    });
    expect(opened).toMatchObject({ given: ['a.txt', 'b.txt'], titles: ['Seven is wrong'] });
    leaveMark(opened);
    const finding = leaveFinding();

    // A push: only its files, and what was found before is context and stays.
    commit(origin, { 'b.txt': edit({ 9: 'nine', 30: 'thirty' }) });
    const pushed = await next();
    expect(pushed.report.scope?.kind).toBe('new');
    expect(pushed).toMatchObject({ given: ['b.txt'], titles: ['Seven is wrong'] });
    expect(pushed.prompt).toContain('+thirty');
    expect(pushed.prompt).not.toContain('+nine');
    expect(pushed.prompt).toContain('----- begin earlier-review');
    expect(pushed.step.stdout).toContain('Reviewing what is new, because');
    leaveMark(pushed);

    // A push of a generated file, a rebase and a second run: nothing to pay for.
    commit(origin, { 'package-lock.json': '{}\n' });
    const generated = await next();
    expect(generated.step.outputs.get('skipped')).toMatch(/, only generated files changed\.$/);
    git(origin, 'checkout', '-q', 'main');
    commit(origin, { 'main.txt': 'two\n' });
    git(origin, 'checkout', '-q', 'change');
    git(origin, 'rebase', '-q', 'main');
    const rebased = await next();
    expect(rebased).toMatchObject({ paid: 0, step: { code: 0 }, titles: ['Seven is wrong'] });
    expect(rebased.step.outputs.get('status')).toBe('success');

    // The third push, then the same with an amended commit.
    commit(origin, { 'c.txt': edit({ 3: 'three' }) });
    const third = await next();
    expect(third.given).toEqual(['c.txt', 'package-lock.json']);
    leaveMark(third);
    git(origin, 'reset', '-q', '--soft', 'HEAD^');
    commit(origin, { 'c.txt': edit({ 3: 'three and a half' }) });
    const amended = await next();
    expect(amended.given).toEqual(['c.txt']);
    expect(amended.prompt).toContain('-three\n+three and a half');
    leaveMark(amended);

    // A second run does not open the gate that the finding closes. A dismissal by somebody with write access does.
    const gated = await next({ inputs: { 'fail-on-severity': 'high' } });
    expect(gated.step.outputs.get('failure-reason')).toBe('findings');
    expect(gated.step.outputs.get('skipped')).toMatch(/ was already reviewed\.$/);
    github.thumbDown(finding, STRANGER);
    expect((await next({ inputs: { 'fail-on-severity': 'high' } })).step.code).toBe(1);
    github.thumbDown(finding, MARY);
    const dismissed = await next({ inputs: { 'fail-on-severity': 'high' } });
    expect(dismissed).toMatchObject({ step: { code: 0 }, titles: [], paid: 0 });

    // Another prompt, and a person who asks with a label: all of it.
    const other = await next({ inputs: { prompt: 'Review it for races.' } });
    expect(other.report.scope).toMatchObject({ kind: 'full', why: expect.stringContaining('prompt') });
    const asked = await next({ action: 'labeled' });
    expect(asked.report.scope).toEqual({ kind: 'full', why: 'a label asked for it' });
    expect(asked.prompt).toContain('dismissed by somebody with write access');
    expect(paid).toBe(6);
  });

  it('cannot be told by a forged mark that it was reviewed', async () => {
    const { report } = await review({ action: 'opened' });
    const mark = reviewedMark({ ...(report.reviewed as ReviewedMark) });
    commit(origin, { 'c.txt': edit({ 3: 'evil' }) });
    const forged = reviewedMark({ ...(report.reviewed as ReviewedMark), head: tipOf('change') });
    const marker = writeMarker({ kind: 'comment', key: '0'.repeat(20) });
    // A stranger copies a real mark; a workflow is made to write a changed one with our account.
    github.comment(7, STRANGER, `${marker}\n${mark}`);
    github.comment(7, ACTIONS_BOT, `${marker}\n${forged}`);
    const done = await review();
    expect(done.paid).toBe(1);
    expect(done.given).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(done.report.scope?.kind).toBe('full');
  });

  it('reviews everything, with a note, if the token may not read what was left there', async () => {
    isRefused = true;
    const done = await review();
    expect(done.paid).toBe(1);
    expect(done.step.warnings.join()).toContain('could not be read, so all of it is reviewed');
  });
});
