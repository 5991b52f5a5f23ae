import { dirname } from 'node:path';
import type { ProcessSpec } from '../agent/process.js';
import type { MountPlan, Placement } from './access.js';
import type { How } from './isolate.js';
import { KEYRING_FILES, keyringFilter, type Interpreter } from './keyring.js';
import { isBelow } from './mounts.js';
import { exportAll, inBatches, onOneLine, quote } from './shell-words.js';

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
/** Every machine has these links in `/dev`, and programs expect them there. */
const DEVICE_LINKS = { fd: 'fd', stdin: 'fd/0', stdout: 'fd/1', stderr: 'fd/2' };

/**
 * Runs as the runner's user, outside of the namespaces. It holds the writing end of the pipe `$1` for as long as it
 * lives, and it lives no longer than the process that started it: the keeper ends everything once that end is
 * closed. So whoever ends this shell ends the agent too, even where the processes between belong to root.
 * Signals that ask to stop are for the agent, which gets them as well; this shell waits for what it answers.
 * Where it could say that a child was killed, as shells do, it is silent: the error output is the agent's.
 */
export const OUTER_SCRIPT = `trap : TERM INT HUP
alive=$1; shift
[ ! -e "$alive" ] || rm -f "$alive"
mkfifo -m 600 "$alive" || exit ${SETUP_FAILED}
exec 3<>"$alive" 4>&2 2>/dev/null
"$@" 2>&4 3<&- 4>&-
status=$?
rm -f "$alive"
exit $status
`;

/**
 * Runs with the rights to make namespaces, but outside of them, where the agent can neither see nor signal it, not
 * even one that is root itself. It becomes `unshare`, which takes all of the namespace along when it is killed; what
 * it leaves behind kills it once the pipe `$1` is closed.
 */
export const KEEPER_SCRIPT = `alive=$1; shift
exec 4<>"$alive" 3<"$alive" 4>&- || exit ${SETUP_FAILED}
(
  trap '' TERM INT HUP
  IFS= read -r nothing <&3 || :
  IFS= read -r name </proc/$$/comm && [ "$name" = unshare ] && kill -s KILL $$
) </dev/null >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`;

/**
 * Runs as root, as the first process of the new namespaces. What it has to do is the first line of its input, so
 * that no command line, and no log of them, ever shows it; all that follows that line is for the agent.
 */
export const INNER_SCRIPT = `line_break='
'
IFS= read -r line && eval "$line"
`;

/** What is done to the layer, on top of the checkout, before the agent sees it. All paths are absolute. */
export interface LayerSetup {
  /** Where the agent sees the layer. */
  root: string;
  /** Whether it may write there at all; what exactly is judged afterwards. */
  access: 'read' | 'write';
  /** What is there in the checkout and must not be there for the agent. */
  absent: readonly string[];
  /** A folder with files to be copied to the root, and the paths they get. */
  planted: { folder: string; paths: readonly string[] };
  /** Those of them that the agent must not change. */
  locked: readonly string[];
}

export interface IsolationSetup {
  plan: MountPlan;
  user: User;
  how: How;
  /** What keeps the agent from the kernel's keyrings, where this machine has it. */
  keyring?: Interpreter | undefined;
  layer?: LayerSetup | undefined;
}

/** What goes before the agent's own input. */
export function inputLine(spec: ProcessSpec, setup: IsolationSetup): string {
  return onOneLine([...prepare(setup), ...start(spec, setup)].join('\n'), 'line_break');
}

