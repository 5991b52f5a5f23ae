import type * as ActionsCache from '@actions/cache';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { info, warning } from '../core/runner.js';
import type { Machine } from './release.js';

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

/** Stores archives for other machines. No call fails: without a cache service, the cache is empty. */
export interface ArchiveCache {
  /** Whether the file is there now. */
  restore(file: string, key: string): Promise<boolean>;
  save(file: string, key: string): Promise<void>;
}

/** A service that is down would delay each call by more than half a minute. */
const LIMIT_MS = 120_000;

/**
 * The cache of GitHub Actions. Its client is large, so it is loaded only if there is a service to talk to. The caller
 * has to verify every archive, because everyone with write access to the cache can put archives there.
 */
export function actionsCache(env: NodeJS.ProcessEnv, limitMs = LIMIT_MS): ArchiveCache {
  let isAvailable = Boolean(env['ACTIONS_CACHE_URL'] || env['ACTIONS_RESULTS_URL']);
  const call = async <T>(work: (cache: typeof ActionsCache) => Promise<T>) => {
    if (!isAvailable) return undefined;
    const outcome = await withinLimit(limitMs, async () => {
      const cache = await import('@actions/cache');
      return cache.isFeatureAvailable() ? work(cache) : undefined;
    });
    // A service that did not answer in time is not asked again.
    if ('late' in outcome) isAvailable = false;
    return 'value' in outcome ? outcome.value : undefined;
  };
  return {
    restore: async (file, key) => (await call((cache) => cache.restoreCache([file], key))) === key,
    save: async (file, key) => {
      await call((cache) => cache.saveCache([file], key));
    },
  };
}

/** Waits for the work up to a limit. A failure counts as an empty answer. */
async function withinLimit<T>(
  limitMs: number,
  work: () => Promise<T>,
): Promise<{ value: T | undefined } | { late: true }> {
  const restoreAnnotations = muteAnnotations();
  const working = work()
    .catch(() => undefined)
    .then((value) => ({ value }))
    .finally(restoreAnnotations);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<{ late: true }>((resolve) => {
    timer = setTimeout(resolve, limitMs, { late: true });
  });
  try {
    return await Promise.race([working, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The client reports a service that it cannot reach as errors and warnings of the step. But nothing is wrong with the
 * step, so they become debug lines while the client works.
 */
function muteAnnotations(): () => void {
  const write = process.stdout.write;
  const demote = (text: string) => text.replace(/^::(error|warning|notice)( [^:]*)?::/gm, '::debug::');
  const muted = (chunk: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(write, process.stdout, [
      typeof chunk === 'string' ? demote(chunk) : chunk,
      ...rest,
    ]) as boolean;
  process.stdout.write = muted;
  return () => {
    process.stdout.write = write;
  };
}
