import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { MAX_FINDINGS } from '../../src/report/findings.js';
import { PUBLISH_INPUTS } from '../../src/publish/publish-inputs.js';
import {
  ACTIONS_BOT,
  MARY,
  READ_TOKEN,
  startGithub,
  STRANGER,
  WRITE_TOKEN,
} from '../github/stateful-fake.js';
import type { FakeGithub, FakeSettings } from '../github/stateful-fake.js';
import { BASE, finding, HEAD, LATER, PATCH, pullOf, reportWith, reviewReport } from '../publish/reports.js';
import { eventOf, PUBLISH, runPublish, writeReport, type PublishStep } from './publish-step.js';
import { readCommands } from './runner-rules.js';
import { makeFolder, removeFolders } from './workspace.js';

let open: FakeGithub[] = [];
afterEach(async () => {
  removeFolders();
  const all = open;
  open = [];
  await Promise.all(all.map((each) => each.close()));
});
const start = async (settings: Partial<FakeSettings> = {}) => {
  const github = await startGithub({ pulls: [pullOf()], base: '/api/v3', ...settings });
  open.push(github);
  return github;
};
const pullRequestFrom = (repository: string) => {
  const head = { ref: 'feature', sha: HEAD, repo: { full_name: repository } };
  const pull = { number: 7, title: 'A change', base: { ref: 'main', sha: BASE }, head };
  return eventOf('pull_request', { action: 'opened', pull_request: pull });
};
const publish = (github: FakeGithub, step: Omit<PublishStep, 'api'>) =>
  runPublish({ ...step, api: github.url });

describe('publish/action.yml', () => {
  it('has the inputs of the schema, and a bundle', () => {
    expect(Object.keys(PUBLISH.inputs)).toEqual(PUBLISH_INPUTS);
    expect(PUBLISH.runs.using).toBe('node24');
    expect(existsSync(resolve('publish', PUBLISH.runs.main))).toBe(true);
  });
});

describe('publish as a comment', () => {
  it('writes one, updates it, and leaves it alone when nothing changed', async () => {
    const github = await start();
    const first = await publish(github, { report: reportWith() });
    expect(first.errors).toEqual([]);
    expect(first.code).toBe(0);
    expect(Object.fromEntries(first.outputs)).toEqual({
      published: 'true',
      url: `https://github.example/acme/project/pull/7#issuecomment-${github.state.comments[0]?.id}`,
      'inline-comments': '0',
      'dropped-findings': '0',
      change: '',
    });
    expect(github.state.comments[0]?.body).toContain('All is well.');
    expect(github.state.comments[0]?.body).toContain('https://github.example/acme/project/actions/runs/99');
    await publish(github, { report: reportWith() });
    expect(github.writes().filter((line) => !line.includes('graphql'))).toHaveLength(1);
    await publish(github, { report: reviewReport([finding()]) });
    expect(github.state.comments.map(({ body }) => body.includes('The card number is logged'))).toEqual([
      true,
    ]);
    await publish(github, { report: reportWith(), inputs: { key: 'other' } });
    expect(github.state.comments).toHaveLength(2);
    expect(first.stdout).toContain(`::add-mask::${WRITE_TOKEN}`);
  });

  it('tells a failure with its reason and remedy', async () => {
    const github = await start();
    const verdict = { status: 'failure', reason: 'timeout', detail: 'Ended after 30 min.' } as const;
    const step = await publish(github, { report: reportWith({ verdict }) });
    expect(step.code).toBe(0);
    const body = github.state.comments[0]?.body ?? '';
    for (const words of ['failed', 'Ended after 30 min.', 'Raise `timeout-minutes`'])
      expect(body).toContain(words);
  });

  it('leaves a stranger’s comment with our marker alone', async () => {
    const github = await start();
    await publish(github, { report: reportWith() });
    const [ours] = github.state.comments.splice(0);
    github.comment(7, STRANGER, ours?.body ?? '');
    await publish(github, { report: reviewReport([finding()]) });
    expect(github.state.comments.map(({ author }) => author.login)).toEqual(['stranger', ACTIONS_BOT.login]);
    expect(github.state.comments[0]?.body).toBe(ours?.body);
  });

  it('is one, also when several runs race', async () => {
    const github = await start();
    const steps = await Promise.all(
      ['one', 'two', 'three'].map((title) => publish(github, { report: reviewReport([finding({ title })]) })),
    );
    expect(steps.map(({ code, errors }) => [code, errors])).toEqual(steps.map(() => [0, []]));
    expect(github.state.comments).toHaveLength(1);
  });
});

