import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { leadsInto, runProgram, startProgram, SYSTEM_PATH, systemProgram } from '../../src/core/programs.js';

const makeFolder = () => realpathSync(mkdtempSync(join(tmpdir(), 'programs-')));
const test = process.platform === 'win32' ? it.skip : it;

describe('a program that the action starts', () => {
  test('is a tool of the system, whatever PATH and the working directory have, and inherits nothing', async () => {
    const folder = makeFolder();
    for (const name of ['env', 'sh'])
      writeFileSync(join(folder, name), '#!/bin/sh\necho bad\n', { mode: 0o755 });
    const before = process.env['PATH'];
    process.env['PATH'] = ['', '.', folder, before].join(delimiter);
    process.env['PROGRAMS_CANARY'] = 'canary';
    try {
      const env = { PATH: folder, ONLY: 'this' };
      const program = { file: 'env', args: [], cwd: folder, env };
      const [first, second] = [runProgram(program), startProgram(program)];
      const expected = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
      const lines = (printed: string) => printed.match(/.*\n/g)?.filter((line) => !line.startsWith('__CF'));
      expect(lines(first.stdout.toString())).toEqual(expected);
      expect(lines(await text(second.stdout))).toEqual(expected);
    } finally {
      process.env['PATH'] = before;
      delete process.env['PROGRAMS_CANARY'];
    }
  });

  test('is at a full path, also if this machine does not have it', () => {
    expect(SYSTEM_PATH.split(':')).toContain(systemProgram('sh').replace(/\/sh$/, ''));
    expect(systemProgram('no-such-tool')).toBe('/usr/bin/no-such-tool');
    const { error } = runProgram({ file: 'no-such-tool', args: [], cwd: '/', env: {} });
    expect(error?.message).toContain('ENOENT');
  });

  it('is in the folder of the system on Windows', () => {
    const before = process.env['SystemRoot'];
    process.env['SystemRoot'] = 'D:\\Windows';
    try {
      expect(systemProgram('taskkill', 'win32')).toBe('D:\\Windows\\System32\\taskkill.exe');
      expect(systemProgram('tar', 'win32')).toBe('D:\\Windows\\System32\\tar.exe');
      delete process.env['SystemRoot'];
      expect(systemProgram('cmd', 'win32')).toBe('C:\\Windows\\System32\\cmd.exe');
    } finally {
      if (before !== undefined) process.env['SystemRoot'] = before;
    }
  });
});

describe('leadsInto', () => {
  test('finds paths that are in a folder, lead into it, or pass through a link in it', () => {
    const [workspace, elsewhere] = [makeFolder(), makeFolder()];
    mkdirSync(join(workspace, '..bin'));
    mkdirSync(join(elsewhere, 'bin'));
    const link = (name: string, target: string) => {
      symlinkSync(target, name);
      return name;
    };
    const inside = [
      workspace,
      `${workspace}/`,
      join(workspace, 'missing'),
      join(workspace, '..bin'),
      `${elsewhere}/../${workspace.split('/').at(-1) ?? ''}/bin`,
      link(join(elsewhere, 'in'), join(workspace, '..bin')),
      link(join(elsewhere, 'relative'), join('..', workspace.split('/').at(-1) ?? '', 'missing')),
      join(elsewhere, 'in', 'deeper'),
      link(join(workspace, 'out'), join(elsewhere, 'bin')),
      link(join(elsewhere, 'through'), join(workspace, 'out')),
      link(join(elsewhere, 'twice'), join(elsewhere, 'through')),
      link(join(elsewhere, 'up'), join(workspace, '..bin', '..', 'missing')),
    ];
    const outside = [
      elsewhere,
      `${workspace}-2`,
      join(elsewhere, 'bin'),
      link(join(elsewhere, 'other'), join(elsewhere, 'bin')),
      link(join(elsewhere, 'loop'), join(elsewhere, 'loop')),
      '/usr/bin',
    ];
    expect(inside.filter((path) => !leadsInto(path, ['/nowhere', workspace]))).toEqual([]);
    expect(outside.filter((path) => leadsInto(path, ['/nowhere', workspace]))).toEqual([]);
    const byLink = link(join(elsewhere, 'workspace'), workspace);
    expect(leadsInto(join(workspace, '..bin'), [byLink])).toBe(true);
  });
});
