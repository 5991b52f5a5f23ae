import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { InstallIo } from './install-io.js';
import { findDifference, ManifestSchema, readTree } from './manifest.js';
import { archiveName, type InstallPlan } from './plan.js';
import { messageOf } from './retry.js';

/**
 * One CLI's place in the runner's tool cache. @actions/tool-cache is not asked for it: it finds only versions
 * that are semantic ones, which this CLI's are not, and trusts a marker file where we trust a manifest.
 */
export function toolFolder(toolCache: string, plan: InstallPlan): string {
  return join(toolCache, plan.release.folder, plan.version, archiveName(plan));
}

export const filesOf = (folder: string): string => join(folder, 'files');
export const manifestOf = (folder: string): string => join(folder, 'manifest.json');

export type Found = { kind: 'good'; program: string } | { kind: 'absent' } | { kind: 'bad'; why: string };

/** Looks at what is in a place, every byte of it: only what matches its manifest and the plan is good. */
export async function checkFolder(folder: string, plan: InstallPlan): Promise<Found> {
  try {
    await stat(folder);
  } catch {
    return { kind: 'absent' };
  }
  try {
    const parsed = ManifestSchema.safeParse(JSON.parse(await readFile(manifestOf(folder), 'utf8')));
    if (!parsed.success) return { kind: 'bad', why: 'its manifest cannot be read' };
    const manifest = parsed.data;
    const isMeant =
      manifest.version === plan.version &&
      manifest.platform === plan.platform.name &&
      (!plan.expected || manifest.archive === plan.expected.sha256) &&
      manifest.entries.some(({ kind, path }) => kind === 'file' && path === manifest.program);
    if (!isMeant) return { kind: 'bad', why: 'its manifest is not that of this build' };
    const difference = findDifference(manifest.entries, await readTree(filesOf(folder)));
    if (difference !== undefined) return { kind: 'bad', why: difference };
    return { kind: 'good', program: join(filesOf(folder), manifest.program) };
  } catch (error) {
    return { kind: 'bad', why: messageOf(error) };
  }
}

const PARTIAL = '.partial-';
/** No installation takes this long: what is older was left by one that was killed. */
const ABANDONED_MS = 24 * 60 * 60_000;

/** A new empty folder beside the place, on the same disk, so that one rename can put it there. */
export async function openPartial(folder: string, now: number): Promise<string> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  await sweep(parent, now);
  const partial = join(parent, `${PARTIAL}${randomUUID()}`);
  await mkdir(partial, { mode: 0o755 });
  return partial;
}

async function sweep(parent: string, now: number): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PARTIAL)) continue;
    const path = join(parent, name);
    const left = await stat(path).catch(() => undefined);
    if (left && now - left.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Windows holds on to files a virus scanner is looking at. */
const RENAME_WAITS_MS = [100, 500, 2_000];

/**
 * Puts a finished folder in its place. Where another job was faster and its folder is good, that one is used;
 * a bad one is moved out of the way first.
 */
export async function publish(
  { partial, folder, plan, program }: { partial: string; folder: string; plan: InstallPlan; program: string },
  io: Pick<InstallIo, 'sleep'>,
): Promise<string> {
  for (let tried = 0; ; tried += 1) {
    try {
      await rename(partial, folder);
    } catch (error) {
      const there = await checkFolder(folder, plan);
      if (there.kind === 'good') {
        await rm(partial, { recursive: true, force: true });
        return there.program;
      }
      if (there.kind === 'bad') await setAside(folder);
      const wait = RENAME_WAITS_MS[tried];
      if (wait === undefined) throw error;
      if (there.kind === 'absent') await io.sleep(wait);
      continue;
    }
    return join(filesOf(folder), program);
  }
}

/** Moved first, then removed: at no moment is there half of it under its name. */
export async function setAside(folder: string): Promise<void> {
  const away = join(dirname(folder), `${PARTIAL}${randomUUID()}`);
  try {
    await rename(folder, away);
  } catch {
    // Another job has moved it already.
    return;
  }
  await rm(away, { recursive: true, force: true });
}
