import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseFileCommand, renderLog } from './try-terminal.js';
import { messageOf } from './error-message.js';

/** The repository's root, seen from the bundle in dist/try. */
const ROOT = resolve(process.argv[1] ?? '.', '..', '..', '..');

interface Trial {
  workspace: string;
  inputs: Record<string, string>;
  /** What the workspace was copied from, if it was. */
  original?: string;
}

/**
 * Runs the built action in a child as the runner would: inputs as INPUT_*, file commands, a temporary folder.
 * Without arguments on the agent that ships with the project and a scratch copy of a small project; with
 * `--prompt` on the folder it was called from, with the real CLI and the key in CURSOR_API_KEY.
 */
export async function tryAction(args: readonly string[]): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'try-cursor-agent-'));
  try {
    const given = parseArguments(args);
    return await play(Object.keys(given).length === 0 ? demo(scratch) : real(given), scratch);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function demo(scratch: string): Trial {
  const workspace = join(scratch, 'workspace');
  const original = join(ROOT, 'fixtures', 'demo', 'workspace');
  cpSync(original, workspace, { recursive: true });
  const program = process.platform === 'win32' ? 'cursor-agent.cmd' : 'cursor-agent';
  const inputs = {
    prompt: 'Bring docs/usage.md up to date with the sources.',
    preset: 'docs',
    'api-key': 'demo-key-that-opens-nothing',
    'cli-path': join(ROOT, 'fixtures', 'demo', program),
  };
  print('The demo: an agent that asks no model, on a scratch copy of a small project.\n');
  return { workspace, inputs, original };
}

function real(given: Record<string, string>): Trial {
  const key = process.env['CURSOR_API_KEY'] ?? '';
  if (key === '' && given['agent'] !== 'clido') {
    throw new Error(
      'Set CURSOR_API_KEY to run the real agent; without arguments a demo runs that needs no key.',
    );
  }
  return { workspace: process.env['INIT_CWD'] ?? process.cwd(), inputs: { 'api-key': key, ...given } };
}

/** `--name value` for every input of action.yml. */
function parseArguments(args: readonly string[]): Record<string, string> {
  const known = inputNames();
  const given: Record<string, string> = {};
  for (let index = 0; index < args.length; index += 2) {
    const name = /^--([a-z0-9-]+)$/.exec(args[index] ?? '')?.[1];
    const value = args[index + 1];
    if (name === undefined || !known.includes(name) || value === undefined) {
      throw new Error(
        `Cannot read ${args[index] ?? ''}: use --<input> <value>, with an input of action.yml.`,
      );
    }
    given[name] = value;
  }
  return given;
}

function inputNames(): string[] {
  const [, inputs = ''] =
    /^inputs:\n([\s\S]*?)^outputs:/m.exec(readFileSync(join(ROOT, 'action.yml'), 'utf8')) ?? [];
  return [...inputs.matchAll(/^ {2}([a-z0-9-]+):$/gm)].map(([, name = '']) => name);
}

async function play({ workspace, inputs, original }: Trial, scratch: string): Promise<number> {
  const commandFile = (name: string) => {
    const path = join(scratch, name);
    writeFileSync(path, '');
    return path;
  };
  const files = {
    GITHUB_OUTPUT: commandFile('output'),
    GITHUB_STEP_SUMMARY: commandFile('summary'),
    GITHUB_STATE: commandFile('state'),
  };
  const env = {
    ...process.env,
    ...files,
    GITHUB_WORKSPACE: workspace,
    // A trial is nobody's event, also where a workflow runs it.
    GITHUB_EVENT_NAME: undefined,
    // Kept after this: the files the outputs name are there to be looked at.
    RUNNER_TEMP: tmpdir(),
    ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
    ...Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    ),
  };
  const code = await runBundle(env, workspace);
  if (original !== undefined) print(title('What the agent changed'), difference(original, workspace));
  print(title('Job summary'), readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8').trimEnd());
  print(title('Outputs'), ...outputLines(parseFileCommand(readFileSync(files.GITHUB_OUTPUT, 'utf8'))));
  return code;
}

function runBundle(env: NodeJS.ProcessEnv, cwd: string): Promise<number> {
  const bundle = join(ROOT, 'dist', 'run', 'index.js');
  if (!existsSync(bundle)) throw new Error('dist/ is missing; run npm run build.');
  print(title('Log'));
  const child = spawn(process.execPath, [bundle], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const show = renderLog(print);
  child.stdout.setEncoding('utf8').on('data', show.push).on('end', show.end);
  return new Promise((done) => {
    child.on('close', (code) => {
      done(code ?? 1);
    });
  });
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
