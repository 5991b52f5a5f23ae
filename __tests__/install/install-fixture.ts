import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InstallIo } from '../../src/install/install-io.js';

export interface Fixture {
  root: string;
  scratch: string;
  io: InstallIo;
  /** Everything that was said, warnings marked. */
  said: string[];
  /** How long was waited, each time. */
  waits: number[];
  remove(): void;
}

/** A machine of its own: folders, a log that is kept, and waiting that takes no time. */
export function createFixture(changes: Partial<InstallIo> = {}): Fixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'install-test-')));
  const said: string[] = [];
  const waits: number[] = [];
  const io: InstallIo = {
    machine: { system: 'linux', arch: 'x64' },
    toolCache: join(root, 'tools'),
    archiveCache: { restore: () => Promise.resolve(false), save: () => Promise.resolve() },
    archiveFolder: join(root, 'archives'),
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
  return {
    root,
    scratch: join(root, 'scratch'),
    io,
    said,
    waits,
    remove: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Whatever a promise was refused with. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
