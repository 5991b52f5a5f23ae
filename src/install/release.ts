import { CURSOR_PINS, DEFAULT_CLIDO_VERSION, DEFAULT_CURSOR_VERSION, type Pin } from './pins.js';
import type { PlatformName } from './pins.js';

/** How one agent's CLI is released: its versions, its addresses, and what is known of its archives. */
export interface Release {
  /** How people know the CLI. */
  title: string;
  /** Its folder in the tool cache. */
  folder: string;
  defaultVersion: string;
  versionShape: RegExp;
  /** Where the archives are, and the path below a mirror's base where they are expected. */
  base: string;
  layout: string;
  pinned(version: string, platform: PlatformName): Pin | undefined;
  /** Where the newest version is named: in a script's text, or in the address a redirect leads to. */
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

/** What is wrong with a version, in words; nothing if it can be asked for. */
export function versionProblem(agent: 'cursor' | 'clido', version: string): string | undefined {
  const { versionShape, defaultVersion } = RELEASES[agent];
  if (version === 'latest' || versionShape.test(version)) return undefined;
  return `use an exact version of the ${agent} CLI, such as ${defaultVersion}, or latest`;
}
