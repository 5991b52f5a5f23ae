import { foldHard, foldPath } from '../text/paths.js';
import {
  cliPatternTest,
  coversKind,
  formatPermission,
  isAbsolute,
  parsePermission,
  type PermissionToken,
} from './permission-token.js';
import type { Policy } from './policy.js';

/** The folders that patterns start from. Both are absolute and have no links in their paths. */
export interface PolicyPlaces {
  root: string;
  directory: string;
}

/** Says why a path below the root may not be changed; undefined if it may. */
export type PathJudge = (path: string) => string | undefined;

interface Place {
  /** From the root. */
  below: string;
  absolute: string;
  /** From the working directory; undefined outside of it. */
  inDirectory: string | undefined;
}
type Test = (place: Place) => boolean;

/**
 * A change needs a Write rule that allows it, and a deny rule overrides it. Allow rules are read narrowly: a relative
 * pattern starts at the working directory and matches only below it. Deny rules are read widely, as the CLI reads
 * them: a relative pattern matches in every folder, and `x/**` also matches `x` itself, because `x` could be made
 * a link to a folder that may be written.
 */
export function pathJudge(policy: Policy, places: PolicyPlaces): PathJudge {
  if (policy.preset === 'review')
    return () => 'the preset review allows no change; use preset docs, fix-ci or custom';
  const allow = policy.allow.flatMap((rule) => (rule.kind === 'Write' ? [allowTest(rule.pattern)] : []));
  const denied = denyJudge(policy, places);
  const placed = placer(places, foldPath);
  const spelled = placer(places, (text) => text);
  return (path) => {
    const refusal = denied(path);
    if (refusal !== undefined) return refusal;
    const place = placed(path);
    if (allow.some((test) => test(place))) return undefined;
    if (place.inDirectory === undefined)
      return 'it is outside the working directory, and no Write rule allows it';
    const token = writeToken(spelled(path).inDirectory);
    return `no Write rule allows it${token === undefined ? '' : `; ${token} would`}`;
  };
}

/** The token that allows exactly this path; undefined if it cannot be written as one. */
function writeToken(path: string | undefined): string | undefined {
  const isPlain = path !== undefined && /^[^\p{C}\p{Zl}\p{Zp}*]+$/u.test(path) && path.trim() === path;
  const parsed = isPlain ? parsePermission(`Write(${path})`) : undefined;
  return parsed && 'permission' in parsed ? formatPermission(parsed.permission) : undefined;
}

/** Judges by the deny rules only. */
export function denyJudge(policy: Policy, places: PolicyPlaces): PathJudge {
  const rules = policy.deny.flatMap((rule) =>
    rule.kind === 'Write' ? [{ name: formatPermission(rule), test: denyTest(rule.pattern) }] : [],
  );
  const placed = placer(places, foldHard);
  return (path) => {
    const place = placed(path);
    const rule = rules.find(({ test }) => test(place));
    return rule && `the rule ${rule.name} forbids it`;
  };
}

/** One absolute path with slashes, inside of the root or not. */
interface WantedPath {
  kind: 'Read' | 'Write';
  path: string;
}

/** The first of these deny rules that covers a path anywhere on the machine. Read as widely as by `denyJudge`. */
export function findDenyRule(
  rules: readonly PermissionToken[],
  { kind, path }: WantedPath,
  places: PolicyPlaces,
): PermissionToken | undefined {
  const place = placeAnywhere(path, places, foldHard);
  return rules.find(
    (rule) => rule.kind === kind && (coversKind(rule, kind) || denyTest(rule.pattern)(place)),
  );
}

/** Whether one of these allow rules covers a path anywhere on the machine. Read as narrowly as by `pathJudge`. */
export function isPathAllowed(
  rules: readonly PermissionToken[],
  { kind, path }: WantedPath,
  places: PolicyPlaces,
): boolean {
  const place = placeAnywhere(path, places, foldPath);
  return rules.some(
    (rule) => rule.kind === kind && (coversKind(rule, kind) || allowTest(rule.pattern)(place)),
  );
}

/** Relative deny rules also hold outside of the root, where a path counts from the top of the machine. */
function placeAnywhere(path: string, places: PolicyPlaces, fold: (text: string) => string): Place {
  const [inner, root] = [fold(path), fold(withoutEndSlash(places.root))];
  if (isAtOrBelow(inner, root)) return placer(places, fold)(inner.slice(root.length + 1));
  return { below: inner.replace(/^\/+/, ''), absolute: inner, inDirectory: undefined };
}

/** Whether a path lies in a folder or is the folder, in any spelling of their letters. */
export const isPathIn = (path: string, folder: string): boolean =>
  isAtOrBelow(foldPath(path), foldPath(withoutEndSlash(folder)));

const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);
const withoutEndSlash = (path: string): string => slashes(path).replace(/\/$/, '');

function placer({ root, directory }: PolicyPlaces, fold: (text: string) => string) {
  const base = fold(slashes(root)).replace(/\/$/, '');
  const start = fold(slashes(directory))
    .replace(/\/$/, '')
    .slice(base.length + 1);
  return (path: string): Place => {
    const below = fold(path);
    const inside = start === '' || below.startsWith(`${start}/`);
    return {
      below,
      absolute: `${base}/${below}`,
      inDirectory: !inside ? undefined : start === '' ? below : below.slice(start.length + 1),
    };
  };
}

function allowTest(given: string): Test {
  const pattern = foldPath(normalise(given));
  if (isAbsolute(pattern)) {
    const matches = cliPatternTest(pattern);
    return ({ absolute }) => matches(absolute);
  }
  const forms = [pattern, anywhereFree(pattern)].map(cliPatternTest);
  return ({ inDirectory }) => inDirectory !== undefined && forms.some((matches) => matches(inDirectory));
}

function denyTest(given: string): Test {
  const pattern = foldHard(normalise(given));
  const withFolder = [pattern, pattern.replace(/\/\*+$/, '')];
  if (isAbsolute(pattern)) {
    const forms = withFolder.map(cliPatternTest);
    return ({ absolute }) => forms.some((matches) => matches(absolute));
  }
  const forms = withFolder
    .map(anywhereFree)
    .flatMap((form) => [cliPatternTest(form), cliPatternTest(`*/${form}`)]);
  return ({ below }) => forms.some((matches) => matches(below));
}

const slashes = (path: string): string => path.replaceAll('\\', '/');
const normalise = (pattern: string): string => slashes(pattern).replace(/^(\.\/)+/, '');
const anywhereFree = (pattern: string): string => pattern.replace(/^(\*\*\/)+/, '');
