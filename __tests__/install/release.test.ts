import { describe, expect, it } from '@jest/globals';
import { RunFailure } from '../../src/core/failure.js';
import { archiveName } from '../../src/install/tool-cache.js';
import {
  isPinned,
  newestUrl,
  planInstall,
  platformOf,
  RELEASES,
  versionProblem,
} from '../../src/install/release.js';
import { CURSOR_PINS, DEFAULT_CURSOR_VERSION } from '../../src/install/pins.js';

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
    const platform = platformOf(agent, { system, arch });
    const version = agent === 'cursor' ? '2026.10.01-e373342' : '1.0.15';
    const plan = planInstall({ agent, version }, platform);
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

const platform = platformOf('cursor', { system: 'linux', arch: 'x64' });
const clidoPlatform = platformOf('clido', { system: 'darwin', arch: 'arm64' });
const VERSION = '2026.10.01-e373342';
const PINNED = 'a79726c6e644520e993970be4c45775a6889802b67abe461a677a53219ae28e8';
const OTHER = 'b'.repeat(64);

function plan(changes: { version?: string; sha256?: string; downloadUrl?: string }) {
  const request = { agent: 'cursor' as const, version: VERSION, ...changes };
  return planInstall(request, platform);
}

describe('the table of pins', () => {
  it('has a hash and a source for every platform of every build, and plausible sizes where they are known', () => {
    const builds = Object.entries(CURSOR_PINS);
    expect(builds.length).toBeGreaterThan(0);
    for (const [version, { source, archives }] of builds) {
      expect(versionProblem('cursor', version)).toBeUndefined();
      expect(source).not.toBe('');
      expect(Object.keys(archives)).toHaveLength(6);
      for (const { sha256, bytes } of Object.values(archives)) {
        expect(sha256).toMatch(/^[0-9a-f]{64}$/);
        if (bytes !== undefined) expect(bytes).toBeGreaterThan(1_000_000);
      }
    }
  });

  it('has no two archives with one hash', () => {
    const hashes = Object.values(CURSOR_PINS).flatMap(({ archives }) =>
      Object.values(archives).map(({ sha256 }) => sha256),
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('makes the newest build the default', () => {
    const versions = Object.keys(CURSOR_PINS);
    expect(versions).toContain(DEFAULT_CURSOR_VERSION);
    expect(DEFAULT_CURSOR_VERSION).toBe(versions[0]);
    const day = (version: string) => version.slice(0, 10);
    expect(versions.filter((version) => day(version) > day(DEFAULT_CURSOR_VERSION))).toEqual([]);
  });
});

describe('what is expected of an archive', () => {
  it.each([
    ['a pinned version', {}, { sha256: PINNED, bytes: 182613962 }],
    ['a pinned version and its own hash', { sha256: PINNED }, { sha256: PINNED, bytes: 182613962 }],
    [
      'a pinned version whose size is not known',
      { version: '2026.10.01-14929f9' },
      { sha256: 'ba9a855f8f813c91b9f2707127572d2dc9ae5a62818e1c36719625d0fb8bd452' },
    ],
    ['a pinned version and another hash', { sha256: OTHER }, { sha256: OTHER }],
    ['an unknown version and a hash', { version: '2030.01.01-abc', sha256: OTHER }, { sha256: OTHER }],
    ['an unknown version', { version: '2030.01.01-abc' }, undefined],
    ['a version named like a method', { version: 'constructor' }, undefined],
  ])('%s', (_, changes, expected) => {
    expect(plan(changes).expected).toEqual(expected);
  });

  it('names an archive in a cache after its hash', () => {
    const names = [plan({}), plan({ sha256: OTHER })].filter(isPinned).map(archiveName);
    expect(names).toEqual(['linux-x64-a79726c6e644520e', 'linux-x64-bbbbbbbbbbbbbbbb']);
  });
});

describe('a mirror', () => {
  it.each([
    [
      'https://m.example/cursor',
      'https://m.example/cursor/2026.10.01-e373342/linux/x64/agent-cli-package.tar.gz',
    ],
    ['https://m.example//', 'https://m.example/2026.10.01-e373342/linux/x64/agent-cli-package.tar.gz'],
    [
      'https://m.example/{os}-{arch}/{version}.{ext}',
      'https://m.example/linux-x64/2026.10.01-e373342.tar.gz',
    ],
    ['https://m.example/{version}?sig=1', 'https://m.example/2026.10.01-e373342?sig=1'],
  ])('%s', (downloadUrl, url) => {
    expect(plan({ downloadUrl }).url).toBe(url);
  });

  it('of clido has the layout of its releases', () => {
    const request = {
      agent: 'clido' as const,
      version: '1.2.3',
      downloadUrl: 'https://m.example/c',
    };
    const { url } = planInstall(request, clidoPlatform);
    expect(url).toBe('https://m.example/c/v1.2.3/clido-macos-aarch64');
  });

  it.each([
    [undefined, 'https://cursor.com/install'],
    ['https://m.example/cursor', 'https://m.example/install'],
    ['http://localhost:81/{version}/{os}.{ext}', 'http://localhost:81/install'],
  ])('%s names the newest version at %s', (mirror, url) => {
    expect(newestUrl(mirror, RELEASES.cursor)).toBe(url);
  });
});

describe('versionProblem', () => {
  it.each([
    ['cursor', '2026.10.01-e373342'],
    ['cursor', '2026.10.01-12-30-59-e373342'],
    ['cursor', 'latest'],
    ['clido', '1.0.15'],
    ['clido', '2.0.0-rc.1'],
    ['clido', 'latest'],
  ] as const)('%s %s is fine', (agent, version) => {
    expect(versionProblem(agent, version)).toBeUndefined();
  });

  it.each([
    ['cursor', '1.0.15'],
    ['cursor', '2026.10.01'],
    ['cursor', '2026.10.01-../../x'],
    ['cursor', '2026.10.01-e373342/..'],
    ['cursor', 'Latest'],
    ['clido', '2026.10.01-e373342x/..'],
    ['clido', '1.0'],
    ['clido', '../1.0.15'],
  ] as const)('%s %s is not', (agent, version) => {
    expect(versionProblem(agent, version)).toContain('exact version');
  });
});
