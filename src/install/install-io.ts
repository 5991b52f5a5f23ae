import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { info, warning } from '../core/runner.js';
import { actionsCache, type ArchiveCache } from './actions-cache.js';
import type { Machine } from './platform.js';

/** Everything that an installation uses, except for the network and the folders it is given. */
export interface InstallIo {
  machine: Machine;
  /** The folder of the runner's tool cache, if there is one. */
  toolCache: string | undefined;
  archiveCache: ArchiveCache;
  /** For the client of the Actions cache, which finds archives by their path: the same folder in every run. */
  archiveFolder: string;
  info(text: string): void;
  warning(text: string): void;
  sleep(ms: number): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  /** How long a server may be silent. */
  stallMs: number;
}

export function realInstallIo(env: NodeJS.ProcessEnv): InstallIo {
  return {
    machine: { system: process.platform, arch: process.arch },
    toolCache: env['RUNNER_TOOL_CACHE'] || undefined,
    archiveCache: actionsCache(env),
    archiveFolder: join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-archives'),
    info,
    warning,
    sleep: (ms) => sleep(ms),
    now: Date.now,
    stallMs: 60_000,
  };
}
