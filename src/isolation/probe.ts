import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '../agent/process.js';
import { isolate, type Enclosure, type How } from './isolate.js';
import { findInterpreter, type Interpreter } from './keyring.js';
import { CHECK, explainFailure, problemInside } from './probe-answer.js';
import { removeLayer } from './remove-layer.js';
import { SYSTEM_PATH, type User } from './script.js';
import { surveySurroundings, type Places } from './survey.js';

/** What this machine can do: keep the agent apart, and make a layer by itself or only by copying. */
export type Probe =
  | { kind: 'available'; how: How; layer: 'overlay' | 'copy'; keyring: Interpreter | undefined }
  | { kind: 'unavailable'; why: string };

/** What is known of a run before anybody has looked at the checkout. */
export type MachinePlaces = Omit<Places, 'layer' | 'directory'>;

const TOOLS = [
  ...['sh', 'env', 'mkdir', 'mkfifo', 'rm', 'cp', 'chown'],
  ...['mount', 'mountpoint', 'umount', 'unshare', 'setpriv'],
];
/** Far more than it takes; a sudo that waits for something must not hold up the run. */
const PATIENCE_MS = 10_000;

/**
 * Whether the agent can be isolated here. Nothing is concluded from versions or settings: it is done, and looked at
 * from inside and outside. It is done on a folder of our own, because nothing that a checkout holds may decide this.
 */
export async function probeIsolation(places: MachinePlaces): Promise<Probe> {
  const user = currentUser();
  if (user === undefined) {
    return { kind: 'unavailable', why: `It needs Linux, and this runner has ${process.platform}.` };
  }
  const missing = missingTools();
  if (missing !== undefined) return { kind: 'unavailable', why: missing };
  const keyring = findInterpreter();
  const problems: string[] = [];
  for (const how of waysFor(user)) {
    for (const layer of ['overlay', 'copy'] as const) {
      const why = await tryIt(places, user, { how, layer, keyring });
      if (why === undefined) return { kind: 'available', how, layer, keyring };
      problems.push(why);
    }
  }
  return { kind: 'unavailable', why: [...new Set(problems)].join(' ') };
}

function waysFor({ uid }: User): How[] {
  if (uid === 0) return ['root'];
  return isInstalled('sudo') ? ['sudo', 'user-namespace'] : ['user-namespace'];
}

/** Everything that surrounds the agent on this machine, looked at once. */
export function encloseHere(
  places: Places,
  { how, keyring }: Pick<Enclosure, 'how' | 'keyring'>,
): Omit<Enclosure, 'layer'> {
  const user = currentUser();
  if (user === undefined) throw new Error('A process can be isolated on Linux only.');
  mkdirSync(places.control, { recursive: true });
  return { ...surveySurroundings(places), how, user, keyring, alive: join(places.control, 'alive') };
}

function currentUser(): User | undefined {
  if (process.platform !== 'linux') return undefined;
  const [uid, gid, groups] = [process.getuid?.(), process.getgid?.(), process.getgroups?.()];
  if (uid === undefined || gid === undefined || groups === undefined) return undefined;
  return { uid, gid, groups, umask: currentUmask() };
}

/** Read, not asked for: the only call for it sets it for a moment. */
function currentUmask(): number {
  const octal = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return octal === undefined ? 0o022 : Number.parseInt(octal, 8);
}

function missingTools(): string | undefined {
  const missing = TOOLS.filter((tool) => !isInstalled(tool));
  if (missing.length === 0) return undefined;
  return `Not installed, or not in ${SYSTEM_PATH}: ${missing.join(', ')} (of util-linux and coreutils).`;
}

function isInstalled(tool: string): boolean {
  return SYSTEM_PATH.split(':').some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The name of a file that the check writes into the layer. */
const WRITTEN = 'written';

/** Why it does not work; nothing if it does. */
async function tryIt(
  places: MachinePlaces,
  user: User,
  { how, layer, keyring }: Omit<Extract<Probe, { kind: 'available' }>, 'kind'>,
): Promise<string | undefined> {
  const scratch = join(places.control, 'probe');
  const [checkout, by, planted] = ['checkout', 'layer', 'planted'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  const outside = join(places.control, 'canary');
  const atHome = join(places.home, '.isolation-probe');
  const check: ProcessSpec = {
    file: 'sh',
    args: ['-c', CHECK, 'check', outside, atHome, join(checkout, WRITTEN)],
    cwd: checkout,
    env: { PATH: SYSTEM_PATH },
    input: '',
  };
  try {
    const folders = [
      checkout,
      planted,
      ...(layer === 'overlay' ? ['upper', 'work'].map((name) => join(by, name)) : [by]),
    ];
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    writeFileSync(join(checkout, 'absent'), '');
    const enclosure = encloseHere(
      { ...places, layer: { root: checkout, by, as: layer }, directory: checkout },
      { how, keyring },
    );
    const setup = {
      root: checkout,
      access: 'write',
      absent: [join(checkout, 'absent')],
      planted: { folder: planted, paths: [] },
      locked: [],
    } as const;
    const run = await runToEnd(isolate(check, { ...enclosure, layer: setup }));
    if (run.error !== undefined) return `It was tried, and could not be started: ${run.error}.`;
    if (run.status !== 0) return explainFailure(run.stderr);
    if (existsSync(outside)) return 'It was tried, and a file outside could still be written.';
    if (existsSync(join(checkout, WRITTEN)) || !existsSync(join(checkout, 'absent')))
      return 'It was tried, and the checkout itself could still be written.';
    return problemInside(run.stdout, user, how);
  } finally {
    for (const path of [outside, atHome]) rmSync(path, { force: true });
    removeLayer(scratch, how);
  }
}

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
  error?: string;
}

/** Not waited for at once: the rest of the action has things to do meanwhile. */
function runToEnd({ file, args, input, ...options }: ProcessSpec): Promise<Ended> {
  const child = spawn(file, args, { ...options, timeout: PATIENCE_MS, killSignal: 'SIGKILL' });
  const ended: Ended = { status: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ ...ended, error: error.message });
    });
    child.once('close', (status) => {
      resolve({ ...ended, status });
    });
  });
}
