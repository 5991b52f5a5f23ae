import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { archiveName, type PinnedPlan } from './plan.js';

/**
 * The path of an archive in the runner's tool cache. The cache holds archives and never an unpacked CLI: any
 * step of any job on this machine can write there, and only an archive can be verified against the pinned hash.
 * @actions/tool-cache is not used to find it, because it accepts only semantic versions.
 */
export function toolArchive(toolCache: string, plan: PinnedPlan): string {
  const name = `${archiveName(plan)}.${plan.platform.packing}`;
  return join(toolCache, plan.release.folder, plan.version, name);
}

const PARTIAL = '.partial-';

/** Adds an archive under a temporary name and renames it, so that no job ever sees half of it. */
export async function addToolArchive(archive: string, path: string, now: number): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  await sweep(folder, now);
  const partial = join(folder, `${PARTIAL}${randomUUID()}`);
  try {
    await linkOrCopy(archive, partial);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/** Takes no time on the same disk. Never writes to a file that is already there, nor through a link. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_EXCL));
}

/** No installation takes this long, so anything older was left by one that was killed. */
const ABANDONED_MS = 24 * 60 * 60_000;

async function sweep(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PARTIAL)) continue;
    const path = join(folder, name);
    const left = await lstat(path).catch(() => undefined);
    if (left && now - left.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
