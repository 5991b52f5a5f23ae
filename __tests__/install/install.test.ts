import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { installCli } from '../../src/install/install.js';
import type { InstallRequest } from '../../src/install/release.js';
import { cliArchive, tarGz, versionScript, zip } from './archive-builder.js';
import { cut, redirect, serve, startServer, status, type FileServer } from './file-server.js';
import { createFixture, failureOf, type Fixture } from './install-fixture.js';

const VERSION = '2030.01.02-abcdef0';
const ARCHIVE = cliArchive(VERSION);
const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const SHA256 = hashOf(ARCHIVE);

let server: FileServer;
let fixture: Fixture;
beforeEach(async () => {
  server = await startServer(serve(ARCHIVE));
  fixture = createFixture();
});

function install(changes: Partial<InstallRequest> = {}, io: Partial<Fixture['io']> = {}) {
  const request: InstallRequest = {
    agent: 'cursor',
    version: VERSION,
    sha256: SHA256,
    downloadUrl: server.url,
    ...changes,
  };
  return installCli(request, fixture.scratch, { ...fixture.io, ...io });
}
const runs = (path: string) => execFileSync(path, ['--version'], { encoding: 'utf8' }).trim();
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
const cacheFolder = () => join(fixture.root, 'tools', 'cursor-cli', VERSION);
const cachedName = `linux-x64-${SHA256.slice(0, 16)}.tar.gz`;
const cachedArchive = () => join(cacheFolder(), cachedName);
const warnings = () => fixture.said.filter((line) => line.startsWith('warning: '));

/** A CLI that leaves a file behind whenever it runs. */
const canary = () => join(fixture.root, 'canary');
const canaryScript = () => `#!/bin/sh\ntouch ${canary()}\necho ${VERSION}\n`;
const canaryArchive = () => tarGz([{ name: 'cursor-agent', content: canaryScript(), mode: 0o755 }]);
/** Fails if the planted CLI was run, or if running this one runs it. */
const expectHonest = (cli: { path: string }) => {
  expect(existsSync(canary())).toBe(false);
  expect(runs(cli.path)).toBe(VERSION);
  expect(existsSync(canary())).toBe(false);
};

describe('a first installation', () => {
  it('downloads, verifies, unpacks for this run and stores the archive in the tool cache', async () => {
    const cli = await install();
    expect(cli).toMatchObject({ version: VERSION, source: 'download' });
    expect(cli.path.startsWith(`${fixture.scratch}/`)).toBe(true);
    expect(runs(cli.path)).toBe(VERSION);
    expect(server.asked).toEqual([`/${VERSION}/linux/x64/agent-cli-package.tar.gz`]);
    expect(fixture.said).toContain(`Verified: sha256 ${SHA256}`);
    expect(readdirSync(cacheFolder())).toEqual([cachedName]);
    expect(readFileSync(cachedArchive())).toEqual(ARCHIVE);
    expect(
      filesIn(fixture.scratch)
        .map((path) => basename(path))
        .sort(),
    ).toEqual(['cursor-agent', 'index.js']);
  });

  it('accepts an archive without a top folder', async () => {
    const flat = cliArchive(VERSION, [], '');
    server.answer(serve(flat));
    const cli = await install({ sha256: hashOf(flat) });
    expect(basename(dirname(cli.path))).not.toBe('dist-package');
    expect(runs(cli.path)).toBe(VERSION);
  });

  it('follows a redirect and survives a cut connection', async () => {
    server.answer(redirect('/moved'), cut(ARCHIVE), serve(ARCHIVE));
    expect(runs((await install()).path)).toBe(VERSION);
    expect(fixture.waits).toEqual([2_000]);
  });

  it('works without a tool cache', async () => {
    expect(runs((await install({}, { toolCache: undefined })).path)).toBe(VERSION);
  });

  it('notes a tool cache that cannot be written, and does not warn', async () => {
    writeFileSync(join(fixture.root, 'file'), '');
    const cli = await install({}, { toolCache: join(fixture.root, 'file') });
    expect(runs(cli.path)).toBe(VERSION);
    expect(fixture.said.join('\n')).toContain('could not be stored in the tool cache');
    expect(warnings()).toEqual([]);
  });

  it('resolves latest, and installs what it found', async () => {
    const script = `URL=https://downloads.cursor.com/lab/${VERSION}/linux/x64/agent-cli-package.tar.gz`;
    server.answer(serve(script), serve(ARCHIVE));
    const cli = await install({ version: 'latest' });
    expect(cli.version).toBe(VERSION);
    expect(server.asked).toEqual(['/install', `/${VERSION}/linux/x64/agent-cli-package.tar.gz`]);
  });

  it('warns if no hash is known, and shows the hash of the archive', async () => {
    await install({ sha256: undefined });
    expect(warnings()).toHaveLength(1);
    expect(warnings()[0]).toContain(`It is ${SHA256}. Set cli-sha256`);
  });

  it('installs the binary of clido', async () => {
    const binary = versionScript('clido 1.0.15');
    server.answer(serve(binary));
    const cli = await install({ agent: 'clido', version: '1.0.15', sha256: hashOf(binary) });
    expect(server.asked).toEqual(['/v1.0.15/clido-linux-x86_64']);
    expect(basename(cli.path)).toBe('clido');
    expect(runs(cli.path)).toBe('clido 1.0.15');
    server.answer(status(500));
    const again = await install({ agent: 'clido', version: '1.0.15', sha256: hashOf(binary) });
    expect(again.source).toBe('tool-cache');
    expect(runs(again.path)).toBe('clido 1.0.15');
  });

  it('warns about clido without a hash', async () => {
    server.answer(serve(versionScript('clido 1.0.15')));
    await install({ agent: 'clido', version: undefined, sha256: undefined });
    expect(fixture.said.join('\n')).toMatch(/warning: The sha256 of clido 1\.0\.15 is not known/);
  });
});

