import type { ProcessSpec } from '../process.js';
import type { MountPlan, Placement } from './access.js';
import { exportAll, onOneLine, quote } from './shell-words.js';

/** Where the system's own tools are looked for, whatever the agent's PATH says. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** What the scripts answer when they gave up before the agent was started, and the last line they say then. */
export const SETUP_FAILED = 125;
export const SETUP_PROBLEM = 'The isolation could not be set up, so the agent was not started.';

/** Paths are given as they are, and nothing is written down about them elsewhere. */
const MOUNT = 'mount -n -c';

/** The person the agent is run as: the one who runs this action. */
export interface User {
  uid: number;
  gid: number;
  groups: readonly number[];
  umask: number;
}

/** A folder that every system has and nothing here needs: for a moment the originals are kept there. */
const SCRATCH = '/sys';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/**
 * Runs as the ordinary user, outside. It holds the writing end of the pipe `$1` for as long as it lives, and it
 * lives no longer than the process that started it: the first process inside ends everything once that end is
 * closed. So whoever may end this shell ends the agent too, even where the processes between belong to root.
 * Signals that ask to stop are for the agent, which gets them as well; this shell waits for what it answers.
 * Where it could say that a child was killed, as shells do, it is silent: the error output is the agent's.
 */
export const OUTER_SCRIPT = `trap : TERM INT HUP
alive=$1; shift
rm -f "$alive" && mkfifo -m 600 "$alive" || exit ${SETUP_FAILED}
exec 3<>"$alive" 4>&2 2>/dev/null
"$@" 2>&4 3<&- 4>&-
status=$?
rm -f "$alive"
exit $status
`;

/**
 * Runs as root, as the first process of the new namespaces. What it has to do is the first line of its input, so
 * that no command line, and no log of them, ever shows it; all that follows that line is for the agent.
 */
export const INNER_SCRIPT = `line_break='
'
IFS= read -r line && eval "$line"
`;

export interface Setup {
  plan: MountPlan;
  user: User;
  /** The pipe whose other end the outer script holds. */
  alive: string;
}

/** What goes before the agent's own input. */
export function inputLine(spec: ProcessSpec, setup: Setup): string {
  return onOneLine([...prepare(setup), ...start(spec, setup.user)].join('\n'), 'line_break');
}

function prepare({ plan, user, alive }: Setup): string[] {
  return [
    'set -eu',
    'umask 022',
    `trap 'echo "${SETUP_PROBLEM}" >&2; exit ${SETUP_FAILED}' EXIT`,
    // Opened for writing too while it is opened for reading, so that this never waits for the other side.
    `exec 4<>${quote(alive)} 3<${quote(alive)} 4>&-`,
    ...keepOriginals(plan),
    ...buildDevices(),
    ...plan.place.flatMap(placeOne),
    `umount -n -l ${SCRATCH}`,
    // Root without any capability may still write what belongs to root there.
    `${MOUNT} -t proc -o nosuid,nodev,noexec${user.uid === 0 ? ',ro' : ''} proc /proc`,
    ...lockAll(plan),
  ];
}

/**
 * The agent is a child of the first process, not that process itself: a first process does not feel signals it
 * has no handler for. What it leaves behind ends with the first process.
 */
function start({ file, args, cwd, env }: ProcessSpec, user: User): string[] {
  return [
    'setpriv=$(command -v setpriv)',
    'env=$(command -v env)',
    // Waits for the other end of the pipe to be closed, by whatever has become of its holder.
    "( trap '' TERM INT HUP; IFS= read -r nothing <&3 || :; kill -s KILL -- -1 ) </dev/null >/dev/null 2>&1 &",
    'exec 3<&-',
    'trap - EXIT',
    'set +e',
    'exec 5>&2 2>/dev/null',
    '(',
    'exec 2>&5 5>&-',
    `cd ${quote(cwd)} || exit ${SETUP_FAILED}`,
    `umask ${user.umask.toString(8).padStart(4, '0')}`,
    // Some shells put this one variable into whatever they start.
    `set -- "$env" -u _ "$setpriv" ${privileges(user).join(' ')} -- ${[file, ...args].map(quote).join(' ')}`,
    'unset PATH PWD OLDPWD SHLVL',
    exportAll(env),
    'exec "$@"',
    ')',
    'exit $?',
  ];
}

