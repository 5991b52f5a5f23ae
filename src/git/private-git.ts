import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { attempt } from '../core/errors.js';
import { unlessAborted } from '../core/abort.js';
import {
  askProgram,
  leadsInto,
  runProgram,
  startProgram,
  SYSTEM_PATH,
  type Program,
} from '../core/programs.js';

export type ObjectFormat = 'sha1' | 'sha256';

interface GitCall {
  args: readonly string[];
  /** Where the files are, if not in the work tree that was given when git was opened. */
  workTree?: string;
  input?: Buffer;
  /** An open file that the output is written to, instead of into memory. */
  output?: number;
  /** The exit codes that are answers. All others are failures. Only 0 by default. */
  answers?: readonly number[];
}

/** Git with a repository folder of our own. It never reads the configuration of the repository it looks at. */
export interface PrivateGit {
  folder: string;
  index: string;
  /** Runs a command and blocks until it ends. For input, for large output, and in synchronous code. */
  call(call: GitCall): Buffer;
  /** Asks for a short answer, without blocking. */
  ask(args: readonly string[]): Promise<Buffer>;
  /** Fetches commits into the private object store. The repository itself does not change. */
  fetch(order: FetchOrder): Promise<void>;
  close(): void;
}

export interface PrivateGitRequest {
  program: string;
  /** A private folder. The repository folder is created in it under a new name, so it cannot be prepared. */
  scratch: string;
  format: ObjectFormat;
  workTree?: string;
  objects?: string;
  /** The file that lists the commits at which the history in that store is cut off. It need not exist. */
  shallow?: string;
  fileMode?: boolean;
  /**
   * `plain` takes every file as it is. `tree` respects the attributes of the work tree, and those of the index for
   * files that the work tree lacks. No filter is configured here, so none is ever run.
   */
  attributes?: 'plain' | 'tree';
  /** The repository's settings for line endings. They matter with `tree` only. */
  lineEndings?: LineEndings;
}

export type LineEndings = Readonly<Record<'core.autocrlf' | 'core.eol', string>>;

/**
 * Git never gets the `.git` of the repository as its repository folder. So it cannot write there, and it does not
 * read the configuration (which could name filters, hooks, a file system monitor, diff drivers, remotes to fetch
 * missing objects from, or includes), the attributes, the replacement refs or the grafts. Git sees only the work
 * tree, a copy of the index and, for reading, the object store.
 */
export function openPrivateGit(request: PrivateGitRequest): PrivateGit {
  mkdirSync(request.scratch, { recursive: true });
  const folder = mkdtempSync(join(request.scratch, 'git-'));
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
    index: join(folder, 'index'),
    call: (call) => callGit(request, folder, call),
    ask: (args) => askGit(request, folder, args),
    fetch: (order) => fetchCommits(request, folder, order),
    close: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a command prints, as text without the line end. */
export const gitAnswer = (
  git: PrivateGit,
  args: readonly string[],
  answers: readonly number[] = [0],
): string => git.call({ args, answers }).toString('utf8').trim();

export const idLines = (ids: readonly string[]): Buffer => Buffer.from(ids.map((id) => `${id}\n`).join(''));

/** The sizes of blobs by their ids, in bytes. What the clone lacks is left out. */
export function blobSizes(git: PrivateGit, ids: readonly string[]): Map<string, number> {
  if (ids.length === 0) return new Map();
  const answer = git.call({ args: ['cat-file', '--batch-check'], input: idLines(ids) }).toString('latin1');
  return new Map(
    [...answer.matchAll(/^([0-9a-f]+) blob (\d+)$/gm)].map(([, id = '', size]) => [id, Number(size)]),
  );
}

/**
 * Declares every file plain: no filter, no line ending, no encoding, no driver. In `info/attributes` it overrides
 * every `.gitattributes` of the tree.
 */
const PLAIN_ATTRIBUTES =
  '* !filter !text !eol !crlf !ident !working-tree-encoding !diff !merge !whitespace !conflict-marker-size\n';

const HARDENED = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.untrackedCache=false',
  // The objects written here are needed for a moment only.
  'core.fsync=none',
  'core.safecrlf=false',
  'protocol.allow=never',
  'safe.directory=*',
];

const FLAGS = ['--no-optional-locks', '--no-replace-objects', ...HARDENED.flatMap((line) => ['-c', line])];
const PLAIN_LINE_ENDINGS: LineEndings = { 'core.autocrlf': 'false', 'core.eol': 'lf' };

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 2 ** 30;

function callGit(request: PrivateGitRequest, folder: string, call: GitCall): Buffer {
  const workTree = call.workTree ?? request.workTree ?? folder;
  const { input, output } = call;
  const run = runProgram(commandIn(request, folder, { args: call.args, workTree }), {
    ...(input ? { input } : {}),
    ...(output === undefined ? {} : { output }),
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: TIMEOUT_MS,
  });
  if (run.error || !(call.answers ?? [0]).includes(run.status ?? -1)) {
    throw failed(call.args, run.error?.message ?? run.stderr.toString('utf8'), run.status);
  }
  return output === undefined ? run.stdout : Buffer.alloc(0);
}

const MAX_ANSWER_BYTES = 2 ** 24;

