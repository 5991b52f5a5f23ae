import { isBelow, mountOf, type Mount } from './mounts.js';

/** What the agent may do at a path and below it. The rule of the longest path counts. */
export type Rule = { path: string; is: 'folder' | 'file' } & (
  | { kind: 'writable' }
  | { kind: 'readable' }
  /** Another file is seen in its place, read-only. */
  | { kind: 'replaced'; by: string }
  /** An empty folder of ours is seen in its place, and can be written. */
  | { kind: 'private'; by: string }
  /**
   * What is written to it goes to the folder `by` instead: as the upper part of an overlay (`by` holds `upper` and
   * `work`), or because `by` holds a copy of it.
   */
  | { kind: 'layered'; by: string; as: 'overlay' | 'copy' }
  /** An empty folder or file is seen in its place, read-only. */
  | { kind: 'hidden' }
  /** Readable where a folder above is hidden or private; elsewhere it changes nothing. */
  | { kind: 'shown' }
);

/** The rules that are left to be made true. */
type NeededRule = Exclude<Rule, { kind: 'shown' }>;

/** What has to be done, in this order, to make the rules true. */
export interface MountPlan {
  /** The originals, to be kept at hand before anything is covered. */
  keep: { original: string; is: 'folder' | 'file' }[];
  /** From the outer to the inner; `kept` is an index into `keep`. */
  place: Placement[];
  /** Everything that is to be read-only in the end, with the flags it has to keep. */
  lock: { path: string; flags: readonly string[] }[];
}

export type Placement =
  | { kind: 'empty-file'; path: string }
  /** `isNew`: it lies in an empty folder of ours and has to be made first. */
  | { kind: 'empty-folder'; path: string; isNew: boolean }
  | { kind: 'kept'; path: string; is: 'folder' | 'file'; kept: number; isNew: boolean }
  /** `lower` and `upper` are indexes into `keep`, too. */
  | { kind: 'overlay'; path: string; lower: number; upper: number; isNew: boolean };

/** These are built anew for the agent; nothing of the originals is left. */
export const OWN_FOLDERS = ['/proc', '/dev'] as const;

const STRICTEST_FIRST = [
  'hidden',
  'replaced',
  'private',
  'readable',
  'layered',
  'writable',
  'shown',
] as const;
/** Rules that say of a folder what they say of everything in it. */
const UNIFORM: readonly Rule['kind'][] = ['hidden', 'readable', 'writable'];
/** Folders of ours in which nothing of the original is left. */
const isEmptied = (kind: string): boolean => kind === 'hidden' || kind === 'private' || kind === 'own';
const CAN_BE_WRITTEN: readonly Rule['kind'][] = ['writable', 'private', 'layered'];

/** Without any rule everything is readable, and nothing writable. */
export function planMounts(rules: readonly Rule[], mounts: readonly Mount[]): MountPlan {
  const needed = neededRules(rules);
  const keep: MountPlan['keep'] = [];
  const keepOriginal = (original: string, is: 'folder' | 'file') => keep.push({ original, is }) - 1;
  const place = needed.map((rule): Placement => {
    const { path, is } = rule;
    const isNew = isEmptied(kindAt(path, needed, 'above'));
    if (rule.kind === 'hidden')
      return is === 'folder' ? { kind: 'empty-folder', path, isNew } : { kind: 'empty-file', path };
    if (rule.kind === 'layered' && rule.as === 'overlay')
      return {
        kind: 'overlay',
        path,
        lower: keepOriginal(path, is),
        upper: keepOriginal(rule.by, is),
        isNew,
      };
    return { kind: 'kept', path, is, kept: keepOriginal('by' in rule ? rule.by : path, is), isNew };
  });
  const lockedRules = needed
    .filter(({ kind }) => !CAN_BE_WRITTEN.includes(kind))
    .map((rule) => ({ path: rule.path, flags: flagsUnder(rule, mounts) }));
  const lockedMounts = mounts
    .filter(({ path, flags }) => !flags.includes('ro') && kindAt(path, needed, 'here') === 'readable')
    .filter(({ path }) => !lockedRules.some((rule) => rule.path === path))
    .map((mount) => ({ path: mount.path, flags: otherFlags(mount) }));
  return { keep, place, lock: [...lockedMounts, ...lockedRules] };
}

/** A remount forgets what it is not told again, and some of that it may not even be allowed to forget. */
const otherFlags = (mount: Mount | undefined): string[] =>
  (mount?.flags ?? []).filter((flag) => flag !== 'rw' && flag !== 'ro');

function flagsUnder(rule: NeededRule, mounts: readonly Mount[]): string[] {
  if (rule.kind === 'hidden') return ['nosuid', 'nodev', 'noexec'];
  return otherFlags(mountOf(rule.kind === 'replaced' ? rule.by : rule.path, mounts));
}

/** One rule a path, the strictest; none that says what the rule above it says already; the outer ones first. */
function neededRules(rules: readonly Rule[]): NeededRule[] {
  const strictest = strictestRules(rules);
  const ways = new Set(waysThrough(strictest));
  const needed: NeededRule[] = [];
  const candidates = strictestRules([
    ...strictest,
    ...[...ways].map((path): Rule => ({ kind: 'hidden', path, is: 'folder' })),
  ]);
  for (const rule of candidates.sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const above = kindAt(rule.path, needed, 'above');
    if (rule.kind === 'shown') {
      if (above === 'hidden' || above === 'private') needed.push({ ...rule, kind: 'readable' });
    } else if (
      !(above === rule.kind && UNIFORM.includes(above)) &&
      !(isEmptied(above) && rule.kind === 'hidden' && !ways.has(rule.path))
    ) {
      needed.push(rule);
    }
  }
  return needed;
}

function strictestRules(rules: readonly Rule[]): Rule[] {
  const strictest = new Map<string, Rule>();
  for (const kind of STRICTEST_FIRST) {
    for (const rule of rules) {
      if (rule.kind === kind && !strictest.has(rule.path)) strictest.set(rule.path, rule);
    }
  }
  return [...strictest.values()];
}

/**
 * Folders in a private one that lead to something else that is seen there. They are hidden, and so read-only: the
 * agent could rename one of its own, and make another in its place.
 */
function waysThrough(rules: readonly Rule[]): string[] {
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
  const covers = (folder: string) => isBelow(path, folder) || (where === 'here' && path === folder);
  const own = OWN_FOLDERS.filter(covers).map((folder) => ({ path: folder, kind: 'own' as const }));
  const [nearest] = [...rules.filter((rule) => covers(rule.path)), ...own].sort(
    (one, other) => other.path.length - one.path.length,
  );
  return nearest?.kind ?? 'readable';
}
