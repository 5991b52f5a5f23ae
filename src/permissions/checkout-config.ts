import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { attempt, codeOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { fromText, isText, joinBytes, toBytes, toText, type BytePath } from '../git/paths.js';
import {
  BEGINS_LIKE_STEERING,
  classify,
  isSteeringFolder,
  mayLinkToSteering,
  mayMatter,
  steeringFolders,
  type ConfigKind,
} from './steering-files.js';

interface ConfigFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  kind: ConfigKind;
}

interface FoundConfig {
  /** Every file that steers the agent and can be set aside. */
  config: ConfigFile[];
  /** Every folder, file or link named `.git`, including the root's own. */
  gitEntries: string[];
}

type FolderEntry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>;

/** What the search needs from the file system. */
interface Disk {
  /** Names are in bytes, as paths are. */
  list(folder: BytePath): FolderEntry[];
  /** Whether the folder belongs to the user we run as. */
  isOurs(folder: BytePath): boolean;
}

const DISK: Disk = {
  list: (folder) => readdirSync(toBytes(folder), { encoding: 'latin1', withFileTypes: true }),
  // Windows cannot say. There, every folder counts as ours, so one that cannot be read is an error.
  isOurs: (folder) => process.getuid === undefined || lstatSync(toBytes(folder)).uid === process.getuid(),
};

interface Search {
  disk?: Disk;
  /** Called for each file and folder. */
  onEntry?: () => void;
}

/**
 * Searches every folder except `.git`. It fails if a folder cannot be read, because a file that is not found would
 * take effect. Links are not followed. A link in the place of a steering folder counts as configuration, because the
 * CLI would follow it.
 */
export function findConfig(root: string, { disk = DISK, onEntry }: Search = {}): FoundConfig {
  const top = fromText(root);
  const config: ConfigFile[] = [];
  const gitEntries: string[] = [];
  const folders = [{ path: '', steers: false }];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for (const entry of entriesOf(joinBytes(top, folder.path), disk)) {
      onEntry?.();
      const { name } = entry;
      const path = joinBytes(folder.path, name);
      if (isGit(name)) gitEntries.push(asText(path));
      if (name === '.git') continue;
      const steers = folder.steers || (BEGINS_LIKE_STEERING.test(name) && mayMatter(toText(name)));
      if (entry.isDirectory()) folders.push({ path, steers });
      else if (steers) {
        const kind = kindOf(entry, toText(path), () => namesBehind(joinBytes(top, path), disk));
        if (kind) config.push({ path: asText(path), kind });
      }
    }
  }
  return { config: config.sort((a, b) => (a.path < b.path ? -1 : 1)), gitEntries: gitEntries.sort() };
}

/** In any case, because some file systems ignore it. Only the lower case form belongs to git on all of them. */
const isGit = (name: BytePath): boolean => name.length === 4 && name.toLowerCase() === '.git';

/** A link is judged by its own name and place, and by the names in the folder that it leads to. */
function kindOf(entry: FolderEntry, path: string, namesIn: () => string[]): ConfigKind | undefined {
  if (!entry.isSymbolicLink()) return classify(path);
  if (isSteeringFolder(path.slice(path.lastIndexOf('/') + 1))) return 'configuration';
  return classify(path) ?? (mayLinkToSteering(path, namesIn()) ? 'configuration' : undefined);
}

/** None if the link leads to no folder. */
const namesBehind = (link: BytePath, disk: Disk): string[] =>
  (attempt(() => disk.list(link)) ?? []).map(({ name }) => toText(name));

function entriesOf(folder: BytePath, disk: Disk): FolderEntry[] {
  try {
    return disk.list(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return [];
    // It belongs to another user and is closed to us, so it is closed to the agent as well.
    if ((code === 'EACCES' || code === 'EPERM') && !disk.isOurs(folder)) return [];
    const detail =
      `working-directory: ${shorten(toText(folder))} cannot be read (${code || 'unknown error'}), so it cannot be ` +
      'searched for files that configure the agent. Make it readable for the runner’s user, or remove it in a step ' +
      'before this one.';
    throw new RunFailure('invalid-input', detail, { cause: error });
  }
}

/** Set-aside paths are passed on as text. A path that is not valid text could not be found again. */
function asText(path: BytePath): string {
  if (isText(path)) return toText(path);
  const detail =
    `working-directory: ${shorten(toText(path))} configures the agent or git and has to be set aside, but its path ` +
    'is not valid UTF-8. Rename the folder, or remove it in a step before this one.';
  throw new RunFailure('invalid-input', detail);
}

const MAX_SHOWN = 300;
const shorten = (path: string): string => (path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path);

/** Which rules the agent sees: those of the checkout, those of the base, or none. */
type RulesChoice = 'head' | 'base' | 'none';

export interface RulesRequest {
  choice: RulesChoice;
  /** All files of the checkout that steer the agent. */
  found: readonly ConfigFile[];
  /** The rules of the base commit by path, or why they are not available. */
  base: { files: Readonly<Record<string, Buffer>> } | { missing: string } | undefined;
  /** The action's own files. */
  own: Readonly<Record<string, string>>;
}

/** What the agent must not see, and what it must see. Paths start at the top of the checkout. */
interface Arrangement {
  setAside: readonly string[];
  files: Readonly<Record<string, string | Buffer>>;
  /** Says that the rules of the base commit are not available. */
  note?: string;
}

export function arrangeConfig({ choice, found, base, own }: RulesRequest): Arrangement {
  const rules = choice === 'base' && base !== undefined ? base : { files: {} };
  if ('missing' in rules) {
    const note = `The project rules of the base could not be read (${rules.missing}), so the agent saw none.`;
    return { setAside: setAsideList(found, choice, Object.keys(own)), files: own, note };
  }
  const files = { ...rules.files, ...own };
  return { setAside: setAsideList(found, choice, Object.keys(files)), files };
}

/**
 * The shortest list of paths that covers every file to set aside. A steering folder is listed as a whole if nothing in
 * it stays and no file is planted in it (`planted`). Otherwise its files are listed one by one, so that everything the
 * agent writes there is still reported.
 */
export function setAsideList(
  found: readonly ConfigFile[],
  choice: RulesChoice,
  planted: readonly string[] = [],
): string[] {
  const goes = ({ kind }: ConfigFile) => choice !== 'head' || kind === 'configuration';
  const staying = [...found.filter((file) => !goes(file)).map(({ path }) => path), ...planted];
  const kept = new Set(staying.flatMap(steeringFolders));
  const leaving = found
    .filter(goes)
    .map(({ path }) => steeringFolders(path).find((folder) => !kept.has(folder)) ?? path);
  return [...new Set(leaving)];
}
