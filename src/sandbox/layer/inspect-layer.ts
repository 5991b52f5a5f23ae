import { readFileSync, rmSync } from 'node:fs';
import {
  pathsOf,
  writePatch,
  type Hiding,
  type PatchResult,
  type PatchSource,
} from '../../git/change-patch.js';
import type { CheckoutGit } from '../../git/checkout-git.js';
import {
  isAttributes,
  isSubmodule,
  LFS,
  listDifferences,
  type ChangeStatus,
  type FileStore,
  type IndexEntries,
  type Lines,
  type Side,
  type StoredSides,
} from '../../git/file-store.js';
import {
  foldersAbove,
  fromText,
  isWithin,
  joinBytes,
  toBytes,
  toText,
  type BytePath,
  pathFrom,
} from '../../git/paths.js';
import type { Policy } from '../../permissions/policy.js';
import { byPath } from '../../text/paths.js';
import { ABSENT, entryAt, entryBelow, isSameContent, makeReadable, namesIn, readLink } from './file-tree.js';
import { hasNewSecret, secretsInBytes, secretsInFile, type FindKnown } from './find-secrets.js';
import { hasDotGit, judgeChanges, judgeTogether, MAX_FILE_BYTES } from '../../permissions/judge-changes.js';
import type { Layer } from './layer.js';
import type {
  FileState,
  LayerChange,
  LayerEntry,
  LayerView,
  Violation,
} from '../../permissions/layer-change.js';

interface InspectionRequest {
  layer: Layer;
  tampering: readonly Violation[];
  checkout: string;
  directory: string;
  policy: Policy;
  /** Undefined if there is no repository or no git. Then there is no patch. */
  git?: CheckoutGit | undefined;
  /** Other repositories in the checkout, by the paths of their `.git` from its top. */
  nestedGit: readonly string[];
  findKnown: FindKnown;
}

/** One file that the agent changed, by its path from the top of the repository. */
export type ChangedPath = ChangeStatus & { path: string; lines: Lines };

export interface Inspection {
  changes: ChangedPath[];
  /** The number of changed files that git ignores. They stay in the layer. */
  ignored: number;
  violations: Violation[];
  /** The changes without a violation, and the changes with one. */
  allowed: LayerChange[];
  refused: LayerChange[];
  root: string;
  /** Where the file is that a change leaves: as git checks it out, or as the agent left it where git does not store it. */
  sourceOf(change: LayerChange): BytePath;
  /** Writes some of these changes as a patch. Without changes no file is written. */
  writePatch(changes: readonly LayerChange[], file: string, hiding: Hiding): PatchResult;
  close(): void;
}

