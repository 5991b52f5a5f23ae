import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unpackTar } from '../../src/install/unpack.js';
import { paxRecord, tar, tarGz, type TarItem } from './archive-builder.js';
import { failureOf } from './install-fixture.js';
import { makeFolder } from '../scenarios/workspace.js';

let root: string;
let folder: string;

beforeEach(() => {
  root = makeFolder('unpack-test');
  folder = join(root, 'inside');
  mkdirSync(folder);
});

function unpackBytes(bytes: Buffer, limits?: { bytes: number; entries: number }) {
  const archive = join(root, 'archive.tar.gz');
  writeFileSync(archive, bytes);
  return unpackTar(archive, folder, limits);
}
const unpackItems = (...items: TarItem[]) => unpackBytes(tarGz(items));

/** Every file and link below a folder: its path, whether it can be run, and its content or target. */
function readTree(top: string): [string, boolean, string][] {
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry): [string, boolean, string] => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(top, path);
      if (entry.isSymbolicLink()) return [name, false, `-> ${readlinkSync(path)}`];
      return [name, (statSync(path).mode & 0o100) !== 0, readFileSync(path, 'hex')];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('honest archives', () => {
  const long = `${'deep/'.repeat(40)}${'name'.repeat(20)}`;

  /** Packs long names, links, an executable and an empty file with the system's tar. */
  function packTree(format: string): Buffer {
    const source = join(root, 'source');
    mkdirSync(join(source, 'dist-package', 'deep'.repeat(1), 'deep'), { recursive: true });
    mkdirSync(join(source, long.slice(0, long.lastIndexOf('/'))), { recursive: true });
    writeFileSync(join(source, long), 'long');
    writeFileSync(join(source, 'dist-package', 'cursor-agent'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(source, 'dist-package', 'empty'), '');
    writeFileSync(join(source, 'dist-package', 'ünï'), 'x'.repeat(100_000));
    symlinkSync('cursor-agent', join(source, 'dist-package', 'agent'));
    symlinkSync('../../dist-package/empty', join(source, 'dist-package', 'deep', 'up'));
    linkSync(join(source, 'dist-package', 'ünï'), join(source, 'dist-package', 'twin'));
    return execFileSync('tar', ['czf', '-', `--format=${format}`, '-C', source, '.'], {
      maxBuffer: 1e9,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  it.each(['gnu', 'pax', 'posix', 'oldgnu'])(
    'of the format %s are unpacked as they were packed',
    async (format) => {
      await unpackBytes(packTree(format));
      expect(readFileSync(join(folder, long), 'utf8')).toBe('long');
      expect(readlinkSync(join(folder, 'dist-package', 'agent'))).toBe('cursor-agent');
      expect(statSync(join(folder, 'dist-package', 'cursor-agent')).mode & 0o777).toBe(0o755);
      expect(statSync(join(folder, 'dist-package', 'twin')).size).toBe(100_000);
      expect(readTree(folder)).toEqual(readTree(join(root, 'source')));
    },
  );

  it('may name a file by a pax record', async () => {
    const path = 'ä'.repeat(120);
    await unpackItems(
      { name: 'global', type: 'g', content: paxRecord('comment', 'x') },
      { name: 'PaxHeader', type: 'x', content: paxRecord('path', path) + paxRecord('mtime', '1.5') },
      { name: 'short', content: 'hello' },
      { name: 'next', content: 'next' },
    );
    expect(readdirSync(folder).sort()).toEqual(['next', path]);
    expect(readFileSync(join(folder, path), 'utf8')).toBe('hello');
  });

  it('are unpacked as they were packed, whatever is in them', async () => {
    const name = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}$/);
    const file = fc.record({ name, content: fc.uint8Array({ maxLength: 3000 }), run: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { selector: (item) => item.name, maxLength: 8 }),
        async (files) => {
          // In an honest archive, no file has the name of a folder of another one.
          const names = files.map((item) => item.name);
          const honest = files.filter((item) => !names.some((other) => other.startsWith(`${item.name}/`)));
          rmSync(folder, { recursive: true, force: true });
          mkdirSync(folder);
          const items = honest.map((item) => ({
            name: item.name,
            content: Buffer.from(item.content),
            mode: item.run ? 0o755 : 0o644,
          }));
          await unpackBytes(tarGz(items));
          const wanted = honest.map((item) => [
            item.name,
            item.run,
            Buffer.from(item.content).toString('hex'),
          ]);
          expect(new Set(readTree(folder))).toEqual(new Set(wanted));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lose setuid bits and foreign write permissions', async () => {
    await unpackItems(
      { name: 'tool', content: 'x', mode: 0o6777 },
      { name: 'data', content: 'x', mode: 0o666 },
    );
    expect(statSync(join(folder, 'tool')).mode & 0o7777 & ~0o022).toBe(0o755);
    expect(statSync(join(folder, 'tool')).mode & 0o6022).toBe(0);
    expect(statSync(join(folder, 'data')).mode & 0o133).toBe(0);
  });
});

describe('hostile archives', () => {
  const file = (name: string): TarItem => ({ name, content: 'owned' });
  const link = (name: string, target: string): TarItem => ({ name, type: '2', target });
  const hardLink = (name: string, target: string): TarItem => ({ name, type: '1', target });

  it.each<[string, TarItem[], RegExp]>([
    ['../', [file('../victim')], /leads out/],
    ['../ further on', [file('a/b/../../../victim')], /leads out/],
    ['.. that stays inside', [file('a/../b')], /leads out/],
    ['an absolute name', [file('/tmp/victim')], /leads out/],
    ['a drive', [file('C:/victim')], /leads out/],
    ['a backslash', [file('..\\victim')], /leads out/],
    ['a folder outside', [{ name: '../made/', type: '5' }], /leads out/],
    [
      'a name by pax',
      [{ name: 'x', type: 'x', content: paxRecord('path', '../victim') }, file('ok')],
      /leads out/,
    ],
    [
      'a long name of GNU',
      [{ name: '././@LongLink', type: 'L', content: '../victim\0' }, file('ok')],
      /leads out/,
    ],
    ['a link outside', [link('a', '../victim')], /link "a" leads out/],
    ['an absolute link', [link('a', '/etc/passwd')], /leads out/],
    ['a link that goes up in the middle', [link('x', '.'), link('y', 'x/../victim')], /leads out/],
    ['a link one step too high', [link('a/b/c', '../../../victim')], /leads out/],
    ['a link without a target', [link('a', '')], /linkpath required/],
    [
      'a name that is not text',
      [{ name: 'x', type: 'L', content: Buffer.from('a\xffb\0', 'latin1') }, file('ok')],
      /cannot be read/,
    ],
    [
      'a link by pax',
      [{ name: 'x', type: 'x', content: paxRecord('linkpath', '../v') }, link('a', 'ok')],
      /leads out/,
    ],
    [
      'a link, then a write through it',
      [{ name: 'd/', type: '5' }, link('a', 'd'), file('a/f')],
      /through a link/,
    ],
    ['a link, then a write on it', [link('a', 'b'), file('a')], /through a link/],
    ['a link, then a folder on it', [link('a', 'b'), { name: 'a/', type: '5' }], /through a link/],
    ['a link, then a write through another case', [link('Dir', 'x'), file('dir/f')], /through a link/],
    ['a link, then a link through it', [link('a', '.'), link('a/b', 'c')], /through a link/],
    [
      'a link, then a hard link through it',
      [file('f'), link('a', '.'), hardLink('a/g', 'f')],
      /through a link/,
    ],
    ['a hard link outside', [hardLink('a', '../victim')], /leads out/],
    ['an absolute hard link', [hardLink('a', '/etc/passwd')], /leads out/],
    ['a hard link to what is not there', [hardLink('a', 'b')], /not to a file/],
    ['a hard link to a link', [link('a', 'b'), hardLink('c', 'a')], /not to a file/],
    ['a file twice', [file('a'), file('a')], /twice/],
    ['a file, then a folder of its name', [file('a'), file('a/b')], /twice/],
    ['a device', [{ name: 'a', type: '3' }], /neither a file/],
    ['a pipe', [{ name: 'a', type: '6' }], /neither a file/],
    ['a sparse file', [{ name: 'a', type: 'S' }], /neither a file/],
  ])('%s', async (_, items, message) => {
    const victim = join(root, 'victim');
    writeFileSync(victim, 'untouched');
    expect(String(await failureOf(unpackItems(...items)))).toMatch(message);
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(readdirSync(root).sort()).toEqual(['archive.tar.gz', 'inside', 'victim']);
    expect(existsSync('/tmp/victim')).toBe(false);
  });

  it('never write outside, whatever their names and links', async () => {
    const part = fc.constantFrom('..', '.', 'a', 'b', 'A', '', '/');
    const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    const item = fc.record({ name: path, type: fc.constantFrom('0', '1', '2', '5'), target: path });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 6 }), async (items) => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        await unpackItems(...items.map((one) => ({ ...one, content: one.type === '0' ? 'x' : '' }))).catch(
          () => undefined,
        );
        expect(readdirSync(root).sort()).toEqual(['archive.tar.gz', 'inside']);
        for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
          if (!entry.isSymbolicLink()) continue;
          const made = join(entry.parentPath, entry.name);
          // A link may lead nowhere. If it leads somewhere, that is inside.
          const led = existsSync(made) ? realpathSync(made) : folder;
          expect(led === folder || led.startsWith(`${folder}/`)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('that are too large are stopped while they are unpacked', async () => {
    const items = [{ name: 'a', content: 'x'.repeat(2000) }, file('b')];
    expect(String(await failureOf(unpackBytes(tarGz(items), { bytes: 1000, entries: 10 })))).toMatch(
      /1000 bytes/,
    );
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(String(await failureOf(unpackBytes(tarGz(items), { bytes: 9000, entries: 1 })))).toMatch(
      /1 entries/,
    );
  });
});

describe('damaged archives', () => {
  const whole = tar([{ name: 'a', content: 'x'.repeat(5000) }]);
  const withByte = (at: number, value: number) => {
    const copy = Buffer.from(whole);
    copy[at] = value;
    return copy;
  };

  it.each<[string, Buffer, RegExp]>([
    ['a header that was changed', gzipSync(withByte(0, 0x62)), /checksum/],
    ['a cut tar', gzipSync(whole.subarray(0, 2000)), /ends in the middle/],
    ['a cut gzip', gzipSync(whole).subarray(0, 40), /unexpected end/],
    ['no gzip', whole, /incorrect header check/],
    ['nothing', Buffer.alloc(0), /ends in the middle|unexpected end/],
    ['a pax record that lies', tarGz([{ name: 'x', type: 'x', content: '99 path=a\n' }]), /extended header/],
    ['a pax record without a key', tarGz([{ name: 'x', type: 'x', content: '7 =abc\n' }]), /extended header/],
    [
      'a negative size by pax',
      tarGz([{ name: 'x', type: 'x', content: paxRecord('size', '-5') }, { name: 'a' }]),
      /size/,
    ],
    [
      'a name in two lines by pax',
      tarGz([{ name: 'x', type: 'x', content: paxRecord('path', 'a\nb') }, { name: 'a' }]),
      /extended header/,
    ],
    [
      'a name with NUL by pax',
      tarGz([{ name: 'x', type: 'x', content: paxRecord('path', 'a\0b') }, { name: 'a' }]),
      /extended header/,
    ],
    ['no end', gzipSync(whole.subarray(0, 512 + 5120)), /ends in the middle/],
    ['an endless name', tarGz([{ name: 'x', type: 'L', size: 9_000_000 }]), /too large/],
  ])('%s', async (_, bytes, message) => {
    expect(String(await failureOf(unpackBytes(bytes)))).toMatch(message);
  });

  it('with a wrong checksum at the end of the compression', async () => {
    const bytes = gzipSync(whole);
    bytes.writeUInt32LE((bytes.readUInt32LE(bytes.length - 8) ^ 1) >>> 0, bytes.length - 8);
    expect(String(await failureOf(unpackBytes(bytes)))).toMatch(/incorrect data check/);
  });
});
