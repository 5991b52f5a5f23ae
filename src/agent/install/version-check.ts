import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../../failure.js';
import { buildEnvironment } from '../environment.js';
import { windowsCommand } from '../windows-command.js';
import type { InstallIo } from './install-io.js';
import type { InstallPlan } from './plan.js';

/** The answer is one line; a program that floods us is not the CLI. */
const MOST_OUTPUT = 64 * 1024;

/** Asks what was installed for its version, in an environment and a home with nothing in them. */
export async function checkVersion(
  { program, plan, scratch }: { program: string; plan: InstallPlan; scratch: string },
  io: Pick<InstallIo, 'env' | 'versionMs'>,
): Promise<void> {
  const { title } = plan.release;
  const answer = await ask(program, scratch, io);
  if (answer.kind === 'failed') {
    throw new RunFailure(
      'install-failed',
      `${title} ${plan.version} was installed, but ${answer.why} when asked for its version.`,
    );
  }
  const words = answer.text.split(/\s+/).map((word) => word.replace(/^v(?=\d)/, ''));
  if (!words.includes(plan.version)) {
    throw new RunFailure(
      'install-failed',
      `${title} ${plan.version} was asked for, but what was downloaded calls itself ` +
        `${JSON.stringify(answer.text.trim().slice(0, 200))}.`,
    );
  }
}

type Answer = { kind: 'text'; text: string } | { kind: 'failed'; why: string };

async function ask(
  program: string,
  scratch: string,
  io: Pick<InstallIo, 'env' | 'versionMs'>,
): Promise<Answer> {
  const home = join(scratch, 'version-home');
  const temp = join(home, 'tmp');
  await mkdir(join(home, '.cursor'), { recursive: true });
  await mkdir(temp, { recursive: true });
  // Else the first thing a new CLI does may be to replace itself by a build nobody verified.
  const config = {
    version: 1,
    editor: { vimMode: false },
    permissions: { allow: [], deny: [] },
    channel: 'static',
  };
  await writeFile(join(home, '.cursor', 'cli-config.json'), JSON.stringify(config));
  const env = buildEnvironment({ home, temp, passEnv: [], own: {} }, io.env, process.platform);
  try {
    return await readOutput(start(program, home, env), io.versionMs);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

function start(program: string, cwd: string, env: Record<string, string>): ChildProcess {
  const isWindows = process.platform === 'win32';
  const isBatch = isWindows && /\.(cmd|bat)$/i.test(program);
  const { file, args } = isBatch
    ? windowsCommand(program, ['--version'])
    : { file: program, args: ['--version'] };
  return spawn(file, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it starts can be ended with it.
    detached: !isWindows,
    windowsHide: true,
    windowsVerbatimArguments: isBatch,
  });
}

function readOutput(child: ChildProcess, limitMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    let text = '';
    let errors = '';
    const settle = (answer: Answer) => {
      clearTimeout(timer);
      endGroup(child);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      settle({ kind: 'failed', why: `it did not answer within ${limitMs / 1000} s` });
    }, limitMs);
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(0, MOST_OUTPUT);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      errors = (errors + chunk).slice(0, MOST_OUTPUT);
    });
    child.once('error', (error) => {
      settle({ kind: 'failed', why: `it could not be started (${error.message})` });
    });
    child.once('close', (code, signal) => {
      const end = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`;
      const said = errors.trim() === '' ? '' : ` and said ${JSON.stringify(errors.trim().slice(0, 200))}`;
      settle(code === 0 ? { kind: 'text', text } : { kind: 'failed', why: `it ${end}${said}` });
    });
  });
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended, and so has everything it started.
  }
}
