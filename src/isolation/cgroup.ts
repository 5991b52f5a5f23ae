import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * A cgroup of version 2 limits how many processes and threads the agent can have, and ends all of them at once. It is a
 * second fence: without it, the PID namespace ends them too.
 */

/** Far more than a build needs, and far fewer than a machine can bear. */
export const MOST_PROCESSES = 8192;

/** Where a new group can be made, or why not. */
export type CgroupPlace = { folder: string } | { why: string };

/** What is asked of the machine; undefined for a file that is not there. */
export type ReadFile = (path: string) => string | undefined;

const LIMITS = ['memory.max', 'cpu.max', 'pids.max'];

/**
 * Beside our own group, because a group with processes cannot limit groups in it. If our own group has limits, they must
 * hold for the agent as well, so it stays in there.
 */
export function findCgroupPlace(read: ReadFile = readOrNothing): CgroupPlace {
  const mount = (read('/proc/self/mountinfo') ?? '')
    .split('\n')
    .map((line) => /^\S+ \S+ \S+ \S+ (\S+) (\S+) .*- cgroup2 /.exec(line))
    .find((found) => found !== null);
  const [, top = '', flags = ''] = mount ?? [];
  if (top === '') return { why: 'there is no cgroup of version 2' };
  if (flags.split(',').includes('ro')) return { why: 'the cgroups are read-only here' };
  const own = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  if (own === undefined || own.includes('..')) return { why: 'our own cgroup is not known' };
  if (own === '/') return { folder: top };
  const isLimited = LIMITS.some((name) => /\d/.test((read(join(top, own, name)) ?? '').split(' ')[0] ?? ''));
  return isLimited ? { why: 'our own cgroup has limits' } : { folder: join(top, posix.dirname(own)) };
}

/** For diagnostics. */
export function describeCgroup(place = findCgroupPlace()): string {
  return 'folder' in place
    ? `Where root may, a cgroup for the agent is made in ${place.folder}, with at most ${MOST_PROCESSES} processes.`
    : `There is no cgroup for the agent: ${place.why}.`;
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
