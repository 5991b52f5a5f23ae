import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from '../agent/policy.js';
import { foldersAbove, fromText, joinBytes, toText, type BytePath } from './byte-path.js';
import { openBlobStore, type BlobStore } from './blob-store.js';
import { markOf, readContent, readNamed, walkFiles, type FileTree, type Mark } from './file-walk.js';
import { recordGitFolder, type GitFolder } from './git-folder.js';
import { findIgnored, type IgnoreRules } from './ignore-rules.js';
import { isSubmodule, type IndexEntries } from './index-entries.js';
import { KEEP_LIMITS, planKeeping, type KeepCandidate, type KeepLimits } from './keep-plan.js';
import { isWithin } from './link-target.js';
import { namedByDeny, pathJudge } from './path-policy.js';
import { findRepository, type Repository } from './repository.js';
import { readSettings, readTracked, type GitPlace, type RepositorySettings } from './tracked-files.js';

export interface SnapshotRequest {
  /** Where the agent will work. */
  directory: string;
  policy: Policy;
  /** A trusted git, by absolute path: see findGit. */
  git: string;
  /** A private folder outside the workspace, for what has to be kept. */
  folder: string;
  limits?: KeepLimits;
}

/** The state before the agent: what is needed to say what it changed and to put it back. */
export interface RepositorySnapshot {
  kind: 'repository';
  place: GitPlace;
  repository: Repository;
  settings: RepositorySettings;
  store: BlobStore;
  tree: FileTree;
  tracked: IndexEntries;
  /** Tracked, but not with the content the index names. */
  stale: ReadonlySet<BytePath>;
  /** Behind a filter: git does not keep these bytes, and would filter them again when applying a patch. */
  filtered: ReadonlySet<BytePath>;
  /** Contents that were kept, by path. */
  contents: ReadonlyMap<BytePath, string>;
  ignored: ReadonlySet<BytePath>;
  ignoreRules: IgnoreRules;
  /** Submodules and other repositories below the root. */
  nested: ReadonlySet<BytePath>;
  gitFolders: readonly GitFolder[];
  dotGit: { mark: Mark | undefined; content: Buffer | undefined };
  limits: KeepLimits;
}

export type Snapshot = RepositorySnapshot | { kind: 'not-a-repository'; directory: string };

/** Taken before the agent starts, and before anything of the checkout is set aside. */
export function takeSnapshot(request: SnapshotRequest): Snapshot {
  const repository = findRepository(request.directory);
  if (!repository) return { kind: 'not-a-repository', directory: request.directory };
  const place: GitPlace = { program: request.git, parent: request.folder, repository };
  const settings = readSettings(place);
  const store = openBlobStore(join(request.folder, 'kept'), settings.format);
  const tree = walkFiles(fromText(repository.root), 'skip-git');
  const { entries: tracked, stale, filtered } = readTracked(place, settings, tree);

  const untracked: BytePath[] = [];
  for (const path of tree.files.keys()) if (!tracked.has(path)) untracked.push(path);
  const nested = findNested(tree, tracked);
  const ignoreRules = readIgnoreRules(repository, tree);
  const ours = untracked.filter((path) => !isNested(path, nested));
  const ignored = findIgnored(ours, ignoreRules, place);

  const limits = request.limits ?? KEEP_LIMITS;
  const candidates = listCandidates({ request, repository, tree, stale, untracked, ignored, nested });
  const contents = keepContents(repository, tree, store)(planKeeping(candidates, limits));
  const gitFolders = listGitFolders(repository, tree).map(({ path, label }) =>
    recordGitFolder(path, label, store),
  );
  const dotGit = readDotGit(repository);
  settle(request.folder, newestStamp(tree, gitFolders));
  return {
    kind: 'repository',
    ...{ place, repository, settings, store, tree, tracked, stale, contents, ignored, ignoreRules, nested },
    ...{ filtered, gitFolders, dotGit, limits },
  };
}

/** Whether a path lies in another repository below ours. */
export const isNested = (path: BytePath, nested: ReadonlySet<BytePath>): boolean =>
  nested.size > 0 && foldersAbove(path).some((folder) => nested.has(folder));

