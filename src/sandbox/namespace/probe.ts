import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '../process.js';
import { RunFailure } from '../../core/failure.js';
import { hasSystemProgram, startProgram, SYSTEM_PATH } from '../../core/programs.js';
import { proxyPortBeside } from '../network/forwarder.js';
import { explainSetupFailure, READY, type SetupFailed } from './check.js';
import { isolate, makeOverlay, removeLayer, type PrivilegeSource, type User } from './isolate.js';
import { expectInterpreter, findInterpreter, WITHOUT_KEYRING_FILTER, type Interpreter } from './keyring.js';
import { readMounts, type Rule } from './mounts.js';
import { currentUser, type AgentPaths } from './survey.js';

/** How the agent is isolated on this machine. */
interface Isolated {
  kind: 'isolated';
  how: PrivilegeSource;
  /** Whether the kernel makes the layer, or the checkout is copied. */
  layer: 'overlay' | 'copy';
  /** Installs the filter that blocks the kernel's keyrings. */
  keyring: Interpreter | undefined;
  /** Whether the agent gets a network of its own, in which the proxy is the only way out. */
  network?: 'closed' | undefined;
  /** Why it does not get one, although that was wanted. */
  whyOpen?: string | undefined;
}

type IsolationSetting = 'auto' | 'required' | 'off';

/** The inputs of the same names. */
interface Wanted {
  isolation: IsolationSetting;
  network: IsolationSetting;
}

export type Isolation = Isolated | { kind: 'not-isolated'; why: string };

type ProbePaths = Pick<AgentPaths, 'control' | 'home'>;

const TOOLS = [
  ...['sh', 'env', 'mkdir', 'mkfifo', 'rm', 'cp', 'chown', 'readlink'],
  ...['mount', 'mountpoint', 'umount', 'unshare', 'setpriv'],
];
/** Far more than it takes. A sudo that waits for something must not block the run. */
const PATIENCE_MS = 10_000;

/**
 * What the input asks for, and what this machine should be able to do. Whether it can is seen when the agent is started:
 * its isolation checks itself, and `otherIsolation` decides what follows if it fails.
 */
export function chooseIsolation(wanted: Wanted, expect = expectIsolation): Isolation {
  if (wanted.isolation === 'off') return { kind: 'not-isolated', why: 'The input isolation is off.' };
  return orFail(wanted, expect(wanted));
}

/**
 * An isolation that could not be set up. `isSettled`: whether this run knows how it isolates, because an agent was
 * started or the machine was tried.
 */
export interface FailedIsolation {
  isolation: Isolation;
  error: SetupFailed;
  isSettled: boolean;
}

/**
 * The isolation to use after one could not be set up. If that one works with a folder of our own, something in the
 * checkout prevents it here. That is a failure: nothing in a checkout may turn the isolation off. Neither may an agent,
 * for example by filling the disk before it is started again.
 */
export async function otherIsolation(
  failed: FailedIsolation,
  wanted: Wanted,
  probe: () => Promise<Isolation>,
): Promise<Isolation> {
  const proven = failed.isSettled ? failed.isolation : orFail(wanted, await probe());
  if (isSameIsolation(proven, failed.isolation))
    throw new RunFailure(
      'isolation-unavailable',
      `${failed.isSettled ? NOT_AGAIN : NOT_WITH_CHECKOUT} ${failed.error.message}`,
    );
  return proven;
}

const NOT_AGAIN = 'An agent was isolated before in this run, but could not be isolated again.';
const NOT_WITH_CHECKOUT = 'This runner can isolate an agent, but something in this checkout prevents it.';

/** Only `required` insists on isolation, or on a closed network, which needs isolation. */
function orFail(wanted: Wanted, isolation: Isolation): Isolation {
  if (isolation.kind === 'not-isolated' && wanted.isolation === 'required')
    throw new RunFailure('isolation-unavailable', isolation.why);
  const whyOpen = openNetworkReason(isolation);
  if (whyOpen !== undefined && wanted.network === 'required')
    throw new RunFailure('isolation-unavailable', `The network cannot be closed on this runner. ${whyOpen}`);
  return isolation;
}

/** Why the agent would use the network of this machine; undefined if its own is closed. */
export function openNetworkReason(isolation: Isolation): string | undefined {
  if (isolation.kind === 'not-isolated') return isolation.why;
  return isolation.network === 'closed' ? undefined : (isolation.whyOpen ?? 'The input network is off.');
}

const isSameIsolation = (one: Isolation, other: Isolation): boolean =>
  one.kind === 'isolated' &&
  other.kind === 'isolated' &&
  one.how === other.how &&
  one.layer === other.layer &&
  one.keyring?.path === other.keyring?.path &&
  one.network === other.network;

/** The best way that this machine should support. */
function expectIsolation({ network }: Pick<Wanted, 'network'>): Isolation {
  const notIsolated = (why: string): Isolation => ({ kind: 'not-isolated', why });
  const user = currentUser();
  if (user === undefined)
    return notIsolated(`Isolation needs Linux, and this runner has ${process.platform}.`);
  const missing = TOOLS.filter((tool) => !hasSystemProgram(tool)).join(', ');
  if (missing !== '')
    return notIsolated(`Isolation needs util-linux and coreutils; not found in ${SYSTEM_PATH}: ${missing}.`);
  return {
    ...{ kind: 'isolated', how: howsFor(user)[0], layer: 'overlay', keyring: expectInterpreter() },
    ...(network === 'off' ? {} : { network: 'closed' }),
  };
}

/**
 * Whether the agent can be isolated here. Versions and settings prove nothing, so a small isolation is set up, and
 * looked at from inside and outside. It holds a folder of our own: nothing in a checkout may decide this.
 */
