import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCommand, explainSetupFailure } from '../../../src/sandbox/namespace/check.js';

const USER = { uid: 1001, gid: 1002, groups: [4, 27] };
const GOOD: Readonly<Record<string, string>> = {
  Name: 'sh',
  Uid: '1001\t1001\t1001\t1001',
  Gid: '1002\t1002\t1002\t1002',
  Groups: '4 27 ',
  CapPrm: '0000000000000000',
  CapEff: '0000000000000000',
  CapBnd: '0000000000000000',
  NoNewPrivs: '1',
};

/** What the check says to a process with this status; nothing if it agrees. */
function problemWith(
  status: Readonly<Record<string, string>>,
  { isUserNamespace = false, writable = [] }: { isUserNamespace?: boolean; writable?: string[] } = {},
): string {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  try {
    const file = join(folder, 'status');
    writeFileSync(
      file,
      Object.entries(status)
        .map(([name, value]) => `${name}:\t${value}\n`)
        .join(''),
    );
    const run = spawnSync('sh', ['-c', checkCommand({ user: USER, isUserNamespace, writable }, file)], {
      encoding: 'utf8',
    });
    expect(run.status === 0).toBe(run.stderr === '');
    return run.stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const withoutKey = (name: string) =>
  Object.fromEntries(Object.entries(GOOD).filter(([other]) => other !== name));

describe('the check inside', () => {
  it('agrees when everything is as it must be', () => {
    expect(problemWith(GOOD, { writable: [tmpdir()] })).toBe('');
    expect(problemWith({ ...GOOD, Groups: '27 4' })).toBe('');
  });

  it.each([
    [{ NoNewPrivs: '0' }, 'able to gain privileges'],
    [{ CapEff: '0000000000200000' }, 'have capabilities'],
    [{ CapPrm: '0000000000200000' }, 'have capabilities'],
    [{ CapBnd: '0000000000200000' }, 'have capabilities'],
    [{ Uid: '0\t0\t0\t0' }, 'run as another user'],
    [{ Gid: '0\t0\t0\t0' }, 'run as another user'],
    [{ Groups: '4' }, 'run with other groups'],
    [{ Groups: '4 27 0' }, 'run with other groups'],
    [{ Groups: '' }, 'run with other groups'],
  ])('refuses %j', (change, problem) => {
    expect(problemWith({ ...GOOD, ...change })).toContain(problem);
  });

  it.each(Object.keys(GOOD).filter((name) => name !== 'Name'))('refuses a status without %s', (name) => {
    expect(problemWith(withoutKey(name))).toContain('unknown rights');
  });

  it('refuses a path that cannot be written', () => {
    expect(problemWith(GOOD, { writable: [tmpdir(), '/does/not/exist'] })).toContain(
      'be unable to write to /does/not/exist',
    );
  });

  it('accepts other groups and a bounding set in a user namespace, but nothing that can be used', () => {
    const problem = (change: Readonly<Record<string, string>>) =>
      problemWith({ ...GOOD, ...change }, { isUserNamespace: true });
    expect(problem({ Groups: '65534', CapBnd: '000001ffffffffff' })).toBe('');
    for (const name of ['CapEff', 'CapPrm'])
      expect(problem({ [name]: '0000000000200000' })).toContain('capabilities');
    expect(problem({ Uid: '0\t0\t0\t0' })).toContain('run as another user');
  });
});

describe('why it could not be set up', () => {
  it.each([
    ['sudo: a password is required', 'its sudo asks for a password'],
    ['sudo: a terminal is required to read the password', 'its sudo asks for a password'],
    ['sudo: interactive authentication is required', 'its sudo asks for a password'],
    ['sudo-rs: interactive authentication is required', 'its sudo asks for a password'],
    ['runner is not in the sudoers file.', 'may not use sudo'],
    ["sudo: I'm sorry runner. I'm afraid I can't do that", 'may not use sudo'],
    ['sudo: The "no new privileges" flag is set, which prevents', 'started with no_new_privs'],
    ['unshare: unshare failed: Operation not permitted', 'cannot create namespaces here'],
    ['mount: /proc: permission denied.', 'cannot mount file systems'],
    ['something new', 'could not be set up: “something new”'],
    ['', 'the tools printed no error message'],
  ])('is explained for %j', (stderr, why) => {
    expect(explainSetupFailure(stderr)).toContain(why);
  });

  it('does not speak of root where an ordinary user made the namespaces', () => {
    for (const stderr of [
      'unshare: unshare failed: Operation not permitted',
      'mount: /proc: permission denied.',
    ])
      expect(explainSetupFailure(stderr, 'user-namespace')).toMatch(
        /^(The kernel|Ordinary users)(?!.*[Rr]oot)/,
      );
  });
});
