import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, posix, resolve } from 'node:path';
import { attempt } from '../../core/errors.js';
import { CERTIFICATE_VARIABLES, leadsInto } from '../../core/programs.js';
import { isWithin } from '../../git/paths.js';
import { findGitFolders, withoutCredentials } from '../../git/repository.js';
import { MAX_PROCESSES, type Enclosure, type User } from './isolate.js';
import { isBelow, readMounts, type Mount, type Rule } from './mounts.js';

/** Asks the system, which is much faster than looking at each folder on the way. A survey needs dozens of answers. */
const realPath = realpathSync.native;

// Most of the paths that are looked at may be absent, or closed to us.
const realOrSame = (path: string): string => attempt(() => realPath(path)) ?? path;
const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder)) ?? [];
/** Where a link leads; empty if it cannot be read. */
const linkAt = (path: string): string => attempt(() => readlinkSync(path)) ?? '';
const whatIs = (path: string): Rule['is'] => (statSync(path).isDirectory() ? 'folder' : 'file');

/** The paths of a run that matter for isolation. All are absolute and exist. */
export interface AgentPaths {
  /** The checkout, and the folder that receives what the agent writes to it. */
  layer: { root: string; by: string; as: 'overlay' | 'copy' };
  /** Where the agent works: the checkout or a folder in it. */
  directory: string;
  home: string;
  temp: string;
  /** Folders with files that are not for the agent: the runner's temporary folder, the results of this run. */
  hidden: readonly string[];
  cli: string;
  /** Files and folders that the agent is told to read. */
  shown: readonly string[];
  /** The agent's environment. The folders and certificates that it names must be visible. */
  env: Readonly<Record<string, string>>;
  /** Files in the home that the agent must not change. They exist when it is started. */
  locked?: readonly string[];
  /** Our folder for copies of files without their credentials. */
  control: string;
  /** The folders of tools that the agent may use. */
  tools?: ToolFolders;
}

/** Folders of tools, such as caches of what they downloaded. They belong to the runner and must not change. */
export interface ToolFolders {
  /** Folders that become layers, by the folder that receives what the agent writes. */
  layers: Readonly<Record<string, string>>;
  /** Files in them that the agent must not see. */
  absent: readonly string[];
  /** Folders that do not exist, by the empty folder that the agent sees in their place. */
  made: Readonly<Record<string, string>>;
  /** Files in folders that the agent can read, which it must not see. */
  hidden: readonly string[];
}

/** Services with more rights than the agent listen here: docker, systemd, D-Bus. */
const SOCKET_FOLDERS = ['/run', '/var/run'];

/** Other processes leave sockets and secrets here, so the agent sees a folder of its own instead. */
const TEMPORARY_FOLDERS = ['/tmp', '/var/tmp'];

/**
 * Credentials that can be in the same folder as programs. The rest of the home folder is hidden as a whole, because the
 * agent has a home of its own.
 */
const CREDENTIALS_AMONG_PROGRAMS = [
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/composer/auth.json',
  '.composer/auth.json',
  '.gem/credentials',
  '.gradle/gradle.properties',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.terraform.d/credentials.tfrc.json',
];
/** Credentials that a self-hosted runner keeps in its own folder. */
const CREDENTIALS_OF_RUNNER = ['.credentials', '.credentials_rsaparams', '.runner', '.env', '_diag'];

export function planEnclosure(
  paths: AgentPaths,
  { privilege, keyring }: Pick<Enclosure, 'privilege' | 'keyring'>,
): Omit<Enclosure, 'layer'> {
  const user = currentUser();
  if (user === undefined) throw new Error('A process can be isolated on Linux only.');
  mkdirSync(paths.control, { recursive: true });
  const locked = { below: paths.home, files: paths.locked ?? [] };
  const place = findCgroupPlace();
  const cgroups = 'folder' in place ? place.folder : undefined;
  const absent = paths.tools?.absent;
  const alive = join(paths.control, 'alive');
  return { ...surveyMachine(paths), privilege, user, keyring, cgroups, locked, absent, alive };
}

