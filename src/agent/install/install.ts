import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../../failure.js';
import { showAddress } from './address.js';
import { download } from './download.js';
import type { InstallIo } from './install-io.js';
import { findNewest } from './latest.js';
import { readContent, type Manifest } from './manifest.js';
import { archiveName, planInstall, type InstallPlan, type InstallRequest } from './plan.js';
import { platformOf } from './platform.js';
import { RELEASES } from './release.js';
import { HttpStatus, messageOf } from './retry.js';
import {
  checkFolder,
  filesOf,
  manifestOf,
  openPartial,
  publish,
  setAside,
  toolFolder,
} from './tool-folder.js';
import { unpack } from './unpack.js';
import { checkVersion } from './version-check.js';

export interface InstalledCli {
  path: string;
  version: string;
  /** Where it came from. */
  source: 'tool-cache' | 'actions-cache' | 'download';
}

/**
 * A verified CLI: from the runner's tool cache, else from an archive in the Actions cache, else downloaded.
 * `scratch` is a folder of this run; what is not kept in the tool cache is unpacked there.
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
  const kept = request.cache && io.toolCache !== undefined ? toolFolder(io.toolCache, plan) : undefined;
  const program = kept === undefined ? undefined : await findKept(kept, plan, io);
  if (program !== undefined) return { path: program, version, source: 'tool-cache' };

  await mkdir(scratch, { recursive: true });
  const archive = await fetchArchive(plan, { scratch, useCache: request.cache }, io);
  try {
    const path = await place({ plan, archive, kept, scratch }, io);
    if (archive.source === 'download' && request.cache) await keepArchive(plan, archive.path, io);
    return { path, version, source: archive.source };
  } finally {
    await rm(archive.path, { force: true });
  }
}

async function findKept(folder: string, plan: InstallPlan, io: InstallIo): Promise<string | undefined> {
  const found = await checkFolder(folder, plan);
  const name = `${plan.release.title} ${plan.version}`;
  switch (found.kind) {
    case 'good':
      io.info(`Using ${name} from the tool cache; its files match their manifest.`);
      if (!plan.expected) io.warning(unverified(plan, undefined));
      return found.program;
    case 'bad':
      io.warning(`${name} in the tool cache is damaged (${found.why}); it is installed again.`);
      await setAside(folder);
      return undefined;
    case 'absent':
      return undefined;
  }
}

interface Archive {
  path: string;
  sha256: string;
  source: 'actions-cache' | 'download';
}

/** The archive on disk, verified. Nothing of it has been unpacked when this throws. */
async function fetchArchive(
  plan: InstallPlan,
  { scratch, useCache }: { scratch: string; useCache: boolean },
  io: InstallIo,
): Promise<Archive> {
  const target = join(scratch, `archive-${randomUUID()}`);
  if (useCache && (await restoreArchive(plan, target, io))) {
    return { path: target, sha256: plan.expected?.sha256 ?? '', source: 'actions-cache' };
  }
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
  return { path: target, sha256: arrived.sha256, source: 'download' };
}

const isOtherSize = ({ expected }: InstallPlan, bytes: number): boolean =>
  expected?.bytes !== undefined && expected.bytes !== bytes;

const notDownloaded = ({ release, version, url }: InstallPlan): string =>
  `${release.title} ${version} could not be downloaded from ${showAddress(url)}`;

const hint = (error: unknown): string =>
  error instanceof HttpStatus && [403, 404, 410].includes(error.status)
    ? ' Check that this version exists for this platform, and cli-download-url if you set it.'
    : '';

function unverified({ release, version }: InstallPlan, actual: string | undefined): string {
  const advice =
    actual === undefined
      ? 'Set cli-sha256 once you have confirmed it elsewhere.'
      : `It is ${actual}; set cli-sha256 to it once you have confirmed it elsewhere.`;
  return (
    `The sha256 of ${release.title} ${version} is not known to this action, ` +
    `so the download could not be verified. ${advice}`
  );
}

