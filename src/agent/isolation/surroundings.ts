import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Rule } from './access.js';
import { withoutCredentials } from './git-config.js';
import { findGitFolders } from './git-folders.js';
import { isBelow, parseMounts, type Mount } from './mounts.js';

/** What the action knows about the places of a run. All paths are absolute and exist. */
export interface Places {
  workspace: string;
  /** Whether the agent may write the workspace at all; what exactly it may write is for the check afterwards. */
  access: 'read' | 'write';
  home: string;
  temp: string;
  /** Our files in the workspace, which the agent reads and must not change. */
  ownFiles: readonly string[];
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

/** Where people and other actions leave credentials in a home folder; the agent has a home of its own. */
const CREDENTIALS_AT_HOME = [
  '.aws',
  '.azure',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.config/gcloud',
  '.config/gh',
  '.config/git',
  '.cursor',
  '.docker',
  '.gem/credentials',
  '.git-credentials',
  '.gitconfig',
  '.gnupg',
  '.kube',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.ssh',
  '.terraform.d',
];
/** What a self-hosted runner keeps beside itself. */
const CREDENTIALS_OF_RUNNER = ['.credentials', '.credentials_rsaparams', '.runner', '.env', '_diag'];

const CERTIFICATE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Looks at this machine and says what the agent may see of it. Reads; writes nothing but copies into `control`. */
export function surveySurroundings(places: Places): Surroundings {
  const { workspace, access, home, temp } = places;
  const hidden = [...places.hidden, ...SOCKET_FOLDERS, ...credentialPlaces()].flatMap((path) =>
    rule('hidden', path),
  );
  const rules = [
    ...rule(access === 'write' ? 'writable' : 'readable', workspace),
    ...[home, temp].flatMap((path) => rule('writable', path)),
    ...places.ownFiles.flatMap((path) => rule('readable', path)),
    ...gitRules(places),
    ...hidden,
    ...neededPlaces(places, hidden).flatMap((path) => shownRules(path)),
  ];
  return {
    rules: [...rules, ...socketRules([workspace, home, temp, ...hidden.map(({ path }) => path)])],
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

function gitRules({ workspace, control }: Places): Rule[] {
  const { folders, configs, credentials } = findGitFolders(workspace);
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

function credentialPlaces(): string[] {
  const homes = new Set([homedir(), accountHome()]);
  // The runner starts actions with a Node of its own, which lies in its folder.
  const runner = /^(.*)\/externals\/node[^/]*\/bin\/node$/.exec(process.execPath)?.[1];
  return [
    ...[...homes].flatMap((home) => CREDENTIALS_AT_HOME.map((name) => join(home, name))),
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

function neededPlaces({ cli, shown, env }: Places, hidden: readonly Rule[]): string[] {
  const isHidden = (path: string) => hidden.some((rule) => isBelow(path, rule.path));
  const programs = (env['PATH'] ?? '').split(delimiter).filter((path) => isAbsolute(path));
  return [
    ...shown,
    // A program brings along what it needs, in the folder it really lies in.
    ...[cli, realOrSame(cli)].flatMap((path) => [path, dirname(path)]),
    ...programs,
    // Programs in `bin` look for the rest of themselves beside it.
    ...programs.map((path) => dirname(path)).filter(isHidden),
    ...CERTIFICATE_VARIABLES.flatMap((name) => env[name] ?? []),
    // Often it leads into a folder that is hidden here; without it no name can be looked up.
    ...linkChain('/etc/resolv.conf'),
  ];
}

/** A path and what it leads to, link by link. */
export function linkChain(path: string, most = 8): string[] {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || most === 0) return [path];
  return [path, ...linkChain(resolve(dirname(path), readlinkSync(path)), most - 1)];
}

/** Sockets elsewhere, such as that of an ssh-agent: one can be used through a read-only folder, too. */
function socketRules(elsewhere: readonly string[]): Rule[] {
  const paths = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  return [...new Set(paths)]
    .filter((path) => !elsewhere.some((folder) => isBelow(path, folder)))
    .filter((path) => lstatOrNothing(path)?.isSocket() === true)
    .flatMap((path) => rule('hidden', path));
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
