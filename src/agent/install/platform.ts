import { RunFailure } from '../../failure.js';
import type { PlatformName } from './pins.js';

const SYSTEMS = { linux: 'linux', darwin: 'darwin', win32: 'windows' } as const;
const MACHINES = { x64: 'x64', arm64: 'arm64' } as const;

export interface Platform {
  name: PlatformName;
  os: 'linux' | 'darwin' | 'windows';
  arch: 'x64' | 'arm64';
  /** The archive's ending. */
  ext: 'tar.gz' | 'zip';
  program: string;
}

/** The platform as the vendor names it. */
export function platformOf(system: string, machine: string): Platform {
  const os = Object.hasOwn(SYSTEMS, system) ? SYSTEMS[system as keyof typeof SYSTEMS] : undefined;
  const arch = Object.hasOwn(MACHINES, machine) ? MACHINES[machine as keyof typeof MACHINES] : undefined;
  if (!os || !arch) {
    throw new RunFailure(
      'install-failed',
      `There is no build of the CLI for ${system}/${machine}. Set cli-path to a CLI you installed yourself.`,
    );
  }
  return {
    name: `${os}/${arch}`,
    os,
    arch,
    ext: os === 'windows' ? 'zip' : 'tar.gz',
    program: os === 'windows' ? 'cursor-agent.cmd' : 'cursor-agent',
  };
}
