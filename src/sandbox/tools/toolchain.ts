import { isAbsolute, join } from 'node:path';
import { isCredentialFile, MAVEN_REPOSITORY, TOOLS, type Store, type Tool } from './toolchain-table.js';

export interface PathInfo {
  real: string;
  is: 'folder' | 'file';
  owner: number;
  /** The names in a folder. Missing if they cannot be read. */
  names?: readonly string[];
}

export interface ToolchainRequest {
  ours: Readonly<Record<string, string | undefined>>;
  homes: readonly string[];
  home: string;
  /** The runner's user; undefined on a system without user ids. */
  uid: number | undefined;
  /** The top of the checkout. The agent sees it at this path only if it is isolated. */
  checkout: string;
  /** Folders that are hidden from the agent. None of them may become visible as a part of another folder. */
  closed: readonly string[];
  /** The folders on PATH, the CLI and what our hook needs. The agent must not change them, not even for itself. */
  fixed: readonly string[];
  /**
   * What this machine can do: folders become layers, or can only be read. With `none` the agent is not isolated, so a
   * tool would write to the folders themselves.
   */
  sharing: 'layers' | 'read-only' | 'none';
  isSecret(value: string): boolean;
  look(path: string): PathInfo | undefined;
}

export interface Toolchain {
  env: Record<string, string>;
  /** Folders that the agent may write to without changing them. */
  layers: string[];
  /** Files with credentials that must be absent from these folders. */
  absent: string[];
  /** Folders that do not exist. The agent gets empty ones. */
  made: string[];
  /** What the agent may read, although it can be in a hidden folder. */
  shown: string[];
  hidden: string[];
  /** Links in the agent's home, by their path in it. Tools that look in the home find the folders by them. */
  links: Record<string, string>;
  /** For the log: what was found, by tool. */
  found: { tool: string; what: string }[];
  /** For the log: what was found and is not given, and why. */
  leftOut: string[];
  /** Folders that a tool has to write to and cannot. */
  limited: string[];
}

const nothing = (): Toolchain => ({
  env: {},
  layers: [],
  absent: [],
  made: [],
  shown: [],
  hidden: [],
  links: {},
  found: [],
  leftOut: [],
  limited: [],
});

/** Finds the tools of this machine, in the variables of the action and in the home of the runner. */
export function findToolchain(request: ToolchainRequest): Toolchain {
  const all = nothing();
  for (const tool of TOOLS) {
    const search = { request, tool, all };
    for (const [name, value] of Object.entries(request.ours)) if (value) addVariable(search, { name, value });
    for (const store of tool.stores ?? []) addStore(search, store);
  }
  addMade(request, all);
  return withoutRepeats(all);
}

interface ToolSearch {
  request: ToolchainRequest;
  /** The tool whose variables and folders are looked at. */
  tool: Tool;
  /** What was found so far. */
  all: Toolchain;
}

interface Variable {
  name: string;
  value: string;
}

/** A path that says nothing but where something is. A list of paths has a separator, which is not in here. */
const PATH = /^(\/|[A-Za-z]:[\\/])[\w .+@=~()\\/-]*$/;
/** As Bundler reads it: below the working directory. */
const RELATIVE_PATH = /^[\w+@=~-][\w.+@=~-]*(\/[\w+@=~-][\w.+@=~-]*)*$/;
/** `17`, `1.22.3`, `nightly-2030-01-31`, `stable-x86_64-unknown-linux-gnu`, `go1.22.3+auto`. */
const VERSION = /^[A-Za-z0-9][\w.+-]{0,79}$/;
/** The mount options that make a layer cannot take other characters. */
const PLAIN_PATH = /^\/[\w.+@=~/-]*$/;

/** A variable with the place of something that is installed, a version, or flags. */
function addVariable(search: ToolSearch, variable: Variable): void {
  const { tool, all } = search;
  const { name, value } = variable;
  if (!isPlace(tool, name) && !tool.versions?.includes(name) && !tool.flags?.has(name)) return;
  const why = whyNotPassed(search, variable);
  if (why !== undefined) {
    all.leftOut.push(`${name}: ${why}`);
    return;
  }
  // Something that is installed is visible where it is, read-only.
  if (isPlace(tool, name)) all.shown.push(value);
  give(search, variable);
}

const isPlace = ({ places = [] }: Tool, name: string): boolean =>
  places.some((one) => (typeof one === 'string' ? one === name : one.test(name)));

