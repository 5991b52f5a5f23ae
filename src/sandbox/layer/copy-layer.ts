import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { countProgress } from '../../core/progress.js';
import { sharedIndexesIn, type CheckoutGit } from '../../git/checkout-git.js';
import { differingEntries } from '../../git/file-store.js';
import { fromText, isWithin, joinBytes, toText, type BytePath, pathFrom } from '../../git/paths.js';
import { copyIfPresent, withoutCredentials, type Repository } from '../../git/repository.js';
import type { LayerChange, Violation } from '../../permissions/layer-change.js';
import { removeLayer, type PrivilegeSource } from '../namespace/isolate.js';
import {
  asFile,
  copyTree,
  entryBelow,
  filesBelow,
  ifReadable,
  isSameState,
  namesIn,
  readLink,
  statAt,
} from './file-tree.js';
import {
  carryFiles,
  currentLayer,
  findTampering,
  isArranged,
  plantFiles,
  type Layer,
  type LayerRequest,
} from './layer.js';

interface CopyRequest extends LayerRequest {
  /** If the program is isolated, it sees the copy in the place of the checkout. */
  privilege?: PrivilegeSource | undefined;
  git?: CheckoutGit | undefined;
  /** Leaves out what git ignores. An agent that cannot run commands does not need it. */
  skipsIgnored: boolean;
  /** Called while something takes long, with what it is and the number of files until then. */
  onProgress: (work: string, files: number) => void;
}

/** Files that are younger than this when the agent starts are compared by content, as a change can keep their times. */
const YOUNG_MS = 2000;

/** A layer made by copying, for machines on which the kernel cannot make one. */
export function openCopy(request: CopyRequest): Layer {
  const { checkout, folder, plan, privilege } = request;
  const current = currentLayer(folder);
  const [top, original] = [fromText(current), fromText(checkout)];
  const planted = join(folder, 'planted');
  mkdirSync(planted, { recursive: true });
  // The copy is arranged already.
  const setup = {
    ...{ root: checkout, access: request.access, absent: [], locked: plan.locked },
    planted: { folder: planted, files: new Map(), paths: [] },
  };
  const isOurs = isArranged(plan);
  let made = makeCopy(request, current);
  const { dotGit } = made;
  const isInGit = (path: BytePath) => dotGit !== undefined && isWithin(path, fromText(dotGit));
  let renewals = 0;
  const searchOf = (work: string) => progressOf(request, work);
  const recordCopy = () => recordFiles(top, new Set(), searchOf('Searching the copy'));
  const checkCheckout = () => checkoutTampering(request, made, searchOf('Searching the checkout'));
  return {
    seen: privilege === undefined ? current : checkout,
    written: top,
    mountFor: () =>
      privilege === undefined ? undefined : { by: current, as: 'copy', setup, onReady: () => undefined },
    renew() {
      renewals += 1;
      renameSync(current, join(folder, `old-${renewals}`));
      // At the end, the checkout is compared with what it was before the first start.
      const { originals, realGit } = made;
      made = { ...makeCopy(request, current), originals, realGit };
    },
    changes: () =>
      findChanges(top, original, { ...made, onFile: searchOf('Searching the copy for changes') }).filter(
        (change) => !isOurs(change) && !isInGit(change.path),
      ),
    tampering: () => [
      ...findTampering(plan, top),
      ...(privilege === undefined ? [...gitTampering(request, made), ...checkCheckout()] : []),
    ],
    view: {
      entryAt: (path) => entryBelow(top, path),
      linkAt: (path) => readLink(joinBytes(top, path)),
      namesIn: (path) => namesIn(joinBytes(top, path), 'force'),
    },
    watch() {
      if (privilege !== undefined) return () => [];
      const before = recordCopy();
      return () => [
        ...compareRecords(before, recordCopy()).map(toText),
        ...checkCheckout().map(({ path }) => path),
      ];
    },
    close: () => {
      removeLayer(folder, privilege);
    },
  };
}

const progressOf = ({ onProgress }: CopyRequest, work: string): (() => void) =>
  countProgress((files) => {
    onProgress(work, files);
  });

interface MadeCopy {
  /** Where `.git` is below the top of the checkout; undefined if it is above, or there is none. */
  dotGit: string | undefined;
  /** What was copied, with the stamp of each copy. */
  copies: ReadonlyMap<BytePath, string>;
  /** What is left out of the copy and may change: what git ignores, and git's own files. */
  unwatched: ReadonlySet<BytePath>;
  /** Every other file of the checkout, if the agent could reach it. */
  originals: ReadonlyMap<BytePath, string>;
  /** Git's own files in the copy and in the checkout, if the agent could reach them. */
  copiedGit: ReadonlyMap<string, string>;
  realGit: ReadonlyMap<string, string>;
  finishedMs: number;
}

