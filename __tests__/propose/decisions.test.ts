import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { NOT_WRITABLE, isNeverWritable } from '../../src/permissions/steering-files.js';
import { defaultBranch, parseProposeInputs, PROPOSE_INPUTS } from '../../src/propose/propose-inputs.js';
import { judgePatch, judgeSizes, MAX_FILES, patchPathJudge } from '../../src/propose/judge-patch.js';
import { chooseBase } from '../../src/propose/propose-patch.js';
import { branchProblem } from '../../src/core/input-shapes.js';
import { hasTrailer, isOurs } from '../../src/github/proposals.js';
import { readTried, triedMark } from '../../src/github/marker.js';
import type { Verification } from '../../src/report/model.js';
import type { RunFacts } from '../../src/report/read-reports.js';
import { isUnverified, updateText, writeProposal } from '../../src/propose/proposal-text.js';
import { ACTIONS_BOT, MARY } from '../github/stateful-fake.js';
import { GIT } from '../sandbox/layer/scratch-repository.js';

const judge = (path: string, paths: string[] = [], denyPaths: string[] = []) =>
  patchPathJudge({ paths, denyPaths })(path);

describe('which paths may be changed', () => {
  it.each<[string, string[], string[], RegExp | undefined]>([
    ['src/a.ts', [], [], undefined],
    ['docs/a.md', ['docs/**'], [], undefined],
    ['DOCS/a.md', ['docs/**'], [], /no pattern/],
    ['docs/a.md', ['docs/'], [], undefined],
    ['vendor/docs/x.js', ['docs/'], [], /no pattern/],
    ['caf\u00e9/a.md', ['cafe\u0301/**'], [], undefined],
    ['deep/in/a.md', ['*.md'], [], undefined],
    ['src/a.ts', ['docs/**'], [], /no pattern/],
    ['docs/a.md', ['docs/**'], ['*.md'], /deny-paths/],
    ['infra/x.tf', [], ['infra'], /deny-paths/],
    ['docs/internal/a.md', ['docs/**'], ['docs/internal'], /deny-paths/],
    ['docs/A.MD', ['docs/**'], ['*.md'], /deny-paths/],
    ['src/a.c', [], ['*.[ch]'], /deny-paths contains "\*\.\[ch\]"/],
    ['SRC/A.H', [], ['*.[ch]'], /deny-paths/],
    ['Secrets/key', [], ['[Ss]ecrets/**'], /deny-paths/],
    ['secrets/deep/key', [], ['[Ss]ecrets/**'], /deny-paths/],
    ['x/infra/y.tf', [], ['infra/'], /deny-paths/],
    ['x/Key', [], ['[[:upper:]]ey'], /deny-paths/],
    ['x/key', [], ['[[:upper:]]ey'], /deny-paths/],
    ['infra', [], ['infra/'], /deny-paths/],
    ['x/infra/y.tf', [], ['/infra'], undefined],
    ['docs/.vitepress/config.ts', ['docs/**'], [], /hidden/],
    ['docs/.vitepress/config.ts', ['docs/.vitepress/**'], [], undefined],
    ['docs/.vitepress/.x/a.ts', ['docs/.vitepress/**'], [], /hidden/],
    ['.eslintrc.json', [], [], /hidden/],
    ['.eslintrc.json', ['.eslintrc.json'], [], undefined],
    ['.eslintrc.json', ['.*'], [], /hidden/],
    ['.github/dependabot.yml', ['.github/**', '.github/dependabot.yml'], [], /only a person/],
    ['.env.local', ['.env.local'], [], /only a person/],
  ])('%s with paths %j and deny-paths %j', (path, paths, denied, words) => {
    if (words) expect(judge(path, paths, denied)).toMatch(words);
    else expect(judge(path, paths, denied)).toBeUndefined();
  });

  it('never include a steering file, in any folder, case or spelling', () => {
    const steering = NOT_WRITABLE.map((pattern) => pattern.replace(/^\*\*\//, '').replace(/\*+/g, 'x'));
    const folder = fc.constantFrom('', 'docs/', 'a/b/');
    const spelling = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
      (text: string) => text.replace(/(?<=\w)(?=\w)/, '\u200c'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...steering), folder, spelling, (name, above, spell) => {
        const path = above + spell(name);
        expect(isNeverWritable(path)).toBe(true);
        expect(judge(path, [path, '**', above + name])).toMatch(/only a person/);
      }),
    );
  });

  it('are no more with deny-paths than without, and no hidden ones without a name', () => {
    const name = fc.stringMatching(/^\.?[a-zA-Z]{1,4}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(path, path, (given, denied) => {
        if (judge(given, ['**'], [denied]) === undefined) expect(judge(given, ['**'])).toBeUndefined();
        if (/(^|\/)\./.test(given)) expect(judge(given, ['**'])).toBeDefined();
        expect(judge(given, ['**'], [given])).toBeDefined();
      }),
    );
  });

  it('are not too many and not too large', () => {
    const change = (path: string) => ({
      ...{ status: 'added' as const, path, lines: { kind: 'unknown' as const }, before: undefined },
      after: { path, mode: '100644', id: 'a'.repeat(40) },
    });
    const all = Array.from({ length: MAX_FILES + 1 }, (_, at) => change(`a${at}`));
    const judged = (changes: typeof all) =>
      judgePatch({ changes, namesIn: () => new Set() }, { paths: [], denyPaths: [] });
    expect(judged(all).join()).toContain('Split the change');
    expect(judged(all.slice(1))).toEqual([]);
    const megabyte = 1024 * 1024;
    expect(judgeSizes([{ path: 'a', bytes: 20 * megabyte }])).toEqual([]);
    expect(judgeSizes([{ path: 'a', bytes: 21 * megabyte }]).join()).toContain('a has 21 MiB');
    const many = Array.from({ length: 6 }, (_, at) => ({ path: `f${at}`, bytes: 18 * megabyte }));
    expect(judgeSizes(many).join()).toContain('108 MiB');
  });
});

