import { RunFailure } from '../../failure.js';
import type { How } from './isolate.js';
import type { Probe } from './probe.js';

export type Isolation = { kind: 'isolated'; how: How } | { kind: 'not-isolated'; why: string };

/** What the input asks for, met with what this machine can do; only `required` insists. */
export function chooseIsolation(setting: 'auto' | 'required' | 'off', probe: () => Probe): Isolation {
  if (setting === 'off') return { kind: 'not-isolated', why: 'The input isolation is off.' };
  const answer = probe();
  if (answer.kind === 'available') return { kind: 'isolated', how: answer.how };
  if (setting === 'required') throw new RunFailure('isolation-unavailable', answer.why);
  return { kind: 'not-isolated', why: answer.why };
}

/** For the log and the summary. */
export function describeIsolation(isolation: Isolation, access: 'read' | 'write'): string {
  if (isolation.kind === 'not-isolated') {
    return `Not isolated: it runs as the runner’s own user, held back by its rules and a clean environment only. ${isolation.why}`;
  }
  const workspace = access === 'write' ? 'all but the workspace and its own home' : 'all but its own home';
  const by = isolation.how === 'root' ? '' : ' (through sudo)';
  return `Isolated${by}: it sees no process but its own, and ${workspace} is read-only, .git too.`;
}