function makeCopy(request: CopyRequest, current: string): MadeCopy {
  const { checkout, plan, git, skipsIgnored } = request;
  const isIsolated = request.privilege !== undefined;
  const [top, original] = [fromText(current), fromText(checkout)];
  const dotGit = dotGitBelow(checkout, git);
  const copied: BytePath[] = [];
  const countCopied = progressOf(request, 'Copying the checkout');
  const countRecorded = progressOf(request, 'Recording the checkout');
  const unwatched = new Set([
    ...(skipsIgnored && git ? ignoredBelow(checkout, git) : []),
    ...(dotGit === undefined ? [] : [fromText(dotGit)]),
  ]);
  copyTree({
    from: original,
    to: top,
    without: new Set([...unwatched, ...plan.absent]),
    onEntry: (path) => {
      copied.push(path);
      countCopied();
    },
  });
  plantFiles(request, top);
  if (git && dotGit !== undefined) placeGit(git, join(current, dotGit), isIsolated);
  const isReachable = git !== undefined && !isIsolated;
  const copies = new Map(copied.map((path) => [path, stampOf(statAt(joinBytes(top, path)))]));
  carryFiles(request, top);
  return {
    ...{ dotGit, copies },
    unwatched,
    originals: isIsolated ? new Map() : recordFiles(original, unwatched, countRecorded),
    copiedGit: isReachable && dotGit !== undefined ? recordGit(join(current, dotGit), byContent) : new Map(),
    realGit: isReachable ? recordGit(git.repository.gitFolder, byTimes) : new Map(),
    finishedMs: Date.now(),
  };
}

/** An isolated agent sees the real `.git` in this place, read-only. Otherwise it gets a copy. */
function placeGit(git: CheckoutGit, target: string, isIsolated: boolean): void {
  if (!isIsolated) copyGit(git.repository, target);
  else if (statSync(join(git.repository.root, '.git')).isDirectory()) mkdirSync(target);
  else writeFileSync(target, '');
}

function dotGitBelow(checkout: string, git: CheckoutGit | undefined): string | undefined {
  if (!git) return undefined;
  const path = pathFrom(checkout, join(git.repository.root, '.git'));
  return path.startsWith('..') ? undefined : path;
}

function ignoredBelow(checkout: string, git: CheckoutGit): BytePath[] {
  const prefix = fromText(pathFrom(checkout, git.repository.root));
  return [...git.ignoredPaths()].map((path) => joinBytes(prefix, path));
}

function recordFiles(
  top: BytePath,
  unwatched: ReadonlySet<BytePath>,
  onFile: () => void,
): Map<BytePath, string> {
  const record = new Map<BytePath, string>();
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const name of ifReadable(() => namesIn(joinBytes(top, folder))) ?? []) {
      const path = joinBytes(folder, name);
      const stat = unwatched.has(path) ? undefined : statAt(joinBytes(top, path));
      if (stat?.isDirectory() === true) pending.push(path);
      else if (stat) record.set(path, stampOf(stat));
      onFile();
    }
  }
  return record;
}

function findChanges(
  top: BytePath,
  original: BytePath,
  made: MadeCopy & { onFile: () => void },
): LayerChange[] {
  const changes: LayerChange[] = [];
  const consider = (path: BytePath) => {
    const [before, after] = [asFile(entryBelow(original, path)), asFile(entryBelow(top, path))];
    if (!isSameState(joinBytes(top, path), joinBytes(original, path), { before, after }))
      changes.push({ path, before, after });
  };
  const now = new Set(filesBelow(top, '', 'force'));
  for (const path of now) {
    made.onFile();
    const stat = statAt(joinBytes(top, path));
    const isOld = stat !== undefined && stat.ctimeMs < made.finishedMs - YOUNG_MS;
    if (!isOld || made.copies.get(path) !== stampOf(stat)) consider(path);
  }
  for (const [path, stamp] of made.copies) if (stamp !== FOLDER && !now.has(path)) consider(path);
  return changes;
}