/** The archive is what the cache holds, so that the pinned hash vouches for a hit as it does for a download. */
const cacheKey = (plan: InstallPlan): string =>
  [plan.release.folder, plan.version, plan.platform.name.replace('/', '-'), plan.expected?.sha256].join('-');

const archivePath = (plan: InstallPlan, io: InstallIo): string =>
  join(io.archiveFolder, `${plan.release.folder}-${plan.version}-${archiveName(plan)}`);

/** Without an expected hash nothing could tell a good archive from a planted one: then there is no hit. */
async function restoreArchive(plan: InstallPlan, target: string, io: InstallIo): Promise<boolean> {
  if (!plan.expected) return false;
  const restored = archivePath(plan, io);
  try {
    await mkdir(io.archiveFolder, { recursive: true });
    await rm(restored, { recursive: true, force: true });
    if (!(await io.archiveCache.restore(restored, cacheKey(plan)))) return false;
    // Taken away first: what is hashed is then what is unpacked, whoever writes to the old path.
    await rename(restored, target);
    const { sha256 } = await readContent(target);
    if (sha256 === plan.expected.sha256) {
      io.info(
        `Using ${plan.release.title} ${plan.version} from the Actions cache. Verified: sha256 ${sha256}`,
      );
      return true;
    }
    io.warning(
      `The Actions cache holds something else under the name of ${plan.release.title} ${plan.version} ` +
        `(sha256 ${sha256}, expected was ${plan.expected.sha256}); it is not used.`,
    );
  } catch {
    // A cache that does not work is a cache without the file.
  }
  await rm(target, { recursive: true, force: true });
  return false;
}

async function keepArchive(plan: InstallPlan, archive: string, io: InstallIo): Promise<void> {
  if (!plan.expected) return;
  const path = archivePath(plan, io);
  try {
    await link(archive, path).catch(() => copyFile(archive, path));
    await io.archiveCache.save(path, cacheKey(plan));
  } catch {
    // The next run downloads it again.
  } finally {
    await rm(path, { force: true });
  }
}

interface Placement {
  plan: InstallPlan;
  archive: Archive;
  kept: string | undefined;
  scratch: string;
}

/** Unpacked in a folder that nobody knows, asked for its version there, and only then put in its place. */
async function place({ plan, archive, kept, scratch }: Placement, io: InstallIo): Promise<string> {
  const partial = await openFolder(kept, scratch, io);
  try {
    const { entries, program } = await unpack(archive.path, filesOf(partial.path), plan);
    await checkVersion({ program: join(filesOf(partial.path), program), plan, scratch }, io);
    const manifest: Manifest = {
      format: 1,
      version: plan.version,
      platform: plan.platform.name,
      archive: archive.sha256,
      program,
      entries,
    };
    await writeFile(manifestOf(partial.path), JSON.stringify(manifest));
    if (partial.target === undefined) return join(filesOf(partial.path), program);
    return await publish({ partial: partial.path, folder: partial.target, plan, program }, io);
  } catch (error) {
    await rm(partial.path, { recursive: true, force: true });
    if (error instanceof RunFailure) throw error;
    throw new RunFailure(
      'install-failed',
      `${plan.release.title} ${plan.version} could not be installed: ${messageOf(error)}.`,
      { cause: error },
    );
  }
}

/** In the tool cache, or, where that is not ours to write, in this run's own folder. */
async function openFolder(
  kept: string | undefined,
  scratch: string,
  io: InstallIo,
): Promise<{ path: string; target?: string }> {
  if (kept !== undefined) {
    try {
      return { path: await openPartial(kept, io.now()), target: kept };
    } catch (error) {
      io.info(
        `The tool cache cannot be written (${messageOf(error)}); the CLI is installed for this run only.`,
      );
    }
  }
  const path = join(scratch, `cli-${randomUUID()}`);
  await mkdir(path, { recursive: true });
  return { path };
}
