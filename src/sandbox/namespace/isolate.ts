import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessSpec } from '../process.js';
import { fromText, joinBytes, toText, type BytePath } from '../../git/paths.js';
import { runProgram, shellQuote, SYSTEM_PATH, systemProgram } from '../../core/programs.js';
import {
  closedEnvironment,
  forwarderProgram,
  FORWARDING,
  type ForwarderOptions,
} from '../network/forwarder.js';
import { checkCommand, NETWORK_NAMESPACE, READY } from './check.js';
import { keyringFilter, type Interpreter } from './keyring.js';
import { CLOSE_TABLE, lockFiles, MOUNT, mountCommands, type LockedFile } from './mount-commands.js';
import { flagsAt, planMounts, reachableMounts, type Mount, type Rule } from './mounts.js';
import { exportAll, inBatches, quotePath, RUN_SENT_SCRIPT, sendScript } from './shell-words.js';

/**
 * What gives us the right to create namespaces: the runner is root, its sudo asks for no password, or the kernel lets
 * every user create a user namespace and be root in it.
 */
export type PrivilegeSource = 'root' | 'sudo' | 'user-namespace';

/** The user that runs the action. The agent runs as the same user. */
export interface User {
  uid: number;
  gid: number;
  groups: readonly number[];
  umask: number;
}

/** What is done to the layer before the agent sees it. Paths start at the root. */
export interface LayerSetup {
  /** Where the agent sees the layer. */
  root: string;
  /** Whether the agent may write there at all. What it wrote is checked afterwards. */
  access: 'read' | 'write';
  /** Files of the checkout that the agent must not see. */
  absent: readonly BytePath[];
  /** A folder whose files are copied to the root, by the folder that they are in, and the paths that this creates there. */
  planted: { folder: string; files: ReadonlyMap<BytePath, readonly BytePath[]>; paths: readonly BytePath[] };
  /** The copied files that must not be changed. */
  locked: readonly BytePath[];
}

export interface Enclosure {
  privilege: PrivilegeSource;
  user: User;
  rules: readonly Rule[];
  mounts: readonly Mount[];
  /** Installs the filter that blocks the kernel's keyrings. Missing if this machine has no interpreter for it. */
  keyring?: Interpreter | undefined;
  /** Files below a folder that the agent can write to, which it must not change. */
  locked?: { below: string; files: readonly string[] } | undefined;
  layer?: LayerSetup | undefined;
  /** Files in other layers than that of the checkout, which the agent must not see. */
  absent?: readonly string[] | undefined;
  /** Gives the program a network of its own. The forwarder is the only way out; without one there is none. */
  network?: { forwarder?: ForwarderOptions } | undefined;
  /** A folder in which a cgroup is made for each start of the agent. */
  cgroups?: string | undefined;
  /** The path of a named pipe. When its writing end is closed, the agent is killed. */
  alive: string;
}

const namespaceCommand = (privilege: PrivilegeSource, kinds: readonly string[]): string[] => [
  systemProgram('unshare'),
  ...(privilege === 'user-namespace' ? ['--user', '--map-root-user'] : []),
  ...['--mount', '--propagation=private'],
  ...kinds,
  '--',
];

/** Becomes root, through sudo if needed, with an empty environment. */
const asRoot = (privilege: PrivilegeSource): string[] => [
  ...(privilege === 'sudo' ? [systemProgram('sudo'), '-n', '--'] : []),
  ...[systemProgram('env'), '-i', `PATH=${SYSTEM_PATH}`],
];

/** Runs a shell that may mount: as root, in a mount namespace of its own. */
export function runWithMounts(privilege: PrivilegeSource, args: readonly string[], input?: Buffer) {
  const [file = '', ...rest] = [
    ...asRoot(privilege),
    ...namespaceCommand(privilege, []),
    systemProgram('sh'),
    ...args,
  ];
  return runProgram({ file, args: rest, ...IN_SYSTEM }, { ...SHELL_LIMITS, ...(input ? { input } : {}) });
}