/** The agent's git rewrites its index whenever it looks at files. Only different entries count. */
function gitTampering({ git, folder }: CopyRequest, made: MadeCopy): Violation[] {
  const { dotGit } = made;
  if (!git || dotGit === undefined) return [];
  const path = join(currentLayer(folder), dotGit);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    return [{ path: dotGit, reason: 'it was replaced by something else' }];
  const isSameIndex = () =>
    differingEntries(git.indexEntries(), git.indexEntries(join(path, 'index'))).length === 0;
  return compareRecords(made.copiedGit, recordGit(path, byContent))
    .filter((name) => name !== 'index' || !isSameIndex())
    .map((name) => ({ path: `${dotGit}/${name}`, reason: describeGitFile(name) }));
}

/** An agent that is not isolated can find the checkout itself. What it did there cannot be undone. */
function checkoutTampering({ checkout, git }: CopyRequest, made: MadeCopy, onFile: () => void): Violation[] {
  const now = recordFiles(fromText(checkout), made.unwatched, onFile);
  const changed = compareRecords(made.originals, now);
  const ignored = git ? git.ignored(changed) : new Set<BytePath>();
  const inGit = git ? compareRecords(made.realGit, recordGit(git.repository.gitFolder, byTimes)) : [];
  return [
    ...changed.filter((path) => !ignored.has(path)).map(toText),
    ...inGit.map((name) => `.git/${name}`),
  ].map((path) => ({ path, reason: 'it was changed in the checkout itself, not in the agent’s copy of it' }));
}

/** What git needs from a repository besides its objects. Hooks and logs are not copied. */
const OF_WORK_TREE = ['HEAD', 'index', 'info/sparse-checkout'];
const OF_REPOSITORY = ['packed-refs', 'shallow', 'info/exclude', 'info/attributes'];

/**
 * Makes a `.git` for the copy, without credentials. The agent can ask git about the repository, and no command
 * changes the real one. The objects are not copied but read from the real one.
 */
function copyGit({ gitFolder, commonFolder }: Repository, target: string): void {
  mkdirSync(join(target, 'objects', 'info'), { recursive: true });
  writeFileSync(join(target, 'objects', 'info', 'alternates'), `${join(commonFolder, 'objects')}\n`);
  mkdirSync(join(target, 'refs'), { recursive: true });
  for (const name of [...OF_WORK_TREE, ...sharedIndexesIn(gitFolder)])
    copyIfPresent(join(gitFolder, name), join(target, name));
  for (const name of OF_REPOSITORY) copyIfPresent(join(commonFolder, name), join(target, name));
  const refs = join(commonFolder, 'refs');
  if (existsSync(refs)) cpSync(refs, join(target, 'refs'), { recursive: true });
  const config = withoutCredentials(readFileSync(join(commonFolder, 'config'), 'utf8'));
  writeFileSync(join(target, 'config'), config.replace(/^\s*(worktree|bare) = .*\n/gm, ''));
}

/** Objects have no effect until something names them, and LFS files are named by their content. */
const UNWATCHED = /(^|\/)(objects|lfs)$/;

/** Records the files of a repository folder, each with what identifies its content. */
function recordGit(folder: string, identify: (path: string) => string): Map<string, string> {
  const record = new Map<string, string>();
  const pending = [''];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory()) record.set(path, identify(join(folder, path)));
      else if (!UNWATCHED.test(path)) pending.push(path);
    }
  }
  return record;
}

function byContent(path: string): string {
  const stat = lstatSync(path);
  return stat.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : `${stat.mode}`;
}

const byTimes = (path: string): string => stampOf(lstatSync(path));

const FOLDER = 'folder';

/**
 * The stamp of a file changes with every write, change of mode and replacement, because each changes at least the ctime
 * or the inode. All folders have the same stamp, and it is empty where nothing is.
 */
function stampOf(stat: Stats | undefined): string {
  if (!stat) return '';
  if (stat.isDirectory()) return FOLDER;
  const { mode, size, ino, mtimeMs, ctimeMs } = stat;
  return [mode, size, ino, mtimeMs, ctimeMs].join(' ');
}

function compareRecords(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

export function describeGitFile(name: string): string {
  if (name === 'index') return 'files were staged or unstaged';
  if (name === 'HEAD') return 'another commit or branch was checked out';
  if (name === 'packed-refs' || name.startsWith('refs/'))
    return 'a branch, tag or other reference was changed';
  if (name === 'config' || name === 'config.worktree')
    return 'git’s configuration was changed, which can run programs';
  if (name.startsWith('hooks/')) return 'a git hook was written, which git commands would run';
  if (name.startsWith('info/')) return 'git’s rules on what to ignore or convert were changed';
  return 'a file of git’s own was changed';
}
