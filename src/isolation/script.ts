import { dirname } from 'node:path';
import type { ProcessSpec } from '../agent/process.js';
import { forwarderProgram, FORWARDING, type ForwarderOptions } from '../network/forwarder.js';
import { checkCommand, READY } from './check.js';
import type { Enclosure, How } from './isolate.js';
import { KEYRING_FILES, keyringFilter } from './keyring.js';
import { foldersBetween, isBelow, type MountPlan, type Placement } from './mounts.js';
import { exportAll, inBatches, quote, sendScript } from './shell-words.js';

/** The tools of the system are found here. The agent's PATH is not used for them. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** `-n` does not write /etc/mtab; `-c` takes paths as they are. */
const MOUNT = 'mount -n -c';

/** The user that runs the action. The agent runs as the same user. */
export interface User {
  uid: number;
  gid: number;
  groups: readonly number[];
  umask: number;
}

/** Every system has this folder, and the set-up does not need it. The originals are kept there during the set-up. */
const SCRATCH = '/sys';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
/** Programs expect these links in `/dev`. Some systems have a device in the place of `ptmx`, which does the same. */
const DEVICE_LINKS = {
  ...{ fd: '/proc/self/fd', stdin: '/proc/self/fd/0', stdout: '/proc/self/fd/1', stderr: '/proc/self/fd/2' },
  ptmx: 'pts/ptmx',
};

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
export const MOST_PROCESSES = 8192;

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
[ -z "$group" ] || { mkdir "$group" && echo ${MOST_PROCESSES} >"$group/pids.max"; } 2>/dev/null
exec "$@"
`;

/** What is done to the layer before the agent sees it. All paths are absolute. */
export interface LayerSetup {
  /** Where the agent sees the layer. */
  root: string;
  /** Whether the agent may write there at all. What it wrote is checked afterwards. */
  access: 'read' | 'write';
  /** Files of the checkout that the agent must not see. */
  absent: readonly string[];
  /** A folder whose files are copied to the root, and the paths they get there. */
  planted: { folder: string; paths: readonly string[] };
  /** The copied files that the agent must not change. */
  locked: readonly string[];
}

/** A file that the agent must not change. */
interface LockedFile {
  path: string;
  /** The folder around it that the agent can write to. */
  below: string;
  /** The mount flags that it keeps. */
  flags: readonly string[];
}

/** A network of the agent's own. */
interface NetworkSetup {
  forwarder: ForwarderOptions;
  /** The Node that runs the forwarder. */
  node: string;
  /** The network namespace of this machine. */
  outside: string;
  /** Where the forwarder says that it listens. */
  pipe: string;
}

interface IsolationSetup extends Pick<Enclosure, 'user' | 'how' | 'keyring' | 'layer' | 'absent'> {
  plan: MountPlan;
  /** The paths at which something is mounted already. */
  mounted: readonly string[];
  /** Paths that the agent must be able to write to. */
  writable: readonly string[];
  locked: readonly LockedFile[];
  network?: NetworkSetup | undefined;
  /** Where the group for the agent is, if it could be made; empty for none. */
  cgroup: string;
}

/** The script that is sent to stdin before the agent's own input. */
export const sentScript = (spec: ProcessSpec, setup: IsolationSetup): string =>
  sendScript([...prepare(setup), ...start(spec, setup)].join('\n'));

function prepare(setup: IsolationSetup): string[] {
  const { plan, mounted, user, how, layer, locked, absent = [], network, cgroup } = setup;
  return [
    'set -eu',
    'umask 022',
    ...FIND_TOOLS,
    ...(network ? [...startLoopback(network), ...startForwarder(network, setup)] : []),
    ...joinGroup(cgroup, network !== undefined),
    // The shell stays in this folder, so that its files remain reachable after something is mounted over it.
    ...(layer ? [`cd ${quote(layer.planted.folder)}`] : []),
    ...keepOriginals(plan),
    ...buildDevices(),
    // A socket that has disappeared meanwhile need not be hidden.
    `hide() { ${orElse(`${MOUNT} --bind ${EMPTY_FILE} "$1"`, '[ ! -e "$1" ]')}; }`,
    ...placeAll(plan, mounted, how),
    `umount -n -l ${SCRATCH}`,
    ...mountProcesses(user),
    ...lockAll(plan, how),
    ...removeAll(absent),
    ...(layer ? arrangeLayer(layer, setup) : []),
    ...mountAll([...lockMounts(locked), ...(layer ? lockMounts(lockedInLayer(layer)) : [])]),
    'exec 8<&-',
  ];
}

/** Tools that are started with the agent's PATH, by their full paths. `command -v` would need a process for each. */
const FIND_TOOLS = [
  'for tool in setpriv env unshare; do',
  `  for folder in ${SYSTEM_PATH.replaceAll(':', ' ')}; do`,
  '    if [ -x "$folder/$tool" ]; then eval "$tool=$folder/$tool"; break; fi',
  '  done',
  'done',
];

/** In a layer these become whiteouts. In a folder that could not become a layer, they are made empty. */
function removeAll(absent: readonly string[]): string[] {
  if (absent.length === 0) return [];
  return [
    `set -- ${absent.map(quote).join(' ')}`,
    `rm -rf -- "$@" 2>/dev/null || for path; do ! [ -e "$path" ] || ${MOUNT} --bind /dev/null "$path"; done`,
  ];
}

/**
 * A mount point can be neither renamed nor removed. A folder that contains one can be renamed, so the folders around a
 * locked file become mount points as well.
 */
function lockMounts(locked: readonly LockedFile[]): Mounting[] {
  const folders = new Set(locked.flatMap(({ below, path }) => foldersBetween(below, path)));
  const bind = (path: string, ...flags: string[]): Mounting => {
    const options = ['bind', ...flags].join();
    return { source: path, path, type: 'none', options };
  };
  return [
    ...[...folders].map((path) => bind(path)),
    ...locked.map(({ path, flags }) => bind(path, 'ro', ...flags)),
  ];
}

/** The flags are known here, because the layer is a mount of ours. */
const LAYER_FLAGS = ['nosuid', 'nodev'];

/** Nothing in a layer that is read-only as a whole needs to be locked. */
const lockedInLayer = ({ root, access, locked }: LayerSetup): LockedFile[] =>
  access === 'read' ? [] : locked.map((path) => ({ path, below: root, flags: LAYER_FLAGS }));

/**
 * Runs after everything else is read-only. So nothing outside of the layer can be written, whatever the checkout
 * contains. Removed files become whiteouts in the overlay.
 */
function arrangeLayer(
  { root, access, absent, planted }: LayerSetup,
  { user, how }: Pick<IsolationSetup, 'user' | 'how'>,
): string[] {
  return [
    ...inBatches('rm -rf --', absent),
    ...(planted.paths.length === 0 ? [] : [`cp -R -P -- . ${quote(root)}/`]),
    ...(how === 'sudo' ? inBatches(`chown -h ${user.uid}:${user.gid} --`, planted.paths) : []),
    ...(access === 'read'
      ? [`${MOUNT} -o ${['remount', 'bind', 'ro', ...LAYER_FLAGS].join()} ${quote(root)}`]
      : []),
  ];
}

/**
 * The agent runs as a child of the first process in the namespace. As the first process itself it would not receive
 * signals that it has no handler for. Processes that it leaves behind end together with the first process.
 */
function start(
  { file, args, cwd, env }: ProcessSpec,
  { user, how, keyring, writable, network }: IsolationSetup,
): string[] {
  const outside = network?.outside;
  const expected = { user, isUserNamespace: how === 'user-namespace', writable, outside };
  const command = [...(keyring ? keyringFilter(keyring, `${READY}\n`) : []), file, ...args];
  return [
    `${becomeUser(user, how)} -- ${checkCommand(expected)}`,
    ...(network ? AWAIT_FORWARDER : []),
    AWAIT_MOVE,
    `cd ${quote(cwd)}`,
    'set +e',
    'exec 5>&2 2>/dev/null',
    '(',
    'exec 2>&5 5>&-',
    `umask ${user.umask.toString(8).padStart(4, '0')}`,
    // Some shells add the variable `_` to the environment of what they start.
    `set -- "$env" -u _ ${becomeUser(user, how)} -- ${command.map(quote).join(' ')}`,
    'unset PATH PWD OLDPWD SHLVL',
    exportAll(env),
    // Otherwise the interpreter prints it when the filter is installed.
    ...(keyring ? [] : [`echo '${READY}' >&2`]),
    'exec "$@"',
    ')',
    'exit $?',
  ];
}

/** SIOCSIFFLAGS with IFF_UP and IFF_RUNNING, for a machine without iproute2. */
const [SET_FLAGS, UP] = [0x8914, 0x41];
const LOOPBACK_STARTERS = [
  'ip link set lo up',
  `perl -e ${quote(`socket(my $s, 2, 2, 0) && ioctl($s, ${SET_FLAGS}, pack("a16 s x14", "lo", ${UP})) or exit 1`)}`,
  `python3 -I -S -c ${quote(`import fcntl, socket, struct; fcntl.ioctl(socket.socket(2, 2), ${SET_FLAGS}, struct.pack("16sh14x", b"lo", ${UP}))`)}`,
];
const ORDINARY_PORTS = 1024;

/** A new network namespace has a loopback interface only, and it is switched off. */
function startLoopback({ forwarder }: NetworkSetup): string[] {
  const tries = LOOPBACK_STARTERS.map((command) => `${command} 2>/dev/null`).join(' || ');
  const failed =
    'The loopback interface cannot be switched on: ip, perl and python3 are missing, or may not.';
  const isLow = forwarder.ports.some((port) => port < ORDINARY_PORTS);
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
  { forwarder, node, pipe }: NetworkSetup,
  { user, how, keyring }: Pick<IsolationSetup, 'user' | 'how' | 'keyring'>,
): string[] {
  const program = ['/proc/self/fd/9', '-e', forwarderProgram(forwarder)];
  const command = [...(keyring ? keyringFilter(keyring) : []), ...program];
  return [
    `exec 7<>${quote(pipe)} 6<${quote(pipe)} 9<${quote(node)}`,
    `(cd /; exec "$env" -i ${becomeUser(user, how)} -- ${command.map(quote).join(' ')}) </dev/null >&7 2>&1 6<&- 7>&- &`,
    'forwarder=$!',
    'exec 7>&- 9<&-',
  ];
}

/**
 * Moves the first process in the namespace, which has the number 1 there, and the forwarder. Everything that the first
 * process starts afterwards is in the group too. The kernel takes 10 ms and more for a move, so the rest is set up meanwhile,
 * and the agent is started only when it is done. The file is opened at once, because it is hidden soon. It is closed for
 * everybody else, because whoever holds it could leave the group.
 */
function joinGroup(cgroup: string, hasForwarder: boolean): string[] {
  if (cgroup === '') return ['moving='];
  const members = quote(`${cgroup}/cgroup.procs`);
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

/** A command that may fail if a condition holds. Otherwise it runs again, so that its error message is printed. */
const orElse = (command: string, isTrue: string): string =>
  `${command} 2>/dev/null || ${isTrue} || ${command}`;

/** The processes of the namespace in `/proc`. Some files there list the keys that the kernel keeps for the runner's user. */
function mountProcesses({ uid }: User): string[] {
  // Even without capabilities, root could write to files of root in /proc.
  const options = `nosuid,nodev,noexec${uid === 0 ? ',ro' : ''}`;
  return [
    '{',
    // `mount -a` would skip a line with the source that the present /proc has.
    `echo processes /proc proc ${options}`,
    `for file in ${KEYRING_FILES.join(' ')}; do ! [ -e $file ] || echo /dev/null $file none bind; done`,
    `} >${TABLE}`,
    MOUNT_TABLE,
    `for file in ${KEYRING_FILES.join(' ')}; do`,
    '  ! [ -e $file ] || [ -c $file ] || { echo "$file is not hidden." >&2; exit 1; }',
    'done',
  ];
}

/** Whether this is read-only from the start. A folder in which more must be created is locked at the end. */
const isPlacedReadOnly = (one: Placement, place: readonly Placement[]): boolean =>
  one.kind === 'kept' || (one.kind === 'empty-folder' && !place.some(({ path }) => isBelow(path, one.path)));

/** Makes everything read-only at the end and checks it, because a refused mount must not go unnoticed. */
function lockAll({ place, lock }: MountPlan, how: How): string[] {
  const isLocked = new Set(place.filter((one) => isPlacedReadOnly(one, place)).map(({ path }) => path));
  const isUserNamespace = how === 'user-namespace';
  // Mounts in there are not needed. In a user namespace they cannot be left out.
  const isLeftOut = (path: string) => !isUserNamespace && (path === SCRATCH || isBelow(path, SCRATCH));
  const all = lock.filter(({ path }) => !isLeftOut(path));
  return [
    ...(isUserNamespace ? [] : [`${MOUNT} -o bind,ro,nosuid,nodev,noexec ${SCRATCH} ${SCRATCH}`]),
    // A mount that is gone was unmounted meanwhile. Its folder is locked with the mount that contains it.
    `lock() { ${orElse(`${MOUNT} -o "remount,bind,$1" "$2"`, '! mountpoint -q "$2"')}; }`,
    ...lockEach(
      all.filter(({ path }) => !isLocked.has(path)),
      how,
    ),
    `for path in ${[...all.map(({ path }) => quote(path)), '/dev', SCRATCH].join(' ')}; do`,
    '  ! [ -w "$path" ] || { echo "$path is still writable." >&2; exit 1; }',
    'done',
  ];
}

/**
 * As many as possible are locked by one process. `mount -a` leaves `/` out, and what it could not lock is locked after it.
 * A file system that root cannot write to is read-only. In a user namespace that is not sure, so there each gets a
 * process of its own.
 */
function lockEach(all: MountPlan['lock'], how: How): string[] {
  const lockOne = ({ path, flags }: MountPlan['lock'][number]) =>
    `lock ${['ro', ...flags].join()} ${quote(path)}`;
  if (how === 'user-namespace') return all.map(lockOne);
  const lines = all
    .filter(({ path }) => path !== '/')
    .map(({ path, flags }) => {
      const options = ['remount', 'bind', 'ro', ...flags].join();
      return lineOf({ source: 'lock', path, type: 'none', options });
    });
  return [
    ...(lines.length === 0 ? [] : [`${fillTable(lines)} && ${MOUNT_TABLE} 2>/dev/null || :`]),
    ...all.map((one) => `! [ -w ${quote(one.path)} ] || ${lockOne(one)}`),
  ];
}

/** The same user as outside, without any capability and without a way to gain one. */
function becomeUser({ uid, gid, groups }: User, how: How): string {
  const drop = '--no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all';
  // A user namespace maps one user only. A second namespace maps root back to that user.
  if (how === 'user-namespace')
    return `"$unshare" --user --map-user=${uid} --map-group=${gid} -- "$setpriv" ${drop}`;
  const more = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
  return `"$setpriv" --reuid=${uid} --regid=${gid} ${more} ${drop}`;
}

const kept = (index: number): string => `${SCRATCH}/kept-${index}`;
const ORIGINALS = `${SCRATCH}/all`;
const EMPTY_FILE = `${SCRATCH}/empty`;
/** A list of mounts for `mount -a`. */
const TABLE = '/proc/self/fd/8';
const MOUNT_TABLE = `${MOUNT} -a -T ${TABLE}`;
const fillTable = (lines: readonly string[]): string =>
  `printf '%s\\n' ${lines.map(quote).join(' ')} >${TABLE}`;
const DEV = `${SCRATCH}/dev`;

/** Where an original is during the set-up. In the options of an overlay, other characters would need escaping. */
function originalOf(keep: readonly string[], index: number): string {
  const original = keep[index] ?? '';
  return PLAIN_PATH.test(original) ? `${ORIGINALS}${original}` : kept(index);
}
const PLAIN_PATH = /^\/[\w.+@=~/-]*$/;

/** Keeps the whole file tree reachable in one place. The parts of an overlay get paths that need no escaping. */
function keepOriginals({ keep, place }: MountPlan): string[] {
  const layers = place
    .flatMap((one) =>
      one.kind === 'overlay' ? [one.lower, one.upper, ...(one.over === undefined ? [] : [one.over])] : [],
    )
    .filter((index) => originalOf(keep, index) === kept(index));
  const rbind = { type: 'none', options: 'rbind', isNew: true } as const;
  return [
    `${MOUNT} -t tmpfs -o mode=0755,size=1m scratch ${SCRATCH}`,
    `: >${EMPTY_FILE}`,
    // It stays open, so that it can be used after the folder that it is in is gone. It must be a file, not a pipe.
    `: >${SCRATCH}/table`,
    `exec 8<${SCRATCH}/table`,
    ...mountAll([
      { source: '/', path: ORIGINALS, ...rbind },
      ...layers.map((index): Mounting => ({ source: keep[index] ?? '', path: kept(index), ...rbind })),
      { source: 'shm', path: `${DEV}/shm`, type: 'tmpfs', options: 'mode=1777,nosuid,nodev', isNew: true },
    ]),
  ];
}

/** A `/dev` with what every program may expect: no disks, no memory, no terminal of others. */
function buildDevices(): string[] {
  const inDev = (names: readonly string[]) => names.map((name) => `/dev/${name}`).join(' ');
  return [
    // A user namespace may not make devices, so the existing ones are mounted there.
    `cp -a -- ${inDev([...DEVICES, ...Object.keys(DEVICE_LINKS)])} ${DEV}/ 2>/dev/null || {`,
    `for device in ${DEVICES.join(' ')}; do : >${DEV}/$device; ${MOUNT} --bind /dev/$device ${DEV}/$device; done`,
    ...Object.entries(DEVICE_LINKS).map(([name, to]) => `ln -sfn ${to} ${DEV}/${name}`),
    '}',
  ];
}

/** Mounts the terminals, and then `/dev` itself. */
function deviceMountings(): Mounting[] {
  const options = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec';
  const terminals: Mounting = {
    source: 'terminals',
    path: `${DEV}/pts`,
    type: 'devpts',
    options,
    isNew: true,
  };
  return [
    // The group that owns terminals does not exist in a user namespace. A container can be in one, too.
    { ...terminals, options: `${options},gid=5`, otherwise: terminals },
    // Everything in it is made, so it is read-only at once, except for what is mounted in it.
    { source: DEV, path: '/dev', type: 'none', options: 'rbind,ro,nosuid,noexec' },
  ];
}

/** In a user namespace an overlay must use `user.` attributes, and most settings are refused. */
export const OVERLAY_OPTIONS: Readonly<Record<How, { attributes: string; settings: string }>> = {
  root: { attributes: '', settings: 'redirect_dir=off,metacopy=off,index=off,' },
  sudo: { attributes: '', settings: 'redirect_dir=off,metacopy=off,index=off,' },
  'user-namespace': { attributes: 'userxattr,', settings: 'index=off,' },
};

/** `/dev` first, then folders, outer ones before those in them, because a file is never above a folder. */
function placeAll(plan: MountPlan, mounted: readonly string[], how: How): string[] {
  const files = plan.place.filter(isFile);
  const folders = plan.place.filter((one) => !isFile(one));
  const kept = files.filter((one) => one.kind === 'kept');
  // The new /dev has another source than the present one, so `mount -a` does not skip it.
  const others = mounted.filter((path) => path !== '/dev');
  return [
    ...mountAll([...deviceMountings(), ...mountingsOf(folders, plan, how)], others),
    ...makeFiles(kept.filter(({ isNew }) => isNew)),
    ...files.filter(({ kind }) => kind === 'empty-file').map(({ path }) => `hide ${quote(path)}`),
    ...mountAll(mountingsOf(kept, plan, how), others),
  ];
}

const isFile = (one: Placement): boolean =>
  one.kind === 'empty-file' || (one.kind === 'kept' && one.is === 'file');

/** Creates mount points. */
const makeFiles = (files: readonly Placement[]): string[] => [
  ...inBatches('mkdir -p --', [...new Set(files.map(({ path }) => dirname(path)))]),
  ...files.map(({ path }) => `: >${quote(path)}`),
];

/** One mount, with the fields of a line in fstab. */
interface Mounting {
  source: string;
  path: string;
  type: 'none' | 'tmpfs' | 'devpts' | 'overlay';
  options: string;
  /** Whether the folder must be created first. */
  isNew?: boolean;
  /** What is mounted where this one cannot be. */
  otherwise?: Mounting;
}

/**
 * Mounts all of them, in this order as far as one is inside another, with as few processes as possible, because starting
 * `mount` takes far longer than a mount. `mount -a` skips what seems to be mounted already, so each of the paths in
 * `mounted` gets a process of its own.
 */
function mountAll(all: readonly Mounting[], mounted: readonly string[] = []): string[] {
  const commands: string[] = [];
  let table: Mounting[] = [];
  const mountTable = () => {
    if (table.length > 0) commands.push(fillTable(table.map(lineOf)), MOUNT_TABLE);
    table = [];
  };
  for (const one of all) {
    if (mounted.includes(one.path) || one.otherwise) {
      if (table.some(({ path }) => isBelow(one.path, path))) mountTable();
      commands.push(mountApart(one));
    } else {
      table.push(one);
    }
  }
  mountTable();
  return commands;
}

const optionsOf = ({ options, isNew }: Mounting): string => (isNew ? `${options},X-mount.mkdir` : options);

const lineOf = (one: Mounting): string =>
  [one.source, one.path, one.type, optionsOf(one)].map(inTable).join(' ');

function mountApart(one: Mounting): string {
  const { source, path, type, otherwise } = one;
  const command = [MOUNT, '-t', type, '-o', optionsOf(one), quote(source), quote(path)].join(' ');
  return otherwise ? `${command} 2>/dev/null || ${mountApart(otherwise)}` : command;
}

/** As in fstab, a blank ends a field, and a backslash begins the three octal digits of a character. */
const inTable = (text: string): string =>
  text.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

const mountingsOf = (placements: readonly Placement[], plan: MountPlan, how: How): Mounting[] =>
  placements.flatMap((one) =>
    one.kind === 'empty-file' ? [] : [{ ...mountingOf(one, plan, how), isNew: one.isNew && !isFile(one) }],
  );

function mountingOf(
  placement: Exclude<Placement, { kind: 'empty-file' }>,
  { keep, place, lock }: MountPlan,
  how: How,
): Mounting {
  const { path } = placement;
  switch (placement.kind) {
    case 'empty-folder': {
      const options = 'mode=0755,size=1m,nosuid,nodev,noexec';
      const isFinal = isPlacedReadOnly(placement, place);
      return { type: 'tmpfs', options: isFinal ? `${options},ro` : options, source: 'empty', path };
    }
    case 'kept': {
      // A folder includes what is mounted in it.
      const bind = placement.is === 'folder' ? 'rbind' : 'bind';
      const flags = lock.find((locked) => locked.path === path)?.flags;
      const options = flags === undefined ? bind : [bind, 'ro', ...flags].join();
      return { type: 'none', options, source: `${ORIGINALS}${keep[placement.kept] ?? ''}`, path };
    }
    case 'overlay': {
      const lower = originalOf(keep, placement.lower);
      const upper = originalOf(keep, placement.upper);
      const { attributes, settings } = OVERLAY_OPTIONS[how];
      const over = placement.over === undefined ? '' : `${originalOf(keep, placement.over)}/upper:`;
      const layers = `lowerdir=${over}${lower},upperdir=${upper}/upper,workdir=${upper}/work`;
      const options = `${attributes}${settings}${layers}`;
      const overlay = { type: 'overlay', options, source: 'overlay', path } as const;
      if (placement.otherwise === undefined) return overlay;
      const readOnly = ['rbind', 'ro', ...placement.otherwise].join();
      return { ...overlay, otherwise: { type: 'none', options: readOnly, source: lower, path } };
    }
  }
}