describe('a CLI that would act when it is started', () => {
  const latest = 'URL=https://downloads.cursor.com/lab/2030.01.02-abcdef0/linux/x64/x.tar.gz';
  it.each<[string, Partial<InstallRequest>, string[]]>([
    ['unpinned', { sha256: undefined }, []],
    ['the latest', { sha256: undefined, version: 'latest' }, [latest]],
    ['expected', {}, []],
  ])('is not started by installing it: %s', async (_, changes, before) => {
    const archive = canaryArchive();
    server.answer(...before.map((text) => serve(text)), serve(archive));
    const expected = 'sha256' in changes ? undefined : hashOf(archive);
    for (let time = 0; time < 2; time += 1) {
      const cli = await install({ ...changes, sha256: expected });
      expect(cli.version).toBe(VERSION);
      expect(existsSync(canary())).toBe(false);
      server.answer(...before.map((text) => serve(text)), serve(archive));
    }
  });

  it('is not started by installing it: clido', async () => {
    server.answer(serve(canaryScript()));
    const cli = await install({ agent: 'clido', version: undefined, sha256: undefined });
    expect(existsSync(canary())).toBe(false);
    runs(cli.path);
    expect(existsSync(canary())).toBe(true);
  });
});

describe('a second installation', () => {
  it('makes no request, verifies the archive again and unpacks it for this run', async () => {
    const first = await install();
    server.answer(status(500));
    const before = server.asked.length;
    const second = await install();
    expect(second.source).toBe('tool-cache');
    expect(second.path).not.toBe(first.path);
    expect(runs(second.path)).toBe(VERSION);
    expect(server.asked).toHaveLength(before);
    expect(fixture.said).toContain(
      `Using Cursor CLI ${VERSION} from the tool cache. Verified: sha256 ${SHA256}`,
    );
  });

  it('without an expected hash neither fills the tool cache nor uses it', async () => {
    await install({ sha256: undefined });
    expect(existsSync(cacheFolder())).toBe(false);
    await install();
    expect((await install({ sha256: undefined })).source).toBe('download');
  });

  it('removes what a killed one left behind, but not what another one is writing', async () => {
    mkdirSync(join(cacheFolder(), '.partial-old-folder'), { recursive: true });
    for (const name of ['.partial-old', '.partial-new', '.partial-old-folder/x'])
      writeFileSync(join(cacheFolder(), name), '');
    symlinkSync('/nowhere', join(cacheFolder(), '.partial-link'));
    for (const name of ['.partial-old', '.partial-old-folder'])
      utimesSync(join(cacheFolder(), name), new Date(0), new Date(0));
    lutimesSync(join(cacheFolder(), '.partial-link'), new Date(0), new Date(0));
    await install();
    expect(readdirSync(cacheFolder()).sort()).toEqual(['.partial-new', cachedName]);
  });
});

