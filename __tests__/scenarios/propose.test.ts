import { afterEach, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PROPOSE_INPUTS } from '../../src/propose/propose-inputs.js';
import { refuse, REPO } from '../github/api-server.js';
import { copyBare, gitIn, tipOf } from '../github/mirror.js';
import { serveEmulator, type EmulatedServer } from '../github/emulated-server.js';
import { READ_TOKEN, STRANGER, WRITE_TOKEN } from '../github/stateful-fake.js';
import { added } from '../propose/patches.js';
import { reportWith } from '../publish/reports.js';
import { patchOf, PROPOSE, runPropose, type ProposeStep } from './propose-step.js';
import { eventOf } from './publish-step.js';
import { git, makeFolder, makeWorkspace, removeFolders, writeTree } from './workspace.js';

let open: EmulatedServer[] = [];
afterEach(async () => {
  removeFolders();
  const all = open;
  open = [];
  await Promise.all(all.map((each) => each.close()));
});

const FILES = {
  'README.md': '# Project\n',
  'docs/guide.md': 'one\ntwo\nthree\n',
  'docs/old.md': 'to be moved\nand kept\nas it is\n',
  'src/run.sh': 'echo run\n',
};

/** A checkout, and the repository on GitHub that it was cloned from. */
const start = async (settings: Parameters<typeof serveEmulator>[1] = {}) => {
  const workspace = makeWorkspace(FILES);
  const github = await serveEmulator(copyBare(workspace, join(makeFolder('bare'), 'project.git')), settings);
  open.push(github);
  const propose = (step: Partial<ProposeStep> = {}) => {
    const patch = 'patch' in step ? step.patch : patchOf(workspace, { 'docs/guide.md': 'one\n2\nthree\n' });
    return runPropose({ ...step, patch, workspace, api: github.url });
  };
  const head = () => git(workspace, 'rev-parse', 'HEAD').trim();
  /** A new commit on main, in the checkout and on GitHub. */
  const advance = (files: Record<string, string>) => {
    writeTree(workspace, files);
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'more');
    git(workspace, 'push', '--quiet', github.bare, 'HEAD:refs/heads/main');
    return head();
  };
  return { workspace, github, propose, head, advance };
};
const protect = ({ owner }: EmulatedServer, branch: string) =>
  owner('PUT', `/branches/${branch}/protection`, {
    ...{ required_status_checks: null, enforce_admins: true },
    ...{ required_pull_request_reviews: null, restrictions: null },
  });
const DEFAULT = /^cursor-agent\/update-docs-[0-9a-f]{8}$/;
const show = ({ bare }: EmulatedServer, what: string) => gitIn(bare, ['show', what]);

describe('propose/action.yml', () => {
  it('has the inputs of the schema, and a bundle', () => {
    expect(Object.keys(PROPOSE.inputs)).toEqual(PROPOSE_INPUTS);
    expect(PROPOSE.runs.using).toBe('node24');
    expect(existsSync(resolve('propose', PROPOSE.runs.main))).toBe(true);
  });
});