/** Why the agent does not get this variable of the tool. */
function whyNotPassed({ request, tool }: ToolSearch, { name, value }: Variable): string | undefined {
  if (request.isSecret(value)) return 'its value contains a secret';
  if (isPlace(tool, name)) return whyNoPlace(request, value);
  if (tool.versions?.includes(name)) return unless(VERSION.test(value), 'its value is not a version');
  const words = value.split(/\s+/).filter((word) => word !== '');
  return unless(
    words.every((word) => tool.flags?.get(name)?.test(word)),
    'it has flags that are not passed on',
  );
}

const unless = (isFine: boolean, why: string): string | undefined => (isFine ? undefined : why);

function whyNoPlace(request: ToolchainRequest, value: string): string | undefined {
  const seen = PATH.test(value) ? request.look(value) : undefined;
  return seen ? whyClosed(request, seen.real) : 'its value is not the path of something on this machine';
}

function give({ tool, all }: ToolSearch, { name, value }: Variable): void {
  all.env[name] = value;
  all.found.push({ tool: tool.name, what: `${name}=${value}` });
}

/** A folder of a tool: the one that a variable names, or those in the homes. */
function addStore(search: ToolSearch, store: Store): void {
  const { request, all } = search;
  const name = store.variables?.find((variable) => request.ours[variable]);
  const value = name === undefined ? undefined : request.ours[name];
  if (name !== undefined && value !== undefined) {
    const why = addNamedStore(search, store, { name, value });
    if (why !== undefined) all.leftOut.push(`${name}: ${why}`);
    return;
  }
  const { home } = store;
  for (const folder of home === undefined ? [] : request.homes.map((one) => join(one, home))) {
    const seen = request.look(folder);
    if (seen?.is !== 'folder') continue;
    // Who can put a link there decides what the agent sees. A folder that a variable names was chosen on purpose.
    if (seen.real !== folder) all.leftOut.push(`${folder}: it is a link`);
    else if (addParts(search, store, seen) && (store.isInstalled || store.isRebuilt))
      tellTool(search, store, folder);
  }
}

/** Returns why it is not given. */
function addNamedStore(search: ToolSearch, store: Store, variable: Variable): string | undefined {
  const { request } = search;
  const { value } = variable;
  if (request.isSecret(value)) return 'its value contains a secret';
  if (isInCheckout(request, value)) {
    // It belongs to the layer of the checkout already.
    if (request.sharing === 'none') return 'it names a folder in the checkout, and the agent works on a copy';
    give(search, variable);
    return undefined;
  }
  const seen = PATH.test(value) ? request.look(value) : undefined;
  if (seen?.is !== 'folder') return 'its value is not the path of a folder on this machine';
  const hasPart = addParts(search, store, seen);
  const isWhole = store.parts === undefined;
  // Without its parts the tool starts with nothing, in the place where it may write.
  if (hasPart || (!isWhole && request.sharing !== 'none'))
    tellTool(search, store, isWhole ? seen.real : value);
  return undefined;
}

function tellTool({ request, all }: ToolSearch, { variables, isRebuilt, home }: Store, folder: string): void {
  const name = variables?.[0];
  if (name !== undefined)
    all.env[name] ??= isRebuilt && home !== undefined ? join(request.home, home) : folder;
}

function isInCheckout({ checkout, look }: ToolchainRequest, value: string): boolean {
  if (!isAbsolute(value)) return RELATIVE_PATH.test(value);
  if (!PATH.test(value) || value.split(/[\\/]/).includes('..')) return false;
  return [value, look(value)?.real ?? value].every((path) => isIn(path, checkout));
}

/** Adds the parts of a folder. Returns whether there is one that the agent gets. */
function addParts(search: ToolSearch, store: Store, root: PathInfo): boolean {
  const { request, tool, all } = search;
  const { sharing } = request;
  // They matter where the folder itself is not hidden.
  if (store.parts && sharing !== 'none') all.hidden.push(...credentialsIn(root));
  let hasPart = false;
  for (const part of store.parts ?? ['']) {
    const path = join(root.real, part);
    const seen = request.look(path);
    if (seen?.is !== 'folder') continue;
    const why =
      sharing === 'none' && !store.isInstalled
        ? 'the agent is not isolated, so a build would change it'
        : whyNotShared(request, seen, path);
    if (why !== undefined) {
      all.leftOut.push(`${path}: ${why}`);
      continue;
    }
    hasPart = true;
    if (store.home !== undefined) all.links[join(store.home, part)] ??= path;
    const how = sharing === 'none' ? 'as it is' : share(search, store, seen);
    all.found.push({ tool: tool.name, what: `${path} (${how})` });
  }
  return hasPart;
}

