import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EndedWhy, Exit } from '../core/exit.js';
import { attempt, messageOf } from '../core/errors.js';
import { runProgram, startProgram, type Child, type Program } from '../core/programs.js';

export interface ProcessSpec extends Program {
  /** Written to stdin, which is then closed. */
  input: string;
  /** Whether it is isolated first. It says on stderr when that is done and the program itself is about to start. */
  isIsolated?: true;
}

export interface Watcher {
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  hasResult(): boolean;
  /** Whether a sub-agent that was started in the background is still at work. */
  hasSubagent(): boolean;
  /** How long the agent may be silent now. Infinity while a tool call without its own time limit is open. */
  patienceMs(): number;
}

export interface ProcessLimits {
  totalMs: number;
  graceMs: number;
  /** How long that can be put off by a sub-agent in the background. `totalMs` still holds. */
  subagentMs: number;
  killMs: number;
  cancel: AbortSignal;
}

/** How long a child can keep the output open after the process has ended. */
const DRAIN_MS = 1000;
/** How long to wait for a killed process to end. The kernel can hold it longer, but there is no use in waiting. */
const GONE_MS = 2000;
const SILENCE_TICK_MS = 100;

/** Starts the agent's process, feeds and watches it, and ends it with everything that it started. */
export async function runProcess(spec: ProcessSpec, watcher: Watcher, limits: ProcessLimits): Promise<Exit> {
  const child = start(spec);
  const exited = waitForExit(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const failed = await once(child, 'spawn').then(() => undefined, messageOf);
  if (failed !== undefined) return { kind: 'not-started', error: failed };

  const endFamily = watchFamily({
    home: spec.env['HOME'] ?? '',
    ...(child.pid === undefined ? {} : { leader: child.pid }),
  });
  const ownEnd = exited.then(() => within(DRAIN_MS, closed));
  try {
    const why = await firstReason({ child, watcher, limits, ownEnd });
    await endFamily(limits.killMs);
    await within(DRAIN_MS, closed);
    const exit = await within(GONE_MS, exited);
    const code = exit?.code ?? undefined;
    if (why !== undefined) return { kind: 'ended', why, ...(code === undefined ? {} : { code }) };
    return code === undefined
      ? { kind: 'signalled', signal: exit?.signal ?? 'a signal' }
      : { kind: 'exited', code };
  } finally {
    // Also if a watcher threw, because no process of the agent may outlive this call.
    await endFamily(limits.killMs);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

const within = <T>(ms: number, promise: Promise<T>): Promise<T | undefined> =>
  Promise.race([promise, sleep(ms, undefined, { ref: false })]);

function start(spec: ProcessSpec): Child {
  // In its own group, so that it can be ended as a whole and does not get the signals that we get.
  const child = startProgram(spec, { detached: process.platform !== 'win32' });
  child.stdin.end(spec.input);
  return child;
}

function waitForExit(child: Child): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

interface Watch {
  child: Child;
  watcher: Watcher;
  limits: ProcessLimits;
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
    let lastOutput = Date.now();
    let grace: NodeJS.Timeout | undefined;
    let subagent: NodeJS.Timeout | undefined;
    const total = after(limits.totalMs, 'timeout');
    const silence = setInterval(() => {
      if (!watcher.hasResult() && Date.now() - lastOutput >= watcher.patienceMs()) resolve('idle');
    }, SILENCE_TICK_MS);
    timers.push(silence);
    const checkResult = () => {
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
    child.stdout.on(
      'data',
      feed((chunk) => {
        lastOutput = Date.now();
        watcher.onStdout(chunk);
        checkResult();
      }),
    );
    child.stderr.on('data', feed(watcher.onStderr));
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

interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  /** When it was started, in the system's own form. A pid can be used again, but not a pid with the same start. */
  started: string;
}

/** How to recognise the processes that the agent started, wherever they are now. */
interface Family {
  /** The agent's own process, which leads its process group. Missing if it is no longer known. */
  leader?: number;
  /** The private home, which no other process on this machine has in its environment. */
  home: string;
}

const TICK_MS = 500;
const POLL_MS = 20;
const KILL_ROUNDS = 5;

/**
 * Remembers every process that the agent starts. Returns what ends all of them: it sends SIGTERM, then SIGKILL, until no
 * process is left. A second call waits for the first.
 */
function watchFamily(family: Family): (killMs: number) => Promise<void> {
  let seen: ProcessInfo[] = [];
  let ending: Promise<void> | undefined;
  const ticker = setInterval(() => {
    // Without reading every environment, which is too much work to be repeated often.
    seen = collect(family, seen, () => false);
  }, TICK_MS).unref();
  return (killMs) => {
    clearInterval(ticker);
    return (ending ??= endAll(family, killMs, seen));
  };
}

async function endAll(family: Family, killMs: number, seen: readonly ProcessInfo[]): Promise<void> {
  if (process.platform === 'win32') {
    if (family.leader === undefined) return;
    const { leader } = family;
    attempt(() => runTool('taskkill', '/pid', String(leader), '/t', '/f'));
    return;
  }
  let left = findFamily(family, seen);
  signalAll(left, 'SIGTERM');
  const look = async () => {
    await sleep(POLL_MS);
    left = findFamily(family, [...seen, ...left]);
  };
  for (const deadline = Date.now() + killMs; left.length > 0 && Date.now() < deadline;) await look();
  // The kernel kills a group as a whole, also if it is forking, and if we cannot list processes.
  const { leader } = family;
  if (leader !== undefined && left.length > 0) attempt(() => process.kill(-leader, 'SIGKILL'));
  // More than once, because a process can start another one between the search and the signal.
  for (let round = 0; round < KILL_ROUNDS && left.length > 0; round += 1) {
    signalAll(left, 'SIGKILL');
    await look();
  }
  if (process.platform === 'linux') await killRestless(family.home);
}

/** Processes that start another one and end at once are gone before a list of all is read. How long they are hunted. */
const HUNT_MS = 2000;
/** The hunt is over when this many looks in a row found nothing. */
const QUIET_LOOKS = 10;

/** Looks only at processes that are new, and kills each that is the agent's as soon as it is seen. */
async function killRestless(home: string): Promise<void> {
  const strangers = new Set<string>();
  const deadline = Date.now() + HUNT_MS;
  for (let quiet = 0; quiet < QUIET_LOOKS && Date.now() < deadline; quiet += 1) {
    // The newest have the highest numbers, and the shortest life.
    for (const name of attempt(() => readdirSync('/proc').reverse()) ?? []) {
      if (strangers.has(name) || !/^\d+$/.test(name)) continue;
      if (!hasHome(Number(name), home)) strangers.add(name);
      else if (attempt(() => process.kill(Number(name), 'SIGKILL'))) quiet = -1;
    }
    await sleep(1);
  }
}

/**
 * Every process that the agent started and that still runs: its group, descendants of it or of a process seen before (a
 * parent that has ended leaves no trace), and those that have its home in their environment.
 */
export function findFamily(family: Family, seen: readonly ProcessInfo[]): ProcessInfo[] {
  return collect(family, seen, (info, own) => {
    // We made the home, so a process that is older than we are cannot have it.
    const isOlder = own !== undefined && Number(info.started) < Number(own.started);
    return !isOlder && hasHome(info.pid, family.home);
  });
}

function collect(
  family: Family,
  seen: readonly ProcessInfo[],
  isAlsoOurs: (info: ProcessInfo, own: ProcessInfo | undefined) => boolean,
): ProcessInfo[] {
  const running = listProcesses();
  const own = running.find(({ pid }) => pid === process.pid);
  const all = running.filter((info) => info !== own);
  const met = new Set(seen.map(identity));
  const found = new Set<number>();
  for (const info of all) {
    const isLed = family.leader !== undefined && [info.pid, info.group].includes(family.leader);
    if (isLed || met.has(identity(info)) || isAlsoOurs(info, own)) found.add(info.pid);
  }
  // The list has no order, so children are added until there are no more.
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

const identity = ({ pid, started }: ProcessInfo): string => `${pid} ${started}`;

/** Sends a signal to each. It is no error if one has already ended, or is no longer ours. */
function signalAll(processes: readonly ProcessInfo[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) attempt(() => process.kill(pid, signal));
}

/** None if the system does not tell. */
export function listProcesses(): ProcessInfo[] {
  if (process.platform === 'win32') return [];
  return attempt(process.platform === 'linux' ? listFromProc : listFromPs) ?? [];
}

/** A process can end while the list is read. */
const listFromProc = (): ProcessInfo[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => attempt(() => parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))) ?? []);

const listFromPs = (): ProcessInfo[] => parsePs(runTool('ps', '-axo', 'pid=,ppid=,pgid=,lstart='));

/** What a tool of the system prints. The list of all processes can be long. */
const runTool = (file: string, ...args: string[]): string =>
  runProgram({ file, args, cwd: '/', env: {} }, TOOL_LIMITS).stdout.toString('utf8');
const TOOL_LIMITS = { timeout: 10_000, maxBuffer: 1 << 26 };

/** `pid (name) state ppid pgrp …`. The name can contain anything, also parentheses. A zombie does not count. */
export function parseStat(stat: string): ProcessInfo | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    started: fields[19] ?? '',
  };
}

export function parsePs(output: string): ProcessInfo[] {
  return output.split('\n').flatMap((line) => {
    const parts = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    if (!parts) return [];
    const [, pid, parent, group, started = ''] = parts;
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started: started.trim() }];
  });
}

function hasHome(pid: number, home: string): boolean {
  if (process.platform !== 'linux' || home === '') return false;
  const variables = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'));
  return variables?.includes(`HOME=${home}`) === true;
}
