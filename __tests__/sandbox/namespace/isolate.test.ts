import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isolate, type LayerSetup } from '../../../src/sandbox/namespace/isolate.js';
import { parseMounts, type Rule } from '../../../src/sandbox/namespace/mounts.js';
import { READY } from '../../../src/sandbox/namespace/check.js';
import { obstacle } from './stand.js';

const missing = obstacle('root');

(missing === undefined ? describe : describe.skip)('setting up the isolation', () => {
  let root: string;
  const at = (...names: string[]) => join(root, ...names);
  beforeEach(() => {
    root = mkdtempSync('/opt/isolate-');
    for (const name of ['folder', 'planted', 'checkout']) mkdirSync(at(name));
    writeFileSync(at('secret'), 'secret');
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function start(rules: readonly Rule[], layer?: Partial<LayerSetup>, script = 'echo started') {
    const spec = {
      file: 'sh',
      args: ['-c', script],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      input: '',
    };
    const none = { root: at('checkout'), access: 'write', absent: [], locked: [] } as const;
    const { file, args, ...options } = isolate(spec, {
      privilege: 'root',
      user: { uid: 0, gid: 0, groups: [0], umask: 0o022 },
      rules,
      mounts: parseMounts(readFileSync('/proc/self/mountinfo', 'utf8')),
      layer: layer && { ...none, planted: { folder: at('planted'), files: new Map(), paths: [] }, ...layer },
      alive: at('alive'),
    });
    const { status, stdout, stderr } = spawnSync(file, args, { ...options, encoding: 'utf8' });
    return { isSuccess: status === 0, stdout, stderr };
  }
  const failed = { isSuccess: false, stdout: '', stderr: expect.not.stringContaining(READY) };

  it('goes on where a socket has vanished since it was seen', () => {
    const gone: Rule = { kind: 'hidden', path: at('gone.sock'), is: 'file' };
    expect(start([gone])).toEqual({ isSuccess: true, stdout: 'started\n', stderr: `${READY}\n` });
  });

  it('places what is mounted at the same path already', () => {
    // `mount -a` skips a line that describes an existing mount, even if another mount hides that one.
    writeFileSync(at('folder', 'shown'), 'shown');
    const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' });
    expect(run('mount', '--bind', at('folder'), at('folder'))).toMatchObject({ stderr: '' });
    try {
      const rules: Rule[] = [
        { kind: 'hidden', path: root, is: 'folder' },
        { kind: 'shown', path: at('folder'), is: 'folder' },
        { kind: 'shown', path: at('planted'), is: 'folder' },
      ];
      const { stdout, stderr } = start(rules, undefined, `ls ${root}; cat ${at('folder', 'shown')}`);
      expect({ stdout, stderr }).toEqual({ stdout: 'folder\nplanted\nshown', stderr: `${READY}\n` });
    } finally {
      run('umount', at('folder'));
    }
  });

  it('places paths with blanks, line breaks and backslashes', () => {
    const names = ['a b', 'a\tb', 'a\nb', 'a\\040b', '#', "it's", 'a,b'];
    for (const name of names) mkdirSync(at('folder', name));
    for (const name of names) writeFileSync(at('folder', name, 'secret'), 'secret');
    const rules = names.map((name): Rule => ({ kind: 'hidden', path: at('folder', name), is: 'folder' }));
    const { stdout } = start(
      rules,
      undefined,
      `ls -A ${at('folder')}/* | grep -c secret; ls ${at('folder')} | wc -l`,
    );
    expect(stdout).toBe('0\n8\n');
  });

  it.each<[string, () => ReturnType<typeof start>]>([
    ['a file cannot be hidden', () => start([{ kind: 'hidden', path: at('folder'), is: 'file' }])],
    ['a folder cannot be hidden', () => start([{ kind: 'hidden', path: at('secret'), is: 'folder' }])],
    ['a folder is gone', () => start([{ kind: 'writable', path: at('gone'), is: 'folder' }])],
    ['something cannot be set aside', () => start([], { absent: [''] })],
    ['a file of ours is not there to be locked', () => start([], { locked: ['none'] })],
  ])('fails, and starts nobody, where %s', (_, attempt) => {
    expect(attempt()).toEqual(failed);
  });
});

if (missing !== undefined) {
  it(`was not set up here: ${missing}`, () => {
    expect(obstacle('root')).toBe(missing);
  });
}
