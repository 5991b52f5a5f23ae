import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDescendants, findFamily, signalAll, type Family, type ProcessInfo } from './process-tree.js';

/** How often new children are looked for. */
const TICK_MS = 500;
const POLL_MS = 20;
const KILL_ROUNDS = 5;

export interface FamilyWatch {
  /** Ends everything; calling it again does nothing. */
  end(killMs: number): Promise<void>;
}

/** Keeps count of everything the agent starts, so that all of it can be ended. */
export function watchFamily(family: Family): FamilyWatch {
  let seen: ProcessInfo[] = [];
  let ending: Promise<void> | undefined;
  const ticker = setInterval(() => {
    seen = findDescendants(family, seen);
  }, TICK_MS);
  ticker.unref();
  return {
    end(killMs) {
      clearInterval(ticker);
      ending ??= endFamily(family, killMs, seen);
      return ending;
    },
  };
}

/** SIGTERM, then SIGKILL, until nothing is left. */
export async function endFamily(
  family: Family,
  killMs: number,
  seen: readonly ProcessInfo[] = [],
): Promise<void> {
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
  // More than once, because a process may start another between the look and the signal.
  for (let round = 0; round < KILL_ROUNDS && left.length > 0; round += 1) {
    signalAll(left, 'SIGKILL');
    await look();
  }
}
