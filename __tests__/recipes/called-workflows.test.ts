import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { calledFile, checkPermissions, inputsOfCall, secretsOfCall } from './called-workflow.js';
import { holds } from './evaluation.js';
import type { RecipeEvent } from './events.js';
import { play, playWorkflow, story, worlds } from './play.js';
import { readAction } from './run-step.js';
import { Expression, parseWorkflow, readWorkflow, record, type Workflow } from './workflow-file.js';
import { MARY, STRANGER } from '../github/stateful-fake.js';
import { DEPENDABOT, fork, RENOVATE, type World } from './world.js';

const start = worlds();
const FILES = { 'README.md': '# Project\n', 'src/a.js': 'export const a = 1\n' };
const answer = (words: string) =>
  `const words = ${JSON.stringify(words)}; init(); say(words); finish(words);`;
const REVIEWS = answer(
  '```json\n' +
    JSON.stringify({
      summary: 'One bug.',
      findings: [
        { path: 'src/a.js', startLine: 1, endLine: 1, severity: 'high', title: 'Wrong', body: 'It is 2.' },
      ],
    }) +
    '\n```',
);
const writes = (path: string) => `
const { writeFileSync, mkdirSync } = await import('node:fs');
init(); mkdirSync('docs', { recursive: true });
writeFileSync('${path}', 'changed\\n'); say('Done.'); finish('Done.');`;

/** The callers that people copy: those of the documents. */
const CALLERS = ['README.md', 'docs/recipes.md']
  .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)])
  .map(([, source = '']) => source)
  .filter((source) => source.includes('/.github/workflows/'));
const caller = (name: string): Promise<Workflow> => {
  const source = CALLERS.find((each) => each.includes(`/${name}.yml@`));
  if (source === undefined) throw new Error(`the documents have no caller of ${name}.yml`);
  return parseWorkflow(`my-${name}.yml`, source);
};

/** A pull request that changes the first line. */
async function withPull() {
  const world = await start(FILES);
  world.commit({ branch: 'x', files: { 'src/a.js': 'export const a = 3\nexport const added = 4\n' } });
  return { world, pull: world.openPull({ branch: 'x' }) };
}

const CALLED = ['review', 'docs', 'fix-ci', 'fork-review', 'issue-to-pr'];
/** A caller whose call has these inputs, and whose triggers are others if that is said. */
const callerWith = async (name: string, given: Record<string, string>, events = {}): Promise<Workflow> => {
  const workflow = await caller(name);
  workflow.jobs[0]!.call!.with = given;
  Object.assign(workflow.events, events);
  return workflow;
};