describe('findings that do not exist', () => {
  const pull = pullOf({
    files: [
      { path: 'src/pay.ts', patch: PATCH },
      { path: 'src/gone.ts', status: 'removed', patch: '@@ -1,2 +0,0 @@\n-one\n-two' },
    ],
    tree: { 'src/pay.ts': 'a line\n'.repeat(50) },
  });
  const INVENTED = [
    finding({ severity: 'critical', startLine: 400, endLine: 400, title: 'Line 400 of 50' }),
    finding({ severity: 'critical', path: 'src/none.ts', title: 'Nowhere' }),
  ];
  const outcomes = (inputs: Record<string, string>, findings = INVENTED) =>
    start({ pulls: [pull] }).then(async (github) => {
      const step = await publish(github, {
        report: reviewReport(findings),
        inputs: { event: 'auto', 'fail-on-severity': 'low', ...inputs },
      });
      return { github, step, commands: readCommands(step.stdout).filter(({ name }) => name === 'error') };
    });

  it('are no comment, ask for no changes and fail nothing, and are listed', async () => {
    const { github, step } = await outcomes({ as: 'review' });
    expect([step.code, step.errors]).toEqual([0, []]);
    expect(github.state.lineComments).toEqual([]);
    expect(github.state.reviews).toMatchObject([{ state: 'COMMENTED' }]);
    const [{ body } = { body: '' }] = github.state.reviews;
    expect(body).toContain('no findings');
    expect(body).toContain('<code>src/pay.ts:400</code>: the file has no such line — Line 400 of 50');
    expect(body).toContain('<code>src/none.ts:12</code>: there is no such file — Nowhere');
  });

  it('are no annotations, of the run or of a check', async () => {
    const { step, commands } = await outcomes({ as: 'annotations' });
    expect([step.code, commands]).toEqual([0, []]);
    const { github } = await outcomes({ as: 'check' });
    expect(github.state.checks).toMatchObject([{ conclusion: 'success', annotations: [] }]);
  });

  it('are told apart from one in a deleted file, which counts and gets its comment on the left', async () => {
    const real = finding({ severity: 'critical', path: 'src/gone.ts', startLine: 2, endLine: 2 });
    const { github, step } = await outcomes({ as: 'review' }, [...INVENTED, real]);
    expect(step.code).toBe(1);
    expect(github.state.reviews).toMatchObject([{ state: 'CHANGES_REQUESTED' }]);
    expect(github.state.lineComments).toMatchObject([{ path: 'src/gone.ts', line: 2, side: 'LEFT' }]);
  });

  it('cannot be looked up without the permission, and then a gate is not open', async () => {
    const tokens = {
      [WRITE_TOKEN]: { account: ACTIONS_BOT, access: 'write' as const, contents: 'none' as const },
    };
    const github = await start({ pulls: [pull], tokens });
    const step = (inputs: Record<string, string>) =>
      publish(github, {
        report: reviewReport([finding({ startLine: 45, endLine: 45 })]),
        inputs: { as: 'review', ...inputs },
      });
    expect((await step({})).code).toBe(0);
    expect(github.state.reviews[0]?.body).toMatch(/it could not be looked up/);
    const gate = await step({ 'fail-on-severity': 'high' });
    expect(gate.code).toBe(1);
    expect(gate.errors.join()).toMatch(/could not be looked up.*contents: read/s);
  });
});

