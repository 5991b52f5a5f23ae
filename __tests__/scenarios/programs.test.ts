import { afterAll, describe, expect, it } from '@jest/globals';
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { PRESETS } from '../../src/permissions/presets.js';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import type { StepResult } from './step.js';
import { git, makeFolder, makeWorkspace, writeTree } from './workspace.js';

afterAll(removeAccounts);

/** Whatever the action, its isolation, git and the layer need, and what starts an agent that is a script. */
const NAMES = [
  'only-here',
  ...['env', 'sudo', 'git', 'ps', 'sh', 'bash', 'node', 'perl', 'python3', 'dd', 'cat', 'id', 'true'],
  ...['mount', 'umount', 'mountpoint', 'unshare', 'setpriv', 'ip', 'mkfifo', 'readlink', 'sleep'],
  ...['cp', 'rm', 'mkdir', 'rmdir', 'chown', 'chmod', 'ln', 'tar', 'gzip', 'unzip', 'git-remote-http', 'ssh'],
];
const SYSTEM = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** A checkout with a folder of programs, each of which keeps its environment and then does what it is called after. */
function makeHostileCheckout() {
  const canaries = makeFolder('canaries');
  chmodSync(canaries, 0o777);
  const workspace = makeWorkspace({ 'README.md': '# Project\n', 'docs/a.md': 'a\n', 'docs/b.md': 'b\n' });
  for (const name of NAMES) {
    const real = SYSTEM.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? '/bin/true';
    const keep = `(/usr/bin/printenv >>'${canaries}/${name}') 2>/dev/null`;
    writeTree(workspace, { [`tools/${name}`]: `#!/bin/sh\n${keep}\nexec ${real} "$@"\n` });
    chmodSync(join(workspace, 'tools', name), 0o755);
  }
  git(workspace, 'add', '--all');
  git(workspace, 'commit', '--quiet', '--message', 'Tools');
  return { workspace, tools: join(workspace, 'tools'), canaries };
}

/** It starts git as the CLI does, whatever it may do. It changes a file in a folder that has others, so that the layer has to be asked which of them are left. */
const AGENT = `
  const { execSync } = await import('node:child_process');
  const { writeFileSync } = await import('node:fs');
  const found = execSync('git --version >&2; command -v git; command -v only-here || :', { encoding: 'utf8' });
  init();
  if (sighting.argv.includes('--force')) writeFileSync('docs/a.md', 'better\\n');
  say(JSON.stringify({ path: process.env.PATH, found: found.trim().split('\\n') }));
  finish();
`;

describe.each<Account>(['root', 'sudo', 'user-namespace'])(
  'the runner is %s, and a folder of the checkout stands first on PATH',
  (account) => {
    const test = obstacle(account) === undefined ? it : it.skip;
    const run = async (inputs: Record<string, string>) => {
      const { workspace, tools, canaries } = makeHostileCheckout();
      const link = join(makeFolder('link'), 'tools');
      symlinkSync(tools, link);
      chmodSync(dirname(link), 0o755);
      const inCheckout = [tools, '', link, '.', 'tools'];
      const PATH = [...inCheckout, ...SYSTEM].join(delimiter);
      const step = await runStepAs(account, fakeAgent(AGENT), { workspace, inputs, env: { PATH } });
      return { step, canaries, inCheckout };
    };

    test.each(
      Object.keys(PRESETS).flatMap((preset) =>
        ['required', 'auto', 'off'].map((isolation) => [preset, isolation] as const),
      ),
    )('no program of it runs outside of the isolation: %s, isolation %s', async (preset, isolation) => {
      const isWriting = !['review', 'custom'].includes(preset);
      const verify = isWriting ? { verify: 'only-here; git --version' } : {};
      const { step, canaries, inCheckout } = await run({ preset, isolation, ...verify });
      expect(step.errors).toEqual([]);
      const { path, found } = JSON.parse(step.outputs.get('result') ?? '{}') as {
        path: string;
        found: string[];
      };
      expect(step.stdout.includes('Isolated')).toBe(isolation !== 'off');
      expect(changedFiles(step)).toEqual(isWriting ? ['docs/a.md'] : []);
      const last = preset === 'fix-ci' ? inCheckout : [];
      expect(path.split(delimiter).slice(-last.length - 1)).toEqual([SYSTEM.at(-1), ...last]);
      expect(found).toEqual([
        expect.not.stringContaining('tools'),
        ...(last.length > 0 ? [join(inCheckout[0]!, 'only-here')] : []),
      ]);
      expect(step.warnings.join().includes('come last')).toBe(isWriting);
      // Where commands may run and nothing isolates them, what only the checkout has runs, without our environment.
      const ran = readdirSync(canaries);
      expect(ran).toEqual(isWriting && isolation === 'off' ? ['only-here'] : []);
      expect(ran.filter((name) => sawAction(join(canaries, name)))).toEqual([]);
    });
  },
);

const changedFiles = ({ outputs }: StepResult): unknown => JSON.parse(outputs.get('changed-files') || '[]');

/** Whether a program ran with the environment of the action. The agent's own has a key and nothing of this. */
const sawAction = (canary: string): boolean =>
  /^(ACTIONS_|INPUT_|GITHUB_)/m.test(readFileSync(canary, 'utf8'));