describe('the callers in the documents', () => {
  it.each(CALLED)('%s gives exactly the permissions that the called jobs need', async (name) => {
    const [job] = (await caller(name)).jobs;
    const called = await readWorkflow(calledFile(job?.call?.uses ?? ''));
    const most: Record<string, string> = {};
    for (const { permissions } of called.jobs)
      for (const [permission, level] of Object.entries(permissions))
        if (most[permission] !== 'write') most[permission] = level;
    expect(job?.permissions).toEqual(most);
    expect(() => {
      checkPermissions(job!, called);
    }).not.toThrow();
  });

  it('are short', () => {
    expect(CALLERS).toHaveLength(5);
    for (const source of CALLERS) expect(source.trimEnd().split('\n').length).toBeLessThan(18);
  });

  it('review: both jobs run, with their own rights', async () => {
    const { world, pull } = await withPull();
    const event = world.events.pullRequest(pull);
    const run = await playWorkflow(await caller('review'), event, { world, agent: REVIEWS });
    expect([run.results, story(run)]).toEqual([
      { 'review / agent': 'success', 'review / publish': 'success' },
      expect.any(String),
    ]);
    expect(world.state.published.lineComments).toMatchObject([{ path: 'src/a.js', line: 1 }]);
    expect(world.state.refused).toEqual([]);
  });

  it('review: a finding of the severity that blocks is posted, and the run fails', async () => {
    const { world, pull } = await withPull();
    const event = world.events.pullRequest(pull);
    const workflow = await caller('review');
    workflow.jobs[0]!.call!.with = { 'fail-on-severity': 'high' };
    const run = await playWorkflow(workflow, event, { world, agent: REVIEWS });
    expect([run.results, story(run)]).toEqual([
      { 'review / agent': 'failure', 'review / publish': 'success' },
      expect.any(String),
    ]);
    expect(world.state.published.lineComments).toHaveLength(1);
  });

  it('review: skips forks and bots, and replaces the review of an older commit', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'x', files: { 'src/a.js': '' } });
    world.commit({ branch: 'y', files: { 'src/a.js': '' }, repository: fork.repository });
    const [own, foreign] = [world.openPull({ branch: 'x' }), world.openPull({ branch: 'y', ...fork })];
    const workflow = await caller('review');
    for (const event of [
      world.events.pullRequest(foreign),
      world.events.pullRequest(own, 'opened', { by: DEPENDABOT }),
      world.events.pullRequest(own, 'synchronize', { by: RENOVATE }),
    ]) {
      const run = await playWorkflow(workflow, event, { world, agent: REVIEWS });
      expect(run.results).toEqual({ 'review / agent': 'skipped', 'review / publish': 'skipped' });
    }
    const push = { world, agent: REVIEWS, jobs: [] };
    const { groups } = await playWorkflow(workflow, world.events.pullRequest(own, 'synchronize'), push);
    expect(groups).toEqual([{ group: expect.stringMatching(/-1$/) as unknown, 'cancel-in-progress': true }]);
  });

  it('review: a bot that is named is let in, and the action decides by the whole name', async () => {
    const { world, pull } = await withPull();
    const event = world.events.pullRequest(pull, 'opened', { by: RENOVATE });
    const results = async (allowed: string) => {
      const workflow = await callerWith('review', { 'allowed-actors': allowed });
      const playing = { world, agent: REVIEWS, jobs: ['agent'] };
      const { results: ended, agent } = await playWorkflow(workflow, event, playing);
      return [ended['review / agent'], agent.sightings().length];
    };
    expect(await results('somebody\nrenovate[bot]')).toEqual(['success', 1]);
    expect(await results('my-renovate[bot]')).toEqual(['failure', 0]);
    expect(await results('dependabot[bot]')).toEqual(['skipped', 0]);
  });

  it.each([
    ['cursor-review', {}, 'success'],
    ['bug', {}, 'skipped'],
    ['bug', { label: 'bug' }, 'success'],
  ])('review: the label %s with %j, on a draft: %s', async (label, given, result) => {
    const { world, pull } = await withPull();
    const event = world.events.pullRequest(pull, 'labeled', { label, by: MARY });
    Object.assign(event.payload['pull_request'] as object, { draft: true });
    const workflow = await callerWith('review', given, { pull_request: { types: ['labeled'] } });
    const run = await playWorkflow(workflow, event, { world, agent: REVIEWS });
    expect([run.results, story(run)]).toEqual([
      { 'review / agent': result, 'review / publish': result },
      expect.any(String),
    ]);
    expect(world.state.published.lineComments).toHaveLength(result === 'success' ? 1 : 0);
  });

  it('review: a label of somebody without write access starts no agent', async () => {
    const { world, pull } = await withPull();
    const event = world.events.pullRequest(pull, 'labeled', {
      ...{ label: 'cursor-review', by: STRANGER },
    });
    const workflow = await callerWith('review', {}, { pull_request: { types: ['labeled'] } });
    const run = await playWorkflow(workflow, event, { world, agent: REVIEWS });
    expect([run.results['review / agent'], run.agent.sightings()]).toEqual(['failure', []]);
  });

  it.each(CALLED)(
    '%s: a merge queue is not held up, because a skipped job counts as passed',
    async (name) => {
      const world = await start(FILES);
      const given = { 'allowed-actors': 'github-merge-queue[bot]' };
      const workflow = await callerWith(name, given, { merge_group: {} });
      const run = await playWorkflow(workflow, world.events.mergeGroup(), { world, agent: REVIEWS });
      // The check has the name that is required only if the called job is skipped, and not the one that calls it.
      expect(run.results).toMatchObject({ [`${name} / agent`]: 'skipped' });
      expect(new Set(Object.values(run.results))).toEqual(new Set(['skipped']));
    },
  );

  it('docs: a push becomes a pull request', async () => {
    const world = await start(FILES);
    const before = world.git('rev-parse', 'main');
    world.commit({ branch: 'main', files: { 'src/a.js': 'export const a = 3\nexport const added = 4\n' } });
    const event = world.events.push(before);
    const run = await playWorkflow(await caller('docs'), event, { world, agent: writes('docs/a.md') });
    expect([run.results, story(run)]).toEqual([
      { 'docs / agent': 'success', 'docs / propose': 'success' },
      expect.any(String),
    ]);
    expect(world.state.pulls).toMatchObject([{ base: 'main', title: 'Update the documentation' }]);
    expect(world.state.refused).toEqual([]);
  });

  it('fix-ci: a failure becomes a pull request, after the setup of the caller', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'feature', files: { 'src/b.js': 'b\n' } });
    world.state.logs = { '77': '2026-01-01T08:00:00.0000000Z ##[error]expected 2\n' };
    const workflow = await caller('fix-ci');
    expect(record(workflow.jobs[0]!.call!.with)['setup']).toBe('npm ci');
    workflow.jobs[0]!.call!.with = { setup: 'echo "Set up in $PWD"\nfalse || echo "and on"' };
    const event = world.events.workflowRun('feature');
    const run = await playWorkflow(workflow, event, { world, agent: writes('src/a.js') });
    expect([run.results, story(run)]).toEqual([
      { 'fix-ci / agent': 'success', 'fix-ci / propose': 'success' },
      expect.any(String),
    ]);
    expect(run.log).toContain('and on');
    expect(world.state.pulls).toMatchObject([{ base: 'feature', title: 'Repair CI' }]);
    // The runs that are counted are those of the caller's file.
    expect(world.api.requests.map(({ line }) => line).join('\n')).toContain('/workflows/my-fix-ci.yml/runs');
    expect(run.job('fix-ci / propose').steps.find(({ id }) => id === 'app')?.outcome).toBe('skipped');
    expect(world.state.refused).toEqual([]);
  });

  it('fix-ci: the App of the caller opens the pull request, with no more rights than the job has', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'feature', files: { 'src/b.js': 'b\n' } });
    world.state.logs = { '77': '2026-01-01T08:00:00.0000000Z ##[error]expected 2\n' };
    const minted: [token: string, permissions: object][] = [];
    const { mintToken } = world.surroundings;
    world.surroundings.mintToken = (permissions) => {
      const token = mintToken(permissions);
      minted.push([token, permissions]);
      return token;
    };
    const workflow = await caller('fix-ci');
    const call = workflow.jobs[0]!.call!;
    call.with = {};
    call.secrets = { ...record(call.secrets), APP_CLIENT_ID: 'Iv1.app', APP_PRIVATE_KEY: 'pem' };
    const event = world.events.workflowRun('feature');
    const run = await playWorkflow(workflow, event, { world, agent: writes('src/a.js') });
    expect([run.results['fix-ci / propose'], story(run)]).toEqual(['success', expect.any(String)]);
    // After one token for each job, the App makes its own.
    expect(minted).toHaveLength(3);
    const [token, permissions] = minted[2]!;
    expect(permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
    const opened = world.api.requests.filter(({ line }) => /^POST .*\/pulls$/.test(line));
    expect(opened.map(({ authorization }) => authorization.split(' ').at(-1))).toEqual([token]);
    expect(world.state.refused).toEqual([]);
  });
});