const IN_SYSTEM = { cwd: '/', env: { PATH: SYSTEM_PATH } };
const SHELL_LIMITS = { timeout: 60_000, maxBuffer: 1 << 26 };

/**
 * Wraps a command so that it runs in namespaces of its own. It is started, watched and ended like any other process.
 * The new command line shows nothing of it: the whole set-up is sent to stdin, and the agent reads what follows.
 */
export function isolate(spec: ProcessSpec, enclosure: Enclosure): ProcessSpec {
  const { privilege, alive, network } = enclosure;
  const cgroup = cgroupFor(enclosure);
  const env = network?.forwarder ? closedEnvironment(spec.env, network.forwarder) : spec.env;
  const script = [...prepare(enclosure, cgroup), ...start({ ...spec, env }, enclosure)];
  const tracking = spec.env['RUNNER_TRACKING_ID'];
  const sh = systemProgram('sh');
  return {
    file: 'setpriv',
    args: [
      // The kernel kills the outer script when the action dies, and everything else ends with that script.
      ...['--pdeathsig=KILL', '--', sh, '-c', OUTER_SCRIPT, 'isolation', alive],
      ...asRoot(privilege),
      ...[sh, '-c', KEEPER_SCRIPT, 'isolation', alive, cgroup],
      ...namespaceCommand(privilege, [
        '--pid',
        '--ipc',
        ...(network ? ['--net'] : []),
        '--fork',
        '--kill-child',
      ]),
      // Runs as root, as the first process in the new namespaces.
      ...[sh, '-c', RUN_SENT_SCRIPT, 'isolation'],
    ],
    cwd: IN_SYSTEM.cwd,
    // The runner uses the tracking id to find and end processes that a killed action left behind.
    env: { ...IN_SYSTEM.env, ...(tracking === undefined ? {} : { RUNNER_TRACKING_ID: tracking }) },
    input: sendScript(script.join('\n')) + spec.input,
    isIsolated: true,
  };
}

/** Where the cgroup of this start is, if it can be made; empty for none. */
function cgroupFor({ privilege, cgroups }: Enclosure): string {
  if (privilege === 'user-namespace' || cgroups === undefined) return '';
  // A new one for each start, because the last one may still be about to be removed.
  return join(cgroups, `cursor-agent-${randomUUID()}`);
}

/** On this pipe the forwarder says that it listens. It is beside the pipe that keeps everything alive. */
export const forwarderPipe = (alive: string): string => `${alive}-forwarder`;

/**
 * Runs as the runner's user, outside of the namespaces. It makes the pipes, holds the writing end of `$1` open, and dies with
 * the process that started it. When that end is closed, the keeper kills everything. So killing this shell kills the
 * agent, even if the processes in between belong to root. It ignores requests to stop, because the agent gets them too,
 * and waits for the agent's exit code. It prints nothing of its own, because stderr belongs to the agent.
 */
export const OUTER_SCRIPT = `trap : TERM INT HUP
alive=$1; shift
[ ! -e "$alive" ] || rm -f "$alive" "${forwarderPipe('$alive')}"
mkfifo -m 600 "$alive" "${forwarderPipe('$alive')}" || exit
exec 3<>"$alive" 4>&2 2>/dev/null
"$@" 2>&4 3<&- 4>&-
`;

/** Far more than a build needs, and far fewer than a machine can bear. */
export const MAX_PROCESSES = 8192;

/**
 * Runs as root, outside of the namespaces, where even an agent that is root can neither see nor signal it. It starts a
 * watcher in the background and becomes `unshare`, whose death ends everything in the namespaces. The watcher kills
 * `unshare` when the pipe `$1` is closed, and everything that is left in the cgroup `$2`, which is made where possible. The
 * script inside joins it.
 */
