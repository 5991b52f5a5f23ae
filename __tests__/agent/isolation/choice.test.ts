import { describe, expect, it } from '@jest/globals';
import { RunFailure } from '../../../src/failure.js';
import { chooseIsolation, describeIsolation } from '../../../src/agent/isolation/choice.js';

const possible = () => ({ kind: 'available', how: 'sudo' }) as const;
const impossible = () => ({ kind: 'unavailable', why: 'There is no sudo.' }) as const;

describe('the input isolation', () => {
  it.each(['auto', 'required'] as const)('uses it with %s where it works', (setting) => {
    expect(chooseIsolation(setting, possible)).toEqual({ kind: 'isolated', how: 'sudo' });
  });

  it('falls back with auto, and says why', () => {
    const choice = chooseIsolation('auto', impossible);
    expect(choice).toEqual({ kind: 'not-isolated', why: 'There is no sudo.' });
    expect(describeIsolation(choice, 'write')).toMatch(/^Not isolated: .* There is no sudo\.$/);
  });

  it('fails with required', () => {
    expect(() => chooseIsolation('required', impossible)).toThrow(
      new RunFailure('isolation-unavailable', 'There is no sudo.'),
    );
  });

  it('does not even try with off', () => {
    const choice = chooseIsolation('off', () => {
      throw new Error('tried');
    });
    expect(describeIsolation(choice, 'read')).toContain('The input isolation is off.');
  });

  it('says what was closed to the agent', () => {
    const choice = chooseIsolation('auto', possible);
    expect(describeIsolation(choice, 'write')).toContain(
      'all but the workspace and its own home is read-only',
    );
    expect(describeIsolation(choice, 'read')).toContain('all but its own home is read-only');
  });
});