describe('propose on a new branch', () => {
  it('opens a pull request with one commit that GitHub signs', async () => {
    const { github, propose, head, workspace } = await start();
    const step = await propose({
      report: reportWith(),
      inputs: {
        labels: 'docs, agent',
        reviewers: 'mary',
        assignees: 'mary',
        draft: 'true',
        paths: 'docs/**',
      },
    });
    expect(step.errors).toEqual([]);
    expect(step.code).toBe(0);
    const branch = step.outputs.get('branch') ?? '';
    expect(branch).toMatch(DEFAULT);
    expect(Object.fromEntries(step.outputs)).toEqual({
      'pull-request-number': '1',
      'pull-request-url': 'https://github.example/acme/project/pull/1',
      branch,
      'commit-sha': tipOf(github.bare, branch),
      operation: 'created',
    });
    const [pull] = await github.pulls();
    expect(pull).toMatchObject({
      ...{ base: { ref: 'main' }, draft: true, labels: [{ name: 'docs' }, { name: 'agent' }] },
      requested_reviewers: [{ login: 'mary' }],
    });
    expect(github.emulated.assignees(1)).toEqual(['mary']);
    expect(pull?.body).toContain('All is well.');
    expect(pull?.body).toContain('https://github.example/acme/project/actions/runs/99');
    expect(pull?.body).toContain('Approve workflows to run');
    expect(gitIn(github.bare, ['log', '-1', '--format=%P', branch])).toBe(head());
    expect(show(github, `${branch}:docs/guide.md`)).toBe('one\n2\nthree');
    expect(github.emulated.signed.size).toBe(1);
    expect(step.summary).toContain('pull request #1</a>');
    expect(step.stdout).toContain(`::add-mask::${WRITE_TOKEN}`);
    // The checkout is not touched, and nothing is written besides.
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(github.writes().map((line) => line.replace(/^.*\{repo\}/, ''))).toEqual([
      ...['/git/trees', '/git/commits', '/git/refs', '/pulls', '/issues/{issue_number}/labels'],
      ...['/pulls/{pull_number}/requested_reviewers', '/issues/{issue_number}/assignees'],
    ]);
  });

  it('carries over binary files, moved and deleted files and the executable bit', async () => {
    const { github, propose, workspace } = await start();
    const bytes = Buffer.from([0, 1, 2, 255, 254, 10, 13, 10]);
    const patch = patchOf(workspace, () => {
      writeFileSync(join(workspace, 'docs/logo.png'), bytes);
      writeFileSync(join(workspace, 'docs/windows.txt'), 'a\r\nb\r\n');
      renameSync(join(workspace, 'docs/old.md'), join(workspace, 'docs/new.md'));
      rmSync(join(workspace, 'README.md'));
      chmodSync(join(workspace, 'src/run.sh'), 0o755);
    });
    const step = await propose({ patch, inputs: { branch: 'agent/all' } });
    expect(step.errors).toEqual([]);
    const listing = gitIn(github.bare, ['ls-tree', '-r', 'agent/all'])
      .split('\n')
      .map((line) => line.replace(/^(\d+) blob [0-9a-f]+\t/, '$1 '));
    expect(listing).toEqual([
      ...['100644 docs/guide.md', '100644 docs/logo.png', '100644 docs/new.md', '100644 docs/windows.txt'],
      '100755 src/run.sh',
    ]);
    git(workspace, 'fetch', '--quiet', github.bare, 'agent/all');
    git(workspace, 'checkout', '--quiet', 'FETCH_HEAD');
    expect(git(workspace, 'hash-object', 'docs/logo.png')).toBe(
      git(workspace, 'rev-parse', 'HEAD:docs/logo.png'),
    );
    expect(git(workspace, 'show', 'HEAD:docs/windows.txt')).toBe('a\r\nb\r\n');
  });

  it('does nothing twice, and updates the same pull request with another patch', async () => {
    const { github, propose, workspace } = await start();
    const first = await propose();
    const before = github.writes().length;
    const again = await propose();
    expect(again.outputs.get('operation')).toBe('none');
    expect(again.outputs.get('pull-request-number')).toBe('1');
    expect(again.outputs.get('commit-sha')).toBe(first.outputs.get('commit-sha'));
    expect(github.writes()).toHaveLength(before);
    const other = await propose({ patch: patchOf(workspace, { 'docs/guide.md': 'all new\n' }) });
    expect(other.errors).toEqual([]);
    expect(other.outputs.get('operation')).toBe('updated');
    expect(await github.pulls()).toHaveLength(1);
    const branch = other.outputs.get('branch') ?? '';
    expect(gitIn(github.bare, ['rev-list', '--count', `main..${branch}`])).toBe('1');
    expect(show(github, `${branch}:docs/guide.md`)).toBe('all new');
  });

  it('moves the branch to the new base, and drops a proposal for an older one', async () => {
    const { github, propose, advance, workspace, head } = await start();
    const older = head();
    await propose();
    const newer = advance({ 'src/more.ts': 'export {};\n' });
    const moved = await propose();
    expect(moved.outputs.get('operation')).toBe('updated');
    const branch = moved.outputs.get('branch') ?? '';
    expect(gitIn(github.bare, ['log', '-1', '--format=%P', branch])).toBe(newer);
    git(workspace, 'checkout', '--quiet', older);
    const late = await propose({ patch: patchOf(workspace, { 'docs/guide.md': 'late\n' }) });
    expect(late.code).toBe(0);
    expect(late.outputs.get('operation')).toBe('none');
    expect(late.stdout).toContain('already has a proposal for a newer commit');
    expect(tipOf(github.bare, branch)).toBe(moved.outputs.get('commit-sha'));
  });

  it('keeps what people wrote, and replaces only its own part', async () => {
    const { github, propose } = await start();
    await propose({ inputs: { title: 'First', body: 'Closes #3.' } });
    const read = async () => (await github.pulls())[0];
    const edit = (change: object) => github.owner('PATCH', '/pulls/1', change);
    await edit({ body: `Before.\n\n${(await read())?.body ?? ''}\r\n\r\nAfter.` });
    const renamed = await propose({ inputs: { title: 'Second', body: 'Closes #4.' } });
    expect(renamed.outputs.get('operation')).toBe('updated');
    expect((await read())?.title).toBe('Second');
    expect((await read())?.body).toMatch(
      /^Before\.\n\n<!-- cursor-agent-action proposal [\s\S]*Closes #4\.[\s\S]*After\.$/,
    );
    await edit({ title: 'A better title' });
    await propose({ inputs: { title: 'Third', body: 'Closes #5.' } });
    expect((await read())?.title).toBe('A better title');
    expect((await read())?.body).toContain('Closes #5.');
    await edit({ body: 'All my own words.' });
    const left = await propose({ inputs: { title: 'Fourth' } });
    expect(left.outputs.get('operation')).toBe('none');
    expect((await read())?.body).toBe('All my own words.');
  });

  it('opens a new one after the first was closed', async () => {
    const { github, propose } = await start();
    await propose();
    await github.owner('PATCH', '/pulls/1', { state: 'closed' });
    const step = await propose();
    expect(step.outputs.get('operation')).toBe('created');
    expect(step.outputs.get('pull-request-number')).toBe('2');
  });

  it('notes whom GitHub does not accept, and leaves the pull request', async () => {
    const { github, propose } = await start();
    const inputs = { reviewers: 'mary, nobody', 'team-reviewers': 'acme/docs', assignees: 'nobody' };
    const step = await propose({ inputs });
    expect(step.code).toBe(0);
    expect(step.outputs.get('operation')).toBe('created');
    expect((await github.pulls())[0]?.requested_reviewers).toMatchObject([{ login: 'mary' }]);
    for (const words of ['the reviewer nobody', 'the team docs', 'the assignee nobody'])
      expect(step.warnings.join('\n')).toContain(words);
  });
});

