import { describe, expect, it } from '@jest/globals';
import { RunFailure } from '../../../src/core/failure.js';
import { SetupFailed } from '../../../src/sandbox/namespace/check.js';
import {
  chooseIsolation,
  describeIsolation,
  openNetworkReason,
  otherIsolation,
  type Isolation,
} from '../../../src/sandbox/namespace/probe.js';

const perl = { language: 'perl', path: '/usr/bin/perl', prctl: 157 } as const;
const AVAILABLE = { kind: 'isolated', how: 'sudo', layer: 'overlay', keyring: perl } as const;
const wanted = (isolation: 'auto' | 'required' | 'off', network: typeof isolation = 'off') => ({
  isolation,
  network,
});
const possible = () => AVAILABLE;
const impossible = () => ({ kind: 'not-isolated', why: 'There is no sudo.' }) as const;

describe('the input isolation', () => {
  it.each(['auto', 'required'] as const)('uses it with %s where it works', (setting) => {
    expect(chooseIsolation(wanted(setting), possible)).toEqual(AVAILABLE);
  });

  it('falls back with auto, and says why', () => {
    const choice = chooseIsolation(wanted('auto'), impossible);
    expect(choice).toEqual({ kind: 'not-isolated', why: 'There is no sudo.' });
    expect(describeIsolation(choice, 'write')).toMatch(/^Not isolated: .* There is no sudo\.$/);
  });

  it('fails with required', () => {
    expect(() => chooseIsolation(wanted('required'), impossible)).toThrow(
      new RunFailure('isolation-unavailable', 'There is no sudo.'),
    );
  });

  it('does not even try with off', () => {
    const choice = chooseIsolation(wanted('off'), () => {
      throw new Error('tried');
    });
    expect(describeIsolation(choice, 'read')).toContain('The input isolation is off.');
  });

  it('is a failure, whatever the input, if a set-up failed that this machine can do', async () => {
    const failed = { isolation: AVAILABLE, error: new SetupFailed('It did not work.'), isSettled: false };
    for (const setting of ['auto', 'required'] as const) {
      await expect(
        otherIsolation(failed, wanted(setting), () => Promise.resolve(possible())),
      ).rejects.toThrow(
        new RunFailure(
          'isolation-unavailable',
          'This runner can isolate an agent, but something in this checkout prevents it. It did not work.',
        ),
      );
    }
  });

  it('is a failure if an agent was started before, whatever the machine can do now', async () => {
    const failed = { isolation: AVAILABLE, error: new SetupFailed('It did not work.'), isSettled: true };
    const probe = () => Promise.reject(new Error('probed'));
    await expect(otherIsolation(failed, wanted('auto'), probe)).rejects.toThrow(
      new RunFailure(
        'isolation-unavailable',
        'An agent was isolated before in this run, but could not be isolated again. It did not work.',
      ),
    );
  });

  it('takes another way, or none, where this machine cannot do what was expected', async () => {
    const failed = { isolation: AVAILABLE, error: new SetupFailed('It did not work.'), isSettled: false };
    const others: Isolation[] = [
      { ...AVAILABLE, layer: 'copy' },
      { ...AVAILABLE, how: 'user-namespace' },
      { ...AVAILABLE, keyring: undefined },
      { kind: 'not-isolated', why: 'There is no sudo.' },
    ];
    for (const other of others)
      expect(await otherIsolation(failed, wanted('auto'), () => Promise.resolve(other))).toBe(other);
    await expect(
      otherIsolation(failed, wanted('required'), () => Promise.resolve(impossible())),
    ).rejects.toThrow(new RunFailure('isolation-unavailable', 'There is no sudo.'));
  });

  it('says what was closed to the agent, and by which rights', () => {
    const choice = chooseIsolation(wanted('auto'), possible);
    expect(describeIsolation(choice, 'write')).toContain(
      'everything except its layer of the checkout and its home is read-only',
    );
    expect(describeIsolation(choice, 'read')).toContain('everything except its own home is read-only');
    const by = (['root', 'sudo', 'user-namespace'] as const).map(
      (how) =>
        describeIsolation({ kind: 'isolated', how, layer: 'overlay', keyring: perl }, 'read').split(':')[0],
    );
    expect(by).toEqual(['Isolated', 'Isolated (through sudo)', 'Isolated (in a user namespace)']);
  });

  it('says so where the keys of the kernel stay within reach', () => {
    const isolated = { kind: 'isolated', how: 'root', layer: 'copy' } as const;
    expect(describeIsolation({ ...isolated, keyring: perl }, 'read')).not.toContain('keys');
    expect(describeIsolation({ ...isolated, keyring: undefined }, 'read')).toContain('can read the keys');
  });
});

describe('the input network', () => {
  const closed: Isolation = { ...AVAILABLE, network: 'closed' };
  const open: Isolation = { ...AVAILABLE, whyOpen: 'There is no ip.' };

  it('with required needs a closed network, and so isolation', () => {
    expect(chooseIsolation(wanted('auto', 'required'), () => closed)).toBe(closed);
    for (const isolation of [open, impossible()])
      expect(() => chooseIsolation(wanted('auto', 'required'), () => isolation)).toThrow(
        /The network cannot be closed on this runner\. There is no (ip|sudo)\./,
      );
  });

  it('with auto falls back to an open one only where the machine cannot do it', async () => {
    const failed = { isolation: closed, error: new SetupFailed('It did not work.'), isSettled: false };
    expect(await otherIsolation(failed, wanted('auto', 'auto'), () => Promise.resolve(open))).toBe(open);
    await expect(
      otherIsolation(failed, wanted('auto', 'auto'), () => Promise.resolve(closed)),
    ).rejects.toThrow(
      new RunFailure(
        'isolation-unavailable',
        'This runner can isolate an agent, but something in this checkout prevents it. It did not work.',
      ),
    );
    await expect(
      otherIsolation(failed, wanted('auto', 'required'), () => Promise.resolve(open)),
    ).rejects.toThrow('cannot be closed');
    expect(openNetworkReason(closed)).toBeUndefined();
    expect(openNetworkReason(open)).toBe('There is no ip.');
    expect(openNetworkReason(AVAILABLE)).toBe('The input network is off.');
  });
});
