import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isForbiddenForAgent, isSetByAction } from '../../../src/agent/environment.js';
import {
  describeToolchain,
  findToolchain,
  toolchainNotes,
  type PathInfo,
  type ToolchainRequest,
} from '../../../src/sandbox/tools/toolchain.js';
import { TOOLS } from '../../../src/sandbox/tools/toolchain-table.js';

const HOME = '/home/runner';
const OWN = '/temp/agent/home';
const SECRET = 'hunter2-hunter2';

/** A machine with these folders, by the names in them. A text is where a link leads. */
function machine(folders: Readonly<Record<string, readonly string[] | string | Partial<PathInfo>>>) {
  return (path: string): PathInfo | undefined => {
    const entry = folders[path];
    if (entry === undefined) return undefined;
    if (typeof entry === 'string') return { real: entry, is: 'folder', owner: 1001, names: [] };
    const more = Array.isArray(entry) ? { names: entry as readonly string[] } : (entry as Partial<PathInfo>);
    return { real: path, is: 'folder', owner: 1001, names: [], ...more };
  };
}

const find = (
  folders: Parameters<typeof machine>[0],
  ours: ToolchainRequest['ours'] = {},
  more: Partial<ToolchainRequest> = {},
) =>
  findToolchain({
    ours,
    homes: [HOME],
    home: OWN,
    uid: 1001,
    checkout: `${HOME}/work/repo`,
    closed: [HOME, '/temp'],
    fixed: ['/usr/bin', `${HOME}/.cargo/bin`],
    sharing: 'layers',
    isSecret: (value) => value.includes(SECRET),
    look: machine(folders),
    ...more,
  });

const RUST = {
  [`${HOME}/.rustup`]: ['toolchains'],
  [`${HOME}/.cargo`]: ['bin', 'registry', 'credentials.toml'],
  [`${HOME}/.cargo/bin`]: ['cargo'],
  [`${HOME}/.cargo/registry`]: ['index', '.npmrc'],
};

describe('folders in the home of the runner', () => {
  it('become layers, and the variables that tools need are set', () => {
    const { env, layers, absent, shown, links } = find(RUST);
    expect(env).toEqual({ RUSTUP_HOME: `${HOME}/.rustup`, CARGO_HOME: `${OWN}/.cargo` });
    expect(layers).toEqual([`${HOME}/.rustup`, `${HOME}/.cargo/registry`]);
    expect(absent).toEqual([`${HOME}/.cargo/registry/.npmrc`]);
    // It is on PATH: an agent that could write there would choose what the commands it may run are.
    expect(shown).toEqual([`${HOME}/.cargo/bin`]);
    expect(links).toEqual({
      '.rustup': `${HOME}/.rustup`,
      '.cargo/bin': `${HOME}/.cargo/bin`,
      '.cargo/registry': `${HOME}/.cargo/registry`,
    });
  });

  it('are read-only without overlayfs, and a note names those that a tool has to write to', () => {
    const toolchain = find(
      { ...RUST, [`${HOME}/.gradle`]: [], [`${HOME}/.gradle/caches`]: ['gradle.properties'] },
      {},
      { sharing: 'read-only' },
    );
    expect(toolchain.layers).toEqual([]);
    expect(toolchain.shown).toContain(`${HOME}/.cargo/registry`);
    expect(toolchain.hidden).toContain(`${HOME}/.gradle/caches/gradle.properties`);
    expect(toolchainNotes(toolchain).join()).toContain(`${HOME}/.gradle/caches.`);
  });

  it('are left alone without isolation, except for programs', () => {
    const { env, layers, leftOut } = find(RUST, { CARGO_HOME: `${HOME}/.cargo` }, { sharing: 'none' });
    expect(env).toEqual({ RUSTUP_HOME: `${HOME}/.rustup` });
    expect(layers).toEqual([]);
    expect(leftOut.join()).toMatch(/registry: the agent is not isolated/);
  });

  it.each<[string, Parameters<typeof machine>[0], RegExp]>([
    ['a link', { [`${HOME}/.rustup`]: `${HOME}/.ssh` }, /it is a link/],
    ['a link to the checkout', { [`${HOME}/.rustup`]: `${HOME}/work/repo/x` }, /it is a link/],
    ['a folder of another user', { [`${HOME}/.rustup`]: { owner: 1002 } }, /belongs to another user/],
  ])('are left out if there is %s', (_, folders, why) => {
    const { layers, shown, env, leftOut } = find(folders);
    expect({ layers, shown, env }).toEqual({ layers: [], shown: [], env: {} });
    expect(leftOut.join()).toMatch(why);
  });

  it('are left out if they cannot be read, as the layer itself could be', () => {
    const look = (path: string): PathInfo | undefined =>
      path === `${HOME}/.rustup` ? { real: path, is: 'folder', owner: 0 } : undefined;
    expect(find({}, {}, { look })).toMatchObject({ layers: [], env: {} });
  });

  it('are left out if the home is in the checkout', () => {
    expect(find(RUST, {}, { checkout: HOME }).layers).toEqual([]);
  });

  it('have one layer, although several variables name parts of it', () => {
    const folders = {
      [`${HOME}/go`]: ['pkg'],
      [`${HOME}/go/pkg`]: ['mod'],
      [`${HOME}/go/pkg/mod`]: ['.netrc'],
    };
    const { layers, absent, links, env } = find(folders);
    expect(layers).toEqual([`${HOME}/go/pkg`]);
    expect(absent).toEqual([`${HOME}/go/pkg/mod/.netrc`]);
    expect(links).toEqual({ 'go/pkg': `${HOME}/go/pkg` });
    expect(env).toEqual({ GOPATH: `${OWN}/go` });
  });

  it('include an empty one for Maven, because Java does not look at HOME', () => {
    expect(find({ '/usr/lib/jvm': [] }, { JAVA_HOME: '/usr/lib/jvm' }).made).toEqual([
      `${HOME}/.m2/repository`,
    ]);
  });
});

