import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { showAddress } from '../core/address.js';
import { reasonOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { info, warning } from '../core/runner.js';
import { download, HttpStatus, readText, redirectOf, withRetries } from './download.js';
import {
  isPinned,
  newestUrl,
  planInstall,
  platformOf,
  RELEASES,
  type InstallPlan,
  type InstallRequest,
  type InstallMachine,
  type Release,
} from './release.js';
import { addToToolCache, takeFromToolCache } from './tool-cache.js';
import { unpack } from './unpack.js';

/** Everything that an installation uses, except for the network and the folders it is given. */
export interface InstallIo {
  machine: InstallMachine;
  toolCache: string | undefined;
  info(text: string): void;
  warning(text: string): void;
  sleep(ms: number): Promise<void>;
  now(): number;
  stallMs: number;
}

export function realInstallIo(env: NodeJS.ProcessEnv): InstallIo {
  return {
    machine: { system: process.platform, arch: process.arch },
    toolCache: env['RUNNER_TOOL_CACHE'] || undefined,
    info,
    warning,
    sleep: (ms) => sleep(ms),
    now: Date.now,
    stallMs: 60_000,
  };
}

export interface InstalledCli {
  path: string;
  /** The version that was requested, or that `latest` was resolved to. */
  version: string;
  source: 'tool-cache' | 'download';
}

/**
 * Unpacks a CLI into `scratch`, a folder of this run that no agent could write to. The archive comes from the runner's
 * tool cache if it is there, or else from a download. The CLI is not run.
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
  const plan = planInstall({ ...request, version }, platform);
  const pinned = isPinned(plan) ? plan : undefined;

  await mkdir(scratch, { recursive: true });
  const archive = join(scratch, `archive-${randomUUID()}`);
  try {
    const isCached = pinned !== undefined && (await takeFromToolCache(pinned, archive, io));
    if (!isCached) await downloadVerified(plan, archive, io);
    // From here on the archive is verified, or the log has a warning that its hash is not known.
    const path = await unpackCli(plan, archive, scratch);
    if (pinned && !isCached) await addToToolCache(pinned, archive, io);
    return { path, version, source: isCached ? 'tool-cache' : 'download' };
  } finally {
    await rm(archive, { force: true });
  }
}

async function downloadVerified(plan: InstallPlan, target: string, io: InstallIo): Promise<void> {
  const address = showAddress(plan.url);
  io.info(`Downloading ${plan.release.title} ${plan.version} from ${address}`);
  const arrived = await download({ url: plan.url, target, expectedBytes: plan.expected?.bytes }, io).catch(
    (error: unknown) => {
      const what = `${plan.release.title} ${plan.version} could not be downloaded from ${address}`;
      throw new RunFailure('install-failed', `${what}: ${reasonOf(error)}.${hint(error)}`, { cause: error });
    },
  );
  if (!plan.expected) {
    io.warning(
      `The sha256 of ${plan.release.title} ${plan.version} is not known to this action, so the download could not be ` +
        `verified. It is ${arrived.sha256}. Set cli-sha256 to it once you have confirmed it elsewhere.`,
    );
    return;
  }
  const { sha256, bytes = arrived.bytes } = plan.expected;
  if (arrived.sha256 !== sha256 || arrived.bytes !== bytes) {
    await rm(target, { force: true });
    const size = plan.expected.bytes === undefined ? '' : ` (${bytes} bytes)`;
    throw new RunFailure(
      'checksum-mismatch',
      `${address} has sha256 ${arrived.sha256} (${arrived.bytes} bytes), ` +
        `but ${sha256}${size} was expected. The file was removed, and nothing in it was unpacked or run.`,
    );
  }
  io.info(`Verified: sha256 ${arrived.sha256}`);
}

const hint = (error: unknown): string =>
  error instanceof HttpStatus && [403, 404, 410].includes(error.status)
    ? ' Check that this version exists for this platform, and cli-download-url if you set it.'
    : '';

async function unpackCli(plan: InstallPlan, archive: string, scratch: string): Promise<string> {
  const folder = join(scratch, `cli-${randomUUID()}`);
  try {
    return await unpack(archive, folder, plan);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof RunFailure) throw error;
    throw new RunFailure(
      'install-failed',
      `${plan.release.title} ${plan.version} could not be installed: ${reasonOf(error)}.`,
      { cause: error },
    );
  }
}

const MAX_SCRIPT_BYTES = 1024 * 1024;

/**
 * Finds the newest version in what the vendor publishes, which is read and never run. The pattern accepts nothing that
 * could be more than one folder of an address.
 */
export async function findNewest(
  release: Release,
  mirror: string | undefined,
  io: InstallIo,
): Promise<string> {
  const url = newestUrl(mirror, release);
  io.info(`Looking up the newest version of ${release.title} at ${showAddress(url)}`);
  const notFound = (why: string) =>
    new RunFailure(
      'install-failed',
      `The newest version of ${release.title} could not be found at ${showAddress(url)}: ${why}. ` +
        'Set cli-version to an exact version.',
    );
  const text = await withRetries(io, () =>
    release.newest.from === 'text'
      ? readText(url, io.stallMs, MAX_SCRIPT_BYTES)
      : redirectOf(url, io.stallMs),
  ).catch((error: unknown) => {
    throw notFound(reasonOf(error));
  });
  const versions = [
    ...new Set([...text.matchAll(release.newest.pattern)].map(([, version = '']) => version)),
  ];
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0 || !release.versionShape.test(version)) {
    const found = versions.length > 1 ? `several versions (${versions.join(', ')})` : 'no version';
    throw notFound(`${found} could be read from it`);
  }
  return version;
}
