import { dirname } from 'node:path';
import { isWithin } from '../../git/paths.js';
import { KEYRING_FILES } from './keyring.js';
import { foldersBetween, isBelow, type Mount, type MountPlan, type Placement } from './mounts.js';
import { shellQuote } from '../../core/programs.js';
import { inBatches } from './shell-words.js';

/** `-n` does not write /etc/mtab; `-c` takes paths as they are. */
export const MOUNT = 'mount -n -c';

/** Every system has this folder, and the set-up does not need it. The originals are kept there during the set-up. */
const SCRATCH = '/sys';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
/** Programs expect these links in `/dev`. Some systems have a device in the place of `ptmx`, which does the same. */
const DEVICE_LINKS = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
  ptmx: 'pts/ptmx',
};
const ORIGINALS = `${SCRATCH}/all`;
const EMPTY_FILE = `${SCRATCH}/empty`;
const DEV = `${SCRATCH}/dev`;

const TABLE = '/proc/self/fd/8';
const MOUNT_TABLE = `${MOUNT} -a -T ${TABLE}`;
const fillTable = (lines: readonly string[]): string =>
  `printf '%s\\n' ${lines.map(shellQuote).join(' ')} >${TABLE}`;
/** Nothing can be mounted with the table after this. */
export const CLOSE_TABLE = 'exec 8<&-';

interface MountRequest {
  plan: MountPlan;
  mounts: readonly Mount[];
  isUserNamespace: boolean;
  isRoot: boolean;
}

/** The commands that put a plan into effect: a `/dev` and a `/proc` of the agent's own, and everything else as planned. */
export function mountCommands({ plan, mounts, isUserNamespace, isRoot }: MountRequest): string[] {
  return [
    ...keepOriginals(plan),
    ...buildDevices(),
    // A socket that has disappeared meanwhile need not be hidden.
    `hide() { ${orElse(`${MOUNT} --bind ${EMPTY_FILE} "$1"`, '[ ! -e "$1" ]')}; }`,
    ...placeAll(plan, mounts, isUserNamespace),
    `umount -n -l ${SCRATCH}`,
    ...mountProcesses(isRoot),
    ...lockAll(plan, isUserNamespace),
  ];
}

/** A command that may fail if a condition holds. Otherwise it runs again, so that its error message is printed. */
const orElse = (command: string, isTrue: string): string =>
  `${command} 2>/dev/null || ${isTrue} || ${command}`;

/** In the options of an overlay, other characters would need escaping. */
const PLAIN_PATH = /^\/[\w.+@=~/-]*$/;

/** The parts of overlays that need another path during the set-up. */
function unplainParts({ place }: MountPlan): string[] {
  const parts = place.flatMap((one) => (one.kind === 'overlay' ? [one.path, one.by] : []));
  return [...new Set(parts)].filter((path) => !PLAIN_PATH.test(path));
}

/** Where a part of an overlay is during the set-up. */
function partOf(plan: MountPlan, path: string): string {
  const index = unplainParts(plan).indexOf(path);
  return index === -1 ? `${ORIGINALS}${path}` : `${SCRATCH}/part-${index}`;
}