function prepare({ plan, user, how, layer }: IsolationSetup): string[] {
  return [
    'set -eu',
    'umask 022',
    `trap 'echo "${SETUP_PROBLEM}" >&2; exit ${SETUP_FAILED}' EXIT`,
    // Its files stay within reach of a shell that stands in it, whatever covers their folder from here on.
    ...(layer ? [`cd ${quote(layer.planted.folder)}`] : []),
    ...keepOriginals(plan),
    ...buildDevices(),
    // A socket may be gone by now, and there is nothing left to hide.
    `hide() { ${orElse(`${MOUNT} --bind ${EMPTY_FILE} "$1"`, '[ ! -e "$1" ]')}; }`,
    ...placeAll(plan, how),
    `umount -n -l ${SCRATCH}`,
    // Root without any capability may still write what belongs to root there.
    `${MOUNT} -t proc -o nosuid,nodev,noexec${user.uid === 0 ? ',ro' : ''} proc /proc`,
    // They name the keys that the kernel keeps for the runner's user.
    `for file in ${KEYRING_FILES.join(' ')}; do ! [ -e $file ] || ${MOUNT} --bind /dev/null $file; done`,
    ...lockAll(plan, how),
    ...(layer ? arrangeLayer(layer, { user, how }) : []),
  ];
}

/**
 * Comes after everything else was made read-only, so that nothing outside of the layer could be written, whatever
 * the checkout holds. The overlay itself notes what is missing.
 */
function arrangeLayer(
  { root, access, absent, planted, locked }: LayerSetup,
  { user, how }: Pick<IsolationSetup, 'user' | 'how'>,
): string[] {
  const pin = (path: string) => `${MOUNT} --bind ${quote(path)} ${quote(path)}`;
  const readOnly = (path: string) => `${MOUNT} -o remount,bind,ro,nosuid,nodev ${quote(path)}`;
  return [
    ...inBatches('rm -rf --', absent),
    ...(planted.paths.length === 0 ? [] : [`cp -R -P -- . ${quote(root)}/`]),
    ...(how === 'sudo' ? inBatches(`chown -h ${user.uid}:${user.gid} --`, planted.paths) : []),
    // What is mounted cannot be renamed. Of a folder with a mount in it that is not true.
    ...(access === 'write'
      ? [...new Set(locked.flatMap((path) => foldersBetween(root, path)))].map(pin)
      : []),
    ...locked.flatMap((path) => [pin(path), readOnly(path)]),
    ...(access === 'read' ? [readOnly(root)] : []),
  ];
}

/** The folders below a root that a path leads through, the outer ones first. */
function foldersBetween(root: string, path: string): string[] {
  const folder = dirname(path);
  return isBelow(folder, root) ? [...foldersBetween(root, folder), folder] : [];
}

/**
 * The agent is a child of the first process, not that process itself: a first process does not feel signals it
 * has no handler for. What it leaves behind ends with the first process.
 */
function start({ file, args, cwd, env }: ProcessSpec, { user, how, keyring }: IsolationSetup): string[] {
  const command = [...(keyring ? keyringFilter(keyring) : []), file, ...args];
  return [
    ...['setpriv', 'env', 'unshare'].map((tool) => `${tool}=$(command -v ${tool})`),
    'trap - EXIT',
    'set +e',
    'exec 5>&2 2>/dev/null',
    '(',
    'exec 2>&5 5>&-',
    `cd ${quote(cwd)} || exit ${SETUP_FAILED}`,
    `umask ${user.umask.toString(8).padStart(4, '0')}`,
    // Some shells put the variable `_` into whatever they start.
    `set -- "$env" -u _ ${becomeUser(user, how)} -- ${command.map(quote).join(' ')}`,
    'unset PATH PWD OLDPWD SHLVL',
    exportAll(env),
    'exec "$@"',
    ')',
    'exit $?',
  ];
}

/** A command that may fail where something is true. Elsewhere it is tried once more, to fail in its own words. */
const orElse = (command: string, isTrue: string): string =>
  `${command} 2>/dev/null || ${isTrue} || ${command}`;

/** Whether this becomes read-only when it is mounted. A folder in which more has to be made is locked at the end. */
const isPlacedReadOnly = (one: Placement, place: readonly Placement[]): boolean =>
  one.kind === 'kept' || (one.kind === 'empty-folder' && !place.some(({ path }) => isBelow(path, one.path)));

