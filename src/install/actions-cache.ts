import type * as ActionsCache from '@actions/cache';

/** Keeps archives between machines. Neither call fails: without a cache there is nothing in it. */
export interface ArchiveCache {
  /** Whether the file is there now. */
  restore(file: string, key: string): Promise<boolean>;
  save(file: string, key: string): Promise<void>;
}

/** A service that is down would hold up each call for half a minute and more. */
const LIMIT_MS = 120_000;

/**
 * The cache of GitHub Actions. Its client is large, so it is loaded only where there is a service to talk to.
 * What it hands out is not trusted: anyone who may write the cache chose it, so the caller verifies it.
 */
export function actionsCache(env: NodeJS.ProcessEnv, limitMs = LIMIT_MS): ArchiveCache {
  let isThere = Boolean(env['ACTIONS_CACHE_URL'] || env['ACTIONS_RESULTS_URL']);
  const call = async <T>(work: (cache: typeof ActionsCache) => Promise<T>) => {
    if (!isThere) return undefined;
    const outcome = await withinLimit(limitMs, async () => {
      const cache = await import('@actions/cache');
      return cache.isFeatureAvailable() ? work(cache) : undefined;
    });
    // One that did not answer in time is not asked again.
    if ('late' in outcome) isThere = false;
    return 'value' in outcome ? outcome.value : undefined;
  };
  return {
    restore: async (file, key) => (await call((cache) => cache.restoreCache([file], key))) === key,
    save: async (file, key) => {
      await call((cache) => cache.saveCache([file], key));
    },
  };
}

/** Waits for the work, but not for ever, and takes any failure for an empty answer. */
async function withinLimit<T>(
  limitMs: number,
  work: () => Promise<T>,
): Promise<{ value: T | undefined } | { late: true }> {
  const speakUp = hushAnnotations();
  const working = work()
    .catch(() => undefined)
    .then((value) => ({ value }))
    .finally(speakUp);
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
 * The client reports a service it cannot reach as errors and warnings of the step. Nothing is wrong with the
 * step, so while it works they become debug lines.
 */
function hushAnnotations(): () => void {
  const write = process.stdout.write;
  const demote = (text: string) => text.replace(/^::(error|warning|notice)( [^:]*)?::/gm, '::debug::');
  const hushed = (chunk: unknown, ...rest: unknown[]): boolean =>
    Reflect.apply(write, process.stdout, [
      typeof chunk === 'string' ? demote(chunk) : chunk,
      ...rest,
    ]) as boolean;
  process.stdout.write = hushed;
  return () => {
    process.stdout.write = write;
  };
}
