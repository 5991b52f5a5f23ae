import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { info, warning } from '../../runner.js';
import { actionsCache, type ArchiveCache } from './actions-cache.js';
import type { Machine } from './platform.js';

/** Everything outside that an installation touches, besides the network and the folders it is given. */
export interface InstallIo {
  machine: Machine;
  /** The runner's tool cache, where there is one. */
  toolCache: string | undefined;
  archiveCache: ArchiveCache;
  /** Where archives wait for the Actions cache. It knows them by their path, so it is the same in every run. */
  archiveFolder: string;
  /** Our own environment, from which the little that the CLI needs for `--version` is taken. */
  env: Readonly<Record<string, string | undefined>>;
  info(text: string): void;
  warning(text: string): void;
  sleep(ms: number): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
  /** How long a server may be silent. */
  stallMs: number;
  /** How long the CLI may take to tell its version; the first start on macOS is checked by the system. */
  versionMs: number;
}

export function realInstallIo(env: NodeJS.ProcessEnv): InstallIo {
  return {
    machine: { system: process.platform, arch: process.arch },
    toolCache: env['RUNNER_TOOL_CACHE'] || undefined,
    archiveCache: actionsCache(env),
    archiveFolder: join(env['RUNNER_TEMP'] || tmpdir(), 'cursor-agent-archives'),
    env,
    info,
    warning,
    sleep: (ms) => sleep(ms),
    now: Date.now,
    stallMs: 60_000,
    versionMs: 60_000,
  };
}
