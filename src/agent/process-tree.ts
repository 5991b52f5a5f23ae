import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  parent: number;
  group: number;
  /** When it was started, in whatever form the system says it: a pid is used again, a pid and its start are not. */
  started: string;
}

/** What tells a process as one the agent started, wherever it has gone since. */
export interface Family {
  /** The agent's own process, which leads its process group; missing where it is not known any more. */
  leader?: number;
  /** The private home: no other process on this machine has it in its environment. */
  home: string;
}

/**
 * Everything the agent has started and that still runs: its group, what descends from it or from a process met
 * before (a parent that is gone leaves no trace), and those that carry its home in their environment.
 */
export function findFamily(family: Family, seen: readonly ProcessInfo[]): ProcessInfo[] {
  return collect(family, seen, (process) => hasHome(process.pid, family.home));
}

/** The same without the look into every environment: cheap enough to be done again and again. */
export function findDescendants(family: Family, seen: readonly ProcessInfo[]): ProcessInfo[] {
  return collect(family, seen, () => false);
}

function collect(
  family: Family,
  seen: readonly ProcessInfo[],
  isOursBesides: (process: ProcessInfo) => boolean,
): ProcessInfo[] {
  const all = listProcesses().filter(({ pid }) => pid !== process.pid);
  const met = new Set(seen.map(identity));
  const found = new Set<number>();
  for (const info of all) {
    const isLed = family.leader !== undefined && [info.pid, info.group].includes(family.leader);
    if (isLed || met.has(identity(info)) || isOursBesides(info)) found.add(info.pid);
  }
  // Parents come in any order, so children are added until there are no more.
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

const identity = ({ pid, started }: ProcessInfo): string => `${pid} ${started}`;

/** Sends a signal to each; those that are gone already are no error. */
export function signalAll(processes: readonly ProcessInfo[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // Ended in the meantime, or not ours to end any more.
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

/** `pid (name) state ppid pgrp …`, where the name may hold anything, parentheses too; a zombie is no process. */
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
