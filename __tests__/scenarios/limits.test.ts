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
    expect(summary).toContain('has reached its usage limit');
  });

  it('fails a gate in any case', async () => {
    const { code, outputs } = await run({ 'on-limit': 'skip', 'fail-on-severity': 'high' });
    expect([code, outputs.get('failure-reason'), outputs.get('skipped')]).toEqual([1, 'usage-limit', '']);
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
    expect(errors.join()).toContain('`actions: read`');
  });
});
