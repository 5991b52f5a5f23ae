import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRoutes } from '../context/routes.js';
import type { Api } from '../github/api-server.js';
import { ANSWERS, fakeAgent } from './fake-agent.js';
import { GITHUB_TOKEN, runStep } from './step.js';

const AT_LIMIT = `process.stderr.write('ActionRequiredError: You have hit your usage limit\\n'); process.exit(1);`;

describe('an account at its usage limit', () => {
  const run = (inputs: Record<string, string>) =>
    runStep({ inputs: { 'cli-path': fakeAgent(AT_LIMIT).path, ...inputs } });

  it('fails the run', async () => {
    const { code, outputs } = await run({});
    expect([code, outputs.get('failure-reason'), outputs.get('skipped')]).toEqual([1, 'usage-limit', '']);
  });

  it('is green with on-limit: skip, and said', async () => {
    const { code, outputs, errors, summary } = await run({ 'on-limit': 'skip' });
    expect([code, outputs.get('status'), outputs.get('skipped')]).toEqual([0, 'success', 'usage-limit']);
    expect(errors).toEqual([]);
    expect(summary).toMatch(
      /^## ⏭️ .*: skipped: usage-limit\n\nThe account behind the API key has reached its usage limit/,
    );
  });

  it('fails a gate in any case', async () => {
    const { code, outputs } = await run({ 'on-limit': 'skip', 'fail-on-severity': 'high' });
    expect([code, outputs.get('failure-reason'), outputs.get('skipped')]).toEqual([1, 'usage-limit', '']);
  });
});

describe('a list of models', () => {
  const answering = (texts: Record<string, string>, before = '') => {
    const agent = fakeAgent(`
      const model = process.argv[process.argv.indexOf('--model') + 1];
      const text = ${JSON.stringify(texts)}[model];
      if (text) { ${before} process.stderr.write(text + '\\n'); process.exit(1); }
      init(); say('By ' + model); finish();
    `);
    const run = (model: string, inputs: Record<string, string> = {}) =>
      runStep({ inputs: { 'cli-path': agent.path, retries: '0', preset: 'docs', model, ...inputs } });
    return { run, agent };
  };
  const TEXTS = {
    unknown: 'Cannot use this model: unknown. Available models: auto',
    blocked: 'The model blocked is blocked by your team',
    full: 'RetriableError: [resource_exhausted] Error',
  };

  it('is tried in its order, and what ran is said', async () => {
    const { run, agent } = answering(TEXTS);
    const { outputs, warnings, stdout } = await run('unknown\nblocked, full\nfourth\nfifth');
    expect(outputs.get('result')).toBe('By fourth');
    expect(agent.sightings()).toHaveLength(4);
    expect(stdout).toContain('model unknown cannot be used (model-unavailable); next with blocked');
    expect(warnings.join('\n')).toContain(
      'The model full could not be used (rate-limited), so fourth was tried.',
    );
  });

  it('ends with the reason of the last one', async () => {
    const { run } = answering(TEXTS);
    const { outputs } = await run('full, unknown');
    expect(outputs.get('failure-reason')).toBe('model-unavailable');
  });

  it('is not gone on with beyond `max-starts`', async () => {
    const { run, agent } = answering(TEXTS);
    const { outputs, warnings } = await run('unknown, blocked, fourth', { 'max-starts': '2' });
    expect([outputs.get('failure-reason'), agent.sightings().length]).toEqual(['model-unavailable', 2]);
    expect(warnings.join()).toMatch(/was not tried again: `?max-starts`? \(2\) was reached/);
  });

  it('is not gone on with once something can have been written', async () => {
    const { run, agent } = answering(
      TEXTS,
      `init(); call('1', 'editToolCall', { path: 'a.md' }, { success: {} });`,
    );
    const { outputs } = await run('full, fourth');
    expect([outputs.get('failure-reason'), agent.sightings().length]).toEqual(['rate-limited', 1]);
  });
});

describe('runs-per-day', () => {
  const OWN = 50;
  let api: Api;
  const searches: (string | null)[] = [];
  beforeAll(async () => {
    const runs = [
      { id: 60, conclusion: null },
      { id: OWN, conclusion: null },
      { id: 49, conclusion: 'skipped' },
      { id: 48, conclusion: 'failure' },
      { id: 47, conclusion: 'success' },
    ];
    api = await startRoutes({
      'GET /repos/acme/project/actions/workflows/review.yml/runs': ({ query }) => {
        searches.push(query.get('created'));
        return { body: { total_count: runs.length, workflow_runs: runs } };
      },
    });
  });
  afterAll(() => api.close());

  const run = async (inputs: Record<string, string>, env: Record<string, string> = {}) => {
    const agent = fakeAgent(ANSWERS);
    const step = await runStep({
      inputs: { 'cli-path': agent.path, 'github-token': GITHUB_TOKEN, ...inputs },
      env: {
        GITHUB_API_URL: api.url,
        GITHUB_REPOSITORY: 'acme/project',
        GITHUB_RUN_ID: String(OWN),
        GITHUB_WORKFLOW_REF: 'acme/project/.github/workflows/review.yml@refs/heads/main',
        ...env,
      },
    });
    return { ...step, starts: agent.sightings().length };
  };

  it('starts the agent while there is a run left: skipped and later runs do not count', async () => {
    const { code, starts, outputs } = await run({ 'runs-per-day': '3' });
    expect([code, starts, outputs.get('skipped')]).toEqual([0, 1, '']);
    expect(searches[0]).toMatch(/^>=\d{4}-\d\d-\d\d$/);
  });

  it('starts none after that: the run is green, and says why', async () => {
    const { code, starts, outputs, summary } = await run({ 'runs-per-day': '2' });
    expect([code, starts, outputs.get('skipped')]).toEqual([0, 0, 'runs-per-day']);
    expect(summary).toContain('has had 2 runs today (UTC)');
  });

  it('fails a gate, because nobody looked', async () => {
    const { code, starts, outputs } = await run({ 'runs-per-day': '2', 'fail-on-severity': 'high' });
    expect([code, starts, outputs.get('failure-reason')]).toEqual([1, 0, 'usage-limit']);
  });

  it('fails where the runs cannot be counted', async () => {
    const elsewhere = { GITHUB_WORKFLOW_REF: 'acme/project/.github/workflows/other.yml@refs/heads/main' };
    const { starts, errors, outputs } = await run({ 'runs-per-day': '2' }, elsewhere);
    expect([starts, outputs.get('failure-reason')]).toEqual([0, 'invalid-input']);
    expect(errors.join()).toContain('actions: read');
  });
});