describe('the caller of issue-to-pr', () => {
  /** One run today is this one. */
  const label = async (runs: number, ...[name, options]: Parameters<World['events']['issueLabeled']>) => {
    const world = await start(FILES);
    const createdAt = new Date().toISOString().replace(/\.\d+/, '');
    world.state.runs = Array.from({ length: runs }, () => ({ conclusion: null, createdAt }));
    const event = world.events.issueLabeled(name, options);
    const run = await playWorkflow(await caller('issue-to-pr'), event, { world, agent: writes('src/a.js') });
    return { world, run, results: Object.values(run.results) };
  };

  it('gets a pull request that fixes the issue, from an agent that may run no command', async () => {
    const { world, run } = await label(1, 'cursor');
    expect([run.results, story(run)]).toEqual([
      { 'issue-to-pr / agent': 'success', 'issue-to-pr / propose': 'success' },
      expect.any(String),
    ]);
    expect(world.state.pulls).toMatchObject([{ base: 'main', branch: 'cursor-agent/issue-31' }]);
    expect(world.state.pulls[0]?.body).toContain('\nFixes #31\n');
    expect(run.agent.sightings()[0]?.stdin).toContain('It says boom.');
    // The runs that are counted are those of the caller's file.
    expect(world.api.requests.map(({ line }) => line).join('\n')).toContain(
      '/workflows/my-issue-to-pr.yml/runs',
    );
    expect(world.state.refused).toEqual([]);
  });

  it('lets in a bot that is named, also for an issue of its own', async () => {
    const world = await start(FILES);
    const createdAt = new Date().toISOString().replace(/\.\d+/, '');
    world.state.runs = [{ conclusion: null, createdAt }];
    const event = world.events.issueLabeled('cursor', { by: RENOVATE, author: RENOVATE });
    const results = async (allowed: string) => {
      const workflow = await callerWith('issue-to-pr', { 'allowed-actors': allowed });
      const run = await playWorkflow(workflow, event, { world, agent: writes('src/a.js') });
      return [run.results['issue-to-pr / agent'], run.agent.sightings().length];
    };
    expect(await results('somebody, renovate[bot]')).toEqual(['success', 1]);
    expect(await results('')).toEqual(['skipped', 0]);
  });

  it.each<[string, Parameters<typeof label>, string]>([
    ['another label', [1, 'bug'], 'skipped'],
    ['a label that a template gave to a stranger’s issue', [1, 'cursor', { by: STRANGER }], 'success'],
    ['somebody without write access', [1, 'cursor', { by: STRANGER, author: MARY }], 'success'],
    ['the eleventh run of a day', [11, 'cursor'], 'success'],
  ])('starts no agent for %s', async (_name, given, result) => {
    const { world, run, results } = await label(...given);
    expect(results).toEqual([result, 'skipped']);
    expect([run.agent.sightings(), world.state.pulls]).toEqual([[], []]);
  });
});

