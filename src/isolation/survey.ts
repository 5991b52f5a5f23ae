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
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Rule } from './access.js';
import { findGitFolders, withoutCredentials } from '../git/repository.js';
import { isBelow, parseMounts, type Mount } from './mounts.js';

/** What the action knows about the places of a run. All paths are absolute and exist. */
export interface Places {
  /** The checkout, and the folder that takes in what the agent writes to it. */
  layer: { root: string; by: string; as: 'overlay' | 'copy' };
  /** Where the agent works: the checkout or a folder in it. */
  directory: string;
  home: string;
  temp: string;
  /** Folders with files that are not for the agent: the runner's temporary folder, the results of this run. */
  hidden: readonly string[];
  /** The agent's program. */
  cli: string;
  /** What the agent is told to read, wherever it lies. */
  shown: readonly string[];
  /** The agent's environment: the folders and certificates it names have to be there. */
  env: Readonly<Record<string, string>>;
  /** A folder of ours, for copies of files without their credentials. */
  control: string;
}

export interface Surroundings {
  rules: Rule[];
  mounts: Mount[];
}

/** Programs listen here that do for others what those may not do themselves: docker, systemd, D-Bus. */
const SOCKET_FOLDERS = ['/run', '/var/run'];

/** Everybody writes here, and leaves sockets and secrets behind; the agent has a folder of its own in their place. */
const TEMPORARY_FOLDERS = ['/tmp', '/var/tmp'];

/**
 * Credentials in a home folder that lie where programs do, too. The rest of the home folder is hidden as a whole:
 * the agent has a home of its own.
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
/** What a self-hosted runner keeps beside itself. */
const CREDENTIALS_OF_RUNNER = ['.credentials', '.credentials_rsaparams', '.runner', '.env', '_diag'];

const CERTIFICATE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Looks at this machine and says what the agent may see of it. Reads; writes nothing but copies into `control`. */
export function surveySurroundings(places: Places): Surroundings {
  const { layer, home, temp } = places;
  const homes = homesToHide([homedir(), accountHome()].map(realOrSame)).filter(
    // Whoever has the checkout for a home wants the agent to see it.
    (home) => home !== layer.root && !isBelow(home, layer.root),
  );
  const hidden = [...places.hidden, ...SOCKET_FOLDERS, ...homes, ...credentialPlaces(homes)].flatMap((path) =>
    rule('hidden', path),
  );
  const temporary = TEMPORARY_FOLDERS.flatMap((path) => rule('hidden', path)).map(({ path, is }): Rule => ({
    kind: 'private',
    path,
    is,
    by: temp,
  }));
  const rules: Rule[] = [
    { kind: 'layered', path: layer.root, is: 'folder', by: layer.by, as: layer.as },
    ...[home, temp].flatMap((path) => rule('writable', path)),
    ...gitRules(places),
    ...hidden,
    ...temporary,
    ...neededPlaces(places, [...hidden, ...temporary], homes).flatMap((path) => shownRules(path)),
  ];
  return {
    rules: [...rules, ...socketRules(rules)],
    mounts: parseMounts(readFileSync('/proc/self/mountinfo', 'utf8')),
  };
}

/** A rule is about what a path really is; for what is not there none is needed. */
function rule(kind: 'hidden' | 'writable' | 'readable', path: string): Rule[] {
  try {
    const real = realpathSync(path);
    return [{ kind, path: real, is: statSync(real).isDirectory() ? 'folder' : 'file' }];
  } catch {
    return [];
  }
}

/** Shown under the name it is called by too: where a folder is hidden, the links in it are gone as well. */
function shownRules(path: string): Rule[] {
  try {
    const is = statSync(path).isDirectory() ? 'folder' : 'file';
    return [...new Set([resolve(path), realpathSync(path)])].map((name) => ({
      kind: 'shown',
      path: name,
      is,
    }));
  } catch {
    return [];
  }
}

/** Other repositories in the checkout are part of the layer, which is without their credentials. */
function gitRules({ directory, control }: Places): Rule[] {
  const { folders, configs, credentials } = findGitFolders(directory);
  mkdirSync(control, { recursive: true });
  const replaced = configs.map((path, index): Rule => {
    const by = join(control, `git-config-${index}`);
    writeFileSync(by, withoutCredentials(readFileSync(path, 'utf8')), { mode: 0o600 });
    return { kind: 'replaced', path: realpathSync(path), is: 'file', by };
  });
  return [
    ...folders.map(({ path, is }): Rule => ({ kind: 'readable', path, is })),
    ...replaced,
    ...credentials.flatMap((path) => rule('hidden', path)),
  ];
}

/** A home that is a system folder, as in some containers, cannot be hidden: everything else is in there. */
export const homesToHide = (homes: readonly string[]): string[] =>
  [...new Set(homes)].filter((home) => isAbsolute(home) && !SYSTEM_FOLDERS.includes(home));