/** Reads the layer after the agent and all its processes have ended, and the files it changed in the checkout. */
export function inspectLayer(request: InspectionRequest): Inspection {
  const { layer, checkout, directory, policy, git } = request;
  const root = git?.repository.root ?? checkout;
  const prefix = fromText(pathFrom(checkout, root));
  const tops = { before: fromText(root), after: joinBytes(layer.written, prefix) };
  const { inside, outside } = splitByRepository(layer.changes(), prefix);
  const tampering = [...layer.tampering(), ...request.tampering];
  for (const { path, after } of inside) prepareForGit(joinBytes(tops.after, path), after);
  const tracked: IndexEntries =
    git && inside.length > 0 ? git.tracked(inside.map(({ path }) => path)) : new Map();
  const ignored = git ? git.ignored(untracked(inside, tracked)) : new Set<BytePath>();
  const candidates = inside.filter(({ path }) => !ignored.has(path));
  const stored = git && candidates.length > 0 ? storeFiles(candidates, { git, tracked, tops }) : undefined;
  // A file that git stores as before (for example with other line endings) did not change, unless it got more rights.
  const counted = candidates.filter(
    ({ path, after }) =>
      !stored ||
      stored.paths.has(path) ||
      stored.omitted.has(path) ||
      (after.kind === 'file' && after.privileged),
  );
  const nested = nestedFolders(request, prefix, tracked);
  const view = viewOfRepository(prefix, layer.view);
  const existed = (path: BytePath) => entryBelow(tops.before, path).kind !== 'absent';
  const judged = judgeChanges(counted, { policy, root, directory, nested, existed, view });
  const sourceOf = ({ path }: LayerChange) =>
    joinBytes(stored?.written.has(path) ? stored.checkedOut : tops.after, path);
  const violations: Violation[] = [
    ...tampering,
    ...outside.map(({ path }) => ({ path: toText(path), reason: 'it is outside of the repository' })),
    ...onePerChange([
      ...judgeSecrets(counted, { stored, tops, sourceOf, findKnown: request.findKnown }),
      ...judged,
      ...(stored ? [...judgeOmitted(stored), ...judgeConverted(stored), ...judgeRenames(stored)] : []),
    ]),
  ];
  const refused = new Set(violations.flatMap(({ change }) => change ?? []));
  // Each change that is left out can be one that others rely on.
  for (;;) {
    const chosen = counted.filter(({ path }) => !refused.has(path));
    const view = viewOfCheckout(tops.before, { chosen, sourceOf });
    const more = [
      ...judgeTogether(chosen, { policy, root, directory, view }),
      ...(stored ? judgeAttributes(stored, { inside, chosen }) : []),
    ];
    if (more.length === 0) break;
    violations.push(...more);
    for (const { change } of more) if (change !== undefined) refused.add(change);
  }
  const unlisted = counted.filter(({ path }) => !stored?.paths.has(path)).map(plainChange);
  return {
    changes: [...(stored?.listed ?? []), ...unlisted].sort(byPath),
    ignored: ignored.size,
    violations,
    allowed: counted.filter(({ path }) => !refused.has(path)),
    refused: counted.filter(({ path }) => refused.has(path)),
    root,
    sourceOf,
    writePatch: (changes, file, hiding) =>
      writePatch(stored, { paths: changes.map(({ path }) => path), file, ...hiding }),
    close: () => stored?.store.close(),
  };
}

/** Git fails on a file that it may not read, and would wait for a pipe named .gitattributes. */
function prepareForGit(path: BytePath, state: FileState): void {
  if (state.kind === 'special') rmSync(toBytes(path), { force: true });
  if (state.kind === 'file') makeReadable(path);
}

function splitByRepository(
  changes: readonly LayerChange[],
  prefix: BytePath,
): Record<'inside' | 'outside', LayerChange[]> {
  const inside = changes.flatMap((change) => {
    const path = pathInRepository(prefix, change.path);
    return path === undefined ? [] : [{ ...change, path }];
  });
  return { inside, outside: changes.filter(({ path }) => pathInRepository(prefix, path) === undefined) };
}

/** A path from the top of the repository; undefined if it is outside. */
function pathInRepository(prefix: BytePath, path: BytePath): BytePath | undefined {
  if (prefix === '') return path;
  return isWithin(path, prefix) ? path.slice(prefix.length + 1) : undefined;
}

const viewOfRepository = (prefix: BytePath, view: LayerView): LayerView => ({
  entryAt: (path) => view.entryAt(joinBytes(prefix, path)),
  linkAt: (path) => view.linkAt(joinBytes(prefix, path)),
  namesIn: (path) => view.namesIn(joinBytes(prefix, path)),
});

interface ViewedChanges {
  chosen: readonly LayerChange[];
  sourceOf: Inspection['sourceOf'];
}

