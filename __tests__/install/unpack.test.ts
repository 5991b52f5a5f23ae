import { beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformOf } from '../../src/install/release.js';
import { platformOfBinary, programProblem } from '../../src/install/unpack.js';
import { elf } from './archive-builder.js';
import { createFixture, type Fixture } from './install-fixture.js';

function mach(machine: number): Buffer {
  const header = Buffer.alloc(64);
  header.writeUInt32LE(0xfeedfacf, 0);
  header.writeUInt32LE(machine, 4);
  return header;
}

function pe(machine: number, at = 128): Buffer {
  const header = Buffer.alloc(256);
  header.write('MZ', 'latin1');
  header.writeUInt32LE(at, 60);
  header.write('PE\0\0', 128, 'latin1');
  header.writeUInt16LE(machine, 132);
  return header;
}

describe('platformOfBinary', () => {
  it.each<[string | undefined, Buffer]>([
    ['linux/x64', elf(0x3e)],
    ['linux/arm64', elf(0xb7)],
    ['linux/another machine', elf(0x28)],
    ['darwin/x64', mach(0x01000007)],
    ['darwin/arm64', mach(0x0100000c)],
    ['darwin', Buffer.concat([Buffer.from('cafebabe', 'hex'), Buffer.alloc(60)])],
    ['windows/x64', pe(0x8664)],
    ['windows/arm64', pe(0xaa64)],
    [undefined, pe(0x8664, 0xffffffff)],
    [undefined, Buffer.alloc(64)],
  ])('reads %s', (platform, head) => {
    expect(platformOfBinary(head)).toBe(platform);
  });
});

describe('programProblem', () => {
  let fixture: Fixture;
  beforeEach(() => {
    fixture = createFixture();
  });
  const LINUX = platformOf('clido', { system: 'linux', arch: 'x64' });
  const MAC = platformOf('clido', { system: 'darwin', arch: 'arm64' });
  const WINDOWS = platformOf('cursor', { system: 'win32', arch: 'x64' });
  const write = (name: string, content: string | Buffer, mode = 0o755) => {
    const path = join(fixture.root, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };

  it('passes a script, a binary and a universal binary', async () => {
    expect(await programProblem(write('script', '#!/bin/sh\n'), LINUX)).toBeUndefined();
    expect(await programProblem(write('binary', elf(0x3e)), LINUX)).toBeUndefined();
    expect(await programProblem(write('fat', Buffer.from('cafebabe', 'hex')), MAC)).toBeUndefined();
  });

  it('passes the real Node beside a launcher', async () => {
    const here = { system: process.platform, arch: process.arch };
    write('node', readFileSync(process.execPath).subarray(0, 8192));
    expect(await programProblem(write('agent', '#!/bin/sh\n'), platformOf('cursor', here))).toBeUndefined();
  });

  it('passes a batch file, and checks the Node beside it', async () => {
    const program = write('cursor-agent.cmd', '@echo off\r\n', 0o644);
    expect(await programProblem(program, WINDOWS)).toBeUndefined();
    write('node.exe', pe(0xaa64), 0o644);
    expect(await programProblem(program, WINDOWS)).toMatch(
      /^node\.exe .* windows\/arm64, not for windows\/x64/,
    );
  });

  it.each<[string, string | Buffer, number, RegExp]>([
    ['cannot be run', elf(0x3e), 0o644, /is not executable/],
    ['is for another machine', elf(0xb7), 0o755, /built for linux\/arm64, not for linux\/x64/],
    ['is for another system', mach(0x01000007), 0o755, /built for darwin\/x64/],
    ['is a page of a proxy', '<!doctype html>', 0o755, /neither a program nor a script/],
    ['is empty', '', 0o755, /neither a program nor a script/],
  ])('refuses one that %s', async (_, content, mode, message) => {
    expect(await programProblem(write('program', content, mode), LINUX)).toMatch(message);
  });
});
