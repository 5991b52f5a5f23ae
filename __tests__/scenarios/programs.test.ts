import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import type { StepResult } from './step.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

afterAll(removeAccounts);

/** Whatever the action, its isolation, git and the layer need, and what starts an agent that is a script. */
const NAMES = [
  ...['env', 'sudo', 'git', 'ps', 'sh', 'bash', 'node', 'perl', 'python3', 'dd', 'cat', 'id', 'true'],
  ...['mount', 'umount', 'mountpoint', 'unshare', 'setpriv', 'ip', 'mkfifo', 'readlink', 'sleep'],
  ...['cp', 'rm', 'mkdir', 'rmdir', 'chown', 'chmod', 'ln', 'tar', 'gzip', 'unzip', 'git-remote-http', 'ssh'],
];
const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** A checkout with a folder of programs, each of which keeps its environment and then does what it is called after. */
function makeHostileCheckout() {
  const canaries = makeFolder('canaries');
  chmodSync(canaries, 0o777);
  const workspace = makeWorkspace({ 'README.md': '# Project\n', 'docs/a.md': 'a\n', 'docs/b.md': 'b\n' });
  for (const name of NAMES) {
    const real = FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? '/bin/false';
    const keep = `(/usr/bin/printenv >>'${canaries}/${name}') 2>/dev/null`;
    writeTree(workspace, { [`tools/${name}`]: `#!/bin/sh\n${keep}\nexec ${real} "$@"\n` });
    chmodSync(join(workspace, 'tools', name), 0o755);
  }
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message', 'Tools');
  return { workspace, tools: join(workspace, 'tools'), canaries };
}

/** It changes a file in a folder that has others, so that the layer has to be asked which of them are left. */
const AGENT = `
  const { execSync } = await import('node:child_process');
  const { writeFileSync } = await import('node:fs');
  init();
  if (sighting.argv.includes('--force')) writeFileSync('docs/a.md', 'better\\n');
  if (sighting.cliJson?.permissions.allow.includes('Shell(*)')) execSync('git --version; env; ps', { stdio: 'ignore' });
  say(process.env.PATH);
  finish();
`;

describe.each<Account>(['root', 'sudo', 'user-namespace'])(
  'the runner is %s, and a folder of the checkout stands first on PATH',
  (account) => {
    const test = obstacle(account) === undefined ? it : it.skip;
    const run = async (inputs: Record<string, string>) => {
      const { workspace, tools, canaries } = makeHostileCheckout();
      const PATH = `${tools}${delimiter}${process.env['PATH']}`;
      const step = await runStepAs(account, fakeAgent(AGENT), { workspace, inputs, env: { PATH } });
      return { step, canaries };
    };

    test.each(
      ['review', 'docs', 'fix-ci', 'custom'].flatMap((preset) =>
        ['required', 'auto', 'off'].map((isolation) => [preset, isolation] as const),
      ),
    )('no program of it runs outside of the isolation: %s, isolation %s', async (preset, isolation) => {
      const isWriting = ['docs', 'fix-ci'].includes(preset);
      const { step, canaries } = await run({ preset, isolation, ...(isWriting ? { verify: 'true' } : {}) });
      expect(step.errors).toEqual([]);
      expect(step.stdout.includes('Isolated')).toBe(isolation !== 'off');
      expect(changedFiles(step)).toEqual(isWriting ? ['docs/a.md'] : []);
      expect(readdirSync(canaries).filter((name) => sawAction(join(canaries, name)))).toEqual([]);
      if (isolation !== 'off') expect(readdirSync(canaries)).toEqual([]);
    });
  },
);

const changedFiles = ({ outputs }: StepResult): unknown => JSON.parse(outputs.get('changed-files') || '[]');

/** Whether a program ran with the environment of the action. The agent's own has a key and nothing of this. */
const sawAction = (canary: string): boolean =>
  /^(ACTIONS_|INPUT_|GITHUB_)/m.test(readFileSync(canary, 'utf8'));
