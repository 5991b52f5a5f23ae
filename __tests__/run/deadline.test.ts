import { expect, it } from '@jest/globals';
import { startClock } from '../../src/run/deadline.js';

const clockFor = (isVerified: boolean) => {
  let now = 5000;
  const inputs = { timeoutMinutes: 10, idleTimeoutMinutes: 1 };
  const deadline = startClock({ inputs, isVerified }, () => now);
  const after = (minutes: number) => {
    now = 5000 + minutes * 60_000;
    return [deadline.elapsedMs(), deadline.agentMs(), deadline.verificationMs()].map((ms) => ms / 60_000);
  };
  return { deadline, after };
};

it('gives the agent all of the time if there is nothing to verify', () => {
  const { deadline, after } = clockFor(false);
  expect([after(0), after(4), after(10), after(11)]).toEqual([
    [0, 10, 10],
    [4, 6, 6],
    [10, 0, 0],
    [11, 0, 0],
  ]);
  expect(deadline.limits).toEqual({ timeoutMinutes: 10, idleTimeoutMinutes: 1, reservedMinutes: 0 });
});

it('reserves a fifth for the verification, which may use all that is left', () => {
  const { deadline, after } = clockFor(true);
  expect([after(0), after(4), after(8), after(9), after(11)]).toEqual([
    [0, 8, 10],
    [4, 4, 6],
    [8, 0, 2],
    [9, 0, 1],
    [11, 0, 0],
  ]);
  expect(deadline.limits).toMatchObject({ reservedMinutes: 2 });
});