describe('nothing to propose', () => {
  it.each([
    ['no patch', undefined],
    ['an empty patch', '\n'],
  ])('is a success: %s', async (_, patch) => {
    const { github, propose } = await start();
    const step = await propose({ patch });
    expect([step.code, step.errors]).toEqual([0, []]);
    expect(step.outputs.get('operation')).toBe('none');
    expect(github.requests).toEqual([]);
  });
});

describe('a branch that is not ours', () => {
  const refused = async (prepare: (github: EmulatedServer, workspace: string) => unknown, words: string) => {
    const { github, propose, workspace } = await start();
    await propose({ inputs: { branch: 'agent/x' } });
    await prepare(github, workspace);
    const before = tipOf(github.bare, 'agent/x');
    const step = await propose({
      patch: patchOf(workspace, { 'docs/guide.md': 'other\n' }),
      inputs: { branch: 'agent/x' },
    });
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain(words);
    expect(step.outputs.get('operation')).toBe('none');
    expect(tipOf(github.bare, 'agent/x')).toBe(before);
  };
  const commitOn = (workspace: string, { bare }: EmulatedServer, ...args: string[]) => {
    git(workspace, 'fetch', '--quiet', bare, 'agent/x');
    git(workspace, 'checkout', '--quiet', 'FETCH_HEAD');
    git(workspace, '-c', 'user.email=mary@example.com', 'commit', '--quiet', '--allow-empty', ...args);
    git(workspace, 'push', '--quiet', '--force', bare, 'HEAD:refs/heads/agent/x');
    git(workspace, 'checkout', '--quiet', 'main');
  };

  it('is not overwritten: somebody added a commit', () =>
    refused((github, workspace) => {
      commitOn(workspace, github, '--message', 'mine');
    }, 'has commits that this step did not make'));

  it('is not overwritten: somebody amended ours, with its message', () =>
    refused((github, workspace) => {
      commitOn(workspace, github, '--amend', '--no-edit');
    }, 'has commits that this step did not make'));

  it('is not written to: it is protected', () =>
    refused((github) => protect(github, 'agent/x'), 'is protected'));

  it('is never the base or the default branch', async () => {
    const { github, propose } = await start();
    for (const inputs of [{ branch: 'main' }, { branch: 'main', base: 'other' }]) {
      const step = await propose({ inputs });
      expect(step.code).toBe(1);
      expect(step.errors.join('\n')).toContain('needs a branch of its own');
    }
    expect(github.writes()).toEqual([]);
  });
});