/** All is made read-only at last, and looked at again: a mount that was refused in silence must not pass. */
function lockAll({ lock }: MountPlan): string[] {
  const locks = [...lock, { path: '/dev', flags: ['nosuid', 'noexec'] }];
  return [
    // What is no mount any more has been unmounted outside a moment ago; its folder is locked with the rest.
    'lock() { mount -n -c -o "remount,bind,$1" "$2" || ! mountpoint -q "$2"; }',
    ...locks.map(({ path, flags }) => `lock ${['ro', ...flags].join()} ${quote(path)}`),
    `for path in ${locks.map(({ path }) => quote(path)).join(' ')}; do`,
    '  ! [ -w "$path" ] || { echo "$path is still writable." >&2; exit 1; }',
    'done',
  ];
}

/** The same user as before, who can never be more: no capability is left, and none can be gained. */
function privileges({ uid, gid, groups }: User): string[] {
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
    '--no-new-privs',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--bounding-set=-all',
  ];
}

const kept = (index: number): string => `${SCRATCH}/kept-${index}`;
const EMPTY_FILE = `${SCRATCH}/empty`;
const DEV = `${SCRATCH}/dev`;

function keepOriginals({ keep }: MountPlan): string[] {
  const placesOf = (is: 'folder' | 'file') =>
    keep.flatMap((one, index) => (one.is === is ? [kept(index)] : []));
  return [
    `${MOUNT} -t tmpfs -o mode=0755,size=1m scratch ${SCRATCH}`,
    `mkdir ${[DEV, ...placesOf('folder')].join(' ')}`,
    ...[EMPTY_FILE, ...placesOf('file')].map((path) => `: >${path}`),
    ...keep.map(({ original, is }, index) => `${MOUNT} ${bindOf(is)} ${quote(original)} ${kept(index)}`),
  ];
}

/** A folder comes with what is mounted in it. */
const bindOf = (is: 'folder' | 'file'): string => (is === 'folder' ? '--rbind' : '--bind');

/** Only what any program may expect: no disks, no memory, no terminal but its own. */
function buildDevices(): string[] {
  const terminals = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec';
  return [
    `${MOUNT} -t tmpfs -o mode=0755,size=1m,nosuid,noexec dev ${DEV}`,
    `for device in ${DEVICES.join(' ')}; do : >${DEV}/$device; ${MOUNT} --bind /dev/$device ${DEV}/$device; done`,
    `mkdir ${DEV}/pts ${DEV}/shm`,
    `${MOUNT} -t tmpfs -o mode=1777,nosuid,nodev shm ${DEV}/shm`,
    // The group that owns terminals is no group where only some ids exist.
    `${MOUNT} -t devpts -o ${terminals},gid=5 devpts ${DEV}/pts 2>/dev/null ||`,
    `  ${MOUNT} -t devpts -o ${terminals} devpts ${DEV}/pts`,
    `ln -s pts/ptmx ${DEV}/ptmx`,
    `ln -s /proc/self/fd ${DEV}/fd`,
    ...['stdin', 'stdout', 'stderr'].map((name, index) => `ln -s /proc/self/fd/${index} ${DEV}/${name}`),
    `${MOUNT} --move ${DEV} /dev`,
  ];
}

function placeOne(placement: Placement): string[] {
  const { path } = placement;
  switch (placement.kind) {
    case 'empty-folder':
      return [`${MOUNT} -t tmpfs -o mode=0755,size=1m,nosuid,nodev,noexec empty ${quote(path)}`];
    case 'empty-file':
      return [`${MOUNT} --bind ${EMPTY_FILE} ${quote(path)}`];
    case 'kept': {
      const bind = `${MOUNT} ${bindOf(placement.is)} ${kept(placement.kept)} ${quote(path)}`;
      return placement.isNew ? [makeAt(path, placement.is), bind] : [bind];
    }
  }
}

function makeAt(path: string, is: 'folder' | 'file'): string {
  if (is === 'folder') return `mkdir -p -- ${quote(path)}`;
  const folder = path.slice(0, path.lastIndexOf('/')) || '/';
  return `mkdir -p -- ${quote(folder)}; : >${quote(path)}`;
}
