import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../core/failure.js';
import { showAddress } from '../core/address.js';
import { addToCaches, takeFromCaches, type CacheName } from './archive-caches.js';
import { download } from './download.js';
import type { InstallIo } from './install-io.js';
import { findNewest } from './latest.js';
import { isPinned, planInstall, type InstallPlan, type InstallRequest } from './plan.js';
import { platformOf } from './platform.js';
import { RELEASES } from './release.js';
import { HttpStatus, messageOf } from './retry.js';
import { unpack } from './unpack.js';

export interface InstalledCli {
  path: string;
  /** The version that was requested, or that `latest` was resolved to. */
  version: string;
  source: CacheName | 'download';
}

/**
 * Unpacks a CLI into `scratch`, a folder of this run that no agent can have written to. Its archive comes from
 * the runner's tool cache, else from the Actions cache, else from a download. Nothing of it is run.
 */
export async function installCli(
  request: InstallRequest,
  scratch: string,
  io: InstallIo,
): Promise<InstalledCli> {
  const release = RELEASES[request.agent];
  const platform = platformOf(request.agent, io.machine);
  const wanted = request.version ?? release.defaultVersion;
  const version = wanted === 'latest' ? await findNewest(release, request.downloadUrl, io) : wanted;
  const plan = planInstall({ ...request, version }, release, platform);

  await mkdir(scratch, { recursive: true });
  const archive = await fetchArchive(plan, { scratch, useCache: request.cache }, io);
  try {
    const path = await place(plan, archive.path, scratch);
    if (request.cache && isPinned(plan)) await addToCaches(plan, archive, io);
    return { path, version, source: archive.source };
  } finally {
    await rm(archive.path, { force: true });
  }
}

interface Archive {
  path: string;
  source: CacheName | 'download';
}

/** Puts the archive into `scratch` and verifies it. When this throws, nothing has been unpacked. */
async function fetchArchive(
  plan: InstallPlan,
  { scratch, useCache }: { scratch: string; useCache: boolean },
  io: InstallIo,
): Promise<Archive> {
  const path = join(scratch, `archive-${randomUUID()}`);
  const cache = useCache && isPinned(plan) ? await takeFromCaches(plan, path, io) : undefined;
  if (cache === undefined) await downloadVerified(plan, path, io);
  return { path, source: cache ?? 'download' };
}

async function downloadVerified(plan: InstallPlan, target: string, io: InstallIo): Promise<void> {
  const address = showAddress(plan.url);
  io.info(`Downloading ${plan.release.title} ${plan.version} from ${address}`);
  const arrived = await download({ url: plan.url, target, expectedBytes: plan.expected?.bytes }, io).catch(
    (error: unknown) => {
      throw new RunFailure('install-failed', `${notDownloaded(plan)}: ${messageOf(error)}.${hint(error)}`, {
        cause: error,
      });
    },
  );
  if (!plan.expected) {
    io.warning(unverified(plan, arrived.sha256));
  } else if (arrived.sha256 !== plan.expected.sha256 || isOtherSize(plan, arrived.bytes)) {
    await rm(target, { force: true });
    const size = plan.expected.bytes === undefined ? '' : ` (${plan.expected.bytes} bytes)`;
    throw new RunFailure(
      'checksum-mismatch',
      `${address} has sha256 ${arrived.sha256} (${arrived.bytes} bytes), ` +
        `expected was ${plan.expected.sha256}${size}. The file was removed; nothing of it was unpacked or run.`,
    );
  } else {
    io.info(`Verified: sha256 ${arrived.sha256}`);
  }
}

const isOtherSize = ({ expected }: InstallPlan, bytes: number): boolean =>
  expected?.bytes !== undefined && expected.bytes !== bytes;

const notDownloaded = ({ release, version, url }: InstallPlan): string =>
  `${release.title} ${version} could not be downloaded from ${showAddress(url)}`;

const hint = (error: unknown): string =>
  error instanceof HttpStatus && [403, 404, 410].includes(error.status)
    ? ' Check that this version exists for this platform, and cli-download-url if you set it.'
    : '';

const unverified = ({ release, version }: InstallPlan, actual: string): string =>
  `The sha256 of ${release.title} ${version} is not known to this action, so the download could not be ` +
  `verified. It is ${actual}. Set cli-sha256 to it once you have confirmed it elsewhere.`;

/** Unpacks the archive into a new folder and returns the path of the program. */
async function place(plan: InstallPlan, archive: string, scratch: string): Promise<string> {
  const folder = join(scratch, `cli-${randomUUID()}`);
  try {
    return await unpack(archive, folder, plan);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof RunFailure) throw error;
    throw new RunFailure(
      'install-failed',
      `${plan.release.title} ${plan.version} could not be installed: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}