describe('publish as a review', () => {
  it('writes it on the lines, with what was left out', async () => {
    const github = await start();
    const findings = [
      finding(),
      finding({ severity: 'low', title: 'Small' }),
      finding({ severity: 'info', title: 'i' }),
    ];
    const step = await publish(github, {
      report: reviewReport(findings),
      inputs: { as: 'review', event: 'auto', 'minimum-severity': 'high' },
    });
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('inline-comments')).toBe('1');
    expect(step.outputs.get('dropped-findings')).toBe('2');
    expect(github.state.reviews).toMatchObject([{ state: 'CHANGES_REQUESTED', commit: HEAD }]);
    expect(step.outputs.get('url')).toContain('#pullrequestreview-');
  });
});

describe('publish as annotations', () => {
  it('writes to the runner only, and asks GitHub what is real', async () => {
    const github = await start();
    const hostile = finding({ title: 'a,line=1::b%0A', body: '::error::x\n##[error]y\r::stop-commands::z' });
    const findings = [
      hostile,
      ...Array.from({ length: 15 }, (_, index) => finding({ title: `No ${index}`, severity: 'low' })),
    ];
    const step = await publish(github, { report: reviewReport(findings), inputs: { as: 'annotations' } });
    expect([step.code, step.outputs.get('published')]).toEqual([0, 'true']);
    expect(github.writes()).toEqual([]);
    expect(github.requests).toHaveLength(2);
    const commands = readCommands(step.stdout).map(({ name }) => name);
    expect(commands.filter((name) => name === 'error')).toHaveLength(1);
    expect(commands.filter((name) => name === 'notice')).toHaveLength(10);
    expect(commands).not.toContain('stop-commands');
    expect(step.stdout).toMatch(
      /::error title=high%3A a%2Cline=1%3A%3Ab%250A,file=src\/pay\.ts,line=12,endLine=12::/,
    );
    expect(step.summary).toContain('No 14');
  });
});

describe('a token that cannot write', () => {
  it.each(['comment', 'review'])(
    'publishes annotations and the summary instead of a %s, for a fork',
    async (as) => {
      const github = await start();
      const step = await publish(github, {
        report: reviewReport([finding()]),
        inputs: { as, 'github-token': READ_TOKEN },
        env: pullRequestFrom('stranger/project'),
      });
      expect([step.code, step.outputs.get('published')]).toEqual([0, 'false']);
      expect(step.warnings.join()).toContain('from a fork');
      expect(step.summary).toContain('The card number is logged');
      expect(step.errors.join()).toContain('file=src/pay.ts');
      expect(github.state.comments).toEqual([]);
    },
  );

  it.each<[string, () => Record<string, string>]>([
    ['a pull request of the repository', () => pullRequestFrom('acme/project')],
    [
      'a run with more rights',
      () => ({ ...pullRequestFrom('stranger/project'), GITHUB_EVENT_NAME: 'pull_request_target' }),
    ],
    [
      'a comment',
      () => eventOf('issue_comment', { issue: { number: 7, pull_request: {} }, comment: { id: 1 } }),
    ],
  ])('fails for %s, naming the permission', async (_name, env) => {
    const github = await start();
    const report = reviewReport([finding()]);
    const step = await publish(github, { report, inputs: { 'github-token': READ_TOKEN }, env: env() });
    expect([step.code, step.outputs.get('published')]).toEqual([1, 'false']);
    expect(step.errors.join()).toContain(
      'github-token may not do this (403: Resource not accessible by integration). ' +
        'Add pull-requests: write below permissions: of the job in the workflow file.',
    );
    expect(github.state.comments).toEqual([]);
  });

  it('or that is wrong fails, naming the permission', async () => {
    const github = await start();
    const wrong = await publish(github, { report: reportWith(), inputs: { 'github-token': 'ghs_wrong' } });
    expect([wrong.code, wrong.outputs.get('published')]).toEqual([1, 'false']);
    expect(wrong.errors.join()).toMatch(/not accepted \(401\).*pull-requests: write/s);
    const missing = await publish(github, { report: reportWith(), inputs: { 'pr-number': '8' } });
    expect(missing.errors.join()).toMatch(
      /Could not read pull request 8: it does not exist.*\(404\).*pull-requests: write/s,
    );
  });
});

