import { describe, expect, it } from '@jest/globals';
import { RunFailure } from '../../../src/core/failure.js';
import {
  describeMachine,
  openNetworkReason,
  probeMachine,
  type Machine,
} from '../../../src/sandbox/namespace/probe.js';

const perl = { language: 'perl', path: '/usr/bin/perl', prctl: 157 } as const;
const CLOSED = {
  kind: 'isolated',
  privilege: 'sudo',
  layer: 'overlay',
  keyring: perl,
  network: 'closed',
} as const;
const OPEN = { ...CLOSED, network: 'open', whyOpen: 'There is no ip.' } as const;
const NONE = { kind: 'not-isolated', why: 'There is no sudo.' } as const;

type Setting = 'auto' | 'required' | 'off';
const PLACES = { checkout: '/nowhere', scratch: '/nowhere' };

/** What is decided for these inputs if the tries on this machine gave that. */
const decide = (isolation: Setting, network: Setting, tried: Machine) =>
  probeMachine({ isolation, network }, PLACES, () => Promise.resolve(tried));

describe('the input isolation', () => {
  it.each(['auto', 'required'] as const)('uses it with %s where it works', async (setting) => {
    expect(await decide(setting, 'off', OPEN)).toBe(OPEN);
  });

  it('falls back with auto, and says why', async () => {
    const machine = await decide('auto', 'off', NONE);
    expect(machine).toEqual(NONE);
    expect(describeMachine(machine, 'write')).toMatch(/^Not isolated: .* There is no sudo\.$/);
  });

  it('fails with required', async () => {
    await expect(decide('required', 'off', NONE)).rejects.toThrow(
      new RunFailure('isolation-unavailable', 'There is no sudo.'),
    );
  });

  it('does not even try with off', async () => {
    const tried = () => Promise.reject(new Error('tried'));
    const machine = await probeMachine({ isolation: 'off', network: 'auto' }, PLACES, tried);
    expect(describeMachine(machine, 'read')).toContain('The input isolation is off.');
  });

  it('tries once, for the network that is wanted', async () => {
    const wanted: string[] = [];
    await probeMachine({ isolation: 'auto', network: 'required' }, PLACES, (network) => {
      wanted.push(network);
      return Promise.resolve(CLOSED);
    });
    expect(wanted).toEqual(['required']);
  });

  it('says what was closed to the agent, and by which rights', () => {
    expect(describeMachine(CLOSED, 'write')).toContain(
      'everything except its layer of the checkout and its home is read-only',
    );
    expect(describeMachine(CLOSED, 'read')).toContain('everything except its own home is read-only');
    const by = (['root', 'sudo', 'user-namespace'] as const).map(
      (privilege) => describeMachine({ ...CLOSED, privilege }, 'read').split(':')[0],
    );
    expect(by).toEqual(['Isolated', 'Isolated (through sudo)', 'Isolated (in a user namespace)']);
  });

  it('says so where the keys of the kernel stay within reach', () => {
    const isolated = { ...CLOSED, privilege: 'root', layer: 'copy' } as const;
    expect(describeMachine({ ...isolated, keyring: perl }, 'read')).not.toContain('keys');
    expect(describeMachine({ ...isolated, keyring: undefined }, 'read')).toContain('can read the keys');
  });
});

describe('the input network', () => {
  it('with required needs a closed network, and so isolation', async () => {
    expect(await decide('auto', 'required', CLOSED)).toBe(CLOSED);
    for (const machine of [OPEN, NONE])
      await expect(decide('auto', 'required', machine)).rejects.toThrow(
        new RunFailure(
          'isolation-unavailable',
          `The network cannot be closed on this runner. ${machine === OPEN ? OPEN.whyOpen : NONE.why}`,
        ),
      );
    await expect(decide('off', 'required', CLOSED)).rejects.toThrow('The input isolation is off.');
  });

  it('with auto falls back to an open one, and the reason is known', async () => {
    expect(await decide('auto', 'auto', OPEN)).toBe(OPEN);
    expect(openNetworkReason(CLOSED)).toBeUndefined();
    expect(openNetworkReason(OPEN)).toBe('There is no ip.');
    expect(openNetworkReason(NONE)).toBe('There is no sudo.');
  });
});
