import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { runProgram, SYSTEM_PATH } from '../core/programs.js';
import { findGit, NO_MACHINE_SETTINGS } from '../git/private-git.js';
import { parseJson } from '../text/json.js';
import type { Request } from './arguments.js';

/** One run of an action: which, where, and with which inputs. */
export interface Trial {
  title: string;
  /** The bundle in dist/. */
  bundle: 'run' | 'doctor';
  workspace: string;
  /** The event that the demo is about. Other trials have none, even if a workflow runs them. */
  event?: Readonly<Record<string, string>>;
  inputs: Record<string, string>;
}

/** Everything from outside that a trial needs. */
interface TrialPlace {
  /** The folder of the action. */
  root: string;
  /** A folder that is removed afterwards. */
  scratch: string;
  /** The folder the user is in. */
  here: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export function makeTrial(request: Request, place: TrialPlace): Trial {
  if (request.replay !== undefined) return replayTrial(request, request.replay, place);
  return request.kind === 'demo' ? demoTrial(place) : realTrial(request, place);
}

/** A push to a small project, reviewed. A pull request would need GitHub. */
function demoTrial({ root, scratch, env, platform }: TrialPlace): Trial {
  const demo = join(root, 'fixtures', 'demo');
  const workspace = join(scratch, 'workspace');
  const [before, after] = ['base', 'change'].map((folder) => {
    cpSync(join(demo, folder), workspace, { recursive: true });
    return commitAll(workspace, env);
  });
  const payload = join(scratch, 'event.json');
  const repository = { full_name: 'demo/invoices', default_branch: 'main' };
  writeFileSync(payload, JSON.stringify({ ref: 'refs/heads/main', before, after, repository }));
  return {
    title: 'The demo: an agent that asks no model reviews a small change with three bugs.',
    bundle: 'run',
    workspace,
    event: before === undefined ? {} : { GITHUB_EVENT_NAME: 'push', GITHUB_EVENT_PATH: payload },
    inputs: {
      summary: 'compact',
      'api-key': 'demo-key-that-opens-nothing',
      // Cursor would refuse this key, and the demo needs no network.
      credential: 'key',
      // The demo has no server from which rules could come.
      'project-rules': 'none',
      'cli-path': join(demo, platform === 'win32' ? 'cursor-agent.cmd' : 'cursor-agent'),
    },
  };
}

/** Commits what is in a folder, and returns the commit. Without git there is none, and the action says so. */
function commitAll(folder: string, env: NodeJS.ProcessEnv): string | undefined {
  const file = findGit({ path: env['PATH'], untrusted: [folder] });
  if (file === undefined) return undefined;
  const own = { HOME: folder, PATH: SYSTEM_PATH, ...NO_MACHINE_SETTINGS };
  const git = (...args: string[]) =>
    runProgram({ file, args, cwd: folder, env: own }).stdout.toString('utf8');
  git('init', '--quiet', '--template=');
  git('add', '--all');
  const author = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.com'];
  git(...author, 'commit', '--quiet', '--message', 'The demo');
  return git('rev-parse', 'HEAD').trim();
}

/** An environment without variables that have no value. */
export const definedOnly = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** The real agent on the folder that the user is in, or the doctor, which uses a scratch repository of its own. */
function realTrial({ kind, inputs }: Request, { here, env, platform }: TrialPlace): Trial {
  const isDoctor = kind === 'doctor';
  const isClido = inputs['agent'] === 'clido';
  const key = env['CURSOR_API_KEY'] ?? '';
  if (key === '' && !isClido && inputs['api-key'] === undefined) {
    throw new Error(
      isDoctor
        ? 'Set CURSOR_API_KEY: the doctor checks the real CLI with your key.'
        : 'Set CURSOR_API_KEY to run the real agent; without arguments a demo runs that needs no key.',
    );
  }
  const isChosen = ['cli-path', 'cli-version', 'cli-sha256', 'cli-download-url'].some(
    (name) => inputs[name] !== undefined,
  );
  const cliPath = isChosen
    ? undefined
    : findProgram(isClido ? 'clido' : 'cursor-agent', env['PATH'], platform);
  const program = cliPath === undefined ? '' : ` (${cliPath})`;
  return {
    title: isDoctor
      ? `The doctor: the real agent${program} on a scratch repository.`
      : `The real agent${program} on ${here}.`,
    bundle: isDoctor ? 'doctor' : 'run',
    workspace: here,
    inputs: { 'api-key': key, ...(cliPath === undefined ? {} : { 'cli-path': cliPath }), ...inputs },
  };
}

/** A program that replaces the CLI and prints the recording. Nothing in its working directory matters. */
function replayTrial({ inputs }: Request, given: string, { scratch, here, platform }: TrialPlace): Trial {
  const path = resolve(here, given);
  if (!existsSync(path) || !statSync(path).isFile()) throw new Error(`There is no recording at ${path}.`);
  const recording = readFileSync(path);
  if (!isRecording(recording)) {
    throw new Error(
      `${path} is not a recorded stream: no line of it is a JSON record with a type. Give a file that --record wrote, ` +
        'or the transcript-file of a run.',
    );
  }
  const folder = join(scratch, 'player');
  const workspace = join(scratch, 'workspace');
  mkdirSync(folder);
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'README.md'), 'A recording is played here.\n');
  const stream = join(folder, 'stream.ndjson');
  writeFileSync(stream, readRecording(recording));
  return {
    title: `The recording ${path}, played to the action as if an agent said it.`,
    bundle: 'run',
    workspace,
    inputs: {
      prompt: 'Play the recording.',
      'api-key': 'replay-key-that-opens-nothing',
      credential: 'key',
      ...inputs,
      'cli-path': writePlayer(folder, stream, platform),
    },
  };
}

