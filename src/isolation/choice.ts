import { RunFailure } from '../core/failure.js';
import type { How } from './isolate.js';
import { WITHOUT_KEYRING_FILTER, type Interpreter } from './keyring.js';
import type { Probe } from './probe.js';

export type Isolation =
  | { kind: 'isolated'; how: How; layer: 'overlay' | 'copy'; keyring: Interpreter | undefined }
  | { kind: 'not-isolated'; why: string };

/** What the input asks for, met with what this machine can do; only `required` insists. */
export async function chooseIsolation(
  setting: 'auto' | 'required' | 'off',
  probe: () => Promise<Probe>,
): Promise<Isolation> {
  if (setting === 'off') return { kind: 'not-isolated', why: 'The input isolation is off.' };
  const answer = await probe();
  if (answer.kind === 'available') return { ...answer, kind: 'isolated' };
  if (setting === 'required') throw new RunFailure('isolation-unavailable', answer.why);
  return { kind: 'not-isolated', why: answer.why };
}

/** For the log and the summary. */
export function describeIsolation(isolation: Isolation, access: 'read' | 'write'): string {
  if (isolation.kind === 'not-isolated') {
    return `Not isolated: it works on a copy of the checkout, but as the runner’s own user, held back by its rules and a clean environment only. ${isolation.why}`;
  }
  const workspace =
    access === 'write' ? 'all but its layer of the checkout and its home' : 'all but its own home';
  return `Isolated${BY[isolation.how]}: it sees no process but its own, the runner’s home is hidden, and ${workspace} is read-only, .git too.${isolation.keyring ? '' : ` ${WITHOUT_KEYRING_FILTER}`}`;
}

const BY: Readonly<Record<How, string>> = {
  root: '',
  sudo: ' (through sudo)',
  'user-namespace': ' (in a user namespace)',
};
