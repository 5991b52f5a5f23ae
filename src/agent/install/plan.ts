import { CURSOR_PINS, DEFAULT_CURSOR_VERSION, type Pin } from './pins.js';
import type { Platform } from './platform.js';

export interface InstallRequest {
  version?: string | undefined;
  sha256?: string | undefined;
  downloadUrl?: string | undefined;
}

/** What to fetch and what it must be. Without an expected hash it can only be reported, not verified. */
export interface InstallPlan {
  version: string;
  url: string;
  expected?: { sha256: string; bytes?: number };
}

const VENDOR_URL = 'https://downloads.cursor.com/lab/{version}/{os}/{arch}/agent-cli-package.{ext}';

export function planInstall(request: InstallRequest, platform: Platform): InstallPlan {
  const version = request.version ?? DEFAULT_CURSOR_VERSION;
  const plan = { version, url: archiveUrl(request.downloadUrl, version, platform) };
  const expected = expectedArchive(request, pinnedArchive(version, platform));
  return expected ? { ...plan, expected } : plan;
}

function pinnedArchive(version: string, platform: Platform): Pin | undefined {
  return Object.hasOwn(CURSOR_PINS, version) ? CURSOR_PINS[version]?.[platform.name] : undefined;
}

function expectedArchive(request: InstallRequest, pinned: Pin | undefined): InstallPlan['expected'] {
  if (request.sha256 === undefined) return pinned;
  return request.sha256 === pinned?.sha256 ? pinned : { sha256: request.sha256 };
}

/** A mirror is a template, or a base under which the vendor's own layout is expected. */
function archiveUrl(mirror: string | undefined, version: string, platform: Platform): string {
  const template = mirror === undefined ? VENDOR_URL : asTemplate(mirror);
  const values: Record<string, string> = { version, os: platform.os, arch: platform.arch, ext: platform.ext };
  return template.replace(/\{(version|os|arch|ext)\}/g, (_, name: string) => values[name] ?? '');
}

function asTemplate(mirror: string): string {
  if (/\{(version|os|arch|ext)\}/.test(mirror)) return mirror;
  return `${mirror.replace(/\/+$/, '')}/{version}/{os}/{arch}/agent-cli-package.{ext}`;
}