function writePlayer(folder: string, stream: string, platform: NodeJS.Platform): string {
  const script = join(folder, 'play.mjs');
  writeFileSync(
    script,
    `import { createReadStream } from 'node:fs';
process.stdin.resume().on('end', () => createReadStream(${JSON.stringify(stream)}).pipe(process.stdout));
`,
  );
  const isWindows = platform === 'win32';
  const program = join(folder, isWindows ? 'cursor-agent.cmd' : 'cursor-agent');
  const node = process.execPath;
  writeFileSync(
    program,
    isWindows ? `@"${node}" "${script}" %*\r\n` : `#!/bin/sh\nexec '${quoted(node)}' '${quoted(script)}'\n`,
  );
  chmodSync(program, 0o755);
  return program;
}

const quoted = (path: string): string => path.replaceAll("'", `'\\''`);

function findProgram(name: string, path: string | undefined, platform: NodeJS.Platform): string | undefined {
  const file = platform === 'win32' ? `${name}.cmd` : name;
  return (path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => resolve(folder, file))
    .find((candidate) => existsSync(candidate));
}

/**
 * Turns a transcript back into the stream it was written from: a transcript wraps lines that are no JSON object, and
 * here they are unwrapped. A recorded stream stays as it is.
 */
export function readRecording(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  if (!text.includes('"unparsed"')) return bytes;
  return Buffer.from(text.split('\n').map(unwrapped).join('\n'));
}

/** Whether a file has anything of a stream in it: a line that is a JSON object with a type, as every dialect has it. */
const isRecording = (bytes: Buffer): boolean =>
  bytes
    .toString('utf8')
    .split('\n')
    .some((line) => typeof parsed(line)?.['type'] === 'string');

const parsed = (line: string): Record<string, unknown> | undefined =>
  line.startsWith('{') ? (parseJson(line) as Record<string, unknown> | undefined) : undefined;

function unwrapped(line: string): string {
  const record = line.startsWith('{"type":"unparsed"') ? parsed(line) : undefined;
  const isWrapped = record !== undefined && Object.keys(record).join() === 'type,line,text';
  return isWrapped && typeof record['text'] === 'string' ? record['text'] : line;
}
