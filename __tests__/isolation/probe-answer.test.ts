import { describe, expect, it } from '@jest/globals';
import { explainFailure, problemInside } from '../../src/isolation/probe-answer.js';

const USER = { uid: 1001, gid: 1002, groups: [4, 27], umask: 0o022 };
const GOOD: Readonly<Record<string, string>> = {
  OwnProc: 'yes',
  NoNewPrivs: '1',
  CapEff: '0000000000000000',
  CapPrm: '0000000000000000',
  CapBnd: '0000000000000000',
  Uid: '1001\t1001\t1001\t1001',
  Gid: '1002\t1002\t1002\t1002',
  Groups: '4 27 ',
  Home: 'written',
  Layer: 'written',
};
const said = (facts: Readonly<Record<string, string>>): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name}:\t${value}\n`)
    .join('');

describe('what the check inside says', () => {
  it('is fine when all is as it must be', () => {
    expect(problemInside(said(GOOD), USER, 'sudo')).toBeUndefined();
  });

  it.each([
    [{ OwnProc: '' }, 'saw the processes of this machine'],
    [{ NoNewPrivs: '0' }, 'could still gain privileges'],
    [{ CapEff: '0000000000200000' }, 'still had capabilities'],
    [{ CapPrm: '0000000000200000' }, 'still had capabilities'],
    [{ CapBnd: '0000000000200000' }, 'still had capabilities'],
    [{ Uid: '0\t0\t0\t0' }, 'ran as another user'],
    [{ Gid: '0\t0\t0\t0' }, 'ran as another user'],
    [{ Groups: '4' }, 'ran with other groups'],
    [{ Groups: '4 27 0' }, 'ran with other groups'],
    [{ Home: '' }, 'could not write its own home'],
    [{ Layer: '' }, 'could not write its layer'],
  ])('is a problem with %j', (change, problem) => {
    expect(problemInside(said({ ...GOOD, ...change }), USER, 'sudo')).toContain(problem);
  });

  it('may name other groups and a bounding set in a user namespace, but nothing that can be used', () => {
    const problem = (change: Readonly<Record<string, string>>) =>
      problemInside(said({ ...GOOD, ...change }), USER, 'user-namespace');
    expect(problem({ Groups: '65534', CapBnd: '000001ffffffffff' })).toBeUndefined();
    for (const name of ['CapEff', 'CapPrm'])
      expect(problem({ [name]: '0000000000200000' })).toContain('capabilities');
    expect(problem({ Uid: '0\t0\t0\t0' })).toContain('ran as another user');
  });

  it('is a problem when nothing is said', () => {
    expect(problemInside('', USER, 'sudo')).toContain('could still gain privileges');
  });
});

describe('why it could not be set up', () => {
  it.each([
    ['sudo: a password is required', 'its sudo asks for a password'],
    ['sudo: a terminal is required to read the password', 'its sudo asks for a password'],
    ['runner is not in the sudoers file.', 'may not use sudo'],
    ['sudo: The "no new privileges" flag is set, which prevents', 'started with no_new_privs'],
    ['unshare: unshare failed: Operation not permitted', 'may not make namespaces here'],
    ['mount: /proc: permission denied.', 'not arrange the file systems'],
    ['something new', 'could not be set up: “something new”'],
    ['', 'nothing was said about the cause'],
  ])('is explained for %j', (stderr, why) => {
    expect(explainFailure(stderr)).toContain(why);
  });
});