export const KEEPER_SCRIPT = `alive=$1 group=$2; shift 2
exec 4<>"$alive" 3<"$alive" 4>&- || exit
(
  trap '' TERM INT HUP
  IFS= read -r nothing <&3 || :
  IFS= read -r name </proc/$$/comm && [ "$name" = unshare ] && kill -s KILL $$
  [ -z "$group" ] || echo 1 >"$group/cgroup.kill"
  tries=20
  while [ -d "$group" ] && ! rmdir "$group" && [ $tries -gt 0 ]; do tries=$((tries - 1)); sleep 0.1; done
) </dev/null >/dev/null 2>&1 &
exec 3<&-
[ -z "$group" ] || { mkdir "$group" && echo ${MAX_PROCESSES} >"$group/pids.max"; } 2>/dev/null
exec "$@"
`;

/** What the first process in the namespaces does before it starts the agent. */
function prepare(enclosure: Enclosure, cgroup: string): string[] {
  const { privilege, user, rules, mounts, layer, network } = enclosure;
  return [
    'set -eu',
    'umask 022',
    ...(network ? startLoopback(network.forwarder) : []),
    ...(network?.forwarder ? startForwarder(network.forwarder, enclosure) : []),
    ...joinGroup(cgroup, network?.forwarder !== undefined),
    // The shell stays in this folder, so that its files remain reachable after something is mounted over it.
    ...(layer ? [`cd ${shellQuote(layer.planted.folder)}`] : []),
    ...mountCommands({
      plan: planMounts(rules, reachableMounts(mounts)),
      mounts,
      isUserNamespace: privilege === 'user-namespace',
      isRoot: user.uid === 0,
    }),
    ...removeAll(enclosure.absent ?? []),
    ...(layer ? arrangeLayer(layer, enclosure) : []),
    ...lockFiles(lockedFiles(enclosure)),
    CLOSE_TABLE,
  ];
}

/** In a script that may have the agent's PATH. */
const tool = (name: string): string => shellQuote(systemProgram(name));

/** In a layer these become whiteouts. In a folder that could not become a layer, they are made empty. */
function removeAll(absent: readonly string[]): string[] {
  if (absent.length === 0) return [];
  return [
    `set -- ${absent.map(shellQuote).join(' ')}`,
    `rm -rf -- "$@" 2>/dev/null || for path; do ! [ -e "$path" ] || ${MOUNT} --bind /dev/null "$path"; done`,
  ];
}

/** The flags are known here, because our code mounts the layer. */
const LAYER_FLAGS = ['nosuid', 'nodev'];

function lockedFiles({ locked, layer, mounts }: Enclosure): LockedFile[] {
  const { below, files } = locked ?? { below: '/', files: [] };
  return [
    ...files.map((path) => ({ path, below, flags: flagsAt(path, mounts) })),
    // Nothing in a layer that is read-only as a whole needs to be locked.
    ...(layer?.access === 'write'
      ? layer.locked.map((path) => ({
          path: toText(inLayer(layer, path)),
          below: layer.root,
          flags: LAYER_FLAGS,
        }))
      : []),
  ];
}

/**
 * Runs after everything else is read-only. So nothing outside of the layer can be written, whatever the checkout
 * contains. Removed files become whiteouts in the overlay.
 */
function arrangeLayer(layer: LayerSetup, { user, privilege }: Enclosure): string[] {
  const { root, access, absent, planted } = layer;
  const wordsOf = (paths: readonly BytePath[]) => paths.map((path) => quotePath(inLayer(layer, path)));
  return [
    ...inBatches('rm -rf --', wordsOf(absent)),
    ...plantAll(layer, user),
    ...(privilege === 'sudo' ? inBatches(`chown -h ${user.uid}:${user.gid} --`, wordsOf(planted.paths)) : []),
    ...(access === 'read'
      ? [`${MOUNT} -o ${['remount', 'bind', 'ro', ...LAYER_FLAGS].join()} ${shellQuote(root)}`]
      : []),
  ];
}

const inLayer = ({ root }: LayerSetup, path: BytePath): BytePath => joinBytes(fromText(root), path);

/**
 * File by file, from the folder that the shell is in. `cp -R` of some systems asks for the path of that folder, which is
 * hidden by now.
 */
