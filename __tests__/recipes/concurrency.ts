import { asText, evaluate, type Contexts } from './evaluation.js';
import { Expression, record, type Template } from './workflow-file.js';

/** A concurrency group that a run or one of its jobs enters. */
export interface Entry {
  /** The job, or nothing for the whole run. */
  job: string;
  group: string;
  cancelsRunning: boolean;
  /** `single`: who waits is replaced by who comes next. `max`: up to 100 wait. */
  queue: 'single' | 'max';
}

export function entryOf(concurrency: Template, job: string, contexts: Contexts): Entry[] {
  if (concurrency === null) return [];
  const isName = typeof concurrency === 'string' || concurrency instanceof Expression;
  const given: Record<string, Template> = isName ? { group: concurrency } : record(concurrency);
  const read = (name: string) => evaluate(given[name] ?? null, contexts);
  const queue = asText(read('queue')) === 'max' ? 'max' : 'single';
  const cancelsRunning = read('cancel-in-progress') === true;
  if (cancelsRunning && queue === 'max')
    throw new Error(`${job}: queue: max does not go with cancel-in-progress`);
  // GitHub compares groups without regard to case.
  return [{ job, group: asText(read('group')).toLowerCase(), cancelsRunning, queue }];
}

export type Fate = 'runs' | 'waits' | 'cancelled';

/**
 * What becomes of runs that come in this order, each before the one before it has ended. Each run is the list of the
 * groups that it enters. A run that loses its place in one group is cancelled.
 */
export function settle(runs: readonly (readonly Entry[])[]): Fate[] {
  const fates: Fate[] = [];
  const members = new Map<string, number[]>();
  runs.forEach((entries, run) => {
    fates[run] = 'runs';
    for (const { group, cancelsRunning, queue } of entries) {
      const others = (members.get(group) ?? []).filter((other) => fates[other] !== 'cancelled');
      for (const other of others) {
        const isReplaced = fates[other] === 'runs' ? cancelsRunning : queue === 'single';
        if (isReplaced) fates[other] = 'cancelled';
      }
      if (others.some((other) => fates[other] !== 'cancelled')) fates[run] = 'waits';
      members.set(group, [...others, run]);
    }
  });
  return fates;
}
