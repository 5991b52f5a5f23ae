import type { AppliedPatch } from '../git/apply-patch.js';
import { fromText, isText, toText, writePath, type BytePath } from '../git/paths.js';
import { LINK, SUBMODULE, type TreeFile } from '../git/file-store.js';
import { isNeverWritable } from '../permissions/steering-files.js';
import { plural } from '../text/format.js';
import { foldHard, isDotGit, isPlainPath, newPathJudge } from '../text/paths.js';
import { allowTest, ignoreFinder } from '../text/patterns.js';

/** Which files a patch may change. */
interface PathRules {
  /** Only these; all if there are none. */
  paths: readonly string[];
  /** Not these, whatever `paths` says. */
  denyPaths: readonly string[];
}

/** GitHub is asked for one commit, and people read one pull request. A larger change is better split. */
export const MAX_FILES = 1000;
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_TOTAL_BYTES = 100 * 1024 * 1024;

const ORDINARY_MODES = ['100644', '100755'];
const KINDS = new Map([
  [LINK, 'a link'],
  [SUBMODULE, 'a submodule'],
]);

/**
 * Everything that a patch does and may not do, one sentence for each file. It is judged by what git made of the patch,
 * by both sides of each change: a rename also removes a file, and a link that is replaced was a link.
 */
export function judgePatch(
  { changes, namesIn }: Pick<AppliedPatch, 'changes' | 'namesIn'>,
  rules: PathRules,
): string[] {
  if (changes.length > MAX_FILES) {
    const files = plural(changes.length, 'file');
    return [`The patch changes ${files}; at most ${MAX_FILES} can be proposed at once. Split the change.`];
  }
  const judgePath = patchPathJudge(rules);
  const judgeNew = newPathJudge({
    existed: (path) => {
      const [, folder = '', name = path] = /^(.*)\/(.*)$/s.exec(path) ?? [];
      return namesIn('before', fromText(folder)).has(fromText(name));
    },
    namesIn: (folder) => [...namesIn('after', fromText(folder))].map(toText),
  });
  const judgeAfter = (path: string) => {
    const why = judgeNew(path);
    return judgePath(path) ?? (why === undefined ? undefined : `${why}.`);
  };
  const problems = changes.flatMap(({ before, after }) => [
    ...(before ? judgeFile(before, judgePath) : []),
    ...(after ? judgeFile(after, judgeAfter) : []),
  ]);
  return [...new Set(problems)];
}

function judgeFile({ path, mode }: TreeFile, judge: (path: string) => string | undefined): string[] {
  const name = writePath(toText(path));
  if (!ORDINARY_MODES.includes(mode)) {
    const kind = KINDS.get(mode) ?? `of the unknown kind ${mode}`;
    return [`${name} is ${kind}; links and submodules are never proposed.`];
  }
  const why = oddPath(path) ?? judge(toText(path));
  return why === undefined ? [] : [`${name}: ${why}`];
}

/** A path that is never changed, even if it was there before. */
function oddPath(path: BytePath): string | undefined {
  if (!isText(path)) return 'its name is not valid UTF-8.';
  const text = toText(path);
  if (!isPlainPath(text)) return 'it is not a path inside the repository.';
  return text.split('/').some(isDotGit) ? 'it is inside a .git folder.' : undefined;
}

const isHidden = (name: string): boolean => name.startsWith('.');

/**
 * Judges one path. Rules that allow match narrowly: exact in case, and a hidden file or folder needs a pattern that
 * names it (`docs/**` does not allow `docs/.vitepress/config.ts`, but `docs/.vitepress/**` does). Rules that deny match
 * what git would, and also any other case and form of the letters, because some file systems make no such difference,
 * and a file in the place of a folder. No pattern allows a steering file.
 */
export function patchPathJudge({ paths, denyPaths }: PathRules): (path: string) => string | undefined {
  const allowed = paths.map((text) => {
    const pattern = text.normalize('NFC');
    return { test: allowTest(pattern), hidden: new Set(pattern.split('/').filter(isHidden)) };
  });
  const deniedBy = ignoreFinder(denyPaths);
  const folded = new Map(denyPaths.map((pattern) => [foldPattern(pattern), pattern]));
  const deniedInAnyCase = ignoreFinder([...folded.keys()]);
  const findDenied = (path: string) => deniedBy(path) ?? folded.get(deniedInAnyCase(foldHard(path)) ?? '');
  return (path) => {
    if (isNeverWritable(path)) return 'it steers agents or tools; only a person may change it.';
    const denied = findDenied(path) ?? findDenied(`${path}/`);
    if (denied !== undefined) return `deny-paths contains ${writePath(denied)}.`;
    const narrow = path.normalize('NFC');
    const matching = allowed.filter(({ test }) => test(narrow));
    if (allowed.length > 0 && matching.length === 0)
      return 'no pattern in paths allows it; add one to allow it.';
    const hidden = narrow.split('/').filter((name) => isHidden(foldHard(name)));
    const isNamed = matching.some((pattern) => hidden.every((name) => pattern.hidden.has(name)));
    if (hidden.length === 0 || isNamed) return undefined;
    return 'it is hidden (its name or a folder begins with a dot); name it in paths to allow it.';
  };
}

/** A class of capitals would match nothing in a folded path. */
const foldPattern = (pattern: string): string =>
  foldHard(pattern).replace(/\[:(?:upper|lower):\]/g, '[:alpha:]');

/** What is too large to propose. `bytes` is the size of a file after the change. */
export function judgeSizes(files: readonly { path: string; bytes: number }[]): string[] {
  const megabytes = (bytes: number) => `${Math.floor(bytes / (1024 * 1024))} MiB`;
  const large = files.filter(({ bytes }) => bytes > MAX_FILE_BYTES);
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    ...large.map(
      ({ path, bytes }) =>
        `${writePath(path)} has ${megabytes(bytes)}; a file can have at most ${megabytes(MAX_FILE_BYTES)}.`,
    ),
    ...(all > MAX_TOTAL_BYTES
      ? [`The changed files have ${megabytes(all)}; at most ${megabytes(MAX_TOTAL_BYTES)} can be proposed.`]
      : []),
  ];
}