describe('variables', () => {
  const folders = {
    '/opt/jdk': [],
    '/opt/cargo': ['registry', 'credentials.toml', 'config.toml'],
    '/opt/cargo/registry': ['index'],
    '/opt/modules': [],
    '/opt/linked': '/opt/modules',
    '/opt': ['modules'],
    [HOME]: [],
  };

  it('that name folders elsewhere make those layers, without the credentials in them', () => {
    const { env, layers, hidden, links } = find(folders, {
      CARGO_HOME: '/opt/cargo',
      GOMODCACHE: '/opt/linked',
    });
    expect(env).toEqual({ CARGO_HOME: `${OWN}/.cargo`, GOMODCACHE: '/opt/modules' });
    expect(layers).toEqual(['/opt/modules', '/opt/cargo/registry']);
    expect(hidden).toEqual(['/opt/cargo/credentials.toml', '/opt/cargo/config.toml']);
    expect(links['.cargo/registry']).toBe('/opt/cargo/registry');
  });

  it('are passed on if they say where something is, or its version', () => {
    const given = {
      JAVA_HOME: '/opt/jdk',
      JAVA_HOME_17_X64: '/opt/jdk',
      RUSTUP_TOOLCHAIN: 'nightly-2030-01-31',
      GOTOOLCHAIN: 'go1.22.3+auto',
      MAVEN_ARGS: '-B -ntp -T2C',
      BUNDLE_PATH: 'vendor/bundle',
      CARGO_TARGET_DIR: `${HOME}/work/repo/target`,
    };
    expect(find(folders, { ...given, MAVEN_OPTS: '-Xmx1g', SOMETHING: '/opt/jdk' }).env).toEqual(given);
  });

  it.each<[string, string]>([
    ['JAVA_HOME', '/opt/missing'],
    ['JAVA_HOME', 'https://user:password@example.com/jdk'],
    ['JAVA_HOME', `/opt/${SECRET}`],
    ['JAVA_HOME', HOME],
    ['JAVA_HOME', '/'],
    ['GOMODCACHE', HOME],
    ['GOMODCACHE', '/home'],
    ['GOMODCACHE', '/opt'],
    ['GOMODCACHE', '/opt/modules:/opt/jdk'],
    ['GOMODCACHE', '../outside'],
    ['CARGO_TARGET_DIR', `${HOME}/work/repo/../../.ssh`],
    ['RUSTUP_TOOLCHAIN', 'stable $(id)'],
    ['RUSTUP_TOOLCHAIN', SECRET],
    ['MAVEN_ARGS', '-B -s /home/runner/.m2/settings.xml'],
    ['MAVEN_ARGS', '-Drepository.password=x'],
    ['MAVEN_ARGS', `-B ${SECRET}`],
  ])('are left out otherwise: %s=%s', (name, value) => {
    const toolchain = find({ ...folders, '/': [], '/home': [] }, { [name]: value });
    expect(toolchain.env).toEqual({});
    expect([...toolchain.layers, ...toolchain.shown]).toEqual([]);
    expect(describeToolchain(toolchain).lines.join()).toContain(`left out: `);
    expect(describeToolchain(toolchain).lines.join()).not.toContain(SECRET);
  });

  it('that are called like something every object has mean nothing', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(find({}, { [name]: 'x' }).env).toEqual(find({}).env);
  });

  it('of the table are none that an agent must not have', () => {
    const names = TOOLS.flatMap(
      ({ places = [], versions = [], flags = new Map<string, RegExp>(), stores = [] }) => [
        ...places.filter((name) => typeof name === 'string'),
        ...versions,
        ...flags.keys(),
        ...stores.flatMap(({ variables = [] }) => variables),
      ],
    );
    expect(names.filter((name) => isForbiddenForAgent(name) || isSetByAction(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('never bring a secret into the environment, whatever surrounds it', () => {
    const names = ['JAVA_HOME', 'GOMODCACHE', 'RUSTUP_TOOLCHAIN', 'MAVEN_ARGS', 'BUNDLE_PATH'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), fc.string(), (name, before, after) => {
        const value = `${before}${SECRET}${after}`;
        const look = (path: string): PathInfo => ({ real: path, is: 'folder', owner: 1001, names: [] });
        expect(Object.values(find({}, { [name]: value }, { look, homes: [] }).env)).not.toContain(value);
      }),
    );
  });
});
