import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '../process.js';
import { isolate, type How } from './isolate.js';
import { CHECK, explainFailure, problemInside } from './probe-answer.js';
import { SYSTEM_PATH, type User } from './script.js';
import { surveySurroundings, type Places } from './surroundings.js';

export type Probe = { kind: 'available'; how: How } | { kind: 'unavailable'; why: string };

const TOOLS = ['sh', 'env', 'mkdir', 'mkfifo', 'mount', 'mountpoint', 'umount', 'unshare', 'setpriv'];
/** Far more than it takes; a sudo that waits for something must not hold up the run. */
const PATIENCE_MS = 10_000;

/**
 * Whether the agent can be isolated here. Nothing is concluded from versions or settings: it is done, with the
 * very places of this run, and looked at from inside and outside.
 */
export function probeIsolation(places: Places): Probe {
  const user = currentUser();
  if (user === undefined) {
    return { kind: 'unavailable', why: `It needs Linux, and this runner has ${process.platform}.` };
  }
  const how = user.uid === 0 ? 'root' : 'sudo';
  const why = missingTools(how) ?? tryIt(places, user, how);
  return why === undefined ? { kind: 'available', how } : { kind: 'unavailable', why };
}

/** The command as the agent is to be run, with a fresh look at everything around it. */
export function isolateHere(spec: ProcessSpec, places: Places, how: How): ProcessSpec {
  const user = currentUser();
  if (user === undefined) throw new Error('A process can be isolated on Linux only.');
  mkdirSync(places.control, { recursive: true });
  return isolate(spec, { ...surveySurroundings(places), how, user, alive: join(places.control, 'alive') });
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

function missingTools(how: How): string | undefined {
  const missing = TOOLS.filter((tool) => !isInstalled(tool));
  if (missing.length > 0) {
    return `Not installed, or not in ${SYSTEM_PATH}: ${missing.join(', ')} (of util-linux and coreutils).`;
  }
  if (how === 'root' || isInstalled('sudo')) return undefined;
  return 'The runner’s user is not root, and sudo is not installed.';
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

function tryIt(places: Places, user: User, how: How): string | undefined {
  const outside = join(places.control, 'canary');
  const atHome = join(places.home, '.isolation-probe');
  const check: ProcessSpec = {
    file: 'sh',
    args: ['-c', CHECK, 'check', outside, atHome],
    cwd: places.workspace,
    env: { PATH: SYSTEM_PATH },
    input: '',
  };
  try {
    const { file, args, ...options } = isolateHere(check, places, how);
    const limits = { timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
    const run = spawnSync(file, args, { ...options, ...limits, encoding: 'utf8' });
    if (run.error !== undefined) return `It was tried, and could not be started: ${run.error.message}.`;
    if (run.status !== 0) return explainFailure(run.stderr);
    if (existsSync(outside)) return 'It was tried, and a file outside could still be written.';
    return problemInside(run.stdout, user);
  } finally {
    for (const path of [outside, atHome]) rmSync(path, { force: true });
  }
}
