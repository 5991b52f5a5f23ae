import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { splitDiff } from '../../src/context/diff-text.js';
import {
  digest,
  readReviewedMark,
  reviewedMark,
  writeMarker,
  type ReviewedMark,
} from '../../src/github/marker.js';
import type { Finding } from '../../src/report/model.js';
import { startGitServer, type GitServer } from '../context/git-server.js';
import { commit, edit, lines } from '../context/history-scenes.js';
import {
  ACTIONS_BOT,
  MARY,
  nodeId,
  READ_TOKEN,
  startGithub,
  STRANGER,
  type FakeFile,
  type FakeGithub,
  type FakeLineComment,
} from '../github/stateful-fake.js';
import { git, removeScratch, scratchFolder } from '../sandbox/layer/scratch-repository.js';
import { fakeAgent, type FakeAgent } from './fake-agent.js';
import { eventOf, runPublish } from './publish-step.js';
import { runStep } from './step.js';
import { removeFolders } from './workspace.js';

/**
 * The life of a pull request, with both built steps, a real repository and GitHub on this machine: the run reviews what
 * it is given, publish writes to the pull request, and the next run reads what publish wrote.
 */

let folder: string;
let origin: string;
let server: GitServer;
let github: FakeGithub;
let agent: FakeAgent;
/** Whether the token may not read the conversation. */
let isRefused = false;
/** Set while two publish steps must meet: both have to look before either may post. */
let meeting: { waiting: (() => void)[] } | undefined;