describe('what is not a report', () => {
  it.each<[string, string, RegExp]>([
    ['no JSON', 'hello', /is not JSON/],
    ['another version', JSON.stringify({ ...reportWith(), version: 2 }), /version 2.*same release/],
    ['no version', '{}', /has no version/],
    ['wrong numbers', JSON.stringify({ ...reportWith(), wallMs: 1e300 }), /wallMs/],
    ['a huge line', JSON.stringify(reviewReport([finding({ endLine: 1e12 })])), /endLine/],
    [
      'too many findings',
      JSON.stringify(reviewReport(Array(MAX_FINDINGS + 1).fill(finding()) as never)),
      /findings/,
    ],
    ['deep nesting', '['.repeat(500_000), /is not JSON/],
    ['too much', ' '.repeat(33 * 1024 * 1024), /bytes; a report has at most/],
  ])('%s is an error, and nothing is published', async (_name, report, words) => {
    const github = await start();
    const step = await publish(github, { inputs: { 'report-file': writeReport(report), as: 'review' } });
    expect(step.code).toBe(1);
    expect(step.errors.join()).toMatch(words);
    expect(step.outputs.get('published')).toBe('false');
    expect(github.requests).toEqual([]);
  });

  it('is a file that is not there, and every other bad input besides', async () => {
    const github = await start();
    const gone = await publish(github, { inputs: { 'report-file': '/nowhere/report.json' } });
    expect(gone.errors.join()).toMatch(/does not exist.*actions\/download-artifact/);
    const empty = await publish(github, { inputs: { 'report-file': '' } });
    expect(empty.errors.join()).toContain('It is empty if that step did not run');
    const bad = await publish(github, {
      inputs: {
        as: 'tweet',
        'pr-number': '0',
        key: '<!--',
        event: 'APPROVE',
        'minimum-severity': 'x',
        'expected-reports': '-1',
        'github-token': 'ghs_one1234567890\nghs_two1234567890',
      },
    });
    for (const name of [
      'report-file',
      'as',
      'pr-number',
      'key',
      'event',
      'minimum-severity',
      'expected-reports',
      'github-token',
    ])
      expect(bad.errors.join()).toContain(`${name}: `);
    expect(bad.errors.join()).not.toMatch(/one1234567890|two1234567890/);
    expect(github.requests).toEqual([]);
  });
});

describe('the reports of a matrix', () => {
  it('become one review, with duplicates removed and what is missing said', async () => {
    const github = await start();
    const folder = makeFolder('shards');
    for (const [name, report] of Object.entries({
      api: reviewReport([finding()]),
      web: reviewReport([
        finding({ title: 'The card number is LOGGED.' }),
        finding({ startLine: 41, endLine: 41 }),
      ]),
      cli: reviewReport([], { verdict: { status: 'failure', reason: 'timeout', detail: 'Too slow.' } }),
    })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'report.json'), JSON.stringify(report));
    }
    mkdirSync(join(folder, 'bad'));
    writeFileSync(join(folder, 'bad', 'report-1.json'), 'x');
    mkdirSync(join(folder, 'linked'));
    symlinkSync(join(folder, 'api', 'report.json'), join(folder, 'linked', 'report.json'));
    const step = await publish(github, {
      inputs: {
        'report-file': `${folder}\n${folder}/gone/report.json`,
        as: 'review',
        'expected-reports': '9',
      },
    });
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('inline-comments')).toBe('2');
    const body = github.state.reviews[0]?.body ?? '';
    for (const words of [
      'incomplete',
      '4 reports are missing',
      'Too slow.',
      '>cli<',
      '>bad<',
      '>gone<',
      'is not JSON',
    ])
      expect(body).toContain(words);
    expect(body).not.toContain('linked');
  });
});

