import { join } from 'node:path';
import type { InstallIo } from '../../src/install/install.js';
import { makeFolder } from '../scenarios/workspace.js';

export interface Fixture {
  root: string;
  scratch: string;
  io: InstallIo;
  /** Every line that was logged. Warnings are marked. */
  said: string[];
  /** The length of each wait. */
  waits: number[];
}

/** A machine for one test: its own folders, a log that can be read, and waits that take no time. */
export function createFixture(changes: Partial<InstallIo> = {}): Fixture {
  const root = makeFolder('install-test');
  const said: string[] = [];
  const waits: number[] = [];
  const io: InstallIo = {
    machine: { system: 'linux', arch: 'x64' },
    toolCache: join(root, 'tools'),
    info: (text) => void said.push(text),
    warning: (text) => void said.push(`warning: ${text}`),
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    now: Date.now,
    stallMs: 20_000,
    ...changes,
  };
  return { root, scratch: join(root, 'scratch'), io, said, waits };
}

/** What a promise was rejected with. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
