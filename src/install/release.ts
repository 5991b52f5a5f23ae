import { RunFailure } from '../core/failure.js';
import {
  CURSOR_PINS,
  DEFAULT_CLIDO_VERSION,
  DEFAULT_CURSOR_VERSION,
  type Pin,
  type PlatformName,
} from './pins.js';

/** How the CLI of an agent is released: its versions, its addresses, and what is known about its archives. */
export interface Release {
  /** The name that people know the CLI by. */
  title: string;
  /** Its folder in the tool cache. */
  folder: string;
  defaultVersion: string;
  versionShape: RegExp;
  /** Where the archives are, and their path below that address or below the address of a mirror. */
  base: string;
  layout: string;
  pinned(version: string, platform: PlatformName): Pin | undefined;
  /** Where the newest version is named: in the text of a script, or in the address that a redirect leads to. */
  newest: { base: string; path: string; from: 'text' | 'redirect'; pattern: RegExp };
}

export const RELEASES: Readonly<Record<'cursor' | 'clido', Release>> = {
  cursor: {
    title: 'Cursor CLI',
    folder: 'cursor-cli',
    defaultVersion: DEFAULT_CURSOR_VERSION,
    versionShape: /^\d{4}\.\d{2}\.\d{2}-[0-9A-Za-z]+(-[0-9A-Za-z]+)*$/,
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

/** Says what is wrong with a version; undefined if it can be requested. */
export function versionProblem(agent: 'cursor' | 'clido', version: string): string | undefined {
  const { versionShape, defaultVersion } = RELEASES[agent];
  if (version === 'latest' || versionShape.test(version)) return undefined;
  return `use an exact version of the ${agent} CLI, such as ${defaultVersion}, or latest`;
}

/** How a release is packed. A binary is not packed at all. */
type Packing = 'tar.gz' | 'zip' | 'binary';

export interface Platform {
  name: PlatformName;
  /** The system and the machine as they are spelled in the vendor's addresses. */
  os: string;
  arch: string;
  packing: Packing;
  program: string;
}

export interface Machine {
  /** In the words of `process.platform` and `process.arch`. */
  system: string;
  arch: string;
}

const cursorFor = (os: 'linux' | 'darwin' | 'windows', arch: 'x64' | 'arm64'): Platform =>
  os === 'windows'
    ? { name: `${os}/${arch}`, os, arch, packing: 'zip', program: 'cursor-agent.cmd' }
    : { name: `${os}/${arch}`, os, arch, packing: 'tar.gz', program: 'cursor-agent' };
const clidoFor = (name: PlatformName, os: string, arch: string): Platform => ({
  ...{ name, os, arch, packing: 'binary', program: 'clido' },
});

/** Every machine that a CLI is built for. */
const PLATFORMS: Readonly<Record<'cursor' | 'clido', readonly Platform[]>> = {
  cursor: (['linux', 'darwin', 'windows'] as const).flatMap((os) => [
    cursorFor(os, 'x64'),
    cursorFor(os, 'arm64'),
  ]),
  clido: [
    clidoFor('linux/x64', 'linux', 'x86_64'),
    clidoFor('linux/arm64', 'linux', 'aarch64'),
    clidoFor('darwin/x64', 'macos', 'x86_64'),
    clidoFor('darwin/arm64', 'macos', 'aarch64'),
  ],
};

export function platformOf(agent: 'cursor' | 'clido', machine: Machine): Platform {
  const built = PLATFORMS[agent];
  const wanted = `${machine.system === 'win32' ? 'windows' : machine.system}/${machine.arch}`;
  const found = built.find(({ name }) => name === wanted);
  if (found) return found;
  const all = built.map(({ name }) => name).join(', ');
  throw new RunFailure(
    'install-failed',
    `There is no build of the ${agent} CLI for ${machine.system}/${machine.arch}, only for ${all}. ` +
      'Set cli-path to a CLI you installed yourself, or use another runner.',
  );
}