function plantAll(layer: LayerSetup, user: User): string[] {
  const folders = [...layer.planted.files];
  const folderOf = (folder: BytePath) => quotePath(inLayer(layer, folder));
  return [
    `umask ${inOctal(user.umask)}`,
    ...inBatches(
      'mkdir -p --',
      folders.map(([folder]) => folderOf(folder)),
    ),
    'umask 022',
    ...folders.flatMap(([folder, names]) =>
      inBatches('cp -P -p --', names.map(quotePath), ` ${folderOf(folder)}/`),
    ),
  ];
}

const inOctal = (umask: number): string => umask.toString(8).padStart(4, '0');

/**
 * The agent runs as a child of the first process in the namespace. As the first process itself it would not receive
 * signals that it has no handler for. Processes that it leaves behind end together with the first process.
 */
function start({ file, args, cwd, env }: ProcessSpec, enclosure: Enclosure): string[] {
  const { user, privilege, keyring, network } = enclosure;
  const expected = {
    user,
    isUserNamespace: privilege === 'user-namespace',
    writable: writablePaths(enclosure),
    outside: network && readlinkSync(NETWORK_NAMESPACE),
  };
  const command = [...(keyring ? keyringFilter(keyring, `${READY}\n`) : []), file, ...args];
  return [
    `${becomeUser(user, privilege)} -- ${checkCommand(expected)}`,
    ...(network?.forwarder ? AWAIT_FORWARDER : []),
    AWAIT_MOVE,
    `cd ${shellQuote(cwd)}`,
    'set +e',
    'exec 5>&2 2>/dev/null',
    '(',
    'exec 2>&5 5>&-',
    `umask ${inOctal(user.umask)}`,
    // Some shells add the variable `_` to the environment of what they start.
    `set -- ${tool('env')} -u _ ${becomeUser(user, privilege)} -- ${command.map(shellQuote).join(' ')}`,
    'unset PATH PWD OLDPWD SHLVL',
    exportAll(env),
    // Otherwise the interpreter prints it when the filter is installed.
    ...(keyring ? [] : [`echo '${READY}' >&2`]),
    'exec "$@"',
    ')',
    'exit $?',
  ];
}

const writablePaths = ({ rules, layer }: Enclosure): string[] => [
  ...rules.filter(({ kind }) => kind === 'writable').map(({ path }) => path),
  ...(layer?.access === 'write' ? [layer.root] : []),
];

/** The same user as outside, without any capability and without a way to gain one. */
function becomeUser({ uid, gid, groups }: User, privilege: PrivilegeSource): string {
  const drop = '--no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all';
  // A user namespace maps one user only. A second namespace maps root back to that user.
  if (privilege === 'user-namespace')
    return `${tool('unshare')} --user --map-user=${uid} --map-group=${gid} -- ${tool('setpriv')} ${drop}`;
  const more = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
  return `${tool('setpriv')} --reuid=${uid} --regid=${gid} ${more} ${drop}`;
}

/** SIOCSIFFLAGS with IFF_UP and IFF_RUNNING, for a machine without iproute2. */
const [SET_FLAGS, UP] = [0x8914, 0x41];
const LOOPBACK_STARTERS = [
  'ip link set lo up',
  `perl -e ${shellQuote(`socket(my $s, 2, 2, 0) && ioctl($s, ${SET_FLAGS}, pack("a16 s x14", "lo", ${UP})) or exit 1`)}`,
  `python3 -I -S -c ${shellQuote(`import fcntl, socket, struct; fcntl.ioctl(socket.socket(2, 2), ${SET_FLAGS}, struct.pack("16sh14x", b"lo", ${UP}))`)}`,
];
const ORDINARY_PORTS = 1024;

