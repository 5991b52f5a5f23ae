import { RunFailure } from '../core/failure.js';
import { showAddress } from '../core/address.js';
import { readText, redirectOf } from './http.js';
import type { InstallIo } from './install-io.js';
import { newestUrl } from './plan.js';
import type { Release } from './release.js';
import { messageOf, withRetries } from './retry.js';

const MOST_SCRIPT_BYTES = 1024 * 1024;

/**
 * The newest version, read out of what the vendor publishes and never runs here. What is read can only become
 * a version: the pattern lets nothing through that could be more than one folder of an address.
 */
export async function findNewest(
  release: Release,
  mirror: string | undefined,
  io: Pick<InstallIo, 'info' | 'sleep' | 'now' | 'stallMs'>,
): Promise<string> {
  const url = newestUrl(mirror, release);
  io.info(`Looking up the newest version of ${release.title} at ${showAddress(url)}`);
  const text = await ask(release, url, io);
  const versions = [
    ...new Set([...text.matchAll(release.newest.pattern)].map(([, version = '']) => version)),
  ];
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0 || !release.versionShape.test(version)) {
    const found = versions.length > 1 ? `several versions (${versions.join(', ')})` : 'no version';
    throw unknown(release, url, `${found} could be read from it`);
  }
  return version;
}

async function ask(
  { title, newest }: Release,
  url: string,
  io: Pick<InstallIo, 'info' | 'sleep' | 'now' | 'stallMs'>,
): Promise<string> {
  try {
    return await withRetries(io, () =>
      newest.from === 'text' ? readText(url, io.stallMs, MOST_SCRIPT_BYTES) : redirectOf(url, io.stallMs),
    );
  } catch (error) {
    throw unknown({ title }, url, messageOf(error));
  }
}

function unknown({ title }: { title: string }, url: string, why: string): RunFailure {
  return new RunFailure(
    'install-failed',
    `The newest version of ${title} could not be found out from ${showAddress(url)}: ${why}. ` +
      'Set cli-version to an exact version.',
  );
}