/** Decides what the agent may see of this machine. Only reads, except for cleaned copies of files in `control`. */
export function surveyMachine(paths: AgentPaths): { rules: Rule[]; mounts: Mount[] } {
  const { layer, home, temp } = paths;
  const homes = runnerHomes().filter(
    // If the home is the checkout itself or inside of it, the agent is meant to see it.
    (home) => !isWithin(home, layer.root),
  );
  const hidden = [...paths.hidden, ...SOCKET_FOLDERS, ...homes, ...credentialPlaces(homes)].flatMap((path) =>
    rule('hidden', path),
  );
  const temporary = TEMPORARY_FOLDERS.flatMap(existing).map((place): Rule => ({
    kind: 'private',
    ...place,
    by: temp,
  }));
  const rules: Rule[] = [
    { kind: 'layered', path: layer.root, is: 'folder', by: layer.by, as: layer.as },
    ...toolRules(paths),
    ...[home, temp].flatMap((path) => rule('writable', path)),
    ...gitRules(paths),
    ...hidden,
    ...temporary,
    ...neededPlaces(paths, [...hidden, ...temporary], homes).flatMap((path) => shownRules(path)),
  ];
  return { rules: [...rules, ...socketRules(rules)], mounts: readMounts() };
}

/** The real path and what is there. A path that does not exist needs no rule. */
const existing = (path: string): Pick<Rule, 'path' | 'is'>[] =>
  attempt(() => {
    const real = realPath(path);
    return [{ path: real, is: whatIs(real) }];
  }) ?? [];

const rule = (kind: 'hidden' | 'writable', path: string): Rule[] =>
  existing(path).map((place) => ({ kind, ...place }));

/** Shown under both its given and its real path, because links inside a hidden folder are hidden too. */
const shownRules = (path: string): Rule[] =>
  attempt(() => {
    const is = whatIs(path);
    const [given, real] = [resolve(path), realPath(path)];
    const shown: Rule = { kind: 'shown', path: real, is };
    return given === real ? [shown] : [{ ...shown, path: given, by: real }, shown];
  }) ?? [];

function toolRules({ tools }: AgentPaths): Rule[] {
  if (!tools) return [];
  return [
    ...Object.entries(tools.layers).map(([path, by]): Rule => ({
      kind: 'layered',
      path,
      is: 'folder',
      by,
      as: 'optional-overlay',
    })),
    ...Object.entries(tools.made).map(([path, by]): Rule => ({ kind: 'private', path, is: 'folder', by })),
    ...tools.hidden.flatMap((path) => rule('hidden', path)),
  ];
}

/** For the repository of the working directory. The layer removes credentials of other repositories in the checkout. */
function gitRules({ directory, control }: AgentPaths): Rule[] {
  const { folders, configs, credentials } = findGitFolders(directory);
  mkdirSync(control, { recursive: true });
  const replaced = configs.map((path, index): Rule => {
    const by = join(control, `git-config-${index}`);
    writeFileSync(by, withoutCredentials(readFileSync(path, 'utf8')), { mode: 0o600 });
    return { kind: 'replaced', path: realPath(path), is: 'file', by };
  });
  return [
    ...folders.map(({ path, is }): Rule => ({ kind: 'readable', path, is })),
    ...replaced,
    ...credentials.flatMap((path) => rule('hidden', path)),
  ];
}

/**
 * The homes of the runner's user: HOME first, then that of the account. In a container they can differ, or the user may
 * have no account.
 */
export const runnerHomes = (): string[] =>
  homesToHide([homedir(), attempt(() => userInfo().homedir) ?? homedir()].map(realOrSame));

/** In some containers the home is a system folder. It cannot be hidden, because everything else is in it. */
export const homesToHide = (homes: readonly string[]): string[] =>
  [...new Set(homes)].filter((home) => isAbsolute(home) && !SYSTEM_FOLDERS.includes(home));