describe('the pull request', () => {
  const run = (given: object) => ({
    repository: { id: 1, full_name: 'acme/project' },
    workflow_run: {
      id: 55,
      head_sha: HEAD,
      head_branch: 'feature',
      head_repository: { id: 2, full_name: 'stranger/project' },
      pull_requests: [],
      ...given,
    },
  });

  it('of the event wins over the one the report names', async () => {
    const github = await start({ pulls: [pullOf(), pullOf({ number: 8 })] });
    const change = { base: HEAD, head: HEAD, pullRequest: 8 };
    await publish(github, { report: reportWith({ change }) });
    expect(github.state.comments.map(({ pull }) => pull)).toEqual([7]);
  });

  it('that only the report of a fork names must come from its branch, with its commit', async () => {
    const repository = 'stranger/project';
    const github = await start({
      pulls: [
        pullOf({ repository, commits: [HEAD, LATER], head: LATER }),
        // Somebody else's, with the same commits: what a fork could claim if the commit were enough.
        pullOf({ number: 8, commits: [HEAD, LATER], head: LATER }),
        pullOf({ number: 9, repository, branch: 'other' }),
        pullOf({ number: 10, repository: null }),
      ],
    });
    const claim = (pullRequest: number, given: object = {}) =>
      publish(github, {
        report: reportWith({ change: { base: BASE, head: HEAD, pullRequest } }),
        env: eventOf('workflow_run', run(given)),
      });
    const step = await claim(7);
    expect(step.errors).toEqual([]);
    expect(github.state.comments[0]?.body).toContain('/actions/runs/55');
    const claims = [
      [8, {}, 'it comes from acme/project:feature, and this run was for stranger/project:feature'],
      [9, {}, 'it comes from stranger/project:other'],
      [10, {}, 'it comes from an unknown repository:feature'],
      [7, { head_sha: BASE }, 'is not part of it'],
      [7, { head_repository: null }, 'this run was for an unknown repository'],
      [7, { pull_requests: [{ number: 8, head: { sha: HEAD } }] }, 'it comes from acme/project:feature'],
    ] as const;
    const check = async ([number, given, words]: (typeof claims)[number]) => {
      const refused = await claim(number, given);
      expect([refused.code, refused.outputs.get('published')]).toEqual([1, 'false']);
      expect(refused.errors.join()).toContain(words);
      expect(refused.errors.join()).toContain('ignored; set pr-number');
    };
    await Promise.all(claims.map(check));
    expect(github.state.comments.map(({ pull }) => pull)).toEqual([7]);
  });

  it('is asked for where nobody names one', async () => {
    const github = await start();
    const env = eventOf('push', { ref: 'refs/heads/main' });
    const step = await publish(github, { report: reportWith({ change: { base: HEAD, head: HEAD } }), env });
    expect(step.errors.join()).toContain('set pr-number, or use as: annotations');
  });
});

describe('publish as a check run', () => {
  it('is the verdict of the commit, without what a maintainer dismissed in the review beside it', async () => {
    const github = await start({ permissions: { mary: 'write' } });
    const report = reviewReport([finding()]);
    const inputs = { as: 'check', 'fail-on-severity': 'high' };
    const step = await publish(github, { report, inputs });
    expect([step.code, step.errors, step.outputs.get('inline-comments')]).toEqual([0, [], '1']);
    await publish(github, { report, inputs: { as: 'review' } });
    github.thumbDown(github.state.lineComments[0]!, MARY);
    const before = github.requests.length;
    const after = await publish(github, { report, inputs });
    expect([after.code, after.outputs.get('dropped-findings')]).toEqual([0, '1']);
    const since = github.requests.slice(before).map(({ line }) => line);
    expect(since.filter((line) => line.includes('/pulls/7/files'))).toHaveLength(1);
    expect(github.state.checks.map(({ head_sha, conclusion }) => [head_sha, conclusion])).toEqual([
      [HEAD, 'failure'],
      [HEAD, 'success'],
    ]);
    const refused = await publish(github, {
      report,
      inputs: { ...inputs, 'github-token': READ_TOKEN, key: 'x' },
    });
    expect(refused.code).toBe(1);
    expect(refused.errors.join()).toContain('checks: write');
  });
});

