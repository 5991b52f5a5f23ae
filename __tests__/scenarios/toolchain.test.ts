import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from '../sandbox/namespace/ways.js';
import { obstacle, removeAccounts, runStepAs, type Account } from './accounts.js';
import { fakeAgent } from './fake-agent.js';
import { runStep } from './step.js';
import { CANARY, LANGUAGES, missing, PASSWORDS, SYSTEM_PATH } from './toolchains.js';
import { makeFolder, makeWorkspace, removeFolders, writeTree } from './workspace.js';

const present = LANGUAGES.filter(({ needs }) => missing(needs).length === 0);
/** `.ci/run` installs these. */
const ALWAYS = ['node', 'python', 'go', 'rust'];

/** Compilers and JVMs on a busy machine. */
const PATIENCE_MS = 300_000;

afterAll(() => {
  removeAccounts();
  removeFolders();
});

/** The caches are made once. Each test gets a copy. */
beforeAll(() => {
  filled = fillHome();
}, PATIENCE_MS);
let filled: { home: string; projects: Record<string, string> } | undefined;
function fillHome() {
  const home = makeFolder('filled-home');
  const projects = present.flatMap(({ name, project, fill }) =>
    Object.entries({ ...project, ...fill(home) }).map(([path, text]) => [`${name}/${path}`, text]),
  );
  writeTree(home, Object.fromEntries(PASSWORDS.map((name) => [name, `${CANARY}\n`])));
  return { home, projects: Object.fromEntries(projects) as Record<string, string> };
}
function makeHome(): string {
  const home = makeFolder('runner-home');
  cpSync(filled?.home ?? '', home, { recursive: true, verbatimSymlinks: true });
  return home;
}

const makeProjects = () => makeWorkspace({ '.gitignore': 'node_modules\n', ...filled?.projects });

const toolEnvironment = (home: string) => ({
  HOME: home,
  PATH: `${home}/.cargo/bin:${home}/tools/venv/bin:${SYSTEM_PATH}`,
  VIRTUAL_ENV: join(home, 'tools', 'venv'),
  JAVA_HOME: '/usr/lib/jvm/default-java',
});

const verifyAll = present.map(({ name, test }) => `cd ${name} && ${test}`).join('\n');

/** Tests, repairs and tests again in each project; then looks for passwords, and tries to change what later steps use. */
const repairing = (home: string, commands: string) => `
  const { spawnSync } = await import('node:child_process');
  const { writeFileSync, lstatSync } = await import('node:fs');
  init();
  const test = ({ name, test }) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', test], { cwd: name, encoding: 'utf8' });
    return { status, said: (stdout + stderr).slice(-600) };
  };
  const told = {};
  for (const project of ${JSON.stringify(present.map(({ name, wrong, test }) => ({ name, wrong, test })))}) {
    const before = test(project);
    const file = project.name + '/' + project.wrong;
    writeFileSync(file, readFileSync(file, 'utf8').replace('hullo', 'hello'));
    const after = test(project);
    told[project.name] = { before: before.status === 0, after: after.status === 0 || after.said };
  }
  const search = spawnSync('grep', ['-rlsF', ${JSON.stringify(CANARY)}, process.env.HOME + '/', ${JSON.stringify(`${home}/`)},
    ...${JSON.stringify(PASSWORDS)}.flatMap((name) => [process.env.HOME + '/' + name, ${JSON.stringify(`${home}/`)} + name])],
    { encoding: 'utf8' });
  told.passwords = search.stdout;
  const tries = {};
  const change = (path) => { try { writeFileSync(path, '#!/bin/sh\\nexit 0\\n'); tries[path] = 'written'; } catch (error) { tries[path] = error.code; } };
  for (const top of [process.env.HOME, ${JSON.stringify(home)}]) {
    for (const name of ['.cargo/bin/cargo', '.cargo/bin/git', '.cargo/registry/src/greet-1.0.0/word', '.m2/repository/evil',
      '.rustup/toolchains/stable-x86_64-unknown-linux-gnu/bin/cargo', 'go/pkg/mod/evil', 'tools/venv/bin/python', '.bashrc'])
      change(top + '/' + name);
  }
  for (const path of ['/usr/local/bin/evil', ${JSON.stringify(`${commands}/env`)}, ${JSON.stringify(`${commands}/path`)}]) change(path);
  told.onPath = tries[${JSON.stringify(`${home}/.cargo/bin/git`)}];
  told.throughLink = tries[process.env.HOME + '/.cargo/bin/git'];
  told.inCache = tries[${JSON.stringify(`${home}/.cargo/registry/src/greet-1.0.0/word`)}];
  told.variables = Object.keys(process.env);
  say(JSON.stringify(told)); finish(JSON.stringify(told));`;

