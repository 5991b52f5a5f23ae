import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../core/errors.js';
import { runProgram, startProgram } from '../core/programs.js';
import { findGit } from '../git/private-git.js';
import { HELP, parseArguments, type Request } from './arguments.js';
import { parseFileCommand, renderLog, summaryText } from './terminal.js';
import { definedOnly, makeTrial, type Trial } from './trial.js';

/** The repository's root, seen from the bundle in dist/try. */
const ROOT = resolve(process.argv[1] ?? '.', '..', '..', '..');
/** A longer patch is cut; the file has all of it. */
const MAX_PATCH_LINES = 60;

/**
 * Runs the built action in a child process as the runner would: inputs as INPUT_*, file commands, a temporary
 * folder. Only the files that the outputs name remain.
 */
export async function tryAction(args: readonly string[], cancel: AbortSignal): Promise<number> {
  const here = process.env['INIT_CWD'] ?? process.cwd();
  const isDoctor = args.includes('--doctor');
  const request = parseArguments(args, inputNames(isDoctor ? 'doctor/action.yml' : 'action.yml'));
  if ('problem' in request) throw new Error(request.problem);
  if (request.kind === 'help' || request.kind === 'version') {
    print(request.kind === 'help' ? HELP : version());
    return 0;
  }
  const record = request.record === undefined ? undefined : openRecord(resolve(here, request.record));
  const scratch = mkdtempSync(join(tmpdir(), 'try-cursor-agent-'));
  // If the output is piped into a program that stops reading, such as head, the trial still cleans up.
  process.stdout.on('error', () => undefined);
  try {
    const { env, platform } = process;
    const trial = makeTrial(request, { root: ROOT, scratch, here, env, platform });
    print(trial.title);
    if (!isDoctor) print(`Task: ${taskOf(trial.inputs)}`);
    if (findGit({ path: env['PATH'], untrusted: [scratch] }) === undefined) {
      print('git was not found, so what the agent changes cannot be checked or shown.');
    }
    const { code, outputs } = await play(trial, { scratch, cancel, request });
    if (record !== undefined) keepStream(outputs, record);
    return code;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The task in words. An input that is not given has its default. */
function taskOf({ prompt, preset = 'review', ...others }: Readonly<Record<string, string>>): string {
  return prompt || others['prompt-file'] || `the one that is built into preset ${preset}`;
}

function inputNames(action: string): string[] {
  const [, inputs = ''] =
    /^inputs:\n([\s\S]*?)^outputs:/m.exec(readFileSync(join(ROOT, action), 'utf8')) ?? [];
  return [...inputs.matchAll(/^ {2}([a-z0-9-]+):$/gm)].map(([, name = '']) => name);
}

const version = (): string =>
  /"version": "([^"]+)"/.exec(readFileSync(join(ROOT, 'package.json'), 'utf8'))?.[1] ?? 'unknown';

/** Makes the folder of the record before anything runs, so that a run is not paid for and then lost. */
function openRecord(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a'));
  } catch (error) {
    throw new Error(`--record cannot write ${path}: ${messageOf(error)}`, { cause: error });
  }
  return path;
}

type OutputValues = ReadonlyMap<string, string>;

