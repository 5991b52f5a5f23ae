import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchCommits, type FetchOrder } from './private-fetch.js';

/** How a repository names its objects. */
export type BlobFormat = 'sha1' | 'sha256';

const TIMEOUT_MS = 120_000;
const MOST_OUTPUT = 2 ** 30;

/**
 * Says of every file that it is plain: no filter, no line ending, no encoding, no driver. It stands in
 * `info/attributes`, which wins over every `.gitattributes` of the tree.
 */
const PLAIN_ATTRIBUTES =
  '* !filter !text !eol !crlf !ident !working-tree-encoding !diff !merge !whitespace !conflict-marker-size\n';

export interface GitCall {
  args: readonly string[];
  /** Where the files are, when it is not where they were said to be when it was opened. */
  workTree?: string;
  input?: Buffer;
  /** A file the output goes to, past our memory. */
  output?: number;
  /** Exit codes that are answers, not failures; 0 alone unless said. */
  answers?: readonly number[];
}

/** Git on a repository folder of our own: it never reads the configuration of the repository it looks at. */
export interface PrivateGit {
  /** The private repository folder. */
  folder: string;
  /** The index it works on. */
  index: string;
  call(call: GitCall): Buffer;
  /** Gets commits from elsewhere into the private object store; the repository itself stays as it is. */
  fetch(order: FetchOrder): Promise<void>;
  close(): void;
}

export interface PrivateGitRequest {
  program: string;
  /** A private folder to make it in; made anew each time, so that nobody can have prepared it. */
  parent: string;
  format: BlobFormat;
  workTree?: string;
  /** The index to work on, when it is not the private one. */
  index?: string;
  /** An object store that may be read besides the private one. */
  objects?: string;
  /** Git's list of the commits whose history is cut off in that store; it need not exist. */
  shallow?: string;
  fileMode?: boolean;
  /**
   * `plain` takes every file as it is. `tree` lets the attributes of the work tree speak, and of the index where it has
   * none; no filter they name is known here, so none is run.
   */
  attributes?: 'plain' | 'tree';
  /** The repository's settings on line ends, where attributes speak. */
  lineEnds?: Readonly<Record<'core.autocrlf' | 'core.eol', string>>;
}

/**
 * The repository's own `.git` is never used as git's repository folder: its config (which could name filters,
 * hooks, a file-system monitor, diff drivers, remotes to fetch missing objects from, or includes), its
 * attributes, replacement refs and grafts are thereby out of reach, and nothing can be written to it. Of the
 * repository, git sees the work tree, a copy of the index and, to read, the object store.
 */
export function openPrivateGit(request: PrivateGitRequest): PrivateGit {
  mkdirSync(request.parent, { recursive: true });
  const folder = mkdtempSync(join(request.parent, 'git-'));
  for (const name of ['objects/info', 'objects/pack', 'refs', 'info']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(folder, 'config'), configText(request));
  if (request.attributes !== 'tree') writeFileSync(join(folder, 'info', 'attributes'), PLAIN_ATTRIBUTES);
  if (request.objects !== undefined) {
    writeFileSync(join(folder, 'objects', 'info', 'alternates'), `${request.objects}\n`);
  }
  if (request.shallow !== undefined && existsSync(request.shallow)) {
    copyFileSync(request.shallow, join(folder, 'shallow'));
  }
  return {
    folder,
    index: request.index ?? join(folder, 'index'),
    call: (call) => runGit(request, folder, call),
    fetch: (order) => {
      const env = environment(request, folder, folder);
      return fetchCommits({ program: request.program, folder, env, flags: FLAGS }, order);
    },
    close: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const HARDENED = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.untrackedCache=false',
  // What is kept here is needed for a moment only.
  'core.fsync=none',
  'core.safecrlf=false',
  'protocol.allow=never',
  'safe.directory=*',
];

const FLAGS = ['--no-optional-locks', '--no-replace-objects', ...HARDENED.flatMap((line) => ['-c', line])];
const PLAIN_LINE_ENDS = { 'core.autocrlf': 'false', 'core.eol': 'lf' };

function runGit(request: PrivateGitRequest, folder: string, call: GitCall): Buffer {
  const workTree = call.workTree ?? request.workTree ?? folder;
  const lineEnds = Object.entries(request.lineEnds ?? PLAIN_LINE_ENDS).map(
    ([name, value]) => `${name}=${value}`,
  );
  const flags = [...FLAGS, ...lineEnds.flatMap((line) => ['-c', line])];
  const done = spawnSync(request.program, [...flags, ...call.args], {
    cwd: workTree,
    env: environment(request, folder, workTree),
    input: call.input ?? Buffer.alloc(0),
    stdio: ['pipe', call.output ?? 'pipe', 'pipe'],
    maxBuffer: MOST_OUTPUT,
    timeout: TIMEOUT_MS,
    windowsHide: true,
  });
  if (done.error || !(call.answers ?? [0]).includes(done.status ?? -1)) {
    const words = done.error?.message ?? done.stderr.toString('utf8').trim();
    throw new Error(`git ${call.args[0] ?? ''} failed: ${words || `exit code ${done.status ?? 'unknown'}`}`);
  }
  return call.output === undefined ? done.stdout : Buffer.alloc(0);
}

/** Built from nothing; Windows alone needs to know where it is installed. */
function environment(request: PrivateGitRequest, folder: string, workTree: string): Record<string, string> {
  const windows = process.env['SystemRoot'];
  return {
    ...(process.platform === 'win32' && windows !== undefined ? { SystemRoot: windows } : {}),
    HOME: folder,
    PATH: '',
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: request.index ?? join(folder, 'index'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: '',
  };
}

function configText({ format, fileMode }: PrivateGitRequest): string {
  return [
    '[core]',
    `repositoryformatversion = ${format === 'sha256' ? 1 : 0}`,
    'bare = false',
    `filemode = ${String(fileMode ?? true)}`,
    'ignorecase = false',
    'precomposeunicode = false',
    'protectHFS = false',
    'protectNTFS = false',
    ...(format === 'sha256' ? ['[extensions]', 'objectformat = sha256'] : []),
    '',
  ].join('\n');
}