describe('the name of a branch', () => {
  const isGitBranch = (name: string) => {
    try {
      execFileSync(GIT, ['check-ref-format', '--branch', name], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  it.each(['main', 'cursor-agent/docs-1', 'a/b.c', 'ä/ö'])('can be %s', (name) => {
    expect(branchProblem(name)).toBeUndefined();
  });
  it.each([
    '',
    '-a',
    'a b',
    'a..b',
    'a//b',
    '/a',
    'a/',
    '.a',
    'a.lock',
    'a~1',
    '@',
    'refs/heads/a',
    'HEAD',
    'e'.repeat(40),
  ])('cannot be %j', (name) => {
    expect(branchProblem(name)).toBeDefined();
  });
  it('is never one that git refuses', () => {
    const odd = fc.string({ unit: fc.constantFrom(...Array.from('a./-@{~^:?*[\\ \u007f')), maxLength: 8 });
    fc.assert(
      fc.property(odd, (name) => {
        fc.pre(branchProblem(name) === undefined);
        expect(isGitBranch(name)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
  it('is by default the same for the same job and base, and another for others', () => {
    const origin = {
      workflowRef: 'a/b/.github/workflows/Fix CI.yml@refs/heads/x',
      job: 'propose',
      base: 'main',
    };
    expect(defaultBranch(origin)).toMatch(/^cursor-agent\/fix-ci-[0-9a-f]{8}$/);
    expect(defaultBranch({ ...origin, workflowRef: origin.workflowRef.replace('/x', '/y') })).toBe(
      defaultBranch(origin),
    );
    expect(defaultBranch({ ...origin, base: 'next' })).not.toBe(defaultBranch(origin));
    expect(branchProblem(defaultBranch({ workflowRef: '…', job: '', base: '' }))).toBeUndefined();
  });
});

describe('the base', () => {
  const details = { head: { branch: 'feature' } } as never;
  it.each<[string, Parameters<typeof chooseBase>, string | undefined]>([
    ['the input', ['next', { name: 'push' }, { GITHUB_REF: 'refs/heads/main' }], 'next'],
    ['the branch', [undefined, { name: 'schedule' }, { GITHUB_REF: 'refs/heads/main' }], 'main'],
    [
      'the pull request',
      [
        undefined,
        { name: 'pull_request', pull: { number: 1, details } },
        { GITHUB_REF: 'refs/pull/1/merge' },
      ],
      'feature',
    ],
    [
      'the CI run',
      [
        undefined,
        { name: 'workflow_run', payload: { workflow_run: { head_branch: 'feature' } } },
        { GITHUB_REF: 'refs/heads/main' },
      ],
      'feature',
    ],
    [
      'nothing for a comment',
      [undefined, { name: 'issue_comment', pull: { number: 1 } }, { GITHUB_REF: 'refs/heads/main' }],
      undefined,
    ],
    ['nothing for a tag', [undefined, { name: 'push' }, { GITHUB_REF: 'refs/tags/v1' }], undefined],
  ])('is taken from %s', (_, args, base) => {
    if (base === undefined) expect(() => chooseBase(...args)).toThrow('does not say which branch');
    else expect(chooseBase(...args)).toBe(base);
  });
});

describe('the inputs', () => {
  const none = Object.fromEntries(PROPOSE_INPUTS.map((name) => [name, ''])) as Record<
    (typeof PROPOSE_INPUTS)[number],
    string
  >;
  const problems = (given: Partial<typeof none>) => {
    const parsed = parseProposeInputs({ ...none, 'github-token': 'ghs_x', ...given });
    return 'problems' in parsed
      ? parsed.problems.map(({ input, message }) => `${input}: ${message}`).join('\n')
      : '';
  };
  it('are all reported at once, with what was given and what is allowed', () => {
    const said = problems({
      ...{ branch: 'a..b', draft: 'maybe', target: 'main', reviewers: 'ok, not ok', title: 'x'.repeat(300) },
      ...{ paths: '!docs', 'github-token': '' },
    });
    for (const words of [
      'branch: "a..b" given; is not the name of a branch.',
      'draft: "maybe" given; use one of true, false.',
      'target: "main" given; use one of new-branch, pull-request-branch.',
      'reviewers: "not ok" cannot be one of the reviewers.',
      'use at most 256 characters.',
      'paths: "!docs" is not a pattern',
      'github-token: is empty',
    ])
      expect(said).toContain(words);
  });
  it.each(['!a', './a', '../a', 'a//b', '/', '[a-', 'a\\b'])(
    'may not deny with %s, which matches nothing',
    (pattern) => {
      expect(problems({ 'deny-paths': pattern })).toContain('is not a pattern');
    },
  );
  it.each(['*.[ch]', '[]a]', '[[:upper:]]*', '/a/', '# a comment'])('may deny with %s', (pattern) => {
    expect(problems({ 'deny-paths': pattern })).toBe('');
  });
  it('may not name one branch for both sides', () => {
    expect(problems({ branch: 'main', base: 'main' })).toContain('needs a branch of its own');
  });
});

describe('the texts', () => {
  const source = {
    ...{ title: undefined, body: undefined, commitMessage: undefined, fixes: undefined, run: undefined },
    ...{
      firstBase: undefined,
      branch: 'agent/x',
      files: 2,
      runUrl: 'https://github.example/run',
      isWorkflowToken: true,
    },
  };
  it('have one marker at each end, whatever is in between', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '<!-- cursor-agent-action proposal key=',
        '<!-- /cursor-agent-action -->',
        '<!--',
        '-->',
        '\n',
        ' x ',
        '```',
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, (body, later) => {
        const first = writeProposal({ ...source, body: body.join('') });
        const next = writeProposal({ ...source, title: 'Next', body: later.join('') });
        expect(first.body.match(/<!--\s*\/?\s*cursor-agent-action/g)).toHaveLength(2);
        const change = updateText({ title: first.title, body: `above\n${first.body}\nbelow` }, next);
        expect(change).toMatchObject({ title: 'Next', body: `above\n${next.body}\nbelow` });
        expect(updateText({ title: 'Next', body: `above\n${next.body}\nbelow` }, next)).toEqual({});
      }),
    );
  });
  it('end the commit message with the trailer, among the trailers that are there', () => {
    const of = (commitMessage: string) => writeProposal({ ...source, commitMessage }).commitMessage;
    expect(of('docs: x')).toMatch(/^docs: x\n\nCursor-Agent-Proposal: [0-9a-f]{20}$/);
    expect(of('docs: x\n\nSigned-off-by: M <m@x>')).toMatch(
      /\n\nSigned-off-by: M <m@x>\nCursor-Agent-Proposal: \w+$/,
    );
    expect(hasTrailer(of('docs: x'), 'agent/x')).toBe(true);
    expect(hasTrailer(of('docs: x'), 'agent/y')).toBe(false);
  });
  it('do not promise approval buttons for the token of an app', () => {
    expect(writeProposal({ ...source, isWorkflowToken: false }).body).not.toContain('Approve workflows');
  });

  it('show what was run and how it ended, before what the agent says, as text only', () => {
    const result = {
      command: 'npm `test` @all',
      exit: { kind: 'exited' as const, code: 1 },
      durationMs: 2000,
    };
    const verification = {
      state: 'failed' as const,
      rounds: [
        {
          results: [{ ...result, output: '<!-- cursor-agent-action proposal --> ```\n::error::x' }],
          notRun: 1,
        },
      ],
    };
    const run = { verification, preset: 'fix-ci', answer: 'Done.' } as unknown as RunFacts;
    const { body } = writeProposal({ ...source, run });
    expect(body).toContain('**This change is not verified.**');
    expect(body).toContain('❌ exit 1 after 2.0 s');
    expect(body.indexOf('### Verification')).toBeLessThan(body.indexOf('Done.'));
    expect(body).not.toContain('npm `test`');
    expect(body.match(/<!-- cursor-agent-action/g)).toHaveLength(1);
    expect([isUnverified(run), isUnverified(undefined)]).toEqual([true, false]);
  });

  it('leave a hidden mark of the failure that they repair, which nobody else can write there', () => {
    const run = { preset: 'fix-ci', answer: `x\n${triedMark('b'.repeat(20))}`, failureKey: 'a'.repeat(20) };
    const { body } = writeProposal({ ...source, run: run as unknown as RunFacts });
    expect(readTried(`above\n${body}`)).toBe('a'.repeat(20));
    const other = writeProposal({ ...source, run: { ...run, failureKey: undefined } as unknown as RunFacts });
    expect(readTried(other.body)).toBeUndefined();
  });

  it('name the files without whose change it does not pass, and make it a draft', () => {
    const result = { command: 'npm test', durationMs: 2000, output: 'not ok 1 - adds two numbers' };
    const round = (code: number) => ({
      results: [{ ...result, exit: { kind: 'exited' as const, code } }],
      notRun: 0,
    });
    const verification: Verification = {
      state: 'passed-with-changed-tests',
      before: { state: 'reproduced', why: 'One line appears.', lines: [], round: round(1) },
      rounds: [round(0)],
      originals: { paths: ['sum.test.js', 'a`<b>.snap'], round: round(1) },
    };
    const run = { verification, preset: 'fix-ci', answer: 'Done.' } as unknown as RunFacts;
    const { body } = writeProposal({ ...source, run });
    expect(body).toContain('| Command | Before | After | With the original tests |');
    expect(body).toMatch(/npm test.*❌.*adds two numbers.*✅.*❌/);
    expect(body).toMatch(/> \[!WARNING\][\s\S]*sum\.test\.js/);
    expect(body).not.toContain('<b>');
    expect(isUnverified(run)).toBe(true);
  });
});

describe('whether a commit is ours', () => {
  const signer = { login: 'web-flow', id: 19_864_447 };
  const ours = {
    ...{ id: 'a', tree: 'b', parents: ['c'], author: ACTIONS_BOT, committer: signer, isVerified: true },
    message: writeProposal({
      ...{ title: 'T', body: 'B', commitMessage: undefined, fixes: undefined, run: undefined },
      ...{ branch: 'agent/x', firstBase: undefined },
      ...{ files: 1, runUrl: '', isWorkflowToken: true },
    }).commitMessage,
  };
  it.each<[string, Partial<typeof ours> | { committer: undefined }, boolean]>([
    ['as it was made', {}, true],
    ['made by an account that GitHub does not sign for', { committer: ACTIONS_BOT, isVerified: false }, true],
    ['signed for a server without that account', { committer: undefined }, true],
    ['amended', { committer: MARY }, false],
    ['of another author', { author: MARY }, false],
    ['not signed', { isVerified: false }, false],
    ['a merge', { parents: ['c', 'd'] }, false],
    ['with another message', { message: 'docs: x' }, false],
  ])('%s', (_, change, expected) => {
    expect(isOurs({ ...ours, ...change }, 'agent/x', ACTIONS_BOT)).toBe(expected);
  });
});
