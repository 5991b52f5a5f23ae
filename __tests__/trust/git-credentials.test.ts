import { describe, expect, it } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describeGitCredentials, findGitCredentials } from '../../src/trust/git-credentials.js';
import { git, makeFolder, makeWorkspace, writeTree } from '../scenarios/workspace.js';

const TOKEN = 'ghs_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
const HEADER = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
const KEY = 'http.https://github.com/.extraheader';

const find = (workspace: string, directory = workspace, home = '/nowhere') =>
  findGitCredentials({ workspace, directory }, home);

describe('findGitCredentials', () => {
  it('finds nothing in a clean checkout, and none where there is no repository', () => {
    expect(find(makeWorkspace())).toEqual([]);
    expect(find(makeFolder())).toEqual([]);
    const workspace = makeWorkspace();
    git(workspace, 'remote', 'add', 'origin', 'https://github.com/acme/project');
    git(workspace, 'remote', 'add', 'ssh', 'ssh://git@github.com/acme/project');
    git(workspace, 'config', 'http.extraheader', 'X-Trace: 1');
    expect(find(workspace)).toEqual([]);
  });

  it('finds what actions/checkout v4 leaves', () => {
    const workspace = makeWorkspace();
    git(workspace, 'config', KEY, HEADER);
    const found = find(workspace);
    expect(found).toMatchObject([{ file: join(workspace, '.git', 'config'), setting: KEY }]);
    expect(found[0]?.secrets).toContain(TOKEN);
    const told = describeGitCredentials(found, workspace) ?? '';
    expect(told).toContain('persist-credentials: false');
    expect(told).toContain(`${KEY} in .git/config`);
    expect(told).not.toContain(TOKEN);
    expect(told).not.toContain(HEADER.slice(-20));
  });

  it('finds what actions/checkout v6 leaves in the runner’s temporary folder', () => {
    const workspace = makeWorkspace();
    const file = join(makeFolder('runner-temp'), 'git-credentials-1.config');
    git(workspace, 'config', '--file', file, KEY, HEADER);
    git(workspace, 'config', `includeIf.gitdir:${workspace}/.git.path`, file);
    expect(find(workspace)).toMatchObject([{ file, setting: KEY }]);
  });

  it('finds a token in an address, a helper that stores one, and an ssh key', () => {
    const workspace = makeWorkspace();
    git(workspace, 'remote', 'add', 'origin', `https://x-access-token:${TOKEN}@github.com/acme/project`);
    git(workspace, 'config', `url.https://${TOKEN}@github.com/.insteadOf`, 'https://github.com/');
    git(workspace, 'config', 'credential.helper', 'store --file /tmp/x');
    git(workspace, 'config', 'core.sshCommand', 'ssh -i /tmp/key -o StrictHostKeyChecking=yes');
    const found = find(workspace);
    expect(found.map(({ setting }) => setting).sort()).toEqual([
      ...[
        'core.sshCommand',
        'credential.helper',
        'remote.origin.url',
        'url.https://***@github.com/.insteadof',
      ],
    ]);
    expect(found.flatMap(({ secrets }) => secrets)).toEqual([TOKEN, TOKEN]);
  });

  it('finds it from a worktree, a nested checkout and a home-relative include', () => {
    const main = makeWorkspace();
    git(main, 'config', KEY, HEADER);
    const tree = join(makeFolder(), 'tree');
    git(main, 'worktree', 'add', '--quiet', tree);
    expect(find(tree)).toHaveLength(1);
    const outer = makeFolder();
    mkdirSync(join(outer, 'a'));
    symlinkSync(join(main, '.git'), join(outer, 'a', '.git'));
    expect(find(outer, join(outer, 'a'))).toHaveLength(1);
    const home = makeFolder();
    writeTree(home, { 'more.config': `[http "x"]\n\textraHeader = "${HEADER}"\n` });
    writeTree(outer, { '.git/config': '[include] path = ~/more.config\n' });
    expect(find(outer, outer, home)).toMatchObject([{ file: join(home, 'more.config') }]);
  });

  it('survives files that include each other, and files that are none', () => {
    const workspace = makeWorkspace();
    git(workspace, 'config', 'include.path', 'config');
    expect(find(workspace)).toEqual([]);
    const odd = makeFolder();
    mkdirSync(join(odd, '.git', 'config'), { recursive: true });
    expect(find(odd)).toEqual([]);
  });
});
