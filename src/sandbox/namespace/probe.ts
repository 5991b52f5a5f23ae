import { existsSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../core/errors.js';
import { RunFailure } from '../../core/failure.js';
import { askWithin, hasSystemProgram, SYSTEM_PATH } from '../../core/programs.js';
import type { ProcessSpec } from '../process.js';
import { explainSetupFailure, READY } from './check.js';
import {
  isolate,
  makeOverlay,
  removeLayer,
  type LayerSetup,
  type PrivilegeSource,
  type User,
} from './isolate.js';
import { findInterpreter, WITHOUT_KEYRING_FILTER, type Interpreter } from './keyring.js';
import { readMounts, type Rule } from './mounts.js';
import { currentUser } from './survey.js';

/** What this machine can do, and the inputs want: the programs of the sandbox are isolated like this, or not at all. */
export type Machine = IsolatingMachine | { kind: 'not-isolated'; why: string };

export interface IsolatingMachine {
  kind: 'isolated';
  privilege: PrivilegeSource;
  /** Whether the kernel makes the layer, or the checkout is copied. */
  layer: 'overlay' | 'copy';
  /** Installs the filter that blocks the kernel's keyrings. */
  keyring: Interpreter | undefined;
  /** `closed`: programs get a network of their own, in which the proxy is the only way out. */
  network: 'closed' | 'open';
  /** Why it is open. */
  whyOpen?: string;
}

type IsolationSetting = 'auto' | 'required' | 'off';

interface Wanted {
  isolation: IsolationSetting;
  network: IsolationSetting;
}

interface ProbedPlaces {
  /** The top of the checkout. An overlay is tried over it, and none of its files is read. */
  checkout: string;
  /** Our folder, which does not exist yet. */
  scratch: string;
}

const TOOLS = [
  ...['sh', 'env', 'mkdir', 'mkfifo', 'rm', 'cp', 'chown', 'readlink'],
  ...['mount', 'mountpoint', 'umount', 'unshare', 'setpriv'],
];
/** Far more than one try takes. A sudo that waits for something must not block the run. */
const TRY_MS = 10_000;
const ALL_TRIES_MS = 40_000;

/**
 * Finds out what this machine can do. Versions and settings prove nothing, so a small isolation is set up, and looked at
 * from inside and outside. Nothing that a checkout contains can decide this. What is found holds to the end of the run.
 */
export async function probeMachine(
  wanted: Wanted,
  places: ProbedPlaces,
  probe: (network: IsolationSetting, places: ProbedPlaces) => Promise<Machine> = tryAll,
): Promise<Machine> {
  const machine =
    wanted.isolation === 'off'
      ? notIsolated('The input isolation is off.')
      : await probe(wanted.network, places);
  if (machine.kind === 'not-isolated' && wanted.isolation === 'required')
    throw new RunFailure('isolation-unavailable', machine.why);
  const whyOpen = openNetworkReason(machine);
  if (whyOpen !== undefined && wanted.network === 'required')
    throw new RunFailure('isolation-unavailable', `The network cannot be closed on this runner. ${whyOpen}`);
  return machine;
}

const notIsolated = (why: string): Machine => ({ kind: 'not-isolated', why });

/** Why programs use the network of this machine; undefined if their own is closed. */
export function openNetworkReason(machine: Machine): string | undefined {
  if (machine.kind === 'not-isolated') return machine.why;
  return machine.network === 'closed' ? undefined : (machine.whyOpen ?? '');
}

/** Tries the ways to isolate, the best first. A closed network counts more than who makes the mounts. */
async function tryAll(network: IsolationSetting, places: ProbedPlaces): Promise<Machine> {
  const user = currentUser();
  if (user === undefined)
    return notIsolated(`Isolation needs Linux, and this runner has ${process.platform}.`);
  const missing = TOOLS.filter((tool) => !hasSystemProgram(tool)).join(', ');
  if (missing !== '')
    return notIsolated(`Isolation needs util-linux and coreutils; not found in ${SYSTEM_PATH}: ${missing}.`);
  const keyring = await findInterpreter();
  const endMs = performance.now() + ALL_TRIES_MS;
  let whyOpen = network === 'off' ? 'The input network is off.' : undefined;
  for (const state of network === 'off' ? (['open'] as const) : (['closed', 'open'] as const)) {
    const problems: string[] = [];
    for (const privilege of privilegesOf(user))
      for (const layer of ['overlay', 'copy'] as const) {
        const patienceMs = Math.ceil(Math.min(TRY_MS, endMs - performance.now()));
        if (patienceMs <= 0) return notIsolated(`The tries took too long. ${problems.join(' ')}`.trim());
        const machine = { kind: 'isolated', privilege, layer, keyring, network: state } as const;
        const why = await rehearse(machine, { ...places, user, patienceMs });
        if (why === undefined) return state === 'closed' ? machine : { ...machine, whyOpen: whyOpen ?? '' };
        problems.push(why);
      }
    whyOpen = [...new Set(problems)].join(' ');
  }
  return notIsolated(whyOpen ?? '');
}

export function describeMachine(machine: Machine, access: 'read' | 'write'): string {
  if (machine.kind === 'not-isolated') {
    return `Not isolated: it works on a copy of the checkout, but as the runner’s own user. Only its rules and a clean environment limit it. ${machine.why}`;
  }
  const workspace = access === 'write' ? 'its layer of the checkout and its home' : 'its own home';
  return `Isolated${BY[machine.privilege]}: it sees only its own processes, the runner’s home is hidden, and everything except ${workspace} is read-only, including .git.${machine.keyring ? '' : ` ${WITHOUT_KEYRING_FILTER}`}`;
}

const BY: Readonly<Record<PrivilegeSource, string>> = {
  root: '',
  sudo: ' (through sudo)',
  'user-namespace': ' (in a user namespace)',
};

/** What may give us the right to create namespaces here, the best first. */
function privilegesOf({ uid }: User): PrivilegeSource[] {
  if (uid === 0) return ['root'];
  return hasSystemProgram('sudo') ? ['sudo', 'user-namespace'] : ['user-namespace'];
}

/** Tries to write a file outside of the layer (`$1`), which must fail, and one in the layer (`$2`). */
const WRITE_SCRIPT = '(: >"$1") 2>/dev/null; : >"$2"';

/**
 * Sets up an isolation with the checkout as its layer, one home and every mount of this machine locked, and runs a check
 * in it. The isolation of the agent does the same things more often. Returns why it does not work, or nothing if it does.
 */
async function rehearse(
  { privilege, layer, keyring, network }: IsolatingMachine,
  { checkout, scratch, user, patienceMs }: ProbedPlaces & { user: User; patienceMs: number },
): Promise<string | undefined> {
  const at = (name: string) => join(scratch, name);
  const [home, by, planted, outside] = [at('home'), at('layer'), at('planted'), at('canary')];
  const written = `cursor-agent-${randomUUID()}`;
  const write: ProcessSpec = {
    file: 'sh',
    args: ['-c', WRITE_SCRIPT, 'write', outside, join(checkout, written)],
    cwd: '/',
    env: { PATH: SYSTEM_PATH },
    input: '',
  };
  // An overlay copies what is written. Root of a user namespace cannot copy files of others.
  if (privilege === 'user-namespace' && layer === 'overlay' && statSync(checkout).uid !== user.uid)
    return 'In a user namespace, an overlay needs a checkout that belongs to the runner’s user.';
  try {
    for (const folder of [home, planted, by]) mkdirSync(folder, { recursive: true });
    if (layer === 'overlay') makeOverlay(by, checkout);
    const rules: Rule[] = [
      { kind: 'layered', path: realpathSync(checkout), is: 'folder', by, as: layer },
      { kind: 'writable', path: realpathSync(home), is: 'folder' },
    ];
    const setup: LayerSetup = {
      root: checkout,
      access: 'write',
      absent: [],
      locked: [],
      planted: { folder: planted, files: new Map(), paths: [] },
    };
    const enclosure = {
      rules,
      mounts: readMounts(),
      privilege,
      user,
      keyring,
      layer: setup,
      alive: at('alive'),
      // Nothing leads out of it, because nothing needs a way out.
      network: network === 'closed' ? {} : undefined,
    };
    const spec = isolate(write, enclosure);
    const limits = { input: spec.input, timeout: patienceMs, killSignal: 'SIGKILL' } as const;
    const { code, stderr } = await askWithin(spec, limits);
    if (code !== 0 || !stderr.includes(READY)) return explainSetupFailure(stderr, privilege);
    if (existsSync(outside))
      return 'The isolation was tried, but a file outside of it could still be written.';
    if (existsSync(join(checkout, written))) {
      rmSync(join(checkout, written));
      return 'The isolation was tried, but the checkout itself could still be written.';
    }
    return undefined;
  } catch (error) {
    return `The isolation could not be tried: ${messageOf(error)}.`;
  } finally {
    removeLayer(scratch, privilege);
  }
}