describe('a poisoned tool cache', () => {
  /** How an earlier version of this action stored a CLI: unpacked, with a matching manifest. */
  function plantTree(folder: string, archive: string): void {
    mkdirSync(join(folder, 'files', 'dist-package'), { recursive: true });
    const program = join(folder, 'files', 'dist-package', 'cursor-agent');
    writeFileSync(program, canaryScript(), { mode: 0o755 });
    const path = 'dist-package/cursor-agent';
    const sha256 = hashOf(canaryScript());
    const bytes = canaryScript().length;
    const manifest = {
      format: 1,
      version: VERSION,
      platform: 'linux/x64',
      archive,
      program: path,
      entries: [{ kind: 'file', path, bytes, sha256, isExecutable: true }],
    };
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  }

  it.each([
    ['verified', SHA256.slice(0, 16), SHA256],
    ['unverified', 'unverified', undefined],
  ])('with a tree and a manifest, %s, is not used', async (_, name, sha256) => {
    plantTree(join(cacheFolder(), `linux-x64-${name}`), SHA256);
    const cli = await install({ sha256 });
    expect(cli.source).toBe('download');
    expectHonest(cli);
  });

  const archiveWith = (bytes: Buffer) => () => {
    writeFileSync(cachedArchive(), bytes);
  };
  it.each<[string, () => void]>([
    [
      'another archive',
      () => {
        archiveWith(canaryArchive())();
      },
    ],
    ['a cut archive', archiveWith(ARCHIVE.subarray(0, -10))],
    ['an archive with more at its end', archiveWith(Buffer.concat([ARCHIVE, Buffer.from('x')]))],
    ['an empty file', archiveWith(Buffer.alloc(0))],
    [
      'a file that nobody would keep there',
      () => {
        writeFileSync(cachedArchive(), '');
        truncateSync(cachedArchive(), 2 * 1024 ** 3);
      },
    ],
    [
      'a link to another archive',
      () => {
        writeFileSync(join(fixture.root, 'elsewhere'), canaryArchive());
        symlinkSync(join(fixture.root, 'elsewhere'), cachedArchive());
      },
    ],
    [
      'a link to the very archive',
      () => {
        writeFileSync(join(fixture.root, 'elsewhere'), ARCHIVE);
        symlinkSync(join(fixture.root, 'elsewhere'), cachedArchive());
      },
    ],
    [
      'a link to nothing',
      () => {
        symlinkSync(join(fixture.root, 'made'), cachedArchive());
      },
    ],
    [
      'a link to a device',
      () => {
        symlinkSync('/dev/zero', cachedArchive());
      },
    ],
    ['a pipe', () => execFileSync('mkfifo', [cachedArchive()])],
    [
      'a folder of the old form',
      () => {
        plantTree(cachedArchive(), SHA256);
      },
    ],
  ])('with %s is not used, said so, and repaired', async (_, plant) => {
    mkdirSync(cacheFolder(), { recursive: true });
    plant();
    const elsewhere = join(fixture.root, 'elsewhere');
    const before = existsSync(elsewhere) ? readFileSync(elsewhere) : undefined;

    const cli = await install();
    expect(cli.source).toBe('download');
    expectHonest(cli);
    expect(warnings().join('\n')).toMatch(/^warning: .*the tool cache.* replaced/);
    expect(lstatSync(cachedArchive()).isFile()).toBe(true);
    expect(readFileSync(cachedArchive())).toEqual(ARCHIVE);
    expect(readdirSync(cacheFolder())).toEqual([cachedName]);
    // Nothing was written through a link.
    expect(existsSync(join(fixture.root, 'made'))).toBe(false);
    expect(existsSync(elsewhere) ? readFileSync(elsewhere) : undefined).toEqual(before);

    const again = await install();
    expect(again.source).toBe('tool-cache');
    expectHonest(again);
  });

  it.each<[string, () => void]>([
    [
      'written over',
      () => {
        archiveWith(canaryArchive())();
      },
    ],
    [
      'replaced',
      () => {
        writeFileSync(join(fixture.root, 'evil'), canaryArchive());
        renameSync(join(fixture.root, 'evil'), cachedArchive());
      },
    ],
  ])('whose archive is %s after it was verified changes nothing', async (_, swap) => {
    await install();
    let swaps = 0;
    const cli = await install(
      {},
      {
        info: (text) => {
          if (!text.includes('Verified')) return;
          swaps += 1;
          swap();
        },
      },
    );
    expect([cli.source, swaps]).toEqual(['tool-cache', 1]);
    expectHonest(cli);
    // The next run notices.
    expect((await install()).source).toBe('download');
  });

  it('shares no file with the installed program', async () => {
    const binary = versionScript('clido 1.0.15');
    server.answer(serve(binary));
    const cli = await install({ agent: 'clido', version: '1.0.15', sha256: hashOf(binary) });
    const [cached = ''] = filesIn(join(fixture.root, 'tools'));
    writeFileSync(cached, canaryScript());
    expect(runs(cli.path)).toBe('clido 1.0.15');
    expect(existsSync(canary())).toBe(false);
  });
});