/** The checkout as it would be with these changes. */
function viewOfCheckout(top: BytePath, { chosen, sourceOf }: ViewedChanges): LayerView {
  const changes = new Map(chosen.map((change) => [change.path, change]));
  // The names of the files that the changes leave, and of the folders above them, by the folder that they are in.
  const written = new Map<BytePath, Set<BytePath>>();
  for (const { path, after } of chosen)
    if (after.kind !== 'absent')
      for (const at of [path, ...foldersAbove(path)]) {
        const cut = at.lastIndexOf('/');
        const folder = at.slice(0, Math.max(cut, 0));
        written.set(folder, (written.get(folder) ?? new Set()).add(at.slice(cut + 1)));
      }
  const entry = (path: BytePath): LayerEntry => {
    const change = changes.get(path);
    if (change && change.after.kind !== 'absent') return change.after;
    const former = change ? ABSENT : entryBelow(top, path);
    return former.kind === 'absent' && written.has(path) ? { kind: 'folder' } : former;
  };
  return {
    // What a folder of the checkout holds stays visible where a file is to take its place, because it would be in the way.
    entryAt: entry,
    linkAt: (path) => {
      const change = changes.get(path);
      return readLink(change ? sourceOf(change) : joinBytes(top, path));
    },
    namesIn: (folder) => {
      const former = entryBelow(top, folder).kind === 'folder' ? namesIn(joinBytes(top, folder)) : [];
      return [...new Set([...former, ...(written.get(folder) ?? [])])].filter(
        (name) => entry(joinBytes(folder, name)).kind !== 'absent',
      );
    },
  };
}

/** Rules do not apply to a tracked file. */
const untracked = (changes: readonly LayerChange[], tracked: IndexEntries): BytePath[] =>
  changes.map(({ path }) => path).filter((path) => !tracked.has(path) && !hasDotGit(path));

function nestedFolders(
  { nestedGit }: InspectionRequest,
  prefix: BytePath,
  tracked: IndexEntries,
): Set<BytePath> {
  const folders = nestedGit
    .map((entry) => fromText(entry.replace(/\/?\.git$/i, '')))
    .filter((folder) => folder !== prefix)
    .flatMap((folder) => pathInRepository(prefix, folder) ?? []);
  const submodules = [...tracked].filter(([, entry]) => isSubmodule(entry)).map(([path]) => path);
  return new Set([...folders, ...submodules]);
}