describe('publish as a reply', () => {
  it('counts what a maintainer dismissed among what is left out', async () => {
    const github = await start({ permissions: { mary: 'write' } });
    const report = reviewReport([finding(), finding({ startLine: 11, endLine: 11, title: 'Zero is free' })]);
    await publish(github, { report, inputs: { as: 'review' } });
    github.thumbDown(github.state.lineComments[0]!, MARY);
    const asked = github.comment(7, MARY, '/cursor fix');
    const env = eventOf('issue_comment', {
      issue: { number: 7, title: 'A change', pull_request: {} },
      comment: { id: asked.id },
    });
    const step = await publish(github, { report, inputs: { as: 'reply' }, env });
    expect([step.errors, step.code, step.outputs.get('dropped-findings')]).toEqual([[], 0, '1']);
    const answer = github.state.comments.at(-1)?.body ?? '';
    expect([answer.includes('The card number'), answer.includes('Zero is free')]).toEqual([true, false]);
  });
});

describe('fail-on-severity', () => {
  it('fails after publishing, with what stands', async () => {
    const github = await start();
    const findings = [finding(), finding({ severity: 'medium', title: 'Small', startLine: 11, endLine: 11 })];
    const inputs = { as: 'review', 'minimum-severity': 'high', 'fail-on-severity': 'medium' };
    const step = await publish(github, { report: reviewReport(findings), inputs });
    expect([step.code, step.outputs.get('published')]).toEqual([1, 'true']);
    expect(step.outputs.get('url')).toContain('#pullrequestreview-');
    expect(step.errors.join()).toMatch(
      /fail-on-severity.*2 findings are of severity medium or above: 1 high, 1 medium/,
    );
    expect(github.state.reviews).toHaveLength(1);
    const open = await publish(github, {
      report: reviewReport(findings),
      inputs: { ...inputs, 'fail-on-severity': 'critical' },
    });
    expect([open.code, open.errors]).toEqual([0, []]);
  });

  it.each([
    ['annotations', { as: 'annotations' }, 'true'],
    ['a token that can only read', { as: 'review', 'github-token': READ_TOKEN }, 'false'],
  ])('fails with %s too', async (_name, inputs, published) => {
    const github = await start();
    const step = await publish(github, {
      report: reviewReport([finding()]),
      env: pullRequestFrom('stranger/project'),
      inputs: { ...inputs, 'fail-on-severity': 'high' },
    });
    expect([step.code, step.outputs.get('published')]).toEqual([1, published]);
    expect(step.errors.join()).toContain('1 finding is of severity high or above');
  });

  it.each(['review', 'comment', 'check', 'annotations'])(
    'never opens for lack of a review, as %s',
    async (as) => {
      const github = await start();
      const gaps: [string, Record<string, unknown>][] = [
        ['was not reviewed (usage-limit)', { skipped: { code: 'usage-limit', reason: 'No more today.' } }],
        ['only 1 of 3 passes', { passes: { started: 3, answered: 1 } }],
        ['not part of this pull request', { change: { base: BASE, head: 'f'.repeat(40), pullRequest: 7 } }],
      ];
      for (const [words, record] of gaps) {
        if (as === 'check' && 'change' in record) continue;
        const inputs = { as, key: words.replace(/[^a-z ]/g, ''), 'fail-on-severity': 'critical' };
        const step = await publish(github, { report: reviewReport([], record), inputs });
        if (as === 'check') expect(github.state.checks.at(-1)).toMatchObject({ conclusion: 'failure' });
        else expect([step.code, step.errors.join()]).toEqual([1, expect.stringContaining(words)]);
      }
    },
  );

  it('fails if a report is missing, and takes only severities', async () => {
    const github = await start();
    const few = { 'expected-reports': '2', 'fail-on-severity': 'critical' };
    const missing = await publish(github, { report: reviewReport([]), inputs: few });
    expect([missing.code, missing.outputs.get('published')]).toEqual([1, 'true']);
    expect(missing.errors.join()).toContain('1 expected report is missing');
    const wrong = await publish(github, {
      report: reviewReport([]),
      inputs: { 'fail-on-severity': 'worst' },
    });
    expect(wrong.errors.join()).toContain('fail-on-severity: "worst" given; use one of critical, high');
  });
});

