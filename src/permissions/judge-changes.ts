import { foldersAbove, fromText, isText, isWithin, joinBytes, toText, type BytePath } from '../git/paths.js';
import type { Policy } from './policy.js';
import { isDotGit, newPathJudge } from '../text/paths.js';
import { denyJudge, pathJudge, type PathJudge } from './path-policy.js';
import type { LayerChange, LayerEntry, LayerView, Violation } from './layer-change.js';

interface ChangeQuestion {
  policy: Policy;
  /** The top of the repository, and where the agent works. Both are absolute. */
  root: string;
  directory: string;
  /** The folders of the repositories and submodules below ours that existed before. */
  nested: ReadonlySet<BytePath>;
  /** Whether the checkout has this path. */
  existed: (path: BytePath) => boolean;
  /** The layer, by paths from the top of the repository. */
  view: LayerView;
}

/** A larger file is never applied: GitHub rejects it, and a sparse file can claim any size. */
export const MAX_FILE_BYTES = 100 * 2 ** 20;

/** How many files behind new links are checked. A link beyond that is a violation. */
const MAX_ALIASES = 1_000_000;

/** Finds the changes that are not allowed: at most one violation for each, with the most important reason. */
export function judgeChanges(changes: readonly LayerChange[], question: ChangeQuestion): Violation[] {
  // Most runs change nothing, and reading the rules of a policy takes time.
  if (changes.length === 0) return [];
  const judgePath = pathJudge(question.policy, question);
  const judgeLink = linkJudge(question);
  const judgeBare = bareRepositoryJudge(question.view);
  const violations = changes.flatMap((change): Violation[] => {
    const { path } = change;
    const reason =
      judgeName(path, question.nested) ??
      judgeKind(change) ??
      judgeBare(path) ??
      (change.after.kind === 'link' ? judgeLink(path) : undefined) ??
      judgePath(toText(path));
    return reason === undefined ? [] : [{ path: toText(path), reason, change: path }];
  });
  return [...violations, ...judgeNewNames(changes, violations, question)];
}

/** Judges the names of what is otherwise allowed. What may not be removed stays, so a new name can be its twin. */
function judgeNewNames(
  changes: readonly LayerChange[],
  violations: readonly Violation[],
  { existed, view }: ChangeQuestion,
): Violation[] {
  const refused = new Set(violations.map(({ change }) => change));
  const staying = new Map<BytePath, BytePath[]>();
  for (const { path, after } of changes)
    if (after.kind === 'absent' && refused.has(path))
      for (const each of [path, ...foldersAbove(path)]) {
        const cut = each.lastIndexOf('/');
        const folder = each.slice(0, Math.max(0, cut));
        staying.set(folder, [...(staying.get(folder) ?? []), each.slice(cut + 1)]);
      }
  const judge = newPathJudge({
    existed: (path) => existed(fromText(path)),
    namesIn: (folder) => {
      const path = fromText(folder);
      return new Set([...view.namesIn(path), ...(staying.get(path) ?? [])].map(toText));
    },
  });
  return changes.flatMap(({ path, after }): Violation[] => {
    const reason = after.kind === 'absent' || refused.has(path) ? undefined : judge(toText(path));
    return reason === undefined ? [] : [{ path: toText(path), reason, change: path }];
  });
}

type LinkQuestion = Pick<ChangeQuestion, 'policy' | 'root' | 'directory' | 'view'>;

/**
 * Judges again what depends on other files, in a view of the checkout with only these changes. What is left out of a
 * change, or is absent from the layer only, can give the rest another meaning.
 */
export function judgeTogether(changes: readonly LayerChange[], question: LinkQuestion): Violation[] {
  const judgeLink = linkJudge(question);
  const judgeBare = bareRepositoryJudge(question.view);
  return changes.flatMap(({ path, after }): Violation[] => {
    if (after.kind === 'absent') return [];
    const reason =
      judgePlace(path, question.view) ??
      judgeBare(path) ??
      (after.kind === 'link' ? judgeLink(path) : undefined);
    return reason === undefined
      ? []
      : [{ path: toText(path), reason: `applied to the checkout, ${reason}`, change: path }];
  });
}

/** Whether a file can be put there at all. */
function judgePlace(path: BytePath, view: LayerView): string | undefined {
  const obstacle = foldersAbove(path).find((folder) => isFile(view.entryAt(folder)));
  if (obstacle !== undefined) return `it is below ${toText(obstacle)}, which is not a folder`;
  return holdsFiles(path, view) ? 'it is in the place of a folder with other files in it' : undefined;
}

const isFile = ({ kind }: LayerEntry): boolean => kind !== 'folder' && kind !== 'absent';

function holdsFiles(folder: BytePath, view: LayerView): boolean {
  const below = view.namesIn(folder).map((name) => joinBytes(folder, name));
  return below.some((path) => isFile(view.entryAt(path)) || holdsFiles(path, view));
}

