import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { HELP, parseArguments } from './arguments.js';
import { parseFileCommand, renderLog } from './terminal.js';
import { makeTrial, type Trial } from './trial.js';

/** The repository's root, seen from the bundle in dist/try. */
const ROOT = resolve(process.argv[1] ?? '.', '..', '..', '..');

/**
 * Runs the built action in a child process as the runner would: inputs as INPUT_*, file commands, a temporary
 * folder. Only the files that the outputs name remain.
 */
export async function tryAction(args: readonly string[], cancel: AbortSignal): Promise<number> {
  const here = process.env['INIT_CWD'] ?? process.cwd();
  const request = parseArguments(args, inputNames());
  if ('problem' in request) throw new Error(request.problem);
  if (request.kind === 'help') {
    print(HELP);
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'try-cursor-agent-'));
  // If the output is piped into a program that stops reading, such as head, the trial still cleans up.
  process.stdout.on('error', () => undefined);
  try {
    const trial = makeTrial(request, {
      root: ROOT,
      scratch,
      here,
      env: process.env,
      platform: process.platform,
    });
    print(`${trial.title}\n`);
    const { code, outputs } = await play(trial, scratch, cancel);
    if (request.record !== undefined) keepStream(outputs, resolve(here, request.record));
    return code;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function inputNames(): string[] {
  const [, inputs = ''] =
    /^inputs:\n([\s\S]*?)^outputs:/m.exec(readFileSync(join(ROOT, 'action.yml'), 'utf8')) ?? [];
  return [...inputs.matchAll(/^ {2}([a-z0-9-]+):$/gm)].map(([, name = '']) => name);
}

interface Played {
  code: number;
  outputs: ReadonlyMap<string, string>;
}

async function play(
  { workspace, inputs, original }: Trial,
  scratch: string,
  cancel: AbortSignal,
): Promise<Played> {
  const commandFile = (name: string) => {
    const path = join(scratch, name);
    writeFileSync(path, '');
    return path;
  };
  const files = {
    GITHUB_OUTPUT: commandFile('output'),
    GITHUB_STEP_SUMMARY: commandFile('summary'),
  };
  const env = {
    ...process.env,
    ...files,
    GITHUB_WORKSPACE: workspace,
    // A trial is not the event of a workflow, even if a workflow runs it.
    GITHUB_EVENT_NAME: undefined,
    GITHUB_EVENT_PATH: undefined,
    // Not removed, so that the files that the outputs name can be opened.
    RUNNER_TEMP: tmpdir(),
    ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    ...Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  };
  print(title('Log'));
  const code = await runAction(env, workspace, cancel);
  const outputs = parseFileCommand(readFileSync(files.GITHUB_OUTPUT, 'utf8'));
  if (original !== undefined) print(title('What the agent changed'), difference(original, workspace));
  print(title('Job summary'), readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8').trimEnd());
  print(title('Outputs'), ...outputLines(outputs));
  tidy(outputs);
  const page = outputs.get('report-html');
  if (page) print(`\nThe HTML report: ${page}`);
  return { code, outputs };
}

/** If the trial is cancelled, the action ends its agent and reports what it has. The trial waits for that. */
function runAction(env: NodeJS.ProcessEnv, cwd: string, cancel: AbortSignal): Promise<number> {
  const bundle = join(ROOT, 'dist', 'run', 'index.js');
  if (!existsSync(bundle)) throw new Error('dist/ is missing; run npm run build.');
  const child = spawn(process.execPath, [bundle], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const show = renderLog(print);
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
function tidy(outputs: ReadonlyMap<string, string>): void {
  const report = outputs.get('report-file') ?? '';
  if (report === '') return;
  const folder = dirname(report);
  const named = [...outputs.values()];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!named.includes(path)) rmSync(path, { recursive: true, force: true });
  }
}

function keepStream(outputs: ReadonlyMap<string, string>, target: string): void {
  const transcript = outputs.get('transcript-file') ?? '';
  if (transcript === '') throw new Error('There is no stream to keep: the agent was never started.');
  copyFileSync(transcript, target);
  print(`The stream, redacted: ${target}`);
}

function difference(before: string, after: string): string {
  const git = spawnSync('git', ['diff', '--no-index', '--no-prefix', before, after], { encoding: 'utf8' });
  if (git.error) return '(git is needed to show it)';
  const folders = [before, after].flatMap((folder) => [`${folder}/`, `${folder.slice(1)}/`]);
  return folders.reduce((text, folder) => text.replaceAll(folder, ''), git.stdout).trimEnd() || '(nothing)';
}

function outputLines(outputs: ReadonlyMap<string, string>): string[] {
  const width = Math.max(...[...outputs.keys()].map((name) => name.length));
  return [...outputs]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name.padEnd(width)}  ${value.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`);
}

const title = (text: string): string => `\n${'─'.repeat(4)} ${text} ${'─'.repeat(70 - text.length)}`;

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