beforeAll(async () => {
  folder = scratchFolder();
  server = await startGitServer(folder);
});
beforeEach(async () => {
  origin = join(folder, 'acme', 'project');
  mkdirSync(origin, { recursive: true });
  git(origin, 'init', '-q', '-b', 'main');
  git(origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  commit(origin, {
    ...Object.fromEntries(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => [name, lines(40)])),
    'main.txt': 'one\n',
  });
  git(origin, 'checkout', '-q', '-b', 'change');
  commit(origin, { 'a.txt': edit({ 7: 'wrong seven' }), 'b.txt': edit({ 9: 'nine' }) });
  agent = fakeAgent(`init(); say(readFileSync(join(here, 'answer.json'), 'utf8')); finish();`);
  isRefused = false;
  meeting = undefined;
  // Only whether lines exist is looked up there.
  const tree = Object.fromEntries(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => [name, lines(60)]));
  github = await startGithub({
    pulls: [{ number: 7, head: tipOf('change'), base: tipOf('main'), author: MARY, files: filesNow(), tree }],
    permissions: { mary: 'write' },
    fault: ({ operation }) =>
      isRefused && operation === 'POST /graphql'
        ? { status: 403, body: { message: 'Resource not accessible by integration' } }
        : undefined,
    before: async ({ operation }) => {
      if (!meeting || operation !== 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews') return;
      const { waiting } = meeting;
      await new Promise<void>((done) => {
        waiting.push(done);
        if (waiting.length === 2) for (const go of waiting) go();
      });
    },
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

/** The files of the pull request as GitHub lists them. */
const filesNow = (): FakeFile[] =>
  splitDiff(git(origin, 'diff', 'main...change')).map(({ path, text }) => ({
    path,
    patch: text.slice(text.indexOf('\n@@ ') + 1).replace(/\n$/, ''),
  }));

/** GitHub hears of the new commits. */
const push = (files: Readonly<Record<string, string>>): void => {
  commit(origin, files);
  github.push(7, { head: tipOf('change'), files: filesNow() });
};
const forcePush = (): void => {
  github.forcePush(7, { head: tipOf('change'), base: tipOf('main'), files: filesNow() });
};

/** What actions/checkout leaves of the head. */
function checkoutHead(): string {
  const clone = join(scratchFolder(), 'clone');
  git(folder, 'clone', '-q', '--depth=1', '--no-tags', '--branch=change', `file://${origin}`, clone);
  return clone;
}

const repository = { id: 1001, name: 'project', full_name: 'acme/project', default_branch: 'main' };
const account = { login: 'mary', id: 11, type: 'User' };
const eventNow = (action: string): Record<string, string> =>
  eventOf('pull_request', {
    action,
    pull_request: {
      ...{ number: 7, title: 'Make it better', body: '', user: account, labels: [] },
      base: { ref: 'main', sha: tipOf('main'), repo: repository },
      head: { ref: 'change', sha: tipOf('change'), repo: repository },
    },
    repository,
    sender: account,
  });

const found = (path: string, line: number, given: Partial<Finding> = {}): Finding => ({
  ...{ path, startLine: line, endLine: line, severity: 'high', body: `Look at line ${line}.` },
  title: `${path} is wrong`,
  ...given,
});

interface Review {
  action?: string;
  /** What the agent answers, if it is asked. */
  findings?: Finding[];
  inputs?: Record<string, string>;
}

interface Reported {
  scope?: { kind: string; why: string };
  skipped?: { reason: string; url?: string };
  reviewed?: ReviewedMark;
  context?: { kind: string; files?: string[] }[];
  review?: { findings: { title: string; path: string; startLine: number }[]; dismissed?: number };
}

/** One run of the agent step, and what it left. */
async function run({ action = 'synchronize', findings = [], inputs = {} }: Review = {}) {
  writeFileSync(join(dirname(agent.path), 'answer.json'), JSON.stringify({ summary: 'Looked.', findings }));
  const before = agent.sightings().length;
  const event = eventNow(action);
  const step = await runStep({
    workspace: checkoutHead(),
    inputs: {
      ...{ 'cli-path': agent.path, context: 'auto', prompt: 'Review it.', 'output-schema': 'findings' },
      ...{ 'github-token': READ_TOKEN, ...inputs },
    },
    env: {
      ...event,
      GITHUB_REPOSITORY: 'acme/project',
      GITHUB_ACTOR: 'mary',
      GITHUB_TRIGGERING_ACTOR: 'mary',
      GITHUB_SERVER_URL: server.url,
      GITHUB_API_URL: github.url,
    },
  });
  const file = step.outputs.get('report-file') ?? '';
  const report = JSON.parse(readFileSync(file, 'utf8')) as Reported;
  const sightings = agent.sightings().slice(before);
  return {
    ...{ step, report, file, event, paid: sightings.length, prompt: sightings[0]?.stdin ?? '' },
    skipped: step.outputs.get('skipped'),
    given: report.context?.find(({ kind }) => kind === 'diff')?.files,
    places: report.review?.findings.map(({ path, startLine }) => `${path}:${startLine}`),
  };
}
type Ran = Awaited<ReturnType<typeof run>>;

const publish = ({ file, event }: Ran, inputs: Record<string, string> = {}) =>
  runPublish({ api: github.url, env: event, inputs: { 'report-file': file, as: 'review', ...inputs } });

/** Both steps. The first one fails only where `fails` says why, and neither has anything else to complain about. */
async function review({ fails = '', ...given }: Review & { fails?: string } = {}) {
  const ran = await run(given);
  expect([ran.step.outputs.get('failure-reason'), ran.step.warnings]).toEqual([fails, []]);
  const before = { reviews: github.state.reviews.length, comments: github.state.lineComments.length };
  const published = await publish(ran);
  expect([published.code, published.warnings, published.errors]).toEqual([0, [], []]);
  const { reviews, lineComments } = github.state;
  return {
    ...ran,
    published,
    posted: reviews.slice(before.reviews).map(({ body }) => body),
    onLines: lineComments.slice(before.comments).map(placeOf),
  };
}

const placeOf = ({ path, originalLine, replyTo }: FakeLineComment): string =>
  `${replyTo === undefined ? '' : 're '}${path}:${originalLine}`;
const threadOn = (path: string): FakeLineComment => {
  const thread = github.state.lineComments.findLast(
    (each) => each.path === path && each.replyTo === undefined,
  );
  if (!thread) throw new Error(`there is no thread on ${path}`);
  return thread;
};
/** The newest mark in what we wrote. */
const markedHead = (): string | undefined => {
  const bodies = github.state.reviews.map(({ body }) => readReviewedMark(body)?.head);
  return bodies.findLast((head) => head !== undefined);
};

describe('the life of a pull request', () => {
  it('from its opening over pushes, a rebase, force pushes, people, races and forgeries', async () => {
    // Before anything is reviewed, a stranger and somebody who can make our account write leave marks that they made up.
    const hashes = { policy: '0'.repeat(20), prompt: '0'.repeat(20) };
    const madeUp = reviewedMark({ head: tipOf('change'), base: tipOf('main'), ...hashes });
    const early = writeMarker({ kind: 'comment', key: digest('key', 'another workflow') });
    for (const author of [STRANGER, ACTIONS_BOT]) github.comment(7, author, `${early}\n${madeUp}`);

    // Opened. Two findings are on lines of the change, the third is about a file that it does not touch.
    const opened = await review({
      action: 'opened',
      findings: [found('a.txt', 7), found('b.txt', 9, { severity: 'low' }), found('d.txt', 30)],
    });
    expect(opened.report.scope).toEqual({
      kind: 'full',
      why: expect.stringMatching(/ its mark is not from this workflow$/),
    });
    expect(opened).toMatchObject({ paid: 1, given: ['a.txt', 'b.txt'], onLines: ['a.txt:7', 'b.txt:9'] });
    expect(opened.posted).toEqual([expect.stringContaining('d.txt is wrong')]);
    const [seven, nine] = [threadOn('a.txt'), threadOn('b.txt')];

    // A second run of the same commit: no agent, nothing new on GitHub, and the gate stays as it was.
    const writes = github.writes().filter((line) => !line.includes('/graphql')).length;
    const again = await run({ inputs: { 'fail-on-severity': 'high' } });
    expect(again).toMatchObject({ paid: 0, places: ['a.txt:7', 'd.txt:30', 'b.txt:9'] });
    expect(again.skipped).toBe('unchanged');
    expect(again.report.skipped?.reason).toMatch(/ was already reviewed\.$/);
    expect(again.step.outputs.get('failure-reason')).toBe('findings');
    expect(again.step.stdout).toContain('dismiss it (👎 on its comment');
    expect((await publish(again)).outputs.get('inline-comments')).toBe('0');
    expect(github.writes().filter((line) => !line.includes('/graphql'))).toHaveLength(writes);

    // First push. The agent gets what is new and what stands, and every finding that stands stays.
    push({ 'b.txt': edit({ 9: 'nine', 30: 'thirty' }) });
    const first = await review({ findings: [found('b.txt', 30, { title: 'Thirty is wrong' })] });
    expect(first.report.scope?.kind).toBe('new');
    expect(first.step.stdout).toContain('Reviewing what is new, because');
    expect(first).toMatchObject({ paid: 1, given: ['b.txt'], onLines: ['b.txt:30'] });
    expect(first.places).toEqual(['b.txt:30', 'a.txt:7', 'd.txt:30', 'b.txt:9']);
    expect(first.prompt).toContain('+thirty');
    expect(first.prompt).not.toContain('+nine');
    expect(first.prompt).toContain('----- begin earlier-review');
    for (const path of ['a.txt', 'b.txt', 'd.txt']) expect(first.prompt).toContain(`${path} is wrong`);
    const thirty = threadOn('b.txt');

    // People. A stranger dismisses one finding, which counts for nothing. A maintainer dismisses another one.
    github.reply(thirty, STRANGER, '/cursor dismiss');
    github.thumbDown(thirty, STRANGER);
    github.resolve(thirty, STRANGER);
    github.reply(nine, MARY, 'Won’t fix: nine is wanted.');

    // Second push: one finding is fixed, and lines move. The agent reports the dismissed one again, in other words.
    push({ 'a.txt': edit({ 7: 'right seven' }), 'd.txt': `zero\n${lines(40)}` });
    const wider = found('b.txt', 8, { endLine: 10, title: 'Nine should not be there', severity: 'critical' });
    const second = await review({ findings: [wider], inputs: { 'fail-on-severity': 'critical' } });
    expect(second).toMatchObject({ paid: 1, given: ['a.txt', 'd.txt'] });
    expect(second.prompt).toContain('State: dismissed by a user with write access');
    expect(second.prompt).toContain('Won’t fix: nine is wanted.');
    expect(second.report.review?.dismissed).toBe(1);
    // What stands: the stranger's, and the one in the file whose lines moved.
    expect(second.places).toEqual(['b.txt:30', 'd.txt:31']);
    expect(second.published.outputs.get('dropped-findings')).toBe('1');
    expect(second.posted.join()).not.toContain('Nine should not be there');
    expect(second.posted.join()).toContain('dismissed one');
    // The thread of what is fixed gets one line and is resolved. The others are not touched.
    expect(second.onLines).toEqual(['re a.txt:7']);
    expect(github.state.lineComments.at(-1)?.body).toContain('These lines are no longer in the change');
    expect([seven, nine, thirty].map(({ resolvedBy }) => resolvedBy?.login)).toEqual([
      ACTIONS_BOT.login,
      undefined,
      STRANGER.login,
    ]);

    // Third push: only a generated file. Then a rebase. Nothing to pay for, nothing is posted, and the mark moves along.
    push({ 'package-lock.json': '{}\n' });
    const generated = await review();
    expect(generated.skipped).toBe('unchanged');
    expect(generated.report.skipped?.reason).toMatch(/, only generated files changed\.$/);
    expect(generated).toMatchObject({ paid: 0, posted: [], onLines: [], places: ['b.txt:30', 'd.txt:31'] });
    expect(markedHead()).toBe(tipOf('change'));
    git(origin, 'checkout', '-q', 'main');
    commit(origin, { 'main.txt': 'two\n' });
    git(origin, 'checkout', '-q', 'change');
    git(origin, 'rebase', '-q', 'main');
    forcePush();
    const rebased = await review({ inputs: { 'fail-on-severity': 'high' }, fails: 'findings' });
    // GitHub no longer knows where the lines of the comments are. They are found by their text.
    expect(rebased).toMatchObject({ paid: 0, posted: [], onLines: [], places: ['b.txt:30', 'd.txt:31'] });
    expect(rebased.skipped).toBe('unchanged');
    expect(rebased.report.skipped?.reason).toMatch(/only its commits or its base are new\.$/);
    expect(markedHead()).toBe(tipOf('change'));

    // GitHub forgets the commits from before the rebase. A force push still needs only a review of what it changed.
    git(origin, 'reflog', 'expire', '--expire=now', '--all');
    git(origin, 'gc', '-q', '--prune=now');
    git(origin, 'reset', '-q', '--soft', 'HEAD^');
    commit(origin, { 'package-lock.json': '{}\n', 'c.txt': edit({ 3: 'three' }) });
    forcePush();
    const forced = await review({ findings: [found('c.txt', 3)] });
    expect(forced.report.scope?.kind).toBe('new');
    expect(forced).toMatchObject({ paid: 1, given: ['c.txt'], onLines: ['c.txt:3'] });
    expect(forced.prompt).toContain('-line 3\n+three');
    expect(forced.places).toEqual(['c.txt:3', 'b.txt:30', 'd.txt:31']);

    // First race: a push while the agent works. The review is put on the commit that was reviewed, and the next run
    // looks at the rest. When the late step comes once more, there is a newer review, and nothing is written.
    push({ 'c.txt': edit({ 3: 'three', 20: 'twenty' }) });
    const late = await run({ findings: [found('c.txt', 20, { title: 'Twenty is wrong' })] });
    const reviewed = tipOf('change');
    push({ 'a.txt': edit({ 7: 'right seven', 30: 'thirty' }) });
    expect((await publish(late)).outputs.get('inline-comments')).toBe('1');
    expect(threadOn('c.txt')).toMatchObject({ commit: reviewed, originalLine: 20 });
    expect(markedHead()).toBe(reviewed);
    const newest = await review({ findings: [found('a.txt', 30)] });
    expect(newest).toMatchObject({ paid: 1, given: ['a.txt'], onLines: ['a.txt:30'] });
    const posts = [github.state.reviews.length, github.state.lineComments.length];
    const superseded = await publish(late);
    expect(superseded.stdout).toContain('The newest commit was reviewed already');
    expect([github.state.reviews.length, github.state.lineComments.length]).toEqual(posts);
    expect(markedHead()).toBe(tipOf('change'));

    // Second race: two publish steps with the same report. Both post; the younger one takes its comments back.
    push({ 'b.txt': edit({ 9: 'nine', 30: 'thirty', 38: 'raced' }) });
    const raced = await run({ findings: [found('b.txt', 38, { title: 'Raced' })] });
    meeting = { waiting: [] };
    const both = await Promise.all([publish(raced), publish(raced)]);
    meeting = undefined;
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ outputs }) => outputs.get('inline-comments')).sort()).toEqual(['0', '1']);
    expect(new Set(both.map(({ outputs }) => outputs.get('url'))).size).toBe(1);
    expect(github.state.lineComments.filter(({ body }) => body.includes('Raced'))).toHaveLength(1);
    const [, younger] = github.state.reviews.slice(-2);
    expect(github.state.minimized).toContain(nodeId(younger!));

    // A label asks for a full review, which is published as a comment beside the review. It has neither what was dismissed
    // before the run nor what was dismissed after it.
    const told = await run({
      action: 'labeled',
      findings: [wider, found('d.txt', 31), found('b.txt', 38, { title: 'Raced' })],
    });
    expect(told.report.scope).toEqual({ kind: 'full', why: 'a label asked for it' });
    expect(told).toMatchObject({ paid: 1, given: ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'package-lock.json'] });
    expect(told.places).toEqual(['d.txt:31', 'b.txt:38']);
    github.thumbDown(threadOn('b.txt'), MARY);
    const gated = { as: 'comment', 'fail-on-severity': 'high' };
    const comment = await publish(told, gated);
    expect(comment.outputs.get('dropped-findings')).toBe('2');
    expect(comment.errors.join()).toContain('1 finding is of severity high or above');
    const written = github.state.comments.filter(({ author }) => author.id === ACTIONS_BOT.id);
    const [ours, ...more] = written.filter(({ body }) => !body.startsWith(early));
    expect(more).toEqual([]);
    expect(ours?.body).toContain('d.txt is wrong');
    expect(ours?.body).not.toContain('Raced');
    expect(ours?.body).not.toContain('Nine should not be there');

    // Another prompt is another review.
    const other = await run({ inputs: { prompt: 'Review it for races.' } });
    expect(other.report.scope).toMatchObject({ kind: 'full', why: expect.stringContaining('prompt') });

    // A flood of comments with copies of the mark, and one that our account was made to write for the next commit.
    const mark = told.report.reviewed;
    if (!mark) throw new Error('there is no mark');
    push({ 'd.txt': `zero\n${lines(40)}evil\n` });
    const forged = reviewedMark({ ...mark, head: tipOf('change') });
    const marker = writeMarker({ kind: 'comment', key: digest('key', 'default') });
    for (let index = 0; index < 3000; index += 1)
      github.comment(7, STRANGER, `${marker}\n${forged}\n${index}`);
    for (let index = 0; index < 500; index += 1)
      github.state.lineComments.unshift({
        ...thirty,
        id: 90_000 + index,
        author: STRANGER,
        thumbsDown: [MARY],
      });
    github.comment(7, ACTIONS_BOT, `${marker}\n${forged}`);
    const flooded = await review({
      findings: [found('d.txt', 42)],
      inputs: { 'fail-on-severity': 'critical' },
    });
    expect(flooded).toMatchObject({ paid: 1, given: ['d.txt'], onLines: ['d.txt:42'] });
    // No thumb on the copies dismissed the finding itself. The thread that a stranger spoke in is left to people.
    expect(flooded.places).toContain('b.txt:30');
    const byUs = github.state.lineComments.filter(({ resolvedBy }) => resolvedBy?.id === ACTIONS_BOT.id);
    expect(byUs.map(({ id }) => id)).toEqual([seven.id]);

    expect(agent.sightings()).toHaveLength(10);
    // It is one story of thirty steps, each of them a process.
  }, 300_000);

  it('gets fewer comments with each of its reviews, and its gate counts them all', async () => {
    const at = (path: string, line: number, severity: Finding['severity'], given: Partial<Finding> = {}) =>
      found(path, line, { severity, title: `${severity} at ${path}:${line}`, ...given });
    /** A push that changes one more line of c.txt, and the review of it. */
    const changes: Record<number, string> = {};
    const round = (line: number, findings: Finding[]) => {
      changes[line] = `new ${line}`;
      push({ 'c.txt': edit(changes) });
      return review({ findings });
    };
    const latest = () => github.state.reviews.at(-1)?.body ?? '';

    const first = await review({
      action: 'opened',
      findings: [at('a.txt', 7, 'high'), at('b.txt', 9, 'low')],
    });
    expect(first.onLines).toEqual(['a.txt:7', 'b.txt:9']);
    // The second review still posts what the first one did not see.
    expect((await round(3, [at('a.txt', 5, 'low'), at('c.txt', 3, 'info')])).onLines).toEqual(['a.txt:5']);
    // From the third one on, small findings are only posted on what is new.
    const third = await round(12, [at('a.txt', 4, 'low'), at('c.txt', 12, 'low'), at('a.txt', 8, 'medium')]);
    expect(third.onLines).toEqual(['a.txt:8', 'c.txt:12']);
    expect(third.posted.join()).toContain('<summary>1 finding withheld: 1 low</summary>');
    expect(third.posted.join()).toContain('review 3 of this pull request');
    // A review that has only such findings posts nothing; the one that is there lists them.
    const fourth = await round(20, [at('b.txt', 8, 'low')]);
    expect(fourth).toMatchObject({ paid: 1, posted: [], onLines: [] });
    expect(latest()).toContain('2 findings withheld: 2 low');
    expect(markedHead()).toBe(tipOf('change'));
    expect((await round(28, [at('b.txt', 10, 'medium')])).onLines).toEqual(['b.txt:10']);
    // From the sixth one on, medium findings too.
    const sixth = await round(36, [
      at('a.txt', 9, 'medium'),
      at('b.txt', 7, 'high'),
      at('c.txt', 36, 'medium'),
    ]);
    expect(sixth.onLines).toEqual(['b.txt:7', 'c.txt:36']);
    expect(latest()).toContain('3 findings withheld: 1 medium, 2 low');
    // Nothing is lost: all of them stand in the next report, and fail its gate. So they are posted, to be dismissed there.
    expect(sixth.places).toEqual(expect.arrayContaining(['a.txt:4', 'a.txt:9', 'b.txt:8']));
    const gated = await review({ inputs: { 'fail-on-severity': 'low' }, fails: 'findings' });
    expect(gated).toMatchObject({ paid: 0, skipped: 'unchanged' });
    expect(gated.places).toEqual(expect.arrayContaining(['a.txt:4', 'a.txt:9', 'b.txt:8']));
    expect(gated.onLines.sort()).toEqual(['a.txt:4', 'a.txt:9', 'b.txt:8']);
    expect(latest()).not.toContain('withheld');
    const again = await review({ inputs: { 'fail-on-severity': 'low' }, fails: 'findings' });
    expect(again).toMatchObject({ paid: 0, posted: [], onLines: [] });
  }, 200_000);

  it('opens its gate, in both steps, when a maintainer dismisses by id what has no line', async () => {
    const gate = { 'fail-on-severity': 'high' };
    const elsewhere = found('d.txt', 30);
    const first = await run({ action: 'opened', findings: [elsewhere], inputs: gate });
    expect((await publish(first, gate)).errors.join()).toContain('1 finding is of severity high or above');
    expect(github.state.lineComments).toEqual([]);
    const [, command = ''] =
      /<code>(\/cursor dismiss [0-9a-f]{20})<\/code>/.exec(github.state.reviews[0]?.body ?? '') ?? [];
    // Somebody without write access changes nothing.
    github.comment(7, STRANGER, command);
    const refused = await run({ inputs: gate });
    expect(refused.step.outputs.get('failure-reason')).toBe('findings');
    expect((await publish(refused, gate)).code).toBe(1);
    github.comment(7, MARY, command);
    // Nothing is new, so no agent runs, and what was found before no longer counts.
    const again = await run({ inputs: gate });
    expect(again).toMatchObject({ paid: 0, skipped: 'unchanged', places: [] });
    expect(again.step.outputs.get('status')).toBe('success');
    expect(await publish(again, gate)).toMatchObject({ code: 0, errors: [] });
    // A full review finds it again, in other words.
    const reworded = { ...elsewhere, title: 'In other words' };
    const full = await run({ action: 'labeled', findings: [reworded], inputs: gate });
    expect(full).toMatchObject({ paid: 1, places: [] });
    expect(full.step.outputs.get('status')).toBe('success');
    // Its line changes.
    push({ 'd.txt': edit({ 30: 'thirty' }) });
    const changed = await run({ findings: [elsewhere], inputs: gate });
    expect(changed.step.outputs.get('failure-reason')).toBe('findings');
    expect((await publish(changed, gate)).code).toBe(1);
    expect(github.state.lineComments.map(placeOf)).toEqual(['d.txt:30']);
  }, 120_000);

  it('is reviewed in full, with a note, if the token may not read what was left there', async () => {
    isRefused = true;
    const done = await run();
    expect(done.paid).toBe(1);
    expect(done.step.warnings.join()).toContain('could not be read, so all of it is reviewed');
  });
});