const SYSTEM_FOLDERS = [
  ...['/', '/bin', '/dev', '/etc', '/lib', '/opt', '/proc', '/sbin', '/sys', '/usr', '/var'],
];

function credentialPlaces(homes: readonly string[]): string[] {
  // The runner starts actions with a Node from its own folder.
  const runner = /^(.*)\/externals\/node[^/]*\/bin\/node$/.exec(process.execPath)?.[1];
  return [
    ...homes.flatMap((home) => CREDENTIALS_AMONG_PROGRAMS.map((name) => join(home, name))),
    ...(runner === undefined ? [] : CREDENTIALS_OF_RUNNER.map((name) => join(runner, name))),
  ];
}

function neededPlaces(
  { cli, shown, env, layer }: AgentPaths,
  hidden: readonly Rule[],
  homes: readonly string[],
): string[] {
  const isHidden = (path: string) => hidden.some((rule) => isBelow(path, rule.path));
  const programs = (env['PATH'] ?? '')
    .split(delimiter)
    // What leads into the checkout from elsewhere would show the original files, also those that the layer lacks.
    .filter((path) => isAbsolute(path) && !leadsInto(path, [layer.root]));
  return [
    ...shown,
    // A program finds the files that it needs in its real folder.
    ...[cli, realOrSame(cli)].flatMap((path) => [path, dirname(path)]),
    ...programs.filter((path) => !homes.includes(realOrSame(path))),
    ...programs.filter(isHidden).flatMap((path) => besidePrograms(path, homes)),
    ...CERTIFICATE_VARIABLES.flatMap((name) => env[name] ?? []),
    // It is often a link into a folder that is hidden here, and names cannot be resolved without it.
    ...linkChain('/etc/resolv.conf'),
  ];
}

/**
 * Programs in `bin` need files from the folder around it, and links in `bin` lead to programs elsewhere. Both are shown,
 * except for folders that several programs share, because those can contain credentials.
 */
function besidePrograms(folder: string, homes: readonly string[]): string[] {
  const real = realOrSame(folder);
  const programs = (attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => realOrSame(join(folder, name)))
    .filter((path) => !isBelow(path, real) && isProgram(path));
  const folders = [
    ...programFolders(folder).slice(1),
    ...programs.flatMap((path) => programFolders(dirname(path))),
  ];
  return [...programs, ...folders.filter((path) => !isShared(path, homes))];
}

/** The folder of a program and, if that is a `bin` folder, the folder around it. */
const programFolders = (folder: string): string[] =>
  /^\.?s?bin$/.test(basename(folder)) ? [folder, dirname(folder)] : [folder];

/** Folders that several programs share, such as `~`, `~/.cargo`, `~/.local/share` and `~/.config/gh`. */
const isShared = (path: string, homes: readonly string[]): boolean =>
  homes.some(
    (home) =>
      isWithin(home, path) || [home, join(home, '.local'), join(home, '.config')].includes(dirname(path)),
  );

function isProgram(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() && (stat.mode & 0o111) !== 0;
}

/** A path and every link on the way to what it leads to. */
export function linkChain(path: string, max = 8): string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || max === 0) return [path];
  return [path, ...linkChain(resolve(dirname(path), readlinkSync(path)), max - 1)];
}

/**
 * Hides sockets in other folders, such as that of an ssh-agent, because a socket can be used even in a read-only folder.
 * A socket that was bound by a relative path is listed with that path, so it is looked for in its owner's folder.
 */
