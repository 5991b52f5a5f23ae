import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallIo } from './install-io.js';
import { archiveName, type PinnedPlan } from './plan.js';
import { messageOf } from './retry.js';
import { addToolArchive, linkOrCopy, toolArchive } from './tool-archive.js';
import { copyVerified } from './verified-copy.js';

export type CacheName = 'tool-cache' | 'actions-cache';

/**
 * Copies the archive from a cache to `target`, and says which cache had it. Others can write to both caches, so
 * every hit is verified against the expected hash. That is why there is none without an expected hash.
 */
export async function takeFromCaches(
  plan: PinnedPlan,
  target: string,
  io: InstallIo,
): Promise<CacheName | undefined> {
  if (await takeFromToolCache(plan, target, io)) return 'tool-cache';
  if (await takeFromActionsCache(plan, target, io)) return 'actions-cache';
  return undefined;
}

async function takeFromToolCache(plan: PinnedPlan, target: string, io: InstallIo): Promise<boolean> {
  if (io.toolCache === undefined) return false;
  const path = toolArchive(io.toolCache, plan);
  const copied = await copyVerified(path, target, plan.expected);
  if (copied.kind === 'good') io.info(hit(plan, 'the tool cache'));
  if (copied.kind === 'bad') {
    io.warning(`${refusal(plan, 'the tool cache', copied.why)} It is replaced.`);
    // If it cannot be removed, it cannot be replaced either, and that is said when it is tried.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
  return copied.kind === 'good';
}

async function takeFromActionsCache(plan: PinnedPlan, target: string, io: InstallIo): Promise<boolean> {
  const path = exchangePath(plan, io);
  try {
    await mkdir(io.archiveFolder, { recursive: true });
    await rm(path, { recursive: true, force: true });
    if (!(await io.archiveCache.restore(path, cacheKey(plan)))) return false;
    const copied = await copyVerified(path, target, plan.expected);
    if (copied.kind === 'good') io.info(hit(plan, 'the Actions cache'));
    if (copied.kind === 'bad') io.warning(refusal(plan, 'the Actions cache', copied.why));
    return copied.kind === 'good';
  } catch {
    // A cache that does not work is treated like a cache without the archive.
    return false;
  } finally {
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

const hit = ({ release, version, expected }: PinnedPlan, cache: string): string =>
  `Using ${release.title} ${version} from ${cache}. Verified: sha256 ${expected.sha256}`;

const refusal = ({ release, version }: PinnedPlan, cache: string, why: string): string =>
  `The archive of ${release.title} ${version} in ${cache} is not used: ${why}.`;

/** Adds a verified archive to each cache that did not have it. */
export async function addToCaches(
  plan: PinnedPlan,
  archive: { path: string; source: CacheName | 'download' },
  io: InstallIo,
): Promise<void> {
  if (archive.source !== 'tool-cache') await addToToolCache(plan, archive.path, io);
  if (archive.source === 'download') await addToActionsCache(plan, archive.path, io);
}

async function addToToolCache(plan: PinnedPlan, archive: string, io: InstallIo): Promise<void> {
  if (io.toolCache === undefined) return;
  try {
    await addToolArchive(archive, toolArchive(io.toolCache, plan), io.now());
  } catch (error) {
    io.info(
      `The archive could not be kept in the tool cache (${messageOf(error)}). ` +
        'The next run on this machine fetches it again.',
    );
  }
}

async function addToActionsCache(plan: PinnedPlan, archive: string, io: InstallIo): Promise<void> {
  const path = exchangePath(plan, io);
  try {
    await linkOrCopy(archive, path);
    await io.archiveCache.save(path, cacheKey(plan));
  } catch {
    // The next run downloads it again.
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

const cacheKey = (plan: PinnedPlan): string =>
  [plan.release.folder, plan.version, plan.platform.name.replace('/', '-'), plan.expected.sha256].join('-');

/** Where the client of the Actions cache puts an archive and takes it from. */
const exchangePath = (plan: PinnedPlan, io: InstallIo): string =>
  join(io.archiveFolder, `${plan.release.folder}-${plan.version}-${archiveName(plan)}`);