describe('a mismatch', () => {
  const OTHER = 'f'.repeat(64);

  it('is final: both hashes, one request, nothing unpacked, nothing run, nothing kept', async () => {
    const evil = canaryArchive();
    server.answer(serve(evil));
    const failure = await failureOf(install());
    expect(failure).toMatchObject({ reason: 'checksum-mismatch' });
    expect(String(failure)).toContain(hashOf(evil));
    expect(String(failure)).toContain(SHA256);
    expect(server.asked).toHaveLength(1);
    expect(fixture.waits).toEqual([]);
    expect(filesIn(fixture.root)).toEqual([]);
  });

  it('of a hash that was given is one too', async () => {
    expect(await failureOf(install({ sha256: OTHER }))).toMatchObject({ reason: 'checksum-mismatch' });
    expect(filesIn(fixture.root)).toEqual([]);
  });

  it('of a pinned build shows both sizes', async () => {
    const failure = await failureOf(install({ version: '2026.10.01-e373342', sha256: undefined }));
    expect(String(failure)).toMatch(new RegExp(`\\(${ARCHIVE.length} bytes\\).*\\(182613962 bytes\\)`));
  });

  it('of one flipped bit is found', async () => {
    const flipped = Buffer.from(ARCHIVE);
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    server.answer(serve(flipped), serve(ARCHIVE));
    expect(await failureOf(install())).toMatchObject({ reason: 'checksum-mismatch' });
    expect(server.asked).toHaveLength(1);
  });
});

describe('what fails', () => {
  const program = (content: string | Buffer, mode = 0o755) =>
    tarGz([{ name: 'cursor-agent', content, mode }]);

  it('names version, address and remedy when there is no such build', async () => {
    server.answer(status(404));
    const failure = await failureOf(install());
    expect(failure).toMatchObject({ reason: 'install-failed' });
    expect(String(failure)).toMatch(
      /Cursor CLI 2030.* the server answered 404 Not Found\. Check that this version/,
    );
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['leads out', tarGz([{ name: '../evil', content: 'x' }]), /could not be unpacked: the entry "..\/evil"/],
    ['is not one', Buffer.from('hello'), /could not be unpacked: .*incorrect header check/],
    ['holds no program', tarGz([{ name: 'readme', content: 'x' }]), /does not contain cursor-agent/],
    [
      'has a link for a program',
      tarGz([{ name: 'cursor-agent', type: '2', target: 'x' }]),
      /does not contain cursor-agent/,
    ],
    ['has a program that cannot be run', program('#!/bin/sh\n', 0o644), /cursor-agent .*is not executable/],
  ])('an archive that %s leaves nothing behind', async (_, archive, message) => {
    server.answer(serve(archive));
    const failure = await failureOf(install({ sha256: hashOf(archive) }));
    expect(failure).toMatchObject({ reason: 'install-failed' });
    expect(String(failure)).toMatch(message);
    expect(filesIn(fixture.root)).toEqual([]);
  });

  it('refuses a hostile zip, and leaves nothing of it', async () => {
    const archive = zip([{ name: 'dist-package/cursor-agent.cmd' }, { name: '../evil', content: 'x' }]);
    server.answer(serve(archive));
    const failure = await failureOf(
      install({ sha256: hashOf(archive) }, { machine: { system: 'win32', arch: 'x64' } }),
    );
    expect(String(failure)).toMatch(/invalid relative path: \.\.\/evil/);
    expect(filesIn(fixture.root)).toEqual([]);
  });

  it('has no build for an unknown machine, and makes no request', async () => {
    const failure = await failureOf(install({}, { machine: { system: 'sunos', arch: 'x64' } }));
    expect(String(failure)).toMatch(/sunos\/x64.*cli-path/);
    expect(server.asked).toEqual([]);
  });
});
