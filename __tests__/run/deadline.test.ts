import { expect, it } from '@jest/globals';
import { startClock } from '../../src/run/deadline.js';

const clockFor = (checkedBy?: 'verification' | 'validation') => {
  let now = 5000;
  const inputs = { timeoutMinutes: 10, idleTimeoutMinutes: 1 };
  const deadline = startClock({ inputs, checkedBy }, () => now);
  const after = (minutes: number) => {
    now = 5000 + minutes * 60_000;
    return [deadline.elapsedMs(), deadline.agentMs(), deadline.verificationMs()].map((ms) => ms / 60_000);
  };
  return { deadline, after };
};

it('gives the agent all of the time if nothing checks its work', () => {
  const { deadline, after } = clockFor();
  expect([after(0), after(4), after(10), after(11)]).toEqual([
    [0, 10, 10],
    [4, 6, 6],
    [10, 0, 0],
    [11, 0, 0],
  ]);
  expect(deadline.limits).toEqual({ timeoutMinutes: 10, idleTimeoutMinutes: 1, reservedMinutes: 0 });
});

it.each(['verification', 'validation'] as const)(
  'reserves a fifth for a %s, which may use all that is left',
  (checkedBy) => {
    const { deadline, after } = clockFor(checkedBy);
    expect([after(0), after(4), after(8), after(9), after(11)]).toEqual([
      [0, 8, 10],
      [4, 4, 6],
      [8, 0, 2],
      [9, 0, 1],
      [11, 0, 0],
    ]);
    expect(deadline.limits).toMatchObject({ reservedMinutes: 2, reservedFor: checkedBy });
  },
);

it('leaves what runs before the agent a fifth at most', () => {
  const { deadline, after } = clockFor('verification');
  expect(deadline.baselineMs()).toBe(120_000);
  after(1.5);
  expect(deadline.baselineMs()).toBe(30_000);
  after(4);
  expect(deadline.baselineMs()).toBe(0);
});
