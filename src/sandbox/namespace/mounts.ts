import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isWithin } from '../../git/paths.js';

export interface Mount {
  id: string;
  parent: string;
  path: string;
  /** The flags of this mount, such as `rw`, `nosuid` and `relatime`. */
  flags: readonly string[];
}

export const readMounts = (): Mount[] => parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'));

export function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [id, parent, , , path, flags] = line.split(' ');
    if (id === undefined || parent === undefined || path === undefined || flags === undefined) return [];
    // Its mount point was deleted, so no path leads there any more.
    if (path.endsWith('//deleted')) return [];
    return [{ id, parent, path: unescapePath(path), flags: flags.split(',') }];
  });
}

/** The kernel escapes spaces, line breaks and backslashes in a path as three octal digits per byte. */
function unescapePath(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/** The mounts that a path still leads to. */
export function reachableMounts(mounts: readonly Mount[]): Mount[] {
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  const childrenOf = (id: string) => mounts.filter(({ parent }) => parent === id);
  // Mounted exactly on top of another mount, which is then its parent.
  const isCovered = (mount: Mount) =>
    childrenOf(mount.id).some(({ id, path }) => id !== mount.id && path === mount.path);
  // Covered by a mount further up that has the same parent. If that one had come first, it would be the parent.
  const isBuried = (mount: Mount) =>
    childrenOf(mount.parent).some(({ id, path }) => id !== mount.id && isBelow(mount.path, path));
  const isReachable = (mount: Mount | undefined): boolean => {
    for (const seen = new Set<string>(); mount && !seen.has(mount.id); mount = byId.get(mount.parent)) {
      if (isBuried(mount)) return false;
      seen.add(mount.id);
    }
    return true;
  };
  return mounts.filter((mount) => !isCovered(mount) && isReachable(mount));
}

/** Whether a path lies strictly below a folder; both are absolute and without links. */
export const isBelow = (path: string, folder: string): boolean => path !== folder && isWithin(path, folder);

/** The folders between a root and a path, outer ones first. */
export function foldersBetween(root: string, path: string): string[] {
  const folder = dirname(path);
  return isBelow(folder, root) ? [...foldersBetween(root, folder), folder] : [];
}

export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  const around = mounts.filter((mount) => isWithin(path, mount.path));
  return around.sort((one, other) => other.path.length - one.path.length)[0];
}

/** What the agent may do at a path and below it. The rule of the longest path counts. */
export type Rule = { path: string; is: 'folder' | 'file' } & (
  | { kind: 'writable' }
  /** `by`: what it leads to, if it is a link. The way there can be hidden while the mounts are made. */
  | { kind: 'readable'; by?: string }
  /** Another file is seen in its place, read-only. */
  | { kind: 'replaced'; by: string }
  /** Replaced with our empty, writable folder. */
  | { kind: 'private'; by: string }
  /**
   * What is written to it goes to the folder `by` instead: as the upper part of an overlay (`by` holds `upper` and
   * `work`), or because `by` holds a copy of it. Where the kernel refuses an `optional-overlay`, it is read-only.
   */
  | { kind: 'layered'; by: string; as: 'overlay' | 'optional-overlay' | 'copy' }
  /** An empty folder or file is seen in its place, read-only. */
  | { kind: 'hidden' }
  /** Readable where a folder above is hidden or private; elsewhere it changes nothing. */
  | { kind: 'shown'; by?: string }
);

type NeededRule = Exclude<Rule, { kind: 'shown' }>;

/** The steps that put the rules into effect, in this order. */
export interface MountPlan {
  /** Outer paths come first. */
  place: Placement[];
  /** Everything that must be read-only in the end, with the mount flags it keeps. */
  lock: { path: string; flags: readonly string[] }[];
}

export type Placement =
  | { kind: 'empty-file'; path: string }
  /** `isNew`: it is inside our empty folder, so it must be created first. */
  | { kind: 'empty-folder'; path: string; isNew: boolean }
  /** What is originally at `source`, which may be the same path. */
  | { kind: 'bind'; path: string; is: 'folder' | 'file'; source: string; isNew: boolean }
  /**
   * What is originally at `path` is the lower part. `by` is that of the rule. Where the kernel refuses an
   * optional overlay, the original is mounted read-only, with `otherwiseFlags`.
   */
  | {
      kind: 'overlay';
      path: string;
      by: string;
      isNew: boolean;
      otherwiseFlags?: readonly string[];
    };

/** The agent gets new ones of these. It sees nothing of the originals. */
const OWN_FOLDERS = ['/proc', '/dev'];

const STRICTEST_FIRST: readonly Rule['kind'][] = [
  'hidden',
  'replaced',
  'private',
  'readable',
  'layered',
  'writable',
  'shown',
];
/** Rules that apply to everything in a folder as they apply to the folder. */
const UNIFORM: readonly Rule['kind'][] = ['hidden', 'readable', 'writable'];
/** Kinds of folders in which nothing of the original can be seen. */
const isEmptied = (kind: string): boolean => kind === 'hidden' || kind === 'private' || kind === 'own';
const CAN_BE_WRITTEN: readonly Rule['kind'][] = ['writable', 'private', 'layered'];

