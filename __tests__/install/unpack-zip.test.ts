import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackZip } from '../../src/install/unpack.js';
import { zip, type ZipItem } from './archive-builder.js';
import { failureOf } from './install-fixture.js';
import { makeFolder } from '../scenarios/workspace.js';

let root: string;
beforeEach(() => {
  root = makeFolder('zip-test');
});

function unpack(bytes: Buffer, limits?: { bytes: number; entries: number }): Promise<void> {
  const file = join(root, 'archive.zip');
  writeFileSync(file, bytes);
  mkdirSync(join(root, 'target'));
  return unpackZip(file, join(root, 'target'), limits);
}
const modeOf = (name: string): number => statSync(join(root, 'target', name)).mode & 0o777;

describe('unpackZip', () => {
  it('unpacks an honest archive', async () => {
    await unpack(
      zip(
        [
          { name: 'dist-package/', mode: 0o040755 },
          { name: 'dist-package/cursor-agent.cmd', content: '@echo 1\r\n' },
          { name: 'other/deep/program', content: 'run', mode: 0o100755 },
          { name: 'dos', content: '', mode: 0 },
        ],
        'hello',
      ),
    );
    expect(readFileSync(join(root, 'target/dist-package/cursor-agent.cmd'), 'utf8')).toBe('@echo 1\r\n');
    expect([modeOf('dist-package/cursor-agent.cmd'), modeOf('other/deep/program')]).toEqual([0o644, 0o755]);
    expect(readdirSync(join(root, 'target'))).toEqual(['dist-package', 'dos', 'other']);
  });

  it('unpacks what a zip program writes', async () => {
    mkdirSync(join(root, 'd'));
    writeFileSync(join(root, 'd', 'a.txt'), 'x'.repeat(5000));
    // Python is on every runner, and its zip supports folders, compression and long names.
    execFileSync('python3', ['-m', 'zipfile', '-c', join(root, 'real.zip'), join(root, 'd')]);
    await unpack(readFileSync(join(root, 'real.zip')));
    expect(readFileSync(join(root, 'target/d/a.txt'), 'utf8')).toBe('x'.repeat(5000));
  });

  it.each<[string, { bytes: number; entries: number }, RegExp]>([
    ['bytes', { bytes: 9, entries: 10 }, /unpacks to more than 9 bytes/],
    ['entries', { bytes: 100, entries: 1 }, /more than 1 entries/],
  ])('refuses too many %s', async (_, limits, message) => {
    const items = [
      { name: 'a', content: '12345' },
      { name: 'b', content: '12345' },
    ];
    expect(String(await failureOf(unpack(zip(items), limits)))).toMatch(message);
  });

  it('refuses a file that is larger than it says', async () => {
    execFileSync('python3', ['-c', BOMB, join(root, 'bomb.zip')]);
    const bytes = readFileSync(join(root, 'bomb.zip'));
    // The directory says that the file has 10 bytes.
    bytes.writeUInt32LE(10, bytes.indexOf(Buffer.from('PK\x01\x02')) + 24);
    expect(String(await failureOf(unpack(bytes, { bytes: 100, entries: 10 })))).toMatch(/too many bytes/);
    expect(statSync(join(root, 'target/big')).size).toBeLessThan(200_000);
  });

  it.each<[string, ZipItem[], RegExp]>([
    ['../', [{ name: '../victim' }], /invalid relative path/],
    ['..\\', [{ name: '..\\victim' }], /invalid characters/],
    ['an absolute name', [{ name: '/victim' }], /absolute path/],
    ['a drive', [{ name: 'C:/victim' }], /absolute path/],
    ['a NUL', [{ name: 'a\0b' }], /leads out/],
    ['a link', [{ name: 'a', content: '../victim', mode: 0o120777 }], /neither a file nor a folder/],
    ['a second name before the file', [{ name: 'good', localName: '../x' }], /two names/],
    ['one name twice', [{ name: 'a' }, { name: 'A' }], /twice/],
    ['a file as a folder', [{ name: 'a' }, { name: 'a/b' }], /twice/],
    ['a folder as a file', [{ name: 'a/b' }, { name: 'a' }], /twice/],
    ['a device', [{ name: 'a', mode: 0o060666 }], /neither a file nor a folder/],
    ['a name of nothing', [{ name: './' }, { name: '.' }], /twice|no name/],
  ])('refuses %s', async (_, items, message) => {
    expect(String(await failureOf(unpack(zip(items))))).toMatch(message);
  });

  it.each<[string, Buffer, RegExp]>([
    ['nothing', Buffer.alloc(0), /cannot be read/],
    ['something else', Buffer.alloc(5000, 1), /cannot be read/],
    ['a cut one', zip([{ name: 'a', content: 'x' }]).subarray(0, -3), /cannot be read/],
    ['two ends', zip([{ name: 'a' }], zip([]).toString('latin1') + 'x'), /cannot be read/],
    ['a directory that is elsewhere', withOffset(zip([{ name: 'a' }]), 5), /cannot be read/],
    ['a directory beyond the end', withOffset(zip([{ name: 'a' }]), 500), /cannot be read/],
  ])('refuses %s', async (_, bytes, message) => {
    expect(String(await failureOf(unpack(bytes)))).toMatch(message);
  });
});

const BOMB = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z: z.writestr('big', b'0' * 10_000_000)
`;

function withOffset(bytes: Buffer, offset: number): Buffer {
  bytes.writeUInt32LE(offset, bytes.length - 6);
  return bytes;
}