function socketRules(rules: readonly Rule[]): Rule[] {
  const listed = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, inode = '', path = ''] = /^(?:\S+\s+){6}(\S+)\s+([^@\s].*)$/.exec(line) ?? [];
      return path === '' ? [] : [{ inode, path }];
    });
  const relative = new Map(
    listed.filter(({ path }) => !isAbsolute(path)).map(({ inode, path }) => [inode, path]),
  );
  const paths = [
    ...listed.map(({ path }) => path).filter(isAbsolute),
    ...(relative.size === 0 ? [] : findRelativeSockets(relative)),
  ];
  return (
    [...new Set(paths)]
      // A socket can be in a folder that is closed to us. Then it is closed to the agent too.
      .filter((path) => attempt(() => lstatSync(path, { throwIfNoEntry: false })?.isSocket()) === true)
      .flatMap((path) => rule('hidden', path))
      // The agent is meant to reach a socket that is shown by its own path.
      .filter(({ path }) => !rules.some((one) => one.kind === 'shown' && one.path === path))
      .filter(({ path }) => isWithinReach(path, rules))
  );
}

/** Whether the agent can reach this path. A layer, a copy and an empty folder contain no sockets of others. */
function isWithinReach(path: string, rules: readonly Rule[]): boolean {
  const covering = rules.filter((one) => isBelow(path, one.path));
  const nearest = Math.max(...covering.map((one) => one.path.length));
  return covering
    .filter((one) => one.path.length === nearest)
    .every(({ kind }) => kind === 'readable' || kind === 'shown');
}

/** The full paths of sockets with a relative path, by inode, as far as we may look at the processes that own them. */
function findRelativeSockets(sockets: ReadonlyMap<string, string>): string[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      namesIn(`/proc/${pid}/fd`).flatMap((fd) => {
        const inode = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${fd}`))?.[1] ?? '';
        const path = sockets.get(inode);
        const folder = path === undefined ? '' : linkAt(`/proc/${pid}/cwd`);
        return path === undefined || folder === '' ? [] : [resolve(folder, path)];
      }),
    );
}

export function currentUser(): User | undefined {
  if (process.platform !== 'linux') return undefined;
  const [uid, gid, groups] = [process.getuid?.(), process.getgid?.(), process.getgroups?.()];
  if (uid === undefined || gid === undefined || groups === undefined) return undefined;
  return { uid, gid, groups, umask: currentUmask() };
}

/** Read from a file, because `process.umask()` would change it for a moment. */
function currentUmask(): number {
  const octal = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return octal === undefined ? 0o022 : Number.parseInt(octal, 8);
}

/**
 * A cgroup of version 2 limits how many processes and threads the agent can have, and ends all of them at once. It is a
 * second fence: without it, the PID namespace ends them too. This is where one can be made, or why none can.
 */
type CgroupPlace = { folder: string } | { why: string };

const CGROUP_LIMITS = ['memory.max', 'cpu.max', 'pids.max'];

/**
 * Beside our own group, because a group with processes cannot limit groups in it. If our own group has limits, they must
 * hold for the agent as well, so it stays in there.
 */
export function findCgroupPlace(read = readIfPossible): CgroupPlace {
  const mount = (read('/proc/self/mountinfo') ?? '')
    .split('\n')
    .map((line) => /^\S+ \S+ \S+ \S+ (\S+) (\S+) .*- cgroup2 /.exec(line))
    .find((found) => found !== null);
  const [, top = '', flags = ''] = mount ?? [];
  if (top === '') return { why: 'there is no cgroup of version 2' };
  if (flags.split(',').includes('ro')) return { why: 'the cgroups are read-only here' };
  const own = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  if (own === undefined || own.includes('..')) return { why: 'our own cgroup is not known' };
  if (own === '/') return { folder: top };
  const isLimited = CGROUP_LIMITS.some((name) =>
    /\d/.test((read(join(top, own, name)) ?? '').split(' ')[0] ?? ''),
  );
  return isLimited ? { why: 'our own cgroup has limits' } : { folder: join(top, posix.dirname(own)) };
}

export function describeCgroup(): string {
  const place = findCgroupPlace();
  return 'folder' in place
    ? `Where root may, a cgroup for the agent is made in ${place.folder}, with at most ${MAX_PROCESSES} processes.`
    : `There is no cgroup for the agent: ${place.why}.`;
}

const readIfPossible = (path: string): string | undefined => attempt(() => readFileSync(path, 'utf8'));
