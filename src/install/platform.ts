import { RunFailure } from '../core/failure.js';
import type { PlatformName } from './pins.js';

/** How a release is packed; a binary is not packed at all. */
export type Packing = 'tar.gz' | 'zip' | 'binary';

export interface Platform {
  name: PlatformName;
  /** The system and the machine as the vendor's addresses spell them. */
  os: string;
  arch: string;
  packing: Packing;
  program: string;
}

export interface Machine {
  /** As `process.platform` and `process.arch` say it. */
  system: string;
  arch: string;
}

const cursorFor = (os: 'linux' | 'darwin', arch: 'x64' | 'arm64'): Platform => ({
  name: `${os}/${arch}`,
  os,
  arch,
  packing: 'tar.gz',
  program: 'cursor-agent',
});
const cursorForWindows = (arch: 'x64' | 'arm64'): Platform => ({
  name: `windows/${arch}`,
  os: 'windows',
  arch,
  packing: 'zip',
  program: 'cursor-agent.cmd',
});
const clidoFor = (name: PlatformName, os: string, arch: string): Platform => ({
  name,
  os,
  arch,
  packing: 'binary',
  program: 'clido',
});

/** Every machine a CLI is built for, by `process.platform`/`process.arch`. */
const PLATFORMS = {
  cursor: new Map([
    ['linux/x64', cursorFor('linux', 'x64')],
    ['linux/arm64', cursorFor('linux', 'arm64')],
    ['darwin/x64', cursorFor('darwin', 'x64')],
    ['darwin/arm64', cursorFor('darwin', 'arm64')],
    ['win32/x64', cursorForWindows('x64')],
    ['win32/arm64', cursorForWindows('arm64')],
  ]),
  clido: new Map([
    ['linux/x64', clidoFor('linux/x64', 'linux', 'x86_64')],
    ['linux/arm64', clidoFor('linux/arm64', 'linux', 'aarch64')],
    ['darwin/x64', clidoFor('darwin/x64', 'macos', 'x86_64')],
    ['darwin/arm64', clidoFor('darwin/arm64', 'macos', 'aarch64')],
  ]),
} as const;

export function platformOf(agent: 'cursor' | 'clido', machine: Machine): Platform {
  const built = PLATFORMS[agent];
  const found = built.get(`${machine.system}/${machine.arch}`);
  if (found) return found;
  const all = [...built.values()].map(({ name }) => name).join(', ');
  throw new RunFailure(
    'install-failed',
    `There is no build of the ${agent} CLI for ${machine.system}/${machine.arch}, only for ${all}. ` +
      'Set cli-path to a CLI you installed yourself, or use another runner.',
  );
}
