import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { findCgroupPlace } from '../../../src/sandbox/namespace/survey.js';
import { describeWays } from './ways.js';

const MOUNT = '30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n';
const machine =
  (files: Record<string, string>) =>
  (path: string): string | undefined =>
    new Map(Object.entries({ '/proc/self/mountinfo': MOUNT, ...files })).get(path);

describe('the place for a cgroup', () => {
  it('is beside our own', () => {
    const own = { '/proc/self/cgroup': '1:name=systemd:/x\n0::/system.slice/runner.service\n' };
    expect(findCgroupPlace(machine(own))).toEqual({ folder: '/sys/fs/cgroup/system.slice' });
    expect(findCgroupPlace(machine({ '/proc/self/cgroup': '0::/\n' }))).toEqual({ folder: '/sys/fs/cgroup' });
  });

  it.each<[string, Record<string, string>]>([
    ['no cgroup of version 2', { '/proc/self/mountinfo': '' }],
    ['read-only', { '/proc/self/mountinfo': MOUNT.replace(' rw,', ' ro,') }],
    ['not known', { '/proc/self/cgroup': '0::/../runner\n' }],
    ['has limits', { '/proc/self/cgroup': '0::/a/b\n', '/sys/fs/cgroup/a/b/memory.max': '1000000\n' }],
    ['has limits', { '/proc/self/cgroup': '0::/a/b\n', '/sys/fs/cgroup/a/b/cpu.max': '1000 100000\n' }],
  ])('is not there if it is %s', (why, files) => {
    expect(findCgroupPlace(machine(files))).toEqual({ why: expect.stringContaining(why) });
  });

  it('is there if our own group has no limits', () => {
    const files = { '/proc/self/cgroup': '0::/a/b\n', '/sys/fs/cgroup/a/b/cpu.max': 'max 100000\n' };
    expect(findCgroupPlace(machine(files))).toEqual({ folder: '/sys/fs/cgroup/a' });
  });
});

describeWays('the cgroup of an agent', (way) => {
  it('contains it and everything else in its namespace while it runs, and is gone afterwards', async () => {
    const place = findCgroupPlace();
    const { stdout, code } = await way.run({
      run: 'cat /proc/[0-9]*/comm; echo; cat /proc/[0-9]*/cgroup | grep ^0:: | sort -u; ls -l /proc/[0-9]*/fd 2>&1 | grep cgroup.procs; true',
      network: { lines: [] },
    });
    expect(code).toBe(0);
    const [processes = '', groups = ''] = stdout.split('\n\n');
    // The first process, the forwarder and the agent.
    expect(processes.split('\n').length).toBeGreaterThan(2);
    expect(groups.trim().split('\n')).toHaveLength(1);
    const name = /cursor-agent-[0-9a-f-]{36}/.exec(stdout)?.[0];
    if (!('folder' in place) || way.how === 'user-namespace') {
      expect(name).toBeUndefined();
      return;
    }
    expect(name).toBeDefined();
    const group = `${place.folder}/${name ?? ''}`;
    for (let tries = 0; tries < 50 && existsSync(group); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(existsSync(group)).toBe(false);
  });
});