async function askGit(request: PrivateGitRequest, folder: string, args: readonly string[]): Promise<Buffer> {
  const workTree = request.workTree ?? folder;
  const run = askProgram(commandIn(request, folder, { args, workTree }));
  const { code, stdout, stderr } = await unlessAborted(AbortSignal.timeout(TIMEOUT_MS), run, () =>
    failed(args, `no answer within ${TIMEOUT_MS / 1000} s`),
  );
  if (code !== 0) throw failed(args, stderr, code);
  if (stdout.length > MAX_ANSWER_BYTES)
    throw failed(args, `the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
  return stdout;
}

const commandIn = (
  request: PrivateGitRequest,
  folder: string,
  { args, workTree }: { args: readonly string[]; workTree: string },
): Program => ({
  file: request.program,
  args: [...flagsOf(request), ...args],
  cwd: workTree,
  env: environment(folder, workTree),
});

/** What a command prints. It reads no input, and is ended when `signal` is aborted. */
function waitForGit(args: readonly string[], program: Program, signal: AbortSignal): Promise<Buffer> {
  const child = startProgram(program, { signal });
  const answer: Buffer[] = [];
  let bytes = 0;
  let message = '';
  child.stdin.end();
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_ANSWER_BYTES) answer.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(-MAX_ERROR_CHARACTERS);
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => {
      if (code !== 0) fail(failed(args, message, code));
      else if (bytes > MAX_ANSWER_BYTES)
        fail(failed(args, `the answer is larger than ${MAX_ANSWER_BYTES} bytes`));
      else done(Buffer.concat(answer));
    });
  });
}

const flagsOf = ({ lineEndings = PLAIN_LINE_ENDINGS }: PrivateGitRequest): string[] => [
  ...FLAGS,
  ...Object.entries(lineEndings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

const failed = ([command = '']: readonly string[], message: string, code?: number | null): Error =>
  new Error(`git ${command} failed: ${message.trim() || `exit code ${code ?? 'unknown'}`}`);

/** The end of an error message is the part that says why. */
const MAX_ERROR_CHARACTERS = 2000;

/** With these variables, git reads no settings of the machine or its user. */
export const NO_MACHINE_SETTINGS = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
} as const;

/** Contains nothing of our own environment. Only Windows needs to know where it is installed. With an empty PATH, git
 * would look for programs in the working directory. */
function environment(folder: string, workTree: string): Record<string, string> {
  const windows = process.env['SystemRoot'];
  return {
    ...(process.platform === 'win32' && windows !== undefined ? { SystemRoot: windows } : {}),
    HOME: folder,
    PATH: SYSTEM_PATH,
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: join(folder, 'index'),
    ...NO_MACHINE_SETTINGS,
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

interface FetchOrder {
  /** https, or http and file on this machine. */
  url: string;
  wants: readonly string[];
  /** How many commits of history to fetch, counted from each of them. */
  depth: number;
  /** Passed to git in its environment only, because every process can read a command line. */
  token: string | undefined;
  network: Readonly<Record<string, string>>;
  timeoutMs: number;
  cancel: AbortSignal;
}

/** Git asks nothing at a terminal, follows no redirect, and fetches no tags and no submodules. */
async function fetchCommits(request: PrivateGitRequest, folder: string, order: FetchOrder): Promise<void> {
  const args = [
    ...FLAGS,
    // Git must not list the refs of the repository whose objects it borrows: that would read its configuration.
    ...['-c', 'core.alternateRefsCommand=true', '-c', 'http.followRedirects=false'],
    ...['-c', 'credential.helper=', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
    ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'],
    ...[`--depth=${order.depth}`, '--', order.url, ...order.wants],
  ];
  const env = {
    ...environment(folder, folder),
    ...order.network,
    ...credential(order),
    GIT_ALLOW_PROTOCOL: new URL(order.url).protocol.replace(':', ''),
  };
  const signal = AbortSignal.any([order.cancel, AbortSignal.timeout(order.timeoutMs)]);
  await waitForGit(['fetch'], { file: request.program, args, cwd: folder, env }, signal);
}

/** A header for this server only, given to git as configuration in variables that only this process has. */
function credential({ url, token }: FetchOrder): Record<string, string> {
  if (!token || !/^https?:/.test(url)) return {};
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  };
}

const USUAL_ON_WINDOWS = ['C:\\Program Files\\Git\\cmd\\git.exe', 'C:\\Program Files\\Git\\bin\\git.exe'];
const USUAL_ELSEWHERE = ['/usr/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git'];

interface GitSearch {
  path: string | undefined;
  /** Folders whose programs are not trusted: the workspace, temporary folders. */
  untrusted: readonly string[];
}

/**
 * Finds the git to use, once, before the agent runs: in the usual places first, then on PATH, but never in a folder
 * that a checkout or an earlier step can write to, nor through a link in one.
 */
export function findGit({ path, untrusted }: GitSearch): string | undefined {
  const isWindows = process.platform === 'win32';
  const name = isWindows ? 'git.exe' : 'git';
  const usual = isWindows ? USUAL_ON_WINDOWS : USUAL_ELSEWHERE;
  const onPath = (path ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  return [...usual, ...onPath].find((candidate) => isProgram(candidate) && !leadsInto(candidate, untrusted));
}

const isProgram = (path: string): boolean =>
  attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }) === true;