/** All is made read-only at last, and looked at again: a mount that was refused in silence must not pass. */
function lockAll({ place, lock }: MountPlan, how: How): string[] {
  const isLocked = new Set(place.filter((one) => isPlacedReadOnly(one, place)).map(({ path }) => path));
  // Nothing is needed of what is mounted in there. A user namespace may not leave it behind.
  const isUnderSystem = (path: string) =>
    how !== 'user-namespace' && (path === SCRATCH || path.startsWith(`${SCRATCH}/`));
  const all = [
    ...lock.filter(({ path }) => !isUnderSystem(path)),
    { path: '/dev', flags: ['nosuid', 'noexec'] },
  ];
  return [
    ...(how === 'user-namespace' ? [] : [`${MOUNT} -o bind,ro,nosuid,nodev,noexec ${SCRATCH} ${SCRATCH}`]),
    // What is no mount any more has been unmounted outside a moment ago; its folder is locked with the rest.
    `lock() { ${orElse(`${MOUNT} -o "remount,bind,$1" "$2"`, '! mountpoint -q "$2"')}; }`,
    ...all
      .filter(({ path }) => !isLocked.has(path))
      .map(({ path, flags }) => `lock ${['ro', ...flags].join()} ${quote(path)}`),
    `for path in ${[...all.map(({ path }) => quote(path)), SCRATCH].join(' ')}; do`,
    '  ! [ -w "$path" ] || { echo "$path is still writable." >&2; exit 1; }',
    'done',
  ];
}

/** The same user as before, who can never be more: no capability is left, and none can be gained. */
function becomeUser({ uid, gid, groups }: User, how: How): string {
  const drop = '--no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all';
  // Root of a user namespace can only be the one user it is outside, and gets that name back in one more namespace.
  if (how === 'user-namespace')
    return `"$unshare" --user --map-user=${uid} --map-group=${gid} -- "$setpriv" ${drop}`;
  const more = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
  return `"$setpriv" --reuid=${uid} --regid=${gid} ${more} ${drop}`;
}

const kept = (index: number): string => `${SCRATCH}/kept-${index}`;
const ORIGINALS = `${SCRATCH}/all`;
const EMPTY_FILE = `${SCRATCH}/empty`;
const DEV = `${SCRATCH}/dev`;

/** Everything as it is now stays at hand in one place; what an overlay is made of has a name without any odd letters. */
function keepOriginals({ keep, place }: MountPlan): string[] {
  const layers = place.flatMap((one) => (one.kind === 'overlay' ? [one.lower, one.upper] : []));
  return [
    `${MOUNT} -t tmpfs -o mode=0755,size=1m scratch ${SCRATCH}`,
    `mkdir ${[DEV, ORIGINALS, ...layers.map(kept)].join(' ')}`,
    `: >${EMPTY_FILE}`,
    `${MOUNT} --rbind / ${ORIGINALS}`,
    ...layers.map((index) => `${MOUNT} --rbind ${quote(keep[index]?.original ?? '')} ${kept(index)}`),
  ];
}

/** Only what any program may expect: no disks, no memory, no terminal but its own. */
function buildDevices(): string[] {
  const terminals = 'newinstance,ptmxmode=0666,mode=0620,nosuid,noexec';
  const inDev = (names: readonly string[]) => names.map((name) => `/dev/${name}`).join(' ');
  return [
    `${MOUNT} -t tmpfs -o mode=0755,size=1m,nosuid,noexec dev ${DEV}`,
    `mkdir ${DEV}/pts ${DEV}/shm`,
    // A user namespace may not make devices, so the existing ones are mounted there.
    `cp -a -- ${inDev([...DEVICES, ...Object.keys(DEVICE_LINKS)])} ${DEV}/ 2>/dev/null || {`,
    `for device in ${DEVICES.join(' ')}; do : >${DEV}/$device; ${MOUNT} --bind /dev/$device ${DEV}/$device; done`,
    ...Object.entries(DEVICE_LINKS).map(([name, to]) => `ln -sfn /proc/self/${to} ${DEV}/${name}`),
    '}',
    `${MOUNT} -t tmpfs -o mode=1777,nosuid,nodev shm ${DEV}/shm`,
    // The group that owns terminals is no group where only some ids exist.
    `${MOUNT} -t devpts -o ${terminals},gid=5 devpts ${DEV}/pts 2>/dev/null ||`,
    `  ${MOUNT} -t devpts -o ${terminals} devpts ${DEV}/pts`,
    `ln -s pts/ptmx ${DEV}/ptmx`,
    `${MOUNT} --move ${DEV} /dev`,
  ];
}

