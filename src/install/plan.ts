import type { Pin } from './pins.js';
import { RELEASES, type Platform, type Release } from './release.js';

export interface InstallRequest {
  agent: 'cursor' | 'clido';
  /** An exact version or `latest`. By default the version that the action knows best. */
  version?: string | undefined;
  sha256?: string | undefined;
  downloadUrl?: string | undefined;
  /** Whether the tool cache and the Actions cache may be used. */
  cache: boolean;
}

/** More than five times the size of the largest known archive. Anything larger is not the CLI. */
export const MAX_ARCHIVE_BYTES = 1024 ** 3;

/** What to fetch and what it must be. Without an expected hash, the hash can only be reported, not verified. */
export interface InstallPlan {
  release: Release;
  version: string;
  platform: Platform;
  url: string;
  expected?: Pin;
}

export type PinnedPlan = InstallPlan & { expected: Pin };

export const isPinned = (plan: InstallPlan): plan is PinnedPlan => plan.expected !== undefined;

/** `version` is exact: `latest` has been resolved. */
export function planInstall(request: InstallRequest & { version: string }, platform: Platform): InstallPlan {
  const { version } = request;
  const release = RELEASES[request.agent];
  const pinned = release.pinned(version, platform.name);
  const given = request.sha256;
  // A given hash takes precedence. The known size applies only if it is the known hash.
  const expected = given === undefined || given === pinned?.sha256 ? pinned : { sha256: given };
  const url = archiveUrl(request.downloadUrl, release, { version, platform });
  return { release, version, platform, url, ...(expected ? { expected } : {}) };
}

/** The address that names the newest version: the vendor's, or the same path on the host of a mirror. */
export function newestUrl(mirror: string | undefined, { newest }: Release): string {
  return new URL(newest.path, mirror?.replace(/[{}]/g, '') ?? newest.base).href;
}

/** The name of an archive in a cache. It depends on the expected hash. */
export function archiveName({ platform, expected }: PinnedPlan): string {
  return `${platform.name.replace('/', '-')}-${expected.sha256.slice(0, 16)}`;
}

const PLACEHOLDER = /\{(version|os|arch|ext)\}/g;

/** A mirror is a template, or an address below which the archives have the vendor's paths. */
function archiveUrl(
  mirror: string | undefined,
  release: Release,
  { version, platform }: { version: string; platform: Platform },
): string {
  const base = (mirror ?? release.base).replace(/\/+$/, '');
  const isTemplate = mirror !== undefined && mirror.search(PLACEHOLDER) >= 0;
  const template = isTemplate ? mirror : `${base}/${release.layout}`;
  const values = new Map([
    ['version', version],
    ['os', platform.os],
    ['arch', platform.arch],
    ['ext', platform.packing === 'binary' ? '' : platform.packing],
  ]);
  return template.replace(PLACEHOLDER, (_, name: string) => values.get(name) ?? '');
}
