import { RunFailure } from '../core/failure.js';
import type { AgentName } from '../core/input-shapes.js';
import {
  CURSOR_PINS,
  DEFAULT_CLIDO_VERSION,
  DEFAULT_CURSOR_VERSION,
  type Pin,
  type PlatformName,
} from './pins.js';

/** How the CLI of an agent is released: its versions, its addresses, and what is known about its archives. */
export interface Release {
  title: string;
  folder: string;
  defaultVersion: string;
  versionShape: RegExp;
  platforms: readonly Platform[];
  /** Where the archives are, and their path below that address or below the address of a mirror. */
  base: string;
  layout: string;
  pinned(version: string, platform: PlatformName): Pin | undefined;
  /** Where the newest version is named: in the text of a script, or in the address that a redirect leads to. */
  newest: { base: string; path: string; from: 'text' | 'redirect'; pattern: RegExp };
}

export interface Platform {
  name: PlatformName;
  /** The system and the machine as they are spelled in the vendor's addresses. */
  os: string;
  arch: string;
  /** A binary is not packed at all. */
  packing: 'tar.gz' | 'zip' | 'binary';
  program: string;
}

const cursorFor = (os: 'linux' | 'darwin' | 'windows', arch: 'x64' | 'arm64'): Platform =>
  os === 'windows'
    ? { name: `${os}/${arch}`, os, arch, packing: 'zip', program: 'cursor-agent.cmd' }
    : { name: `${os}/${arch}`, os, arch, packing: 'tar.gz', program: 'cursor-agent' };
const clidoFor = (name: PlatformName, os: string, arch: string): Platform => ({
  name,
  os,
  arch,
  packing: 'binary',
  program: 'clido',
});

export const RELEASES: Readonly<Record<AgentName, Release>> = {
  cursor: {
    title: 'Cursor CLI',
    folder: 'cursor-cli',
    defaultVersion: DEFAULT_CURSOR_VERSION,
    versionShape: /^\d{4}\.\d{2}\.\d{2}-[0-9A-Za-z]+(-[0-9A-Za-z]+)*$/,
    platforms: (['linux', 'darwin', 'windows'] as const).flatMap((os) => [
      cursorFor(os, 'x64'),
      cursorFor(os, 'arm64'),
    ]),
    base: 'https://downloads.cursor.com/lab',
    layout: '{version}/{os}/{arch}/agent-cli-package.{ext}',
    pinned: (version, platform) =>
      Object.hasOwn(CURSOR_PINS, version) ? CURSOR_PINS[version]?.archives[platform] : undefined,
    newest: {
      base: 'https://cursor.com',
      path: '/install',
      from: 'text',
      pattern: /\/lab\/(\d{4}\.\d{2}\.\d{2}-[0-9A-Za-z-]+)\//g,
    },
  },
  clido: {
    title: 'clido',
    folder: 'clido-cli',
    defaultVersion: DEFAULT_CLIDO_VERSION,
    versionShape: /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/,
    platforms: [
      clidoFor('linux/x64', 'linux', 'x86_64'),
      clidoFor('linux/arm64', 'linux', 'aarch64'),
      clidoFor('darwin/x64', 'macos', 'x86_64'),
      clidoFor('darwin/arm64', 'macos', 'aarch64'),
    ],
    base: 'https://github.com/clido-ai/clido-cli/releases/download',
    layout: 'v{version}/clido-{os}-{arch}',
    pinned: () => undefined,
    newest: {
      base: 'https://github.com',
      path: '/clido-ai/clido-cli/releases/latest',
      from: 'redirect',
      pattern: /\/releases\/tag\/v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)$/g,
    },
  },
};

export function versionProblem(agent: AgentName, version: string): string | undefined {
  const { versionShape, defaultVersion } = RELEASES[agent];
  if (version === 'latest' || versionShape.test(version)) return undefined;
  return `use an exact version of the ${agent} CLI, such as ${defaultVersion}, or latest`;
}

export interface InstallMachine {
  /** In the words of `process.platform` and `process.arch`. */
  system: string;
  arch: string;
}

export function platformOf(agent: AgentName, { system, arch }: InstallMachine): Platform {
  const { platforms } = RELEASES[agent];
  const wanted = `${system === 'win32' ? 'windows' : system}/${arch}`;
  const found = platforms.find(({ name }) => name === wanted);
  if (found) return found;
  const all = platforms.map(({ name }) => name).join(', ');
  throw new RunFailure(
    'install-failed',
    `There is no build of the ${agent} CLI for ${system}/${arch}, only for ${all}. ` +
      'Set cli-path to a CLI you installed yourself, or use another runner.',
  );
}

export interface InstallRequest {
  agent: AgentName;
  /** An exact version or `latest`. By default the version that the action knows best. */
  version?: string | undefined;
  sha256?: string | undefined;
  downloadUrl?: string | undefined;
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
  const { version, sha256, downloadUrl } = request;
  const release = RELEASES[request.agent];
  const pinned = release.pinned(version, platform.name);
  // A given hash takes precedence. The known size applies only if it is the known hash.
  const expected = sha256 === undefined || sha256 === pinned?.sha256 ? pinned : { sha256 };
  // A mirror is a template, or an address below which the archives have the vendor's paths.
  const base = (downloadUrl ?? release.base).replace(/\/+$/, '');
  const isTemplate = downloadUrl !== undefined && downloadUrl.search(PLACEHOLDER) >= 0;
  const template = isTemplate ? downloadUrl : `${base}/${release.layout}`;
  const ext = platform.packing === 'binary' ? '' : platform.packing;
  const values = new Map(Object.entries({ version, os: platform.os, arch: platform.arch, ext }));
  const url = template.replace(PLACEHOLDER, (_, name: string) => values.get(name) ?? '');
  return { release, version, platform, url, ...(expected ? { expected } : {}) };
}

const PLACEHOLDER = /\{(version|os|arch|ext)\}/g;

/** The address that names the newest version: the vendor's, or the same path on the host of a mirror. */
export function newestUrl(mirror: string | undefined, { newest }: Release): string {
  return new URL(newest.path, mirror?.replace(/[{}]/g, '') ?? newest.base).href;
}