describe.each<Account>(['root', 'sudo'])('the toolchains of the runner (as %s)', (account) => {
  const why = obstacle(account);
  if (why !== undefined) {
    it(`were not tried here: ${why}`, () => {
      expect(obstacle(account)).toBe(why);
    });
    return;
  }

  it(
    'are there for a repair, unchanged afterwards, without credentials and without a way to later steps',
    async () => {
      const [home, commands, workspace] = [makeHome(), makeFolder('commands'), makeProjects()];
      for (const name of ['env', 'path']) writeFileSync(join(commands, name), '');
      const before = contentOf(home);
      const step = await runStepAs(account, fakeAgent(repairing(home, commands)), {
        workspace,
        // The agent also spoils the caches. The verification finds them as they were.
        inputs: { preset: 'fix-ci', isolation: 'required', verify: verifyAll },
        env: {
          ...toolEnvironment(home),
          GITHUB_ENV: join(commands, 'env'),
          GITHUB_PATH: join(commands, 'path'),
        },
      });
      expect(step.errors).toEqual([]);
      expect(step.outputs.get('verification')).toBe('passed');
      const told = JSON.parse(step.outputs.get('result') ?? '{}') as Record<string, unknown>;
      for (const { name } of present)
        expect({ [name]: told[name] }).toEqual({ [name]: { before: false, after: true } });
      expect(told).toMatchObject({
        passwords: '',
        onPath: 'EROFS',
        throughLink: 'EROFS',
        inCache: 'written',
      });
      expect(told['variables']).toEqual(expect.arrayContaining(['CARGO_HOME', 'RUSTUP_HOME', 'VIRTUAL_ENV']));
      for (const { name, wrong } of present)
        expect(readFileSync(join(workspace, name, wrong), 'utf8')).toContain('hello');
      expect(contentOf(home)).toBe(before);
      for (const name of ['env', 'path']) expect(readFileSync(join(commands, name), 'utf8')).toBe('');
      expect(step.stdout).toMatch(/Toolchains and caches for the agent: .*Go, Rust, Cargo, Python/);
      expect(step.stdout).toContain(`${home}/.cargo/registry (copy-on-write)`);
      expect(step.stdout).toContain(`${home}/.cargo/bin (read-only)`);
    },
    PATIENCE_MS,
  );
});

/** Without the owner, which a test changes when it gives the home to an account. */
const contentOf = (home: string): string => fingerprint(home, 'without owners');

describe('the languages', () => {
  it('include those that the checks install', () => {
    expect(present.map(({ name }) => name)).toEqual(expect.arrayContaining(ALWAYS));
  });
  for (const { name, needs } of LANGUAGES.filter((language) => !present.includes(language))) {
    it(`do not include ${name} here, because it needs ${missing(needs).join(' and ')}`, () => {
      expect(ALWAYS).not.toContain(name);
    });
  }
});

describe('an agent that runs no commands, or is not isolated', () => {
  const told = `init(); finish(JSON.stringify(process.env));`;
  const home = () => {
    const folder = makeFolder('runner-home');
    writeTree(folder, { '.rustup/settings.toml': '', '.cargo/registry/a': '', 'go/pkg/mod/a': '' });
    return folder;
  };
  const seen = async (inputs: Record<string, string>, runnerHome = home()) => {
    const agent = fakeAgent(told);
    const env = { HOME: runnerHome, JAVA_HOME: '/usr', GOTOOLCHAIN: 'local' };
    const step = await runStep({ inputs: { 'cli-path': agent.path, ...inputs }, env });
    return { step, env: agent.sightings()[0]?.env ?? {} };
  };

  it('gets nothing with the preset review', async () => {
    const { step, env } = await seen({ preset: 'review' });
    expect(env).not.toHaveProperty('GOTOOLCHAIN');
    expect(step.stdout).not.toContain('Toolchains');
  });

  it('gets programs but no caches without isolation, because a build would change them', async () => {
    const runnerHome = home();
    const { step, env } = await seen({ preset: 'fix-ci' }, runnerHome);
    expect(env).toMatchObject({ GOTOOLCHAIN: 'local', RUSTUP_HOME: join(runnerHome, '.rustup') });
    expect(env).not.toHaveProperty('CARGO_HOME');
    expect(step.stdout).toContain(
      `left out: ${runnerHome}/.cargo/registry: the agent is not isolated, so a build would change it`,
    );
  });
});
