import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { RunFailure } from '../core/failure.js';
import { fromText, isText, joinBytes, toBytes, toText, type BytePath } from '../git/byte-path.js';
import { classify, isSteeringFolder, mayMatter, type ConfigKind } from '../permissions/steering-files.js';

export interface ConfigFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  kind: ConfigKind;
}

export interface FoundConfig {
  /** Every file that steers the agent and can be set aside. */
  config: ConfigFile[];
  /** Everything called `.git`, the root's own included, be it a folder, a file or a link. */
  gitEntries: string[];
}

export type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>;

/** What the search asks of the file system. */
export interface Disk {
  /** Names are bytes, as paths are. */
  list(folder: BytePath): Entry[];
  /** Whether the folder belongs to the user we run as. */
  isOurs(folder: BytePath): boolean;
}

const DISK: Disk = {
  list: (folder) => readdirSync(toBytes(folder), { encoding: 'latin1', withFileTypes: true }),
  // On Windows there is no answer; then the folder counts as ours, and that it cannot be read as a failure.
  isOurs: (folder) => process.getuid === undefined || lstatSync(toBytes(folder)).uid === process.getuid(),
};

/**
 * Looks everywhere but into `.git`, and fails where it cannot look: what it misses would stay live. Links are
 * never followed; one in the place of a steering folder is configuration, because the CLI would follow it.
 */
export function findConfig(root: string, disk: Disk = DISK): FoundConfig {
  const top = fromText(root);
  const config: ConfigFile[] = [];
  const gitEntries: string[] = [];
  const folders = [{ path: '', steers: false }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const entry of entriesOf(joinBytes(top, folder.path), disk)) {
      const { name } = entry;
      const path = joinBytes(folder.path, name);
      if (isGit(name)) gitEntries.push(nameable(path));
      if (name === '.git') continue;
      const steers = folder.steers || (MAY_MATTER.test(name) && mayMatter(toText(name)));
      if (entry.isDirectory()) folders.push({ path, steers });
      else if (steers) {
        const kind = kindOf(entry, toText(path));
        if (kind) config.push({ path: nameable(path), kind });
      }
    }
  }
  return { config: config.sort((a, b) => (a.path < b.path ? -1 : 1)), gitEntries: gitEntries.sort() };
}

/** How every name that matters begins, other spellings of it included: spares most names the closer look. */
const MAY_MATTER = /^[.acg\x80-\xff]/i;

/** In any case, because some file systems do not tell; only the usual spelling is git's everywhere. */
const isGit = (name: BytePath): boolean => name.length === 4 && name.toLowerCase() === '.git';

function kindOf(entry: Entry, path: string): ConfigKind | undefined {
  const isLinkedFolder = entry.isSymbolicLink() && isSteeringFolder(path.slice(path.lastIndexOf('/') + 1));
  return isLinkedFolder ? 'configuration' : classify(path);
}

function entriesOf(folder: BytePath, disk: Disk): Entry[] {
  try {
    return disk.list(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return [];
    // Somebody else's, and closed to us: then it is closed to the agent, too.
    if ((code === 'EACCES' || code === 'EPERM') && !disk.isOurs(folder)) return [];
    const detail =
      `working-directory: ${shorten(toText(folder))} cannot be read (${code}), so it cannot be searched for files ` +
      'that configure the agent. Make it readable for the runner’s user, or remove it in a step before this one.';
    throw new RunFailure('invalid-input', detail, { cause: error });
  }
}

/** What we hand on is text. A name that is none could not be found again by it, and would stay in place. */
function nameable(path: BytePath): string {
  if (isText(path)) return toText(path);
  const detail =
    `working-directory: ${shorten(toText(path))} configures the agent or git and has to be set aside, but its path ` +
    'is not valid UTF-8. Rename the folder, or remove it in a step before this one.';
  throw new RunFailure('invalid-input', detail);
}

const MOST_SHOWN = 300;
const shorten = (path: string): string => (path.length > MOST_SHOWN ? `${path.slice(0, MOST_SHOWN)}…` : path);

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown error';