/** Without any rule, everything can be read and nothing can be written. */
export function planMounts(rules: readonly Rule[], mounts: readonly Mount[]): MountPlan {
  const needed = neededRules(rules);
  const place = needed.map((rule): Placement => {
    const { path, is } = rule;
    const isNew = isEmptied(kindAt(path, needed, 'above'));
    if (rule.kind === 'hidden')
      return is === 'folder' ? { kind: 'empty-folder', path, isNew } : { kind: 'empty-file', path };
    if (rule.kind === 'layered' && rule.as !== 'copy')
      return {
        kind: 'overlay',
        path,
        by: rule.by,
        isNew,
        ...(rule.as === 'overlay' ? {} : { otherwiseFlags: flagsAt(path, mounts) }),
      };
    return { kind: 'bind', path, is, source: 'by' in rule ? (rule.by ?? path) : path, isNew };
  });
  const lockedRules = needed
    .filter(({ kind }) => !CAN_BE_WRITTEN.includes(kind))
    .map((rule) => ({ path: rule.path, flags: flagsUnder(rule, mounts) }));
  const lockedMounts = mounts
    .filter(({ path, flags }) => !flags.includes('ro') && kindAt(path, needed, 'here') === 'readable')
    .filter(({ path }) => !lockedRules.some((rule) => rule.path === path))
    .map((mount) => ({ path: mount.path, flags: otherFlags(mount) }));
  return { place, lock: [...lockedMounts, ...lockedRules] };
}

/** A remount drops every flag that is not repeated, and the kernel refuses to drop some of them. */
const otherFlags = (mount: Mount | undefined): string[] =>
  (mount?.flags ?? []).filter((flag) => flag !== 'rw' && flag !== 'ro');

/** The flags that a path keeps if it is mounted again. */
export const flagsAt = (path: string, mounts: readonly Mount[]): string[] =>
  otherFlags(mountOf(path, mounts));

function flagsUnder(rule: NeededRule, mounts: readonly Mount[]): string[] {
  if (rule.kind === 'hidden') return ['nosuid', 'nodev', 'noexec'];
  const isBound = rule.kind === 'replaced' || rule.kind === 'readable';
  return flagsAt((isBound ? rule.by : undefined) ?? rule.path, mounts);
}

/** The strictest rule for each path, without rules that repeat the one above them. Outer paths come first. */
function neededRules(rules: readonly Rule[]): NeededRule[] {
  const strictest = strictestRules(rules);
  const onTheWay = new Set(foldersOnTheWay(strictest));
  const needed: NeededRule[] = [];
  const candidates = strictestRules([
    ...strictest,
    ...[...onTheWay].map((path): Rule => ({ kind: 'hidden', path, is: 'folder' })),
  ]);
  for (const rule of candidates.sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const above = kindAt(rule.path, needed, 'above');
    if (rule.kind === 'shown') {
      if (above === 'hidden' || above === 'private') needed.push({ ...rule, kind: 'readable' });
    } else if (
      !(above === rule.kind && UNIFORM.includes(above)) &&
      !(isEmptied(above) && rule.kind === 'hidden' && !onTheWay.has(rule.path))
    ) {
      needed.push(rule);
    }
  }
  return needed;
}

function strictestRules(rules: readonly Rule[]): Rule[] {
  const strictest = new Map<string, Rule>();
  for (const rule of STRICTEST_FIRST.flatMap((kind) => rules.filter((one) => one.kind === kind)))
    if (!strictest.has(rule.path)) strictest.set(rule.path, rule);
  return [...strictest.values()];
}

/**
 * Folders inside a private folder that lead to something else that is shown there. They are hidden, which makes them
 * read-only. Otherwise the agent could rename such a folder and put its own in its place.
 */
function foldersOnTheWay(rules: readonly Rule[]): string[] {
  const isOwn = (path: string) => rules.some((rule) => rule.path === path && rule.kind !== 'hidden');
  return rules
    .filter(({ kind }) => kind === 'private')
    .flatMap(({ path: folder }) =>
      rules
        .filter(({ path, kind }) => kind !== 'hidden' && isBelow(path, folder))
        .map(({ path }) =>
          path
            .split('/')
            .slice(0, folder.split('/').length + 1)
            .join('/'),
        ),
    )
    .filter((path) => !isOwn(path));
}

function kindAt(
  path: string,
  rules: readonly NeededRule[],
  where: 'here' | 'above',
): NeededRule['kind'] | 'own' {
  const covers = where === 'here' ? isWithin : isBelow;
  const own = OWN_FOLDERS.filter((folder) => covers(path, folder)).map((folder) => ({
    path: folder,
    kind: 'own' as const,
  }));
  const [nearest] = [...rules.filter((rule) => covers(path, rule.path)), ...own].sort(
    (one, other) => other.path.length - one.path.length,
  );
  return nearest?.kind ?? 'readable';
}
