import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

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

/** How often new children are searched. */
const TICK_MS = 500;
const POLL_MS = 20;
const KILL_ROUNDS = 5;

/** Remembers every process that the agent starts, so that all of them can be ended. */
export function watchFamily(family: Family) {
  let seen: ProcessInfo[] = [];
  let ending: Promise<void> | undefined;
  const ticker = setInterval(() => {
    // Without reading every environment, which is too much work to be repeated often.
    seen = collect(family, seen, () => false);
  }, TICK_MS);
  ticker.unref();
  return {
    /** Ends all of them. A second call does nothing. */
    end(killMs: number): Promise<void> {
      clearInterval(ticker);
      ending ??= endFamily(family, killMs, seen);
      return ending;
    },
  };
}

/** Sends SIGTERM, then SIGKILL, until no process is left. */
async function endFamily(family: Family, killMs: number, seen: readonly ProcessInfo[]): Promise<void> {
  if (process.platform === 'win32') {
    if (family.leader === undefined) return;
    spawnSync('taskkill', ['/pid', String(family.leader), '/t', '/f'], { stdio: 'ignore' });
    return;
  }
  let left = findFamily(family, seen);
  signalAll(left, 'SIGTERM');
  const look = async () => {
    await sleep(POLL_MS);
    left = findFamily(family, [...seen, ...left]);
  };
  for (const deadline = Date.now() + killMs; left.length > 0 && Date.now() < deadline;) await look();
  // More than once, because a process can start another one between the search and the signal.
  for (let round = 0; round < KILL_ROUNDS && left.length > 0; round += 1) {
    signalAll(left, 'SIGKILL');
    await look();
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
  isOursBesides: (info: ProcessInfo, own: ProcessInfo | undefined) => boolean,
): ProcessInfo[] {
  const running = listProcesses();
  const own = running.find(({ pid }) => pid === process.pid);
  const all = running.filter((info) => info !== own);
  const met = new Set(seen.map(identity));
  const found = new Set<number>();
  for (const info of all) {
    const isLed = family.leader !== undefined && [info.pid, info.group].includes(family.leader);
    if (isLed || met.has(identity(info)) || isOursBesides(info, own)) found.add(info.pid);
  }
  // The list has no order, so children are added until there are no more.
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

const identity = ({ pid, started }: ProcessInfo): string => `${pid} ${started}`;

/** Sends a signal to each. It is no error if one has already ended. */
function signalAll(processes: readonly ProcessInfo[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended, or is no longer ours.
    }
  }
}

export function listProcesses(): ProcessInfo[] {
  try {
    if (process.platform === 'linux') return listFromProc();
    if (process.platform === 'win32') return [];
    return parsePs(
      execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,lstart='], { encoding: 'utf8', timeout: 5000 }),
    );
  } catch {
    return [];
  }
}

function listFromProc(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const info = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
        return info ? [info] : [];
      } catch {
        return [];
      }
    });
}

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
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
  } catch {
    return false;
  }
}