async function play(
  { bundle, workspace, event, inputs }: Trial,
  { scratch, cancel, request }: { scratch: string; cancel: AbortSignal; request: Request },
): Promise<{ code: number; outputs: OutputValues }> {
  const files = { GITHUB_OUTPUT: join(scratch, 'output'), GITHUB_STEP_SUMMARY: join(scratch, 'summary') };
  for (const path of Object.values(files)) writeFileSync(path, '');
  const env = {
    ...process.env,
    ...files,
    GITHUB_WORKSPACE: workspace,
    // A trial is not the event of a workflow, even if a workflow runs it.
    GITHUB_ACTIONS: undefined,
    GITHUB_EVENT_NAME: undefined,
    GITHUB_EVENT_PATH: undefined,
    ...event,
    // Not removed, so that the files that the outputs name can be opened.
    RUNNER_TEMP: tmpdir(),
    ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    ...Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  };
  print(title('Steps'));
  const code = await runBundle(bundle, { cwd: workspace, env }, { cancel, verbose: request.verbose });
  const outputs = parseFileCommand(readFileSync(files.GITHUB_OUTPUT, 'utf8'));
  print(title('Result'), summaryText(readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')));
  for (const [name, output] of [
    ['What changed', 'patch-file'],
    ['What was not applied', 'rejected-patch-file'],
  ] as const) {
    const patch = outputs.get(output) ?? '';
    if (patch !== '') print(title(name), ...patchLines(patch));
  }
  if (request.verbose) print(title('Outputs'), ...outputLines(outputs));
  tidy(outputs);
  showPage(outputs.get('report-html') ?? '', request);
  const recording = outputs.get('recording-file') ?? '';
  if (recording !== '') print('', `The streams, redacted, for a bug report: ${recording}`);
  return { code, outputs };
}

/** If the trial is cancelled, the action ends its agent and reports what it has. The trial waits for that. */
function runBundle(
  bundle: Trial['bundle'],
  place: { cwd: string; env: NodeJS.ProcessEnv },
  { cancel, verbose }: { cancel: AbortSignal; verbose: boolean },
): Promise<number> {
  const file = join(ROOT, 'dist', bundle, 'index.js');
  if (!existsSync(file)) throw new Error('dist/ is missing; run npm run build.');
  const { cwd, env } = place;
  const child = startProgram({ file: process.execPath, args: [file], cwd, env: definedOnly(env) });
  child.stdin.end();
  child.stderr.pipe(process.stderr);
  const show = renderLog(print, verbose);
  child.stdout.setEncoding('utf8').on('data', show.push).on('end', show.end);
  const passOn = () => child.kill('SIGTERM');
  cancel.addEventListener('abort', passOn, { once: true });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code) => {
      cancel.removeEventListener('abort', passOn);
      done(code ?? 1);
    });
  });
}

/** Removes everything from the run folder that no output names, such as the installed CLI and the agent's home. */
function tidy(outputs: OutputValues): void {
  const report = outputs.get('report-file') ?? '';
  if (report === '') return;
  const folder = dirname(report);
  const named = [...outputs.values()];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!named.includes(path)) rmSync(path, { recursive: true, force: true });
  }
}

function keepStream(outputs: OutputValues, target: string): void {
  const transcript = outputs.get('transcript-file') ?? outputs.get('recording-file') ?? '';
  if (transcript === '') throw new Error('There is no stream to keep: the agent was never started.');
  copyFileSync(transcript, target);
  print(`The stream, redacted: ${target}`);
}

/** The patch in colour, where the terminal has colours. */
function patchLines(path: string): string[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const coloured = lines.slice(0, MAX_PATCH_LINES).map((line) => {
    const colour = /^\+(?!\+\+ )/.test(line) ? '32' : /^-(?!-- )/.test(line) ? '31' : undefined;
    return colour === undefined || !process.stdout.isTTY ? line : `\u001b[${colour}m${line}\u001b[0m`;
  });
  const left = lines.length - coloured.length;
  return left > 0 ? [...coloured, `… ${left} more lines in ${path}`] : coloured;
}

function outputLines(outputs: OutputValues): string[] {
  const widest = Math.max(...[...outputs.keys()].map((name) => name.length));
  return [...outputs]
    .filter(([, value]) => value !== '')
    .map(
      ([name, value]) => `${name.padEnd(widest)}  ${value.replaceAll('\n', `\n${' '.repeat(widest + 2)}`)}`,
    );
}

function showPage(page: string, { open, verbose }: Request): void {
  if (page === '') return;
  print('', `The page with every tool call: ${page}`);
  if (!verbose) print('All rules and outputs: npm run try -- --verbose');
  if (open && !openInBrowser(page)) print('No program was found to open it. Open the file in a browser.');
}

const OPENERS: Readonly<Record<string, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function openInBrowser(page: string): boolean {
  const { env, platform } = process;
  const [file = '', ...args] = OPENERS[platform] ?? ['xdg-open'];
  const program = { file, args: [...args, page], cwd: dirname(page), env: definedOnly(env) };
  return runProgram(program, { output: 'ignore' }).status === 0;
}

const title = (text: string): string => `\n── ${text} ${'─'.repeat(76 - text.length)}`;

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
