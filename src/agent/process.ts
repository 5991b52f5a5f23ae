import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedWhy, Exit } from '../core/exit.js';
import { watchFamily } from './process-tree.js';
import { messageOf } from '../core/errors.js';

export interface ProcessSpec {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. */
  input: string;
  /** A line that the command prints to stderr when its set-up is done and the program itself is about to start. */
  ready?: string;
}

export interface Watcher {
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** Whether the agent has reported its result. */
  hasResult(): boolean;
  /** Whether a sub-agent that was started in the background is still at work. */
  hasSubagent(): boolean;
  /** How long the agent may be silent now. Infinity while a tool call without its own time limit is open. */
  patienceMs(): number;
}

export interface ProcessLimits {
  totalMs: number;
  /** From the result until the process is ended. */
  graceMs: number;
  /** How long that can be put off by a sub-agent in the background. `totalMs` still holds. */
  subagentMs: number;
  /** From SIGTERM until SIGKILL. */
  killMs: number;
  cancel: AbortSignal;
}

/** How long a child can keep the output open after the process has ended. */
const DRAIN_MS = 1000;
/** How long to wait for a killed process to end. The kernel can hold it longer, but there is no use in waiting. */
const GONE_MS = 2000;
/** How often the silence is measured. */
const SILENCE_TICK_MS = 100;

/** Starts the agent's process, feeds and watches it, and ends it with everything that it started. */
export async function runProcess(spec: ProcessSpec, watcher: Watcher, limits: ProcessLimits): Promise<Exit> {
  const child = start(spec);
  const exited = waitForExit(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const failed = await startError(child);
  if (failed !== undefined) return { kind: 'not-started', error: failed };

  const family = watchFamily({
    home: spec.env['HOME'] ?? '',
    ...(child.pid === undefined ? {} : { leader: child.pid }),
  });
  const ownEnd = exited.then(() => within(DRAIN_MS, closed));
  try {
    const why = await firstReason({ child, watcher, limits, ownEnd });
    await family.end(limits.killMs);
    await within(DRAIN_MS, closed);
    const exit = await within(GONE_MS, exited);
    const code = exit?.code ?? undefined;
    if (why !== undefined) return { kind: 'ended', why, ...(code === undefined ? {} : { code }) };
    return code === undefined
      ? { kind: 'signalled', signal: exit?.signal ?? 'a signal' }
      : { kind: 'exited', code };
  } finally {
    // Also if a watcher threw, because no process of the agent may outlive this call.
    await family.end(limits.killMs);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

const within = <T>(ms: number, promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, sleep(ms, undefined, { ref: false })]);

function start(spec: ProcessSpec): ChildProcess {
  const isBatch = process.platform === 'win32' && /\.(cmd|bat)$/i.test(spec.file);
  const { file, args, verbatim } = isBatch
    ? { ...windowsCommand(spec.file, spec.args), verbatim: true }
    : { file: spec.file, args: [...spec.args], verbatim: false };
  const child = spawn(file, args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // In its own group, so that it can be ended as a whole and does not get the signals that we get.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
  // It is no error if the agent never reads its input, or closes it.
  child.stdin.on('error', () => undefined);
  child.stdin.end(spec.input);
  return child;
}

async function startError(child: ChildProcess): Promise<string | undefined> {
  try {
    await once(child, 'spawn');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function waitForExit(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

interface Watch {
  child: ChildProcess;
  watcher: Watcher;
  limits: ProcessLimits;
  /** Resolves when the process has ended by itself and its output has been read. */
  ownEnd: Promise<unknown>;
}

/** Feeds the watcher, and returns why the process has to be ended, or nothing if it ended by itself. */
async function firstReason({ child, watcher, limits, ownEnd }: Watch): Promise<EndedWhy | undefined> {
  const timers: NodeJS.Timeout[] = [];
  let onCancel = (): void => undefined;
  const reason = new Promise<EndedWhy | undefined>((resolve, reject) => {
    const after = (ms: number, why: EndedWhy) => {
      const timer = setTimeout(() => {
        resolve(why);
      }, ms);
      timers.push(timer);
      return timer;
    };
    let lastSign = Date.now();
    let grace: NodeJS.Timeout | undefined;
    let subagent: NodeJS.Timeout | undefined;
    const total = after(limits.totalMs, 'timeout');
    const silence = setInterval(() => {
      if (!watcher.hasResult() && Date.now() - lastSign >= watcher.patienceMs()) resolve('idle');
    }, SILENCE_TICK_MS);
    timers.push(silence);
    const settle = () => {
      if (grace || !watcher.hasResult()) return;
      if (watcher.hasSubagent()) {
        subagent ??= after(limits.subagentMs, 'after-result');
        return;
      }
      // The work is done, so no time limit can make it a failure now.
      clearTimeout(total);
      clearTimeout(subagent);
      grace = after(limits.graceMs, 'after-result');
    };
    const feed = (take: (chunk: Buffer) => void) => (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    child.stdout?.on(
      'data',
      feed((chunk) => {
        lastSign = Date.now();
        watcher.onStdout(chunk);
        settle();
      }),
    );
    child.stderr?.on('data', feed(watcher.onStderr));
    onCancel = () => {
      resolve('cancelled');
    };
    if (limits.cancel.aborted) onCancel();
    limits.cancel.addEventListener('abort', onCancel);
    void ownEnd.then(() => {
      resolve(undefined);
    });
  });
  try {
    return await reason;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    limits.cancel.removeEventListener('abort', onCancel);
  }
}

/**
 * Windows starts a `.cmd` file only through cmd.exe, which reads its command line twice. Each argument is quoted for the
 * program, and then every character with a meaning in cmd.exe is escaped.
 */
export function windowsCommand(script: string, args: readonly string[]): { file: string; args: string[] } {
  const line = [script, ...args].map((argument) => escapeForCmd(quoteArgument(argument))).join(' ');
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`] };
}

/** Doubles backslashes before a quote and at the end, and escapes quotes. */
function quoteArgument(argument: string): string {
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1');
  return `"${escaped}"`;
}

/** Escapes twice, because the batch file expands its arguments once more. */
function escapeForCmd(argument: string): string {
  const once = (text: string) => text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
  return once(once(argument));
}