const SYSTEM_FOLDERS = [
  '/',
  '/bin',
  '/dev',
  '/etc',
  '/lib',
  '/opt',
  '/proc',
  '/sbin',
  '/sys',
  '/usr',
  '/var',
];

function credentialPlaces(homes: readonly string[]): string[] {
  // The runner starts actions with a Node of its own, which lies in its folder.
  const runner = /^(.*)\/externals\/node[^/]*\/bin\/node$/.exec(process.execPath)?.[1];
  return [
    ...homes.flatMap((home) => CREDENTIALS_AMONG_PROGRAMS.map((name) => join(home, name))),
    ...(runner === undefined ? [] : CREDENTIALS_OF_RUNNER.map((name) => join(runner, name))),
  ];
}

/** Whatever HOME says; in a container a user may have no account at all. */
function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return homedir();
  }
}

function neededPlaces(
  { cli, shown, env }: Places,
  hidden: readonly Rule[],
  homes: readonly string[],
): string[] {
  const isHidden = (path: string) => hidden.some((rule) => isBelow(path, rule.path));
  const programs = (env['PATH'] ?? '').split(delimiter).filter((path) => isAbsolute(path));
  return [
    ...shown,
    // A program brings along what it needs, in the folder it really lies in.
    ...[cli, realOrSame(cli)].flatMap((path) => [path, dirname(path)]),
    ...programs.filter((path) => !homes.includes(realOrSame(path))),
    ...programs.filter(isHidden).flatMap((path) => besidePrograms(path, homes)),
    ...CERTIFICATE_VARIABLES.flatMap((name) => env[name] ?? []),
    // Often it leads into a folder that is hidden here; without it no name can be looked up.
    ...linkChain('/etc/resolv.conf'),
  ];
}

/**
 * Programs in `bin` look for the rest of themselves beside it, and links in there lead to where a program really is.
 * That is shown, too, but no folder that several programs share: there lie the credentials of others.
 */
function besidePrograms(folder: string, homes: readonly string[]): string[] {
  const programs = namesIn(folder)
    .map((name) => realOrSame(join(folder, name)))
    .filter((path) => !isBelow(path, realOrSame(folder)) && isProgram(path));
  const folders = [...roomOf(folder).slice(1), ...programs.flatMap((path) => roomOf(dirname(path)))];
  return [...programs, ...folders.filter((path) => !isShared(path, homes))];
}

/** The folder a program lies in, and the one around where that is for programs alone. */
const roomOf = (folder: string): string[] =>
  /^\.?s?bin$/.test(basename(folder)) ? [folder, dirname(folder)] : [folder];

/** Such as `~`, `~/.cargo`, `~/.local/share` and `~/.config/gh`. */
const isShared = (path: string, homes: readonly string[]): boolean =>
  homes.some(
    (home) =>
      path === home ||
      isBelow(home, path) ||
      [home, join(home, '.local'), join(home, '.config')].includes(dirname(path)),
  );

function isProgram(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() && (stat.mode & 0o111) !== 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A path and what it leads to, link by link. */
export function linkChain(path: string, most = 8): string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || most === 0) return [path];
  return [path, ...linkChain(resolve(dirname(path), readlinkSync(path)), most - 1)];
}

/**
 * Sockets elsewhere, such as that of an ssh-agent: one can be used through a read-only folder, too. A socket that was
 * bound by a relative path is listed by that path alone; it is looked for where its owner works.
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
    ...(relative.size === 0 ? [] : ownersOf(relative)),
  ];
  return [...new Set(paths)]
    .filter((path) => lstatOrNothing(path)?.isSocket() === true)
    .flatMap((path) => rule('hidden', path))
    .filter(({ path }) => isWithinReach(path, rules));
}

/** Whether the agent comes to what lies there: a layer, a copy and an empty folder hold no socket of others. */
function isWithinReach(path: string, rules: readonly Rule[]): boolean {
  const covering = rules.filter((one) => isBelow(path, one.path));
  const nearest = Math.max(...covering.map((one) => one.path.length));
  return covering
    .filter((one) => one.path.length === nearest)
    .every(({ kind }) => kind === 'readable' || kind === 'shown');
}

/** Where sockets with a relative path lie, as far as their owners can be looked at: the runner's own processes. */
function ownersOf(sockets: ReadonlyMap<string, string>): string[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      namesIn(`/proc/${pid}/fd`).flatMap((fd) => {
        const inode = /^socket:\[(\d+)\]$/.exec(linkOrNothing(`/proc/${pid}/fd/${fd}`) ?? '')?.[1];
        const path = inode === undefined ? undefined : sockets.get(inode);
        const folder = path === undefined ? undefined : linkOrNothing(`/proc/${pid}/cwd`);
        return path === undefined || folder === undefined ? [] : [resolve(folder, path)];
      }),
    );
}

function linkOrNothing(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** A socket of someone else's may lie where we cannot look; then the agent cannot get there either. */
function lstatOrNothing(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
