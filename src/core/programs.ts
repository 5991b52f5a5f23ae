import {
  spawn,
  spawnSync,
  type ChildProcessWithoutNullStreams,
  type SpawnSyncReturns,
} from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, join, parse, posix, relative, resolve, sep, win32 } from 'node:path';
import { exec } from '@actions/exec';
import { foldPath } from '../text/paths.js';
import { attempt } from './errors.js';

/**
 * Everything that the action starts, it starts here; a lint rule allows no other way. An earlier step can have put a
 * folder of the checkout on PATH, and Windows looks in the working directory first, so no program is looked up there:
 * it is given by its full path, or is a tool of the system. None inherits our environment, which contains tokens.
 */

/** Tools of the system are found here. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** They name files with certificates, which a program must be able to read. */
export const CERTIFICATE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

/** Quotes any text as one word for a POSIX shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The full path of a tool of the system. */
export function systemProgram(name: string, platform: string = process.platform): string {
  if (platform === 'win32')
    return win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', `${name}.exe`);
  // A tool that is missing fails like any program that is not where it is expected.
  return findSystemProgram(name) ?? posix.join('/usr/bin', name);
}

/** Whether this machine has a tool. */
export const hasSystemProgram = (name: string): boolean => findSystemProgram(name) !== undefined;

const findSystemProgram = (name: string): string | undefined =>
  SYSTEM_PATH.split(':')
    .map((folder) => posix.join(folder, name))
    .find((path) =>
      attempt(() => {
        accessSync(path, constants.X_OK);
        return true;
      }),
    );

/** What to start. */
export interface Program {
  /** A full path, or the name of a tool of the system. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
}

interface StartOptions {
  /** Whether it leads a process group of its own. */
  detached?: boolean;
  /** It is ended when this is aborted, or after this time. */
  signal?: AbortSignal;
  timeout?: number;
  killSignal?: NodeJS.Signals;
}

/** A program that runs. Its three streams are pipes. */
export type Child = ChildProcessWithoutNullStreams;

/** Starts a program. */
export function startProgram(program: Program, options: StartOptions = {}): Child {
  const { cwd, env } = program;
  const isBatch = process.platform === 'win32' && /\.(cmd|bat)$/i.test(program.file);
  const { file, args } = isBatch ? windowsCommand(program.file, program.args) : program;
  const child = spawn(fullPath(file), args, {
    cwd,
    env,
    windowsHide: true,
    windowsVerbatimArguments: isBatch,
    ...options,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // It is no error if a program never reads its input, or closes it.
  child.stdin.on('error', () => undefined);
  return child;
}

/**
 * Windows starts a `.cmd` file only through cmd.exe, which reads its command line twice. Each argument is quoted for the
 * program, and then every character with a meaning in cmd.exe is escaped.
 */
export function windowsCommand(script: string, args: readonly string[]): { file: string; args: string[] } {
  const line = [script, ...args].map((argument) => escapeForCmd(quoteArgument(argument))).join(' ');
  return { file: 'cmd', args: ['/d', '/s', '/c', `"${line}"`] };
}

/** Doubles backslashes before a quote and at the end, and escapes quotes. */
const quoteArgument = (argument: string): string =>
  `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;

/** Escapes twice, because the batch file expands its arguments once more. */
function escapeForCmd(argument: string): string {
  const once = (text: string) => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
  return once(once(argument));
}

interface RunOptions {
  input?: Buffer;
  /** An open file that the output is written to, instead of into memory. `ignore`: also what it says on stderr. */
  output?: number | 'ignore';
  timeout?: number;
  maxBuffer?: number;
}

/** Runs a program to its end. */
export const runProgram = (
  { file, args, cwd, env }: Program,
  { input = Buffer.alloc(0), output, ...limits }: RunOptions = {},
): SpawnSyncReturns<Buffer> =>
  spawnSync(fullPath(file), args, {
    cwd,
    env,
    windowsHide: true,
    input,
    ...limits,
    stdio: output === 'ignore' ? 'ignore' : ['pipe', output ?? 'pipe', 'pipe'],
  });

/** What a program printed, and how it ended. */
interface ProgramAnswer {
  code: number;
  stdout: Buffer;
  /** The end of it. */
  stderr: string;
}

const MAX_STDERR = 2000;

/**
 * Runs a program that reads no input and needs not be ended, and returns what it prints. @actions/exec keeps the bytes;
 * it gets a full path and a whole environment, so it looks nothing up and inherits nothing.
 */
export async function askProgram({ file, args, cwd, env }: Program): Promise<ProgramAnswer> {
  const chunks: Buffer[] = [];
  let stderr = '';
  // It parses the program like a command line.
  const code = await exec(`"${fullPath(file).replaceAll('"', '\\"')}"`, [...args], {
    cwd,
    env,
    silent: true,
    ignoreReturnCode: true,
    listeners: {
      stdout: (chunk) => chunks.push(chunk),
      stderr: (chunk) => (stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR)),
    },
  });
  return { code, stdout: Buffer.concat(chunks), stderr };
}

/** The same for a program that gets input, or has to be ended. */
export async function askWithin(
  program: Program,
  { input = '', ...options }: StartOptions & { input?: string },
): Promise<ProgramAnswer> {
  const child = startProgram(program, options);
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString('utf8')).slice(-MAX_STDERR)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, stdout: Buffer.concat(chunks), stderr };
}

const fullPath = (file: string): string => (isAbsolute(file) ? file : systemProgram(file));

/** Whether a path is in one of these folders, leads into one, or goes through a link in one. */
export function leadsInto(path: string, folders: readonly string[]): boolean {
  const tops = folders.map(realPath);
  const places = [...placesOnTheWay(resolve(path)), realPath(path)];
  return places.some((place) => tops.some((top) => isInside(place, top)));
}

/** On some systems it also has the case that the name has on the disk. */
const realPath = (path: string): string => attempt(() => realpathSync.native(path)) ?? resolve(path);

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/** Each folder and link that the system goes through on the way to what a path names. No folder in them is a link. */
function placesOnTheWay(path: string): string[] {
  const places: string[] = [];
  const { root } = parse(path);
  let at = root;
  const left = path.slice(root.length).split(sep);
  for (let links = 0, name = left.shift(); name !== undefined; name = left.shift()) {
    const next = join(at, name);
    places.push(next);
    const target = attempt(() => readlinkSync(next));
    if (target === undefined) at = next;
    else if ((links += 1) > MAX_LINKS) break;
    else if (isAbsolute(target)) {
      at = parse(target).root;
      left.unshift(...target.slice(at.length).split(sep));
    } else left.unshift(...target.split(sep));
  }
  return places;
}

/** Case counts nowhere, because on some systems it does not. */
function isInside(path: string, folder: string): boolean {
  const way = relative(foldPath(folder), foldPath(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