describe('the caller of fork-review', () => {
  /** The gate counts nothing, so no agent is started: this is about who gets that far. */
  const gate = async (forkReviews: string, association: string, action = 'synchronize') => {
    const world = await start(FILES);
    world.commit({ branch: 'x', files: { 'src/a.js': '' }, repository: fork.repository });
    const pull = world.openPull({ branch: 'x', ...fork, association });
    const workflow = await caller('fork-review');
    workflow.events['pull_request_target'] = { types: [action] };
    workflow.jobs[0]!.call!.with = { 'fork-reviews': forkReviews, 'runs-per-day': -1 };
    const event = world.events.pullRequestTarget(pull, action, { label: 'cursor-review' });
    const run = await playWorkflow(workflow, event, { world, agent: REVIEWS, isolated: true });
    expect(run.results['fork-review / publish']).toBe('skipped');
    return run.results['fork-review / agent'];
  };

  it.each([
    ['labelled', 'CONTRIBUTOR', 'synchronize', 'skipped'],
    ['labelled', 'NONE', 'labeled', 'success'],
    ['known-contributors', 'FIRST_TIME_CONTRIBUTOR', 'synchronize', 'skipped'],
    ['known-contributors', 'CONTRIBUTOR', 'synchronize', 'success'],
    ['all', 'NONE', 'opened', 'success'],
  ])('fork-reviews %s, an author who is %s, %s: %s', async (forkReviews, association, action, result) => {
    expect(await gate(forkReviews, association, action)).toBe(result);
  });
});

