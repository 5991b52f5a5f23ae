import { foldHard, foldPath } from '../text/paths.js';
import {
  cliPatternTest,
  coversKind,
  denyPatternTest,
  formatPermission,
  isAbsolute,
  parsePermission,
  withoutLead,
  type PermissionToken,
} from './permission-token.js';
import type { Policy } from './policy.js';

/** The folders that patterns start from. Both are absolute and have no links in their paths. */
export interface PolicyFolders {
  root: string;
  directory: string;
}

/** Says why a path below the root may not be changed; undefined if it may. */
export type PathJudge = (path: string) => string | undefined;

/** One path, in the forms that patterns are compared with. */
interface PathForms {
  fromRoot: string;
  absolute: string;
  /** Undefined outside of the working directory. */
  fromDirectory: string | undefined;
}
type Test = (path: PathForms) => boolean;
type FoldPath = (text: string) => string;

/**
 * A change needs a Write rule that allows it, and a deny rule overrides it. Allow rules are read narrowly: a relative
 * pattern starts at the working directory and matches only below it. Deny rules are read widely (`denyPatternTest`).
 */
export function pathJudge(policy: Policy, folders: PolicyFolders): PathJudge {
  if (policy.preset === 'review')
    return () => 'the preset review allows no change; use preset docs, edit, fix-ci or custom';
  const allow = policy.allow.flatMap((rule) => (rule.kind === 'Write' ? [allowTest(rule.pattern)] : []));
  const judgeDenied = denyJudge(policy, folders);
  const folded = pathForms(folders, foldPath);
  const asWritten = pathForms(folders, (text) => text);
  return (path) => {
    const refusal = judgeDenied(path);
    if (refusal !== undefined) return refusal;
    const forms = folded(path);
    if (allow.some((test) => test(forms))) return undefined;
    if (forms.fromDirectory === undefined)
      return 'it is outside the working directory, and no Write rule allows it';
    const token = writeToken(asWritten(path).fromDirectory);
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
export function denyJudge(policy: Policy, folders: PolicyFolders): PathJudge {
  const rules = policy.deny.flatMap((rule) =>
    rule.kind === 'Write' ? [{ name: formatPermission(rule), test: denyTest(rule.pattern) }] : [],
  );
  const folded = pathForms(folders, foldHard);
  return (path) => {
    const forms = folded(path);
    const rule = rules.find(({ test }) => test(forms));
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
  folders: PolicyFolders,
): PermissionToken | undefined {
  const forms = formsAnywhere(path, folders, foldHard);
  return rules.find(
    (rule) => rule.kind === kind && (coversKind(rule, kind) || denyTest(rule.pattern)(forms)),
  );
}

/** Whether one of these allow rules covers a path anywhere on the machine. Read as narrowly as by `pathJudge`. */
export function isPathAllowed(
  rules: readonly PermissionToken[],
  { kind, path }: WantedPath,
  folders: PolicyFolders,
): boolean {
  const forms = formsAnywhere(path, folders, foldPath);
  return rules.some(
    (rule) => rule.kind === kind && (coversKind(rule, kind) || allowTest(rule.pattern)(forms)),
  );
}

/** Relative deny rules also hold outside of the root, where a path counts from the top of the machine. */
function formsAnywhere(path: string, folders: PolicyFolders, fold: FoldPath): PathForms {
  const [absolute, root] = [fold(path), fold(withoutEndSlash(folders.root))];
  if (isAtOrBelow(absolute, root)) return pathForms(folders, fold)(absolute.slice(root.length + 1));
  return { fromRoot: absolute.replace(/^\/+/, ''), absolute, fromDirectory: undefined };
}

/** Whether a path lies in a folder or is the folder, in any spelling of their letters. */
export const isPathIn = (path: string, folder: string): boolean =>
  isAtOrBelow(foldPath(path), foldPath(withoutEndSlash(folder)));

const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);
const withoutEndSlash = (path: string): string => slashes(path).replace(/\/$/, '');

/** The forms of a path that is given from the root. */
function pathForms({ root, directory }: PolicyFolders, fold: FoldPath): (path: string) => PathForms {
  const top = withoutEndSlash(fold(root));
  const start = withoutEndSlash(fold(directory)).slice(top.length + 1);
  const prefix = start === '' ? '' : `${start}/`;
  return (path) => {
    const fromRoot = fold(path);
    const fromDirectory = fromRoot.startsWith(prefix) ? fromRoot.slice(prefix.length) : undefined;
    return { fromRoot, absolute: `${top}/${fromRoot}`, fromDirectory };
  };
}

function allowTest(given: string): Test {
  const pattern = foldPath(normalise(given));
  if (isAbsolute(pattern)) {
    const matches = cliPatternTest(pattern);
    return ({ absolute }) => matches(absolute);
  }
  const tests = [pattern, withoutLead(pattern)].map(cliPatternTest);
  return ({ fromDirectory }) => fromDirectory !== undefined && tests.some((test) => test(fromDirectory));
}

function denyTest(given: string): Test {
  const pattern = foldHard(normalise(given));
  const matches = denyPatternTest(pattern);
  return ({ fromRoot, absolute }) => matches(isAbsolute(pattern) ? absolute : fromRoot);
}

const slashes = (path: string): string => path.replaceAll('\\', '/');
const normalise = (pattern: string): string => slashes(pattern).replace(/^(\.\/)+/, '');
