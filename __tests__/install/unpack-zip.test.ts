import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkZip } from '../../src/install/unpack.js';
import { zip, type ZipItem } from './archive-builder.js';
import { failureOf } from './install-fixture.js';
import { makeFolder } from '../scenarios/workspace.js';

let root: string;
beforeEach(() => {
  root = makeFolder('zip-test');
});

function check(bytes: Buffer): Promise<void> {
  const file = join(root, 'archive.zip');
  writeFileSync(file, bytes);
  return checkZip(file);
}

describe('checkZip', () => {
  it('passes an honest archive', async () => {
    await check(
      zip(
        [{ name: 'dist-package/' }, { name: 'dist-package/cursor-agent.cmd', content: '@echo 1\r\n' }],
        'hello',
      ),
    );
  });

  it('reads what a zip program writes', async () => {
    mkdirSync(join(root, 'd'));
    writeFileSync(join(root, 'd', 'a.txt'), 'x'.repeat(5000));
    // Python is on every runner, and its zip supports folders, compression and long names.
    execFileSync('python3', ['-m', 'zipfile', '-c', join(root, 'real.zip'), join(root, 'd')]);
    await checkZip(join(root, 'real.zip'));
  });

  it.each<[string, ZipItem[], RegExp]>([
    ['../', [{ name: '../victim' }], /leads out/],
    ['..\\', [{ name: '..\\victim' }], /leads out/],
    ['an absolute name', [{ name: '/victim' }], /leads out/],
    ['a drive', [{ name: 'C:\\victim' }], /leads out/],
    ['a link', [{ name: 'a', content: '../victim', mode: 0o120777 }], /is a link/],
    ['a second name before the file', [{ name: 'good', localName: '../x' }], /two names/],
    ['one name twice', [{ name: 'a' }, { name: 'A' }], /twice/],
  ])('refuses %s', async (_, items, message) => {
    expect(String(await failureOf(check(zip(items))))).toMatch(message);
  });

  it.each<[string, Buffer, RegExp]>([
    ['nothing', Buffer.alloc(0), /not a zip/],
    ['something else', Buffer.alloc(5000, 1), /not a zip/],
    ['a cut one', zip([{ name: 'a', content: 'x' }]).subarray(0, -3), /not a zip/],
    ['two ends', zip([{ name: 'a' }], zip([]).toString('latin1') + 'x'), /not a zip/],
    ['a directory that is elsewhere', withOffset(zip([{ name: 'a' }]), 5), /damaged/],
    ['a directory beyond the end', withOffset(zip([{ name: 'a' }]), 500), /damaged/],
  ])('refuses %s', async (_, bytes, message) => {
    expect(String(await failureOf(check(bytes)))).toMatch(message);
  });
});

function withOffset(bytes: Buffer, offset: number): Buffer {
  bytes.writeUInt32LE(offset, bytes.length - 6);
  return bytes;
}
