import { describe, expect, it } from '@jest/globals';
import { RunFailure } from '../../src/core/failure.js';
import { planInstall } from '../../src/install/plan.js';
import { platformOf } from '../../src/install/platform.js';
import { RELEASES } from '../../src/install/release.js';

const CURSOR = 'https://downloads.cursor.com/lab/2026.10.01-e373342';
const CLIDO = 'https://github.com/clido-ai/clido-cli/releases/download/v1.0.15';

describe('each platform', () => {
  it.each([
    ['cursor', 'linux', 'x64', `${CURSOR}/linux/x64/agent-cli-package.tar.gz`, 'cursor-agent', 182613962],
    ['cursor', 'linux', 'arm64', `${CURSOR}/linux/arm64/agent-cli-package.tar.gz`, 'cursor-agent', 180560415],
    ['cursor', 'darwin', 'x64', `${CURSOR}/darwin/x64/agent-cli-package.tar.gz`, 'cursor-agent', 184196702],
    [
      'cursor',
      'darwin',
      'arm64',
      `${CURSOR}/darwin/arm64/agent-cli-package.tar.gz`,
      'cursor-agent',
      176796992,
    ],
    ['cursor', 'win32', 'x64', `${CURSOR}/windows/x64/agent-cli-package.zip`, 'cursor-agent.cmd', 77156248],
    [
      'cursor',
      'win32',
      'arm64',
      `${CURSOR}/windows/arm64/agent-cli-package.zip`,
      'cursor-agent.cmd',
      75076180,
    ],
    ['clido', 'linux', 'x64', `${CLIDO}/clido-linux-x86_64`, 'clido', undefined],
    ['clido', 'linux', 'arm64', `${CLIDO}/clido-linux-aarch64`, 'clido', undefined],
    ['clido', 'darwin', 'x64', `${CLIDO}/clido-macos-x86_64`, 'clido', undefined],
    ['clido', 'darwin', 'arm64', `${CLIDO}/clido-macos-aarch64`, 'clido', undefined],
  ] as const)('%s on %s/%s', (...row) => {
    const [agent, system, arch, url, program, bytes] = row;
    const release = RELEASES[agent];
    const platform = platformOf(agent, { system, arch });
    const version = agent === 'cursor' ? '2026.10.01-e373342' : '1.0.15';
    const plan = planInstall({ agent, version, cache: true }, release, platform);
    expect(plan.url).toBe(url);
    expect(platform.program).toBe(program);
    expect(plan.expected?.bytes).toBe(bytes);
  });

  it.each([
    ['cursor', 'freebsd', 'x64'],
    ['cursor', 'linux', 'riscv64'],
    ['cursor', 'linux', 'ia32'],
    ['cursor', 'constructor', 'x64'],
    ['clido', 'win32', 'x64'],
    ['clido', 'aix', 'ppc64'],
  ] as const)('%s has no build for %s/%s and says what to do', (agent, system, arch) => {
    const failure = new RegExp(`${system}/${arch}.*Set cli-path to a CLI you installed yourself`);
    expect(() => platformOf(agent, { system, arch })).toThrow(failure);
    expect(() => platformOf(agent, { system, arch })).toThrow(RunFailure);
  });
});