describe('a run without secrets', () => {
  const verdict = { status: 'failure', reason: 'secrets-unavailable', detail: 'A fork.' } as const;

  it.each(['comment', 'review', 'annotations'])('is no news on the pull request: %s', async (as) => {
    const github = await start();
    const step = await publish(github, { report: reportWith({ verdict }), inputs: { as } });
    expect([step.code, step.outputs.get('published'), step.errors, step.summary]).toEqual([
      0,
      'false',
      [],
      '',
    ]);
    expect(step.stdout).toContain('Nothing is published, because no agent ran');
    expect(github.requests).toEqual([]);
  });

  it('does not pass a required check', async () => {
    const github = await start();
    const inputs = { 'fail-on-severity': 'critical' };
    const step = await publish(github, { report: reportWith({ verdict }), inputs });
    expect(step.code).toBe(1);
    expect(step.errors.join()).toContain('failed (secrets-unavailable)');
    expect(github.requests).toEqual([]);
  });
});

describe('behind a proxy', () => {
  it('goes through it, as every action does', async () => {
    const github = await start();
    const tunnels: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const upstream = connect(Number(new URL(github.url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [upstream, socket]) end.on('error', () => undefined);
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    try {
      const { port } = proxy.address() as AddressInfo;
      const step = await publish(github, {
        report: reportWith(),
        env: { GITHUB_API_URL: 'http://github.internal/api/v3', http_proxy: `http://127.0.0.1:${port}` },
      });
      expect(step.errors).toEqual([]);
      expect(github.state.comments).toHaveLength(1);
      expect(new Set(tunnels)).toEqual(new Set(['github.internal:80']));
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });
});

describe('a poisoned report', () => {
  it('brings nothing to GitHub but text, and never the token', async () => {
    const github = await start();
    const poison = readFileSync('fixtures/publish/poison.md', 'utf8').replaceAll('THE_TOKEN', WRITE_TOKEN);
    const findings = [
      finding({ title: poison.slice(0, 200), body: poison, suggestion: `${WRITE_TOKEN}\n` }),
      finding({ path: poison.split('\n')[0] ?? '', title: 'path', body: poison }),
    ];
    const report = reviewReport(findings, { setup: { agent: poison, preset: poison } as never });
    for (const as of ['review', 'comment']) await publish(github, { report, inputs: { as } });
    const texts = [...github.state.comments, ...github.state.reviews, ...github.state.lineComments].map(
      ({ body }) => body,
    );
    expect(texts).toHaveLength(3);
    for (const text of texts) {
      expect(text).not.toContain(WRITE_TOKEN);
      expect(text).not.toMatch(/^\s*\/(?:merge|approve)/m);
      expect(text).not.toMatch(/!\[|(?<!\\)<(?:img|script|!--(?! cursor-agent-action [cfr]))/);
      expect(text).not.toMatch(/[\u202e\u200b]/);
      expect(text).not.toContain('```suggestion');
      expect(text.match(/^<!--/gm)).toHaveLength(1);
    }
  });
});