/** As a layer if that is possible; otherwise the agent can read it. */
function share({ request, all }: ToolSearch, store: Store, seen: PathInfo): string {
  const { real: path } = seen;
  const isFixed = request.fixed.some((one) => isIn(one, path)) || !PLAIN_PATH.test(path);
  if (request.sharing === 'layers' && !isFixed) {
    all.layers.push(path);
    all.absent.push(...credentialsIn(seen));
    return 'copy-on-write';
  }
  all.shown.push(path);
  all.hidden.push(...credentialsIn(seen));
  if (store.needsWriting) all.limited.push(path);
  return 'read-only';
}

/**
 * Java reads the home of the account, whatever HOME says, and that folder is hidden. So what a Java program has to write
 * there exists, even if it has not been used yet.
 */
function addMade({ sharing, homes, closed, look }: ToolchainRequest, all: Toolchain): void {
  const account = homes.at(-1);
  const isNeeded = all.found.some(({ tool }) => tool === 'Java');
  if (!isNeeded || sharing === 'none' || account === undefined || !closed.includes(account)) return;
  const path = join(account, MAVEN_REPOSITORY);
  if (look(path) === undefined) all.made.push(path);
}

const credentialsIn = ({ real, names = [] }: PathInfo): string[] =>
  names.filter(isCredentialFile).map((name) => join(real, name));

/** Why something does not become visible. */
function whyClosed({ closed, checkout, sharing }: ToolchainRequest, real: string): string | undefined {
  if (isIn(real, checkout))
    return unless(sharing !== 'none', 'it is in the checkout, and the agent works on a copy');
  if ([...SYSTEM_FOLDERS, ...closed, checkout].some((one) => isIn(one, real)))
    return 'the folder contains more than tools';
  return unless(!OTHER_SYSTEMS.some((one) => isIn(real, one)), 'the folder is not for files');
}

/** Why a folder does not become visible as a part of the agent's home. */
function whyNotShared(request: ToolchainRequest, seen: PathInfo, path: string): string | undefined {
  const { uid, checkout } = request;
  if (seen.real !== path) return 'it is a link';
  if (isIn(path, checkout)) return 'it is in the checkout';
  // Its owner could replace it by something else while the layer is made.
  if (uid !== undefined && seen.owner !== uid && seen.owner !== 0) return 'it belongs to another user';
  // As a layer it would belong to the agent's user, who could then read what is in it.
  if (seen.names === undefined) return 'it cannot be read';
  return whyClosed(request, path);
}

/** Folders with everything, and folders that are not on a disk. */
const SYSTEM_FOLDERS = [
  ...['/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib64', '/media', '/mnt', '/opt', '/proc', '/root'],
  ...['/run', '/sbin', '/srv', '/sys', '/tmp', '/usr', '/usr/local', '/var', '/var/tmp'],
];
const OTHER_SYSTEMS = ['/dev', '/proc', '/run', '/sys', '/var/run'];

/** On Windows a path can have either slash. */
function isIn(path: string, folder: string): boolean {
  const [one, other] = [path, folder].map((name) => `${name.replaceAll('\\', '/').replace(/\/$/, '')}/`);
  return one !== undefined && other !== undefined && one.startsWith(other);
}

/** Without layers and links that are inside of others. */
function withoutRepeats(all: Toolchain): Toolchain {
  const isInside = (path: string, others: readonly string[]) =>
    others.some((other) => other !== path && isIn(path, other));
  const links = Object.keys(all.links);
  return {
    ...all,
    layers: [...new Set(all.layers)].filter((path) => !isInside(path, all.layers)),
    absent: [...new Set(all.absent)],
    shown: [...new Set(all.shown)],
    hidden: [...new Set(all.hidden)],
    links: Object.fromEntries(Object.entries(all.links).filter(([name]) => !isInside(name, links))),
    leftOut: [...new Set(all.leftOut)],
  };
}

/** What was found, for the log: a title, and a line for each thing. */
export function describeToolchain({ found, leftOut }: Toolchain): { title: string; lines: string[] } {
  const names = [...new Set(found.map(({ tool }) => tool))];
  return {
    title: `Toolchains and caches for the agent: ${names.join(', ') || 'none were found'}`,
    lines: [
      ...found.map(({ tool, what }) => `${tool}: ${what}`),
      ...leftOut.map((what) => `left out: ${what}`),
    ],
  };
}

/** What a build may miss, for the summary. */
export const toolchainNotes = ({ limited }: Toolchain): string[] =>
  limited.length === 0
    ? []
    : [
        `The agent can read these folders of the runner but not write to them, so a build that has to may fail: ${limited.join(', ')}.`,
      ];