function findNested(tree: FileTree, tracked: IndexEntries): Set<BytePath> {
  const submodules: BytePath[] = [];
  for (const [path, entry] of tracked) if (isSubmodule(entry)) submodules.push(path);
  const folders = tree.gitFolders.map((path) => path.slice(0, path.lastIndexOf('/')));
  const files = tree.gitFiles.filter((path) => path.endsWith('/.git'));
  return new Set([...submodules, ...folders, ...files.map((path) => path.slice(0, -'/.git'.length))]);
}

function readIgnoreRules(repository: Repository, tree: FileTree): IgnoreRules {
  const files = readNamed(fromText(repository.root), tree, '.gitignore');
  return { files, exclude: readIfThere(join(repository.commonFolder, 'info', 'exclude')) };
}

interface CandidateQuestion {
  request: SnapshotRequest;
  repository: Repository;
  tree: FileTree;
  stale: ReadonlySet<BytePath>;
  untracked: readonly BytePath[];
  ignored: ReadonlySet<BytePath>;
  nested: ReadonlySet<BytePath>;
}

/** Every file whose content git does not have, with what it is worth to keep it. */
function listCandidates(question: CandidateQuestion): KeepCandidate[] {
  const { request, repository, tree, stale, untracked, ignored, nested } = question;
  const judge = pathJudge(request.policy, repository);
  const isNamed = namedByDeny(request.policy, repository);
  return [...stale, ...untracked].flatMap((path): KeepCandidate[] => {
    const mark = tree.files.get(path);
    if (!mark) return [];
    const { size } = mark;
    if (isNested(path, nested)) return [{ path, size, worth: 'other' }];
    if (!ignored.has(path)) return [{ path, size, worth: 'needed' }];
    if (isNamed(toText(path))) return [{ path, size, worth: 'forbidden' }];
    return judge(toText(path)) === undefined ? [] : [{ path, size, worth: 'other' }];
  });
}

function keepContents(repository: Repository, tree: FileTree, store: BlobStore) {
  const root = fromText(repository.root);
  return (paths: readonly BytePath[]): Map<BytePath, string> => {
    const contents = new Map<BytePath, string>();
    for (const path of paths) {
      const mark = tree.files.get(path);
      const content = mark && readContent(joinBytes(root, path), mark);
      if (content) contents.set(path, store.keep(content));
    }
    return contents;
  };
}

/** The folders of this repository and of those below it; one that holds another is enough. */
function listGitFolders(
  { root, gitFolder, commonFolder }: Repository,
  tree: FileTree,
): { path: BytePath; label: string }[] {
  const own = isWithin(gitFolder.replaceAll('\\', '/'), commonFolder.replaceAll('\\', '/'))
    ? [{ path: fromText(commonFolder), label: '.git' }]
    : [
        { path: fromText(commonFolder), label: '.git' },
        { path: fromText(gitFolder), label: '.git (of this work tree)' },
      ];
  const below = tree.gitFolders.map((path) => ({
    path: joinBytes(fromText(root), path),
    label: toText(path),
  }));
  return [...own, ...below];
}

function readDotGit({ root }: Repository): RepositorySnapshot['dotGit'] {
  const path = joinBytes(fromText(root), '.git');
  const mark = markOf(path);
  return { mark, content: mark && readContent(path, mark) };
}

/** Where stamps are full seconds only, this much more has to pass. */
const COARSE_TICK_MS = 2000;
const POLL_MS = 4;
const MOST_POLLS = 1000;

/**
 * File systems stamp changes with a clock that ticks, and on a busy machine it can lag behind ours. A change
 * made within the tick of the last stamp we saw could go without a trace, so new files are written until one
 * gets a later stamp: from then on everything does.
 */
function settle(folder: string, newest: { ms: number; coarse: boolean }): void {
  const probe = join(folder, 'probe');
  const goal = newest.ms + (newest.coarse ? COARSE_TICK_MS : 0);
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    writeFileSync(probe, String(polls));
    if (statSync(probe).ctimeMs > goal) return;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

function newestStamp(tree: FileTree, gitFolders: readonly GitFolder[]): { ms: number; coarse: boolean } {
  let ms = 0;
  let coarse = true;
  for (const files of [tree.files, ...gitFolders.map((folder) => folder.files)]) {
    for (const { changedMs } of files.values()) {
      if (changedMs > ms) ms = changedMs;
      if (coarse && changedMs % 1000 !== 0) coarse = false;
    }
  }
  return { ms, coarse };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