/** A new network namespace has a loopback interface only, and it is switched off. */
function startLoopback(forwarder: ForwarderOptions | undefined): string[] {
  const tries = LOOPBACK_STARTERS.map((command) => `${command} 2>/dev/null`).join(' || ');
  const failed =
    'The loopback interface cannot be switched on: ip, perl and python3 are missing, or not permitted to.';
  const isLow = forwarder?.ports.some((port) => port < ORDINARY_PORTS);
  return [
    `${tries} || { echo '${failed}' >&2; exit 1; }`,
    // For this namespace only. If it is refused, the forwarder says which port it could not take.
    ...(isLow ? ['echo 0 2>/dev/null >/proc/sys/net/ipv4/ip_unprivileged_port_start || :'] : []),
  ];
}

/**
 * It starts while everything else is set up, because a Node takes a while. Its program is opened before, so that no mount
 * can hide it. It stays in `/` until the agent connects, because the agent can go wherever a process of its
 * user is: any other folder would still be the original one. It gets the agent's rights, and the filter, because
 * the agent may be able to take it over. It says on a pipe that it listens, or why not.
 */
function startForwarder(
  forwarder: ForwarderOptions,
  { user, privilege, keyring, alive }: Enclosure,
): string[] {
  const pipe = shellQuote(forwarderPipe(alive));
  const program = ['/proc/self/fd/9', '-e', forwarderProgram(forwarder)];
  const command = [...(keyring ? keyringFilter(keyring) : []), ...program];
  return [
    `exec 7<>${pipe} 6<${pipe} 9<${shellQuote(process.execPath)}`,
    `(cd /; exec ${tool('env')} -i ${becomeUser(user, privilege)} -- ${command.map(shellQuote).join(' ')}) </dev/null >&7 2>&1 6<&- 7>&- &`,
    'forwarder=$!',
    'exec 7>&- 9<&-',
  ];
}

/**
 * Moves the first process in the namespace, which has the number 1 there, and the forwarder. Everything that the first
 * process starts afterwards is in the group too. The kernel takes 10 ms and more for a move, so the rest is set up meanwhile,
 * and the agent is started only when it is done. The file is opened at once, because it is hidden soon. It is closed for
 * all other processes, because one that holds it could leave the group.
 */
function joinGroup(cgroup: string, hasForwarder: boolean): string[] {
  if (cgroup === '') return ['moving='];
  const members = shellQuote(`${cgroup}/cgroup.procs`);
  const moves = ['echo 1 >&5', ...(hasForwarder ? ['echo "$forwarder" >&5'] : [])].join('; ');
  return [
    'moving=',
    `if [ -w ${members} ]; then`,
    `  exec 5>${members}`,
    `  (${moves}) </dev/null >/dev/null 2>&1 & moving=$!`,
    '  exec 5>&-',
    'fi',
  ];
}

/** So that the agent is started in its group. If it could not be moved, it has none, as on a machine without cgroups. */
const AWAIT_MOVE = '[ -z "$moving" ] || wait "$moving" || :';

/** So that the agent's first connection does not come too early. */
const AWAIT_FORWARDER = [
  "IFS= read -r said <&6 || said='it ended at once'",
  `[ "$said" = ${FORWARDING} ] || { echo "The forwarder could not be started: $said" >&2; exit 1; }`,
  'exec 6<&-',
];

export function makeOverlay(folder: string, original: string): void {
  for (const name of ['upper', 'work']) mkdirSync(join(folder, name), { recursive: true });
  // This folder is the top of the layer, so it gets the mode of the original.
  chmodSync(join(folder, 'upper'), (statSync(original).mode & 0o777) | 0o700);
}

/**
 * Removes a layer. It can contain files of root, paths that are too long for Node, and folders that are closed to us. If
 * something remains, the runner removes it with its temporary folder, so no run fails because of it.
 */
export function removeLayer(folder: string, privilege?: PrivilegeSource): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    const remove = ['-c', 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"', 'removal', folder];
    if (privilege !== undefined) runWithMounts(privilege, remove);
    else runProgram({ file: 'sh', args: remove, ...IN_SYSTEM }, { ...SHELL_LIMITS, output: 'ignore' });
  }
}
