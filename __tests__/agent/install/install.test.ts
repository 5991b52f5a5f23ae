import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ArchiveCache } from '../../../src/agent/install/actions-cache.js';
import { installCli } from '../../../src/agent/install/install.js';
import type { InstallRequest } from '../../../src/agent/install/plan.js';
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
afterEach(async () => {
  await server.close();
  fixture.remove();
});

function install(changes: Partial<InstallRequest> = {}, io: Partial<Fixture['io']> = {}) {
  const request: InstallRequest = {
    agent: 'cursor',
    version: VERSION,
    sha256: SHA256,
    downloadUrl: server.url,
    cache: true,
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
const slot = () => join(fixture.root, 'tools', 'cursor-cli', VERSION, `linux-x64-${SHA256.slice(0, 16)}`);

describe('a first installation', () => {
  it('downloads, verifies, unpacks and keeps it in the tool cache', async () => {
    const cli = await install();
    expect(cli).toEqual({
      path: join(slot(), 'files', 'dist-package', 'cursor-agent'),
      version: VERSION,
      source: 'download',
    });
    expect(runs(cli.path)).toBe(VERSION);
    expect(server.asked).toEqual([`/${VERSION}/linux/x64/agent-cli-package.tar.gz`]);
    expect(fixture.said).toContain(`Verified: sha256 ${SHA256}`);
    expect(filesIn(fixture.scratch)).toEqual([]);
    expect(readdirSync(dirname(slot()))).toEqual([`linux-x64-${SHA256.slice(0, 16)}`]);
  });

  it('takes a flat archive too', async () => {
    const flat = cliArchive(VERSION, [], '');
    server.answer(serve(flat));
    const cli = await install({ sha256: hashOf(flat) });
    expect(cli.path).toMatch(/files\/cursor-agent$/);
    expect(runs(cli.path)).toBe(VERSION);
  });

  it('follows a redirect and survives a cut connection', async () => {
    server.answer(redirect('/moved'), cut(ARCHIVE), serve(ARCHIVE));
    expect(runs((await install()).path)).toBe(VERSION);
    expect(fixture.waits).toEqual([2_000]);
  });

  it('leaves the tool cache alone when it may not be used', async () => {
    const cli = await install({ cache: false });
    expect(cli.path.startsWith(fixture.scratch)).toBe(true);
    expect(runs(cli.path)).toBe(VERSION);
    expect(existsSync(join(fixture.root, 'tools'))).toBe(false);
  });

  it('works without a tool cache, and with one that cannot be written', async () => {
    expect((await install({}, { toolCache: undefined })).path.startsWith(fixture.scratch)).toBe(true);
    writeFileSync(join(fixture.root, 'file'), '');
    const cli = await install({}, { toolCache: join(fixture.root, 'file') });
    expect(cli.path.startsWith(fixture.scratch)).toBe(true);
    expect(runs(cli.path)).toBe(VERSION);
    expect(fixture.said.join('\n')).toContain('installed for this run only');
  });

  it('resolves latest, and installs what it found', async () => {
    const script = `URL=https://downloads.cursor.com/lab/${VERSION}/linux/x64/agent-cli-package.tar.gz`;
    server.answer(serve(script), serve(ARCHIVE));
    const cli = await install({ version: 'latest' });
    expect(cli.version).toBe(VERSION);
    expect(server.asked).toEqual(['/install', `/${VERSION}/linux/x64/agent-cli-package.tar.gz`]);
  });

  it('warns where no hash is known, and shows the one it has', async () => {
    await install({ sha256: undefined });
    const warnings = fixture.said.filter((line) => line.startsWith('warning: '));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`It is ${SHA256}; set cli-sha256`);
  });

  it('installs the binary of clido', async () => {
    const binary = versionScript('clido 1.0.15');
    server.answer(serve(binary));
    const cli = await install({ agent: 'clido', version: '1.0.15', sha256: hashOf(binary) });
    expect(server.asked).toEqual(['/v1.0.15/clido-linux-x86_64']);
    expect(cli.path).toMatch(/files\/clido$/);
    expect(runs(cli.path)).toBe('clido 1.0.15');
    server.answer(status(500));
    expect((await install({ agent: 'clido', version: '1.0.15', sha256: hashOf(binary) })).source).toBe(
      'tool-cache',
    );
  });

  it('warns about clido without a hash', async () => {
    server.answer(serve(versionScript('clido 1.0.15')));
    await install({ agent: 'clido', version: undefined, sha256: undefined });
    expect(fixture.said.join('\n')).toMatch(/warning: The sha256 of clido 1\.0\.15 is not known/);
  });
});

describe('a second installation', () => {
  it('asks nobody', async () => {
    const first = await install();
    server.answer(status(500));
    const before = server.asked.length;
    const second = await install();
    expect(second).toEqual({ ...first, source: 'tool-cache' });
    expect(server.asked).toHaveLength(before);
  });

  it('does not take what was installed unverified for what was verified', async () => {
    await install({ sha256: undefined });
    expect((await install()).source).toBe('download');
    expect((await install({ sha256: undefined })).source).toBe('tool-cache');
    expect(fixture.said.filter((line) => line.includes('is not known'))).toHaveLength(2);
  });

  const inSlot = (name: string) => join(slot(), name);
  it.each<[string, () => void]>([
    [
      'a changed file',
      () => {
        appendFileSync(inSlot('files/dist-package/index.js'), '//');
      },
    ],
    [
      'a changed byte of the same size',
      () => {
        writeFileSync(inSlot('files/dist-package/index.js'), 'export {}!\n');
      },
    ],
    [
      'a missing file',
      () => {
        rmSync(inSlot('files/dist-package/index.js'));
      },
    ],
    [
      'an extra file',
      () => {
        writeFileSync(inSlot('files/dist-package/extra.js'), '');
      },
    ],
    [
      'an extra link',
      () => {
        symlinkSync('/etc/passwd', inSlot('files/link'));
      },
    ],
    [
      'a program that cannot be run',
      () => {
        chmodSync(inSlot('files/dist-package/cursor-agent'), 0o644);
      },
    ],
    [
      'a file that became a link',
      () => {
        const file = inSlot('files/dist-package/index.js');
        copyFileSync(file, join(fixture.root, 'same'));
        rmSync(file);
        symlinkSync(join(fixture.root, 'same'), file);
      },
    ],
    [
      'a manifest that is gone',
      () => {
        rmSync(inSlot('manifest.json'));
      },
    ],
    [
      'a manifest that is cut',
      () => {
        writeFileSync(inSlot('manifest.json'), '{"format":1,');
      },
    ],
    [
      'a manifest of another shape',
      () => {
        writeFileSync(inSlot('manifest.json'), '{"format":2}');
      },
    ],
    [
      'a manifest of another archive',
      () => {
        editManifest((text) => text.replace(SHA256, 'b'.repeat(64)));
      },
    ],
    [
      'a manifest of another version',
      () => {
        editManifest((text) => text.replace(VERSION, '2030.01.01-0000000'));
      },
    ],
    [
      'a manifest that names another program',
      () => {
        editManifest((text) =>
          text.replace('"program":"dist-package/cursor-agent"', '"program":"../../../x"'),
        );
      },
    ],
    [
      'an empty folder',
      () => {
        rmSync(inSlot('files'), { recursive: true });
      },
    ],
  ])('repairs %s', async (_, damage) => {
    await install();
    damage();
    const again = await install();
    expect(again.source).toBe('download');
    expect(runs(again.path)).toBe(VERSION);
    expect(fixture.said.join('\n')).toMatch(/warning: .* in the tool cache is damaged/);
    expect((await install()).source).toBe('tool-cache');
    expect(readdirSync(dirname(slot()))).toHaveLength(1);
  });

  function editManifest(change: (text: string) => string): void {
    const file = inSlot('manifest.json');
    const before = readFileSync(file, 'utf8');
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(file, after);
  }

  it('clears away what a killed one left, but not what another is working on', async () => {
    const parent = dirname(slot());
    for (const name of ['.partial-old', '.partial-new']) {
      mkdirSync(join(parent, name), { recursive: true });
      writeFileSync(join(parent, name, 'x'), '');
    }
    utimesSync(join(parent, '.partial-old'), new Date(0), new Date(0));
    await install();
    expect(readdirSync(parent).sort()).toEqual(['.partial-new', `linux-x64-${SHA256.slice(0, 16)}`]);
  });
});

describe('a mismatch', () => {
  const OTHER = 'f'.repeat(64);

  it('is final: both hashes, one request, nothing unpacked, nothing run, nothing kept', async () => {
    const marker = join(fixture.root, 'was-run');
    const evil = tarGz([{ name: 'cursor-agent', content: `#!/bin/sh\ntouch ${marker}\n`, mode: 0o755 }]);
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
    ['holds no program', tarGz([{ name: 'readme', content: 'x' }]), /holds no cursor-agent/],
    [
      'has a link for a program',
      tarGz([{ name: 'cursor-agent', type: '2', target: 'x' }]),
      /holds no cursor-agent/,
    ],
    ['holds another version', cliArchive('2029.01.01-0000000'), /calls itself "2029.01.01-0000000"/],
  ])('an archive that %s leaves nothing behind', async (_, archive, message) => {
    server.answer(serve(archive));
    const failure = await failureOf(install({ sha256: hashOf(archive) }));
    expect(failure).toMatchObject({ reason: 'install-failed' });
    expect(String(failure)).toMatch(message);
    expect(filesIn(fixture.root)).toEqual([]);
  });

  it('refuses a hostile zip before it is unpacked', async () => {
    const archive = zip([{ name: 'dist-package/cursor-agent.cmd' }, { name: '../evil', content: 'x' }]);
    server.answer(serve(archive));
    const failure = await failureOf(
      install({ sha256: hashOf(archive) }, { machine: { system: 'win32', arch: 'x64' } }),
    );
    expect(String(failure)).toMatch(/"..\/evil" leads out/);
    expect(filesIn(fixture.root)).toEqual([]);
  });

  it('has no build for an unknown machine, and asks nobody', async () => {
    const failure = await failureOf(install({}, { machine: { system: 'sunos', arch: 'x64' } }));
    expect(String(failure)).toMatch(/sunos\/x64.*cli-path/);
    expect(server.asked).toEqual([]);
  });
});

describe('the Actions cache', () => {
  /** A cache in a folder, as a second machine would see it. */
  function folderCache(): ArchiveCache & { stored: Map<string, Buffer> } {
    const stored = new Map<string, Buffer>();
    return {
      stored,
      restore: (file, key) => {
        const bytes = stored.get(`${file} ${key}`);
        if (bytes) writeFileSync(file, bytes);
        return Promise.resolve(bytes !== undefined);
      },
      save: (file, key) => {
        stored.set(`${file} ${key}`, readFileSync(file));
        return Promise.resolve();
      },
    };
  }
  const forget = () => {
    rmSync(join(fixture.root, 'tools'), { recursive: true, force: true });
  };

  it('spares the next machine the download, keyed by version, platform and hash', async () => {
    const archiveCache = folderCache();
    await install({}, { archiveCache });
    expect([...archiveCache.stored.keys()][0]).toMatch(
      new RegExp(`archives/.* cursor-cli-${VERSION}-linux-x64-${SHA256}$`),
    );
    forget();
    server.answer(status(500));
    const cli = await install({}, { archiveCache });
    expect(cli.source).toBe('actions-cache');
    expect(runs(cli.path)).toBe(VERSION);
    expect(server.asked).toHaveLength(1);
    expect(filesIn(join(fixture.root, 'archives'))).toEqual([]);
    expect((await install({}, { archiveCache })).source).toBe('tool-cache');
  });

  it('that was poisoned is not used, and said so', async () => {
    const archiveCache = folderCache();
    await install({}, { archiveCache });
    forget();
    const marker = join(fixture.root, 'was-run');
    const evil = tarGz([
      { name: 'cursor-agent', content: `#!/bin/sh\ntouch ${marker}\necho ${VERSION}\n`, mode: 0o755 },
    ]);
    for (const key of archiveCache.stored.keys()) archiveCache.stored.set(key, evil);
    const cli = await install({}, { archiveCache });
    expect(cli.source).toBe('download');
    expect(runs(cli.path)).toBe(VERSION);
    expect(existsSync(marker)).toBe(false);
    expect(fixture.said.join('\n')).toMatch(/warning: The Actions cache holds something else/);
  });

  it('is not asked where no hash could vouch for what it holds', async () => {
    const archiveCache = folderCache();
    await install({ sha256: undefined }, { archiveCache });
    expect(archiveCache.stored.size).toBe(0);
  });

  it('is not asked when it may not be used', async () => {
    const archiveCache = folderCache();
    await install({ cache: false }, { archiveCache });
    expect(archiveCache.stored.size).toBe(0);
  });

  it('that says it restored a file and did not is a miss', async () => {
    const archiveCache = {
      restore: () => Promise.resolve(true),
      save: () => Promise.reject(new Error('no')),
    };
    expect((await install({}, { archiveCache })).source).toBe('download');
  });
});