export async function probeIsolation(
  paths: ProbePaths,
  wanted: Pick<Wanted, 'network'>,
  leftMs = () => Infinity,
): Promise<Isolation> {
  const expected = expectIsolation(wanted);
  const user = currentUser();
  if (expected.kind === 'not-isolated' || user === undefined) return expected;
  const keyring = await findInterpreter();
  let whyOpen: string | undefined;
  for (const network of wanted.network === 'off' ? [undefined] : (['closed', undefined] as const)) {
    const problems: string[] = [];
    for (const how of howsFor(user)) {
      for (const layer of ['overlay', 'copy'] as const) {
        const patienceMs = Math.ceil(Math.min(PATIENCE_MS, leftMs()));
        if (patienceMs <= 0)
          throw new RunFailure('timeout', 'The time limit was over before the agent could be isolated.');
        const why = await rehearse({ ...paths, user, patienceMs }, { how, layer, keyring, network });
        if (why === undefined) return { kind: 'isolated', how, layer, keyring, network, whyOpen };
        problems.push(why);
      }
    }
    whyOpen = [...new Set(problems)].join(' ');
  }
  return { kind: 'not-isolated', why: whyOpen ?? '' };
}

/** For the log and the summary. */
export function describeIsolation(isolation: Isolation, access: 'read' | 'write'): string {
  if (isolation.kind === 'not-isolated') {
    return `Not isolated: it works on a copy of the checkout, but as the runner’s own user. Only its rules and a clean environment limit it. ${isolation.why}`;
  }
  const workspace = access === 'write' ? 'its layer of the checkout and its home' : 'its own home';
  return `Isolated${BY[isolation.how]}: it sees only its own processes, the runner’s home is hidden, and everything except ${workspace} is read-only, including .git.${isolation.keyring ? '' : ` ${WITHOUT_KEYRING_FILTER}`}`;
}

const BY: Readonly<Record<PrivilegeSource, string>> = {
  root: '',
  sudo: ' (through sudo)',
  'user-namespace': ' (in a user namespace)',
};

/** What may give us the right to create namespaces here, the best first. */
function howsFor({ uid }: User): [PrivilegeSource, ...PrivilegeSource[]] {
  if (uid === 0) return ['root'];
  return hasSystemProgram('sudo') ? ['sudo', 'user-namespace'] : ['user-namespace'];
}

/** Tries to write a file outside of the layer (`$1`), which must fail, and one in the layer (`$2`). */
const WRITE_SCRIPT = '(: >"$1") 2>/dev/null; : >"$2"';
const WRITTEN = 'written';

/**
 * Sets up an isolation with one layer, one home and every mount of this machine locked, and runs a check in it. The
 * agent's own isolation does the same things more often. Returns why it does not work, or nothing if it does.
 */
async function rehearse(
  { control, home, user, patienceMs }: ProbePaths & { user: User; patienceMs: number },
  { how, layer, keyring, network }: Omit<Isolated, 'kind'>,
): Promise<string | undefined> {
  const scratch = join(control, 'probe');
  const at = (name: string) => join(scratch, name);
  const [checkout, by, planted] = [at('checkout'), at('layer'), at('planted')];
  const outside = join(control, 'canary');
  const write: ProcessSpec = {
    file: 'sh',
    args: ['-c', WRITE_SCRIPT, 'write', outside, join(checkout, WRITTEN)],
    cwd: checkout,
    env: { PATH: SYSTEM_PATH },
    input: '',
  };
  try {
    for (const folder of [control, checkout, planted, by]) mkdirSync(folder, { recursive: true });
    if (layer === 'overlay') makeOverlay(by, checkout);
    writeFileSync(join(checkout, 'absent'), '');
    const rules: Rule[] = [
      { kind: 'layered', path: realpathSync(checkout), is: 'folder', by, as: layer },
      { kind: 'writable', path: realpathSync(home), is: 'folder' },
    ];
    // The forwarder connects only when it is asked, so there need not be a proxy.
    const forwarder = { folder: '/', socket: 'none', proxyPort: proxyPortBeside([]), ports: [] };
    const enclosure = {
      ...{ rules, mounts: readMounts(), how, user, keyring, alive: join(control, 'alive') },
      ...(network === 'closed' ? { network: () => forwarder } : {}),
    };
    const setup = {
      root: checkout,
      access: 'write',
      absent: [join(checkout, 'absent')],
      planted: { folder: planted, paths: [] },
      locked: [],
    } as const;
    const run = await runToEnd(isolate(write, { ...enclosure, layer: setup }), patienceMs);
    if ('error' in run) return `The isolation could not be started: ${run.error}.`;
    if (run.status !== 0 || !run.stderr.includes(READY)) return explainSetupFailure(run.stderr);
    if (existsSync(outside))
      return 'The isolation was tried, but a file outside of it could still be written.';
    if (existsSync(join(checkout, WRITTEN)) || !existsSync(join(checkout, 'absent')))
      return 'The isolation was tried, but the checkout itself could still be written.';
    return undefined;
  } finally {
    rmSync(outside, { force: true });
    removeLayer(scratch, how);
  }
}

type Ended = { status: number | null; stderr: string } | { error: string };

/** Asynchronous, so that the action can do other things meanwhile. */
function runToEnd(spec: ProcessSpec, patienceMs: number): Promise<Ended> {
  const child = startProgram(spec, { timeout: patienceMs, killSignal: 'SIGKILL' });
  let stderr = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(spec.input);
  return new Promise((resolve) => {
    child.once('error', ({ message }) => {
      resolve({ error: message });
    });
    child.once('close', (status) => {
      resolve({ status, stderr });
    });
  });
}