/** An overlay in a user namespace may keep its notes in attributes of users only, and allows no other settings. */
export const OVERLAY_OPTIONS: Readonly<Record<How, { attributes: string; settings: string }>> = {
  root: { attributes: '', settings: 'redirect_dir=off,metacopy=off,index=off,' },
  sudo: { attributes: '', settings: 'redirect_dir=off,metacopy=off,index=off,' },
  'user-namespace': { attributes: 'userxattr,', settings: 'index=off,' },
};

/** From the outer to the inner; what has to be made in a folder of ours is made as soon as that is there. */
function placeAll({ keep, place, lock }: MountPlan, how: How): string[] {
  const locks = new Map(lock.map(({ path, flags }) => [path, flags]));
  const folderOf = (one: Placement) =>
    place
      .filter(({ path }) => one.path.startsWith(`${path}/`))
      .sort((a, b) => b.path.length - a.path.length)[0];
  const news = place.filter((one) => 'isNew' in one && one.isNew);
  const madeIn = new Map(news.map((one) => [one, folderOf(one)]));
  return place.flatMap((placement) => [
    // In a folder that every agent gets, which is no placement of this plan.
    ...(madeIn.has(placement) && madeIn.get(placement) === undefined ? makeAll([placement]) : []),
    ...placeOne(placement, { how, keep, locks, isFinal: isPlacedReadOnly(placement, place) }),
    ...makeAll(news.filter((one) => madeIn.get(one) === placement)),
  ]);
}

/** Where something is going to be mounted, there has to be something. */
function makeAll(placements: readonly Placement[]): string[] {
  const isFile = (one: Placement) => one.kind === 'kept' && one.is === 'file';
  const folders = placements.map((one) =>
    isFile(one) ? one.path.slice(0, one.path.lastIndexOf('/')) || '/' : one.path,
  );
  return [
    ...inBatches('mkdir -p --', folders),
    ...placements.filter(isFile).map(({ path }) => `: >${quote(path)}`),
  ];
}

interface Placing {
  how: How;
  keep: MountPlan['keep'];
  locks: ReadonlyMap<string, readonly string[]>;
  /** Whether nothing has to be made in it any more. */
  isFinal: boolean;
}

function placeOne(placement: Placement, { how, keep, locks, isFinal }: Placing): string[] {
  const { path } = placement;
  switch (placement.kind) {
    case 'empty-folder':
      return [
        `${MOUNT} -t tmpfs -o mode=0755,size=1m,nosuid,nodev,noexec${isFinal ? ',ro' : ''} empty ${quote(path)}`,
      ];
    case 'empty-file':
      return [`hide ${quote(path)}`];
    case 'kept': {
      // A folder comes with what is mounted in it.
      const bind = placement.is === 'folder' ? 'rbind' : 'bind';
      const flags = locks.get(path);
      const options = flags === undefined ? bind : [bind, 'ro', ...flags].join();
      const original = `${ORIGINALS}${keep[placement.kept]?.original ?? ''}`;
      return [`${MOUNT} -o ${options} ${quote(original)} ${quote(path)}`];
    }
    case 'overlay': {
      const [lower, upper] = [kept(placement.lower), kept(placement.upper)];
      const { attributes, settings } = OVERLAY_OPTIONS[how];
      const layers = `lowerdir=${lower},upperdir=${upper}/upper,workdir=${upper}/work`;
      return [`${MOUNT} -t overlay -o ${attributes}${settings}${layers} overlay ${quote(path)}`];
    }
  }
}