describe('a call', () => {
  it('cannot raise permissions, and has the inputs and secrets that are declared', async () => {
    const [job] = (await caller('review')).jobs;
    const called = await readWorkflow(calledFile(job?.call?.uses ?? ''));
    expect(() => {
      checkPermissions({ ...job!, permissions: { ...job!.permissions, 'pull-requests': 'read' } }, called);
    }).toThrow("requesting 'pull-requests: write', but is only allowed 'pull-requests: read'");
    expect(() => inputsOfCall(called, { promt: 'x' })).toThrow('promt is not defined');
    expect(() => inputsOfCall(called, { 'timeout-minutes': 'long' })).toThrow('is a number');
    expect(() => secretsOfCall(called, {})).toThrow('CURSOR_API_KEY is required');
  });

  it('has inputs that docs/recipes.md names', async () => {
    const text = readFileSync('docs/recipes.md', 'utf8');
    for (const name of CALLED) {
      const { callable } = await readWorkflow(`.github/workflows/${name}.yml`);
      for (const input of Object.keys(callable?.inputs ?? {})) expect(text).toContain(`\`${input}\``);
    }
  });

  it('starts for a bot only if it is named', async () => {
    const world = await start(FILES);
    world.commit({ branch: 'x', files: { 'src/a.js': '' } });
    world.commit({ branch: 'y', files: { 'src/a.js': '' }, repository: fork.repository });
    const [own, foreign] = [world.openPull({ branch: 'x' }), world.openPull({ branch: 'y', ...fork })];
    const { events } = world;
    const before = world.git('rev-parse', 'x');
    const byBot: Record<string, RecipeEvent[]> = {
      review: [events.pullRequest(own, 'opened', { by: RENOVATE })],
      docs: [
        events.push(before, 'main', DEPENDABOT),
        events.pullRequest(own, 'labeled', { by: RENOVATE, label: 'update-docs' }),
      ],
      'fix-ci': [events.workflowRun('x', { by: RENOVATE, actor: DEPENDABOT })],
      'fork-review': [events.pullRequestTarget(foreign, 'labeled', { by: RENOVATE, label: 'cursor-review' })],
      'issue-to-pr': [events.issueLabeled('cursor', { by: RENOVATE })],
    };
    for (const name of CALLED) {
      const called = await readWorkflow(`.github/workflows/${name}.yml`);
      const starts = (event: RecipeEvent, allowed: string) => {
        const inputs = inputsOfCall(called, { 'allowed-actors': allowed });
        const { name: event_name, payload, actor } = event;
        const github = { event_name, event: payload, actor, repository: 'acme/project' };
        const status = { success: true, failure: false, cancelled: false };
        return holds(called.jobs[0]!.condition, { github, inputs }, status);
      };
      for (const event of byBot[name]!) {
        const named = ['', 'somebody', 'dependabot[bot]\nrenovate[bot]'].map((allowed) =>
          starts(event, allowed),
        );
        expect([name, event.name, named]).toEqual([name, event.name, [false, false, true]]);
      }
    }
  });

  it('hands on the inputs of the action that make sense for it', async () => {
    const ACTION = Object.keys(readAction('run').inputs);
    const all = ['allowed-actors', 'instructions', 'model', 'prompt', 'timeout-minutes'];
    const limits = ['runs-per-day', 'on-limit'];
    const expected: Record<string, string[]> = {
      review: [
        ...[...all, ...limits, 'effort', 'exclude', 'fail-on-severity', 'isolation', 'max-starts'],
        'review-scope',
      ],
      docs: [...all, ...limits, 'allow', 'exclude', 'isolation'],
      // These three need isolation, so nobody can switch it off. A step before the agent counts their runs.
      'fix-ci': [...all, 'allowed-hosts', 'exclude', 'verify'],
      'fork-review': [...all, 'exclude', 'fork-reviews'],
      'issue-to-pr': [...all, 'allow'],
    };
    for (const name of CALLED) {
      const { callable, jobs } = await readWorkflow(`.github/workflows/${name}.yml`);
      const step = jobs.flatMap(({ steps }) => steps).find(({ id }) => id === 'agent');
      const given = step?.does.kind === 'uses' ? record(step.does.with) : {};
      const counts = jobs.some(({ steps }) => steps.some(({ id }) => id === 'gate'));
      const inputs = Object.keys(callable?.inputs ?? {}).filter(
        (input) => ACTION.includes(input) && !(counts && input === 'runs-per-day'),
      );
      expect([name, inputs.sort()]).toEqual([name, expected[name]!.sort()]);
      for (const input of inputs)
        expect([input, given[input]]).toEqual([input, new Expression(`inputs.${input}`)]);
    }
  });

  it('is the only way to run such a workflow: no event of this repository starts it', async () => {
    const world = await start(FILES);
    const run = await playWorkflow(
      await readWorkflow('.github/workflows/fix-ci.yml'),
      world.events.workflowRun('main'),
      {
        world,
        agent: REVIEWS,
      },
    );
    expect(run.triggered).toBe(false);
    expect(
      (
        await play('fix-ci', world.events.workflowRun('main', { conclusion: 'success' }), {
          world,
          agent: REVIEWS,
        })
      ).triggered,
    ).toBe(true);
  });
});