describe('races and lost answers', () => {
  it('is one pull request, also when several runs race', async () => {
    const { github, propose, workspace } = await start();
    const patches = ['a\n', 'b\n', 'c\n'].map((text) => patchOf(workspace, { 'docs/guide.md': text }));
    const steps = await Promise.all(patches.map((patch) => propose({ patch })));
    expect(steps.map(({ code, errors }) => [code, errors])).toEqual(steps.map(() => [0, []]));
    expect(await github.pulls()).toHaveLength(1);
    const branch = (await github.pulls())[0]?.head.ref ?? '';
    expect(gitIn(github.bare, ['rev-list', '--count', `main..${branch}`])).toBe('1');
  });

  it('never overwrites a commit that comes between the look and the write', async () => {
    let mine = '';
    const { github, propose, workspace } = await start({
      fault: (request) => {
        const { bare } = github;
        if (request.operation !== 'POST /graphql' || mine !== '') return undefined;
        if (!JSON.stringify(request.body).includes('updateRefs')) return undefined;
        const tip = tipOf(bare, 'agent/x') ?? '';
        const as = {
          GIT_AUTHOR_NAME: 'm',
          GIT_AUTHOR_EMAIL: 'm',
          GIT_COMMITTER_NAME: 'm',
          GIT_COMMITTER_EMAIL: 'm',
        };
        mine = gitIn(bare, ['commit-tree', `${tip}^{tree}`, '-p', tip, '-m', 'mine'], undefined, as);
        gitIn(bare, ['update-ref', 'refs/heads/agent/x', mine]);
        return undefined;
      },
    });
    await propose({ inputs: { branch: 'agent/x' } });
    const patch = patchOf(workspace, { 'docs/guide.md': 'other\n' });
    const step = await propose({ patch, inputs: { branch: 'agent/x' } });
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain('has commits that this step did not make');
    expect(tipOf(github.bare, 'agent/x')).toBe(mine);
  });

  it('does not open a second pull request when the answer to the first is lost', async () => {
    let lost = 0;
    const { github, propose } = await start({
      fault: ({ operation }) =>
        /^POST .*\/(pulls|git\/refs)$/.test(operation) && (lost += 1) < 3 ? { after: 'hang up' } : undefined,
    });
    const step = await propose();
    expect([step.code, step.errors]).toEqual([0, []]);
    expect(step.outputs.get('operation')).toBe('created');
    expect(await github.pulls()).toHaveLength(1);
    expect(github.writes().filter((line) => line.endsWith('/pulls'))).toHaveLength(1);
  });
});

