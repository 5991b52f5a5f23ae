import { describe, expect, it } from '@jest/globals';
import { countProgress } from '../../src/core/progress.js';

describe('the progress of something', () => {
  const run = (steps: number, msPerStep: number) => {
    let now = 0;
    const reports: number[] = [];
    const step = countProgress(
      (count) => reports.push(count),
      () => now,
    );
    for (let count = 0; count < steps; count += 1) {
      now += msPerStep;
      step();
    }
    return reports;
  };

  it('is not told while it is quick', () => {
    expect(run(100_000, 0.04)).toEqual([]);
  });

  it('is told every five seconds while it takes long', () => {
    expect(run(17, 1000)).toEqual([5, 10, 15]);
  });
});