function storeFiles(
  changes: readonly LayerChange[],
  { git, tracked, tops }: { git: CheckoutGit; tracked: IndexEntries; tops: Tops },
): StoredChanges {
  const filters = git.filters(changes.map(({ path }) => path));
  const store = git.openStore();
  try {
    const unknown = findUnknown(changes, { tracked, store });
    const omitted = new Map<BytePath, string>();
    for (const change of changes) {
      const why = findObstacle(change, unknown);
      if (why !== undefined) omitted.set(change.path, why);
    }
    const stays = changes.filter(({ path }) => !omitted.has(path));
    // A filter could have written anything there, so only the index says what git has.
    const kept = stays.map(({ path }) => path).filter((path) => filters.has(path) && tracked.has(path));
    const isKept = new Set(kept);
    const side = (which: Side) => ({
      top: toText(tops[which]),
      paths: stays
        .filter(
          ({ path, [which]: state }) => state.kind !== 'absent' && (which === 'after' || !isKept.has(path)),
        )
        .map(({ path }) => path),
    });
    const sides = store.store({ before: side('before'), after: side('after'), kept }, tracked);
    const files = stays.filter(({ after }) => after.kind === 'file').map(({ path }) => path);
    const listed = listDifferences(store.git, sides.trees);
    return {
      store,
      git: store.git,
      tops,
      trees: sides.trees,
      listed,
      omitted,
      contentsOf: (path) => [tops.before, tops.after].map((top) => contentAt(joinBytes(top, path))),
      paths: new Set(listed.flatMap(pathsOf)),
      written: new Set(files),
      checkedOut: sides.checkOut(files),
      checkOutPart: sides.checkOutPart,
      filters: sides.filters(files),
      encoded: new Set(sides.encoded(files)),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** New files where git has one that was not checked out, and whose content this clone does not have. */
function findUnknown(
  changes: readonly LayerChange[],
  { tracked, store }: { tracked: IndexEntries; store: FileStore },
): Set<BytePath> {
  const entries = changes.flatMap(({ path, before }) => {
    const entry = before.kind === 'absent' ? tracked.get(path) : undefined;
    return entry && !isSubmodule(entry) ? [{ path, id: entry.id }] : [];
  });
  const missing = store.missing(entries.map(({ id }) => id));
  return new Set(entries.filter(({ id }) => missing.has(id)).map(({ path }) => path));
}

function findObstacle(
  { path, before, after }: LayerChange,
  unknown: ReadonlySet<BytePath>,
): string | undefined {
  if (hasDotGit(path)) return 'git does not add files of another repository';
  if (before.kind === 'special' || after.kind === 'special') return 'it is neither a file nor a link';
  if ([before, after].some((state) => state.kind === 'file' && state.bytes > MAX_FILE_BYTES))
    return 'it is larger than 100 MiB';
  if (unknown.has(path)) return 'git has a file there, whose content is not in this clone';
  const isLink = before.kind === 'link' || after.kind === 'link';
  return isLink && /(^|\/)\.gitmodules$/i.test(path) ? 'git does not add a link of this name' : undefined;
}

function plainChange({ path, before, after }: LayerChange): ChangedPath {
  const rest = { path: toText(path), lines: { kind: 'unknown' } } as const;
  if (after.kind === 'absent') return { status: 'deleted', ...rest };
  if (after.kind === 'link') return { status: 'symlink', ...rest };
  return { status: before.kind === 'absent' ? 'added' : 'modified', ...rest };
}

/** The first violation of each change is the most important one. */
function onePerChange(violations: readonly Violation[]): Violation[] {
  const known = new Set<BytePath | undefined>();
  return violations.filter(({ change }) => !known.has(change) && known.add(change));
}

interface SecretQuestion {
  stored: StoredChanges | undefined;
  tops: Tops;
  sourceOf: Inspection['sourceOf'];
  findKnown: FindKnown;
}

/** A secret that was in the file before is not news, and neither is one in a path that was there before. */
function judgeSecrets(
  changes: readonly LayerChange[],
  { stored, tops, sourceOf, findKnown }: SecretQuestion,
): Violation[] {
  const former = new Map<BytePath, BytePath>();
  for (const { status, before, after } of stored?.listed ?? [])
    if (status === 'renamed' && before && after) former.set(after.path, before.path);
  const encoded = new Map(
    stored?.listed.flatMap(({ after }) =>
      after && stored.encoded.has(after.path) ? [[after.path, after.id] as const] : [],
    ),
  );
  const inBytes = (text: BytePath) => secretsInBytes(toBytes(text), findKnown);
  const isNew = (change: LayerChange): boolean => {
    const { path, before, after } = change;
    if (after.kind === 'absent' || after.kind === 'special') return false;
    if (before.kind === 'absent' && inBytes(path).size > 0) return true;
    const source = sourceOf(change);
    const original = joinBytes(tops.before, former.get(path) ?? path);
    const was = entryAt(original);
    const wasLink = () => (was.kind === 'link' ? inBytes(readLink(original)) : new Map<string, number>());
    if (after.kind === 'link') return hasNewSecret(inBytes(readLink(source)), wasLink());
    // A larger file is never applied.
    if (after.bytes > MAX_FILE_BYTES) return false;
    const id = encoded.get(path);
    if (id !== undefined && stored) {
      const blob = stored.store.git.call({ args: ['cat-file', 'blob', id] });
      if (secretsInBytes(blob, findKnown).size > 0) return true;
    }
    const now = secretsInFile(source, findKnown);
    const wasThere = () =>
      was.kind === 'file' ? secretsInFile(original, findKnown) : new Map<string, number>();
    return now.size > 0 && hasNewSecret(now, wasThere());
  };
  return changes.filter(isNew).map(({ path }) => ({
    path: toText(path),
    reason: 'it contains a secret that this run knows, in its content, its name or its link target',
    change: path,
    isSecret: true,
  }));
}

/** Nothing is applied that people cannot read in the patch. */
const judgeOmitted = ({ omitted }: StoredChanges): Violation[] =>
  [...omitted].map(([path, why]) => ({
    path: toText(path),
    reason: `it cannot be in a patch: ${why}`,
    change: path,
  }));

/** What git checks out must be what the agent left, except for line endings. Otherwise the patch hides something. */
function judgeConverted({ written, filters, checkedOut, tops }: StoredChanges): Violation[] {
  return [...written].flatMap((path) => {
    const left = joinBytes(tops.after, path);
    const reason = judgeFilter(left, filters.get(path)) ?? judgeDifference(left, joinBytes(checkedOut, path));
    return reason === undefined ? [] : [{ path: toText(path), reason, change: path }];
  });
}

function judgeFilter(left: BytePath, filter: string | undefined): string | undefined {
  if (filter === undefined) return undefined;
  if (filter !== LFS) return `git stores it through the filter ${filter}, and filters are not run here`;
  return isLfsPointer(left)
    ? undefined
    : 'git stores it with LFS, and it is not an LFS pointer; filters are not run here';
}

/** LFS takes a larger file for content. */
const MAX_POINTER_BYTES = 1024;
const LFS_POINTER =
  /^version https:\/\/[a-z0-9./-]+\n(?:ext-\d-\S+ sha256:[0-9a-f]{64}\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n$/;

function isLfsPointer(path: BytePath): boolean {
  const entry = entryAt(path);
  if (entry.kind !== 'file' || entry.bytes > MAX_POINTER_BYTES) return false;
  // LFS stores an empty file as it is.
  return entry.bytes === 0 || LFS_POINTER.test(readFileSync(toBytes(path), 'latin1'));
}

function judgeDifference(left: BytePath, checkedOut: BytePath): string | undefined {
  if (isSameContent(left, checkedOut)) return undefined;
  const [first, second] = [left, checkedOut].map((path) => normalise(readFileSync(toBytes(path), 'latin1')));
  return first === second
    ? undefined
    : 'git would check it out with other content than the agent left (ident or working-tree-encoding of .gitattributes)';
}

/**
 * What git reads attributes from can be refused, or ignored, and the rest is then checked out in another way. The patch
 * has the rest only, so that must make no difference.
 */
function judgeAttributes(
  { written, checkOutPart, checkedOut }: StoredChanges,
  { inside, chosen }: { inside: readonly LayerChange[]; chosen: readonly LayerChange[] },
): Violation[] {
  const changed = new Set(chosen.map(({ path }) => path));
  if (!inside.some(({ path }) => isAttributes(path) && !changed.has(path))) return [];
  const files = [...changed].filter((path) => written.has(path));
  const part = checkOutPart(files, changed);
  return files
    .filter((path) => !isSameContent(joinBytes(checkedOut, path), joinBytes(part, path)))
    .map((path) => ({
      path: toText(path),
      reason: 'git would check it out with other content without the .gitattributes that are left out',
      change: path,
    }));
}

/** Carriage returns before a line feed, in any width and byte order. */
const CARRIAGE_RETURN = /\r(?=\n)|\r\0(?=\n\0)|\0\r(?=\0\n)|\r\0{3}(?=\n\0{3})|\0{3}\r(?=\0{3}\n)/g;
/** What git writes for `ident`. The id is that of the file before the change, or of the one it was copied from. */
const IDENT = /\$Id: [0-9a-f]{40}(?:[0-9a-f]{24})? \$/g;

const normalise = (content: string): string => content.replace(CARRIAGE_RETURN, '').replace(IDENT, '$$Id$$');

/** A file that was renamed and got another mode at the same time counts as a change of mode. */
const judgeRenames = ({ listed }: StoredChanges): Violation[] =>
  listed.flatMap(({ status, path, before, after }) =>
    status === 'renamed' && before?.mode !== after?.mode && after
      ? [{ path, reason: 'it was renamed, and made executable or no longer executable', change: after.path }]
      : [],
  );

type Tops = Record<Side, BytePath>;

interface StoredChanges extends PatchSource {
  store: FileStore;
  tops: Tops;
  /** The files that the changes leave, as git checks them out below a folder. */
  written: ReadonlySet<BytePath>;
  checkedOut: BytePath;
  checkOutPart: StoredSides['checkOutPart'];
  /** Those of them that git would write through a filter, with its name. */
  filters: ReadonlyMap<BytePath, string>;
  /** Those of them that git stores in another encoding. */
  encoded: ReadonlySet<BytePath>;
  /** Every path that git lists. For a rename, both paths. */
  paths: ReadonlySet<BytePath>;
}

const contentAt = (path: BytePath): string =>
  entryAt(path).kind === 'file' ? readFileSync(toBytes(path), 'latin1') : '';