describe('a poisoned patch', () => {
  // __tests__/propose/poisoned-patch has many more.
  it.each<[string, string, string]>([
    ['a workflow in capitals', added('.GitHub/workflows/x.yml'), 'only a person may change it'],
    ['a link', added('docs/link.md', '120000', '/etc/passwd'), 'links and submodules are never proposed'],
    ['a file outside of paths', added('src/a.ts'), 'no pattern in paths allows it'],
    ['a path that leaves the folder', added('docs/../../x.md'), 'does not accept this path'],
  ])('writes nothing: %s', async (_, patch, words) => {
    const { github, propose } = await start();
    const step = await propose({ patch, inputs: { paths: 'docs/**', 'deny-paths': 'docs/private/**' } });
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain(words);
    expect(step.errors.join('\n')).toContain('changes.patch');
    expect(github.requests).toEqual([]);
  });

  it('runs no hook, filter or setting of the checkout', async () => {
    const { github, propose, workspace } = await start();
    const canary = join(makeFolder('canary'), 'ran');
    const patch = patchOf(workspace, { 'docs/guide.md': 'x\n' });
    git(workspace, 'config', 'filter.evil.clean', `touch ${canary}`);
    git(workspace, 'config', 'filter.evil.smudge', `touch ${canary}`);
    git(workspace, 'config', 'core.fsmonitor', `touch ${canary}`);
    git(workspace, 'config', 'core.hooksPath', '.');
    writeTree(workspace, {
      '.gitattributes': '* filter=evil\n',
      'post-index-change': `#!/bin/sh\ntouch ${canary}\n`,
    });
    chmodSync(join(workspace, 'post-index-change'), 0o755);
    const step = await propose({ patch });
    expect(step.outputs.get('operation')).toBe('created');
    expect(existsSync(canary)).toBe(false);
    expect(show(github, `${step.outputs.get('branch') ?? ''}:docs/guide.md`)).toBe('x');
  });

  it('makes the agent’s words harmless', async () => {
    const { github, propose } = await start();
    const answer =
      'Hi @mary\n\n/merge\n\n<!-- cursor-agent-action -->![x](https://evil.example/x.png) Closes #1';
    const report = reportWith();
    (report['report'] as Record<string, unknown>)['answer'] = answer;
    const step = await propose({ report });
    expect(step.errors).toEqual([]);
    const body = (await github.pulls())[0]?.body ?? '';
    expect(body).not.toMatch(/^\/merge|!\[|[^>`]@mary/m);
    expect(body.match(/<!--/g)).toHaveLength(2);
  });
});

describe('a patch that does not apply', () => {
  it('says which file and why, and where the patch is', async () => {
    const { github, propose, workspace, advance } = await start();
    const patch = patchOf(workspace, { 'docs/guide.md': 'one\n2\nthree\n', 'README.md': '# New\n' });
    advance({ 'docs/guide.md': 'something\nelse\n' });
    const step = await propose({ patch });
    expect(step.code).toBe(1);
    const said = step.errors.join('\n');
    expect(said).toContain(
      'docs/guide.md: the lines around line 1 are not the lines that the patch expects there.',
    );
    expect(said).toContain('changes.patch, and in the artifact');
    expect(said).not.toContain('README.md');
    expect(github.requests).toEqual([]);
  });
});

describe('a patch that the commit contains already', () => {
  it('is no error: there is nothing left to propose, and that is said', async () => {
    const { github, propose, workspace, advance } = await start();
    const files = { 'docs/guide.md': 'one\n2\nthree\n', 'docs/more.md': 'More.\n' };
    const patch = patchOf(workspace, files);
    advance(files);
    const step = await propose({ patch, inputs: { target: 'pull-request-branch', branch: 'change' } });
    expect(step.errors).toEqual([]);
    expect(step.code).toBe(0);
    expect(step.outputs.get('operation')).toBe('none');
    expect(step.stdout).toContain('The commit that is checked out already contains this change.');
    expect(github.writes()).toEqual([]);
  });
});

describe('what GitHub refuses', () => {
  it('names the permission for a token that can only read', async () => {
    const { propose } = await start();
    const step = await propose({ inputs: { 'github-token': READ_TOKEN } });
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain('Add contents: write below');
  });

  it('names the setting if Actions may not open pull requests, and the page to open it by hand', async () => {
    const { github, propose } = await start({
      fault: ({ operation }) =>
        operation === `POST ${REPO}/pulls`
          ? refuse(403, 'GitHub Actions is not permitted to create or approve pull requests.')
          : undefined,
    });
    const step = await propose({ inputs: { branch: 'agent/x' } });
    expect(step.code).toBe(1);
    const said = step.errors.join('\n');
    expect(said).toContain('Allow GitHub Actions to create and approve pull requests');
    expect(said).toContain('https://github.example/acme/project/compare/main...agent/x?expand=1');
    expect(tipOf(github.bare, 'agent/x')).toBeDefined();
  });

  it('says that a rule may forbid the branch', async () => {
    const { propose } = await start({
      fault: ({ operation }) =>
        operation.endsWith('/git/refs') ? refuse(422, 'Repository rule violations found') : undefined,
    });
    const step = await propose();
    expect(step.errors.join('\n')).toMatch(/rule violations found[\s\S]*bypass the rule/);
  });

  it('does not trust a tree that is not the one that was checked', async () => {
    const { github, propose } = await start({
      fault: ({ operation }) =>
        operation.endsWith('/git/trees')
          ? { status: 201, body: { sha: 'e'.repeat(40) }, unlike: true }
          : undefined,
    });
    const step = await propose();
    expect(step.errors.join('\n')).toContain('other files than those that were checked');
    expect(github.writes().some((line) => line.endsWith('/git/refs'))).toBe(false);
  });

  it('needs a checkout of the base', async () => {
    const { github, propose, workspace } = await start();
    git(workspace, 'commit', '--quiet', '--allow-empty', '--message', 'not on GitHub');
    const step = await propose();
    expect(step.errors.join('\n')).toContain('is not part of the branch main');
    expect(github.writes()).toEqual([]);
  });
});

describe('a run that failed', () => {
  it('proposes nothing', async () => {
    const { github, propose } = await start();
    const verdict = { status: 'failure', reason: 'timeout', detail: 'Ended after 30 min.' } as const;
    const step = await propose({ report: reportWith({ verdict }) });
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain('The agent’s run failed (timeout), so nothing is proposed.');
    expect(step.outputs.get('operation')).toBe('none');
    expect(github.requests).toEqual([]);
  });
});

describe('propose on the branch of a pull request', () => {
  interface Situation {
    head?: string;
    change?: (github: EmulatedServer) => unknown;
  }
  const onPull = async ({ head = 'feature', change }: Situation = {}) => {
    const all = await start();
    const { github, workspace } = all;
    git(workspace, 'switch', '--quiet', '--create', 'feature');
    writeTree(workspace, { 'src/new.ts': 'export {};\n' });
    git(workspace, 'add', '--all');
    git(workspace, 'commit', '--quiet', '--message', 'feature');
    git(workspace, 'push', '--quiet', github.bare, 'HEAD:refs/heads/feature');
    await github.emulated.send();
    const stranger = github.emulated.as(STRANGER);
    if (head.includes(':')) await stranger('POST', '/forks', {});
    await stranger('POST', '/pulls', { title: 'Feature', body: 'x', head, base: 'main' });
    await change?.(github);
    const propose = () =>
      all.propose({
        inputs: { target: 'pull-request-branch', 'commit-message': 'docs: follow' },
        env: eventOf('issue_comment', { issue: { number: 1, pull_request: {} }, comment: {} }),
      });
    return { ...all, propose };
  };

  it('adds one commit, once', async () => {
    const { github, propose, head } = await onPull();
    const step = await propose();
    expect(step.errors).toEqual([]);
    expect(step.outputs.get('operation')).toBe('updated');
    expect(step.outputs.get('branch')).toBe('feature');
    expect(gitIn(github.bare, ['log', '-1', '--format=%P %s', 'feature'])).toBe(`${head()} docs: follow`);
    expect(await github.pulls()).toMatchObject([{ title: 'Feature', body: 'x' }]);
    const again = await propose();
    expect(again.outputs.get('operation')).toBe('none');
    expect(again.outputs.get('commit-sha')).toBe(step.outputs.get('commit-sha'));
  });

  it.each<[string, Situation, string]>([
    [
      'the branch has moved',
      { change: ({ bare }) => gitIn(bare, ['update-ref', 'refs/heads/feature', 'main']) },
      'no longer at',
    ],
    ['it is of a fork', { head: 'stranger:feature' }, 'is in a fork'],
    ['it is closed', { change: ({ owner }) => owner('PATCH', '/pulls/1', { state: 'closed' }) }, 'is closed'],
    ['it is protected', { change: (github) => protect(github, 'feature') }, 'is protected'],
    [
      'it is the default branch',
      { change: ({ owner }) => owner('PATCH', '', { default_branch: 'feature' }) },
      'is the default branch',
    ],
  ])('writes nothing if %s', async (_, settings, words) => {
    const { github, propose } = await onPull(settings);
    const step = await propose();
    expect(step.code).toBe(1);
    expect(step.errors.join('\n')).toContain(words);
    expect(github.writes()).toEqual([]);
  });
});