/** Whether a path is a `.git` or in one. */
export const hasDotGit = (path: BytePath): boolean => toText(path).split('/').some(isDotGit);

function judgeName(path: BytePath, nested: ReadonlySet<BytePath>): string | undefined {
  if (hasDotGit(path)) return 'it belongs to another git repository inside this one';
  const owner = [path, ...foldersAbove(path)].find((folder) => nested.has(folder));
  if (owner !== undefined)
    return `it belongs to the submodule or repository ${toText(owner)}, not to this one`;
  return isText(path) ? undefined : 'its name is not valid UTF-8';
}

function judgeKind({ before, after }: LayerChange): string | undefined {
  if (after.kind === 'special') return 'it is neither a file nor a link';
  if (after.kind !== 'file') return undefined;
  if (after.privileged) return 'it was made to run with the rights of its owner (setuid)';
  if (after.bytes > MAX_FILE_BYTES) return 'it is larger than 100 MiB';
  if (before.kind !== 'file' || before.executable === after.executable) return undefined;
  return after.executable ? 'it was made executable' : 'it is no longer executable';
}

/** Git takes any folder with these entries for a repository, whose configuration can run programs. */
const BARE_REPOSITORY = ['HEAD', 'objects', 'refs'];

function bareRepositoryJudge(view: LayerView): PathJudge {
  const known = new Map<BytePath, boolean>();
  const isBare = (folder: BytePath) => {
    const answer =
      known.get(folder) ??
      BARE_REPOSITORY.every((name) => view.entryAt(joinBytes(folder, name)).kind !== 'absent');
    known.set(folder, answer);
    return answer;
  };
  return (path) =>
    foldersAbove(path).some(isBare) || isBare('') ? 'it is part of a bare git repository' : undefined;
}

/**
 * A new or changed link must not lead out of the repository or into `.git`. It also must not make a file available
 * under a path that may not be written.
 */
function linkJudge({ policy, root, directory, view }: LinkQuestion): PathJudge {
  const top = fromText(root.replaceAll('\\', '/'));
  const judgeDenied = denyJudge(policy, { root, directory });
  const readLink = (absolute: BytePath) => {
    if (!isWithin(absolute, top) || absolute === top) return undefined;
    const path = absolute.slice(top.length + 1);
    return view.entryAt(path).kind === 'link' ? slashes(view.linkAt(path)) : undefined;
  };
  let aliases = 0;
  return (path) => {
    const end = followLinks(joinBytes(top, path), readLink);
    if (end === undefined) return 'it is a link that leads in circles';
    if (!isWithin(end, top)) return 'it is a link that leads out of the repository';
    const target = end.slice(top.length + 1);
    if (hasDotGit(target)) return 'it is a link that leads into .git';
    const pending = [{ file: target, alias: path }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { file, alias } = next;
      if (++aliases > MAX_ALIASES)
        return 'it is a link, and too many files behind links would have to be checked';
      if (view.entryAt(file).kind === 'folder' || file === '') {
        for (const name of view.namesIn(file))
          pending.push({ file: joinBytes(file, name), alias: joinBytes(alias, name) });
      } else if (alias !== path && judgeDenied(toText(alias)) !== undefined) {
        return `it is a link that puts ${toText(file)} where it may not be written, at ${toText(alias)}`;
      }
    }
    return undefined;
  };
}

const slashes = (path: BytePath): BytePath =>
  process.platform === 'win32' ? path.replaceAll('\\', '/') : path;

const MAX_LINKS = 40;

/**
 * Follows every link on an absolute path, one part at a time, whether or not the end exists: a link to a missing file
 * has no real path, but the file can be created later. Undefined if the links lead in circles. Paths have forward
 * slashes.
 */
export function followLinks(
  path: BytePath,
  readLink: (path: BytePath) => BytePath | undefined,
): BytePath | undefined {
  let done = rootOf(path) ?? '/';
  let pending = path.slice(done.length).split('/');
  for (let links = 0; pending.length > 0;) {
    const part = pending.shift() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      done = parentOf(done);
      continue;
    }
    const here = done.endsWith('/') ? `${done}${part}` : `${done}/${part}`;
    const target = readLink(here);
    if (target === undefined) {
      done = here;
      continue;
    }
    if (++links > MAX_LINKS) return undefined;
    const root = rootOf(target);
    pending = [...target.slice(root?.length ?? 0).split('/'), ...pending];
    done = root ?? done;
  }
  return done;
}

const ROOT = process.platform === 'win32' ? /^([A-Za-z]:)?\// : /^\//;
const rootOf = (path: BytePath): BytePath | undefined => ROOT.exec(path)?.[0];

function parentOf(path: BytePath): BytePath {
  const root = rootOf(path) ?? '/';
  const cut = path.lastIndexOf('/');
  return cut < root.length ? root : path.slice(0, cut);
}