/** Keeps the whole file tree reachable in one place. The parts of an overlay get paths that need no escaping. */
function keepOriginals(plan: MountPlan): string[] {
  const rbind = { type: 'none', options: 'rbind', isNew: true } as const;
  return [
    `${MOUNT} -t tmpfs -o mode=0755,size=1m scratch ${SCRATCH}`,
    `: >${EMPTY_FILE}`,
    // It stays open, so that it can be used after the folder that it is in is gone. It must be a file, not a pipe.
    `: >${SCRATCH}/table`,
    `exec 8<${SCRATCH}/table`,
    ...mountAll([
      { source: '/', path: ORIGINALS, ...rbind },
      ...unplainParts(plan).map((path): Mounting => ({ source: path, path: partOf(plan, path), ...rbind })),
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
  const terminals = {
    source: 'terminals',
    path: `${DEV}/pts`,
    type: 'devpts',
    options,
    isNew: true,
  } as const;
  return [
    // The group that owns terminals does not exist in a user namespace. A container can be in one, too.
    { ...terminals, options: `${options},gid=5`, otherwise: terminals },
    // Everything in it is made, so it is read-only at once, except for what is mounted in it.
    { source: DEV, path: '/dev', type: 'none', options: 'rbind,ro,nosuid,noexec' },
  ];
}

/** In a user namespace an overlay must use `user.` attributes, and most settings are refused. */
export const overlayAttributes = (isUserNamespace: boolean): string => (isUserNamespace ? 'userxattr,' : '');
const overlaySettings = (isUserNamespace: boolean): string =>
  isUserNamespace ? 'index=off,' : 'redirect_dir=off,metacopy=off,index=off,';

/** `/dev` first, then folders, outer ones before those in them, because a file is never above a folder. */
function placeAll(plan: MountPlan, mounts: readonly Mount[], isUserNamespace: boolean): string[] {
  const files = plan.place.filter(isFile);
  const folders = plan.place.filter((one) => !isFile(one));
  const bound = files.filter((one) => one.kind === 'bind');
  // The new /dev has another source than the present one, so `mount -a` does not skip it.
  const others = mounts.map(({ path }) => path).filter((path) => path !== '/dev');
  return [
    ...mountAll([...deviceMountings(), ...mountingsOf(folders, plan, isUserNamespace)], others),
    ...makeFiles(bound.filter(({ isNew }) => isNew)),
    ...files.filter(({ kind }) => kind === 'empty-file').map(({ path }) => `hide ${shellQuote(path)}`),
    ...mountAll(mountingsOf(bound, plan, isUserNamespace), others),
  ];
}

const isFile = (one: Placement): boolean =>
  one.kind === 'empty-file' || (one.kind === 'bind' && one.is === 'file');

const makeFiles = (files: readonly Placement[]): string[] => [
  ...inBatches('mkdir -p --', [...new Set(files.map(({ path }) => dirname(path)))].map(shellQuote)),
  ...files.map(({ path }) => `: >${shellQuote(path)}`),
];

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
  const command = [MOUNT, '-t', type, '-o', optionsOf(one), shellQuote(source), shellQuote(path)].join(' ');
  return otherwise ? `${command} 2>/dev/null || ${mountApart(otherwise)}` : command;
}

/** As in fstab, a blank ends a field, and a backslash begins the three octal digits of a character. */
const inTable = (text: string): string =>
  text.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

const mountingsOf = (
  placements: readonly Placement[],
  plan: MountPlan,
  isUserNamespace: boolean,
): Mounting[] =>
  placements.flatMap((one) =>
    one.kind === 'empty-file'
      ? []
      : [{ ...mountingOf(one, plan, isUserNamespace), isNew: one.isNew && !isFile(one) }],
  );

function mountingOf(
  placement: Exclude<Placement, { kind: 'empty-file' }>,
  plan: MountPlan,
  isUserNamespace: boolean,
): Mounting {
  const { path } = placement;
  switch (placement.kind) {
    case 'empty-folder': {
      const options = 'mode=0755,size=1m,nosuid,nodev,noexec';
      const isFinal = isPlacedReadOnly(placement, plan.place);
      return { type: 'tmpfs', options: isFinal ? `${options},ro` : options, source: 'empty', path };
    }
    case 'bind': {
      // A folder includes what is mounted in it.
      const bind = placement.is === 'folder' ? 'rbind' : 'bind';
      const flags = plan.lock.find((locked) => locked.path === path)?.flags;
      const options = flags === undefined ? bind : [bind, 'ro', ...flags].join();
      return { type: 'none', options, source: `${ORIGINALS}${placement.source}`, path };
    }
    case 'overlay': {
      const [lower, by] = [partOf(plan, path), partOf(plan, placement.by)];
      const layers = `lowerdir=${lower},upperdir=${by}/upper,workdir=${by}/work`;
      const options = `${overlayAttributes(isUserNamespace)}${overlaySettings(isUserNamespace)}${layers}`;
      const overlay = { type: 'overlay', options, source: 'overlay', path } as const;
      if (placement.otherwiseFlags === undefined) return overlay;
      const readOnly = ['rbind', 'ro', ...placement.otherwiseFlags].join();
      return { ...overlay, otherwise: { type: 'none', options: readOnly, source: lower, path } };
    }
  }
}

/** The processes of the namespace in `/proc`. Some files there list the keys that the kernel keeps for the runner's user. */
function mountProcesses(isRoot: boolean): string[] {
  // Even without capabilities, root could write to files of root in /proc.
  const options = `nosuid,nodev,noexec${isRoot ? ',ro' : ''}`;
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
  one.kind === 'bind' || (one.kind === 'empty-folder' && !place.some(({ path }) => isBelow(path, one.path)));

/** Makes everything read-only at the end and checks it, because a refused mount must not go unnoticed. */
function lockAll({ place, lock }: MountPlan, isUserNamespace: boolean): string[] {
  const isLocked = new Set(place.filter((one) => isPlacedReadOnly(one, place)).map(({ path }) => path));
  // Mounts in there are not needed. In a user namespace they cannot be left out.
  const isLeftOut = (path: string) => !isUserNamespace && isWithin(path, SCRATCH);
  const all = lock.filter(({ path }) => !isLeftOut(path));
  return [
    ...(isUserNamespace ? [] : [`${MOUNT} -o bind,ro,nosuid,nodev,noexec ${SCRATCH} ${SCRATCH}`]),
    // A mount that is gone was unmounted meanwhile. Its folder is locked with the mount that contains it.
    `lock() { ${orElse(`${MOUNT} -o "remount,bind,$1" "$2"`, '! mountpoint -q "$2"')}; }`,
    ...lockEach(
      all.filter(({ path }) => !isLocked.has(path)),
      isUserNamespace,
    ),
    `for path in ${[...all.map(({ path }) => shellQuote(path)), '/dev', SCRATCH].join(' ')}; do`,
    '  ! [ -w "$path" ] || { echo "$path is still writable." >&2; exit 1; }',
    'done',
  ];
}

/**
 * As many as possible are locked by one process. `mount -a` leaves `/` out, and what it could not lock is locked after it.
 * A file system that root cannot write to is read-only. In a user namespace that is not sure, so there each gets a
 * process of its own.
 */
function lockEach(all: MountPlan['lock'], isUserNamespace: boolean): string[] {
  const lockOne = ({ path, flags }: MountPlan['lock'][number]) =>
    `lock ${['ro', ...flags].join()} ${shellQuote(path)}`;
  if (isUserNamespace) return all.map(lockOne);
  const lines = all
    .filter(({ path }) => path !== '/')
    .map(({ path, flags }) => {
      const options = ['remount', 'bind', 'ro', ...flags].join();
      return lineOf({ source: 'lock', path, type: 'none', options });
    });
  return [
    ...(lines.length === 0 ? [] : [`${fillTable(lines)} && ${MOUNT_TABLE} 2>/dev/null || :`]),
    ...all.map((one) => `! [ -w ${shellQuote(one.path)} ] || ${lockOne(one)}`),
  ];
}

export interface LockedFile {
  path: string;
  below: string;
  flags: readonly string[];
}

/**
 * Makes these files read-only. A mount point can be neither renamed nor removed. A folder that contains one can be
 * renamed, so the folders around a locked file become mount points as well.
 */
export function lockFiles(locked: readonly LockedFile[]): string[] {
  const folders = new Set(locked.flatMap(({ below, path }) => foldersBetween(below, path)));
  const bind = (path: string, ...flags: string[]): Mounting => {
    const options = ['bind', ...flags].join();
    return { source: path, path, type: 'none', options };
  };
  return mountAll([
    ...[...folders].map((path) => bind(path)),
    ...locked.map(({ path, flags }) => bind(path, 'ro', ...flags)),
  ]);
}
