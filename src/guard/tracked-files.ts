import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fromText, toBytes, type BytePath } from './byte-path.js';
import type { BlobFormat } from './blob-store.js';
import { readNamed, type FileTree } from './file-walk.js';
import { isSubmodule, parseIndexEntries, type IndexEntries } from './index-entries.js';
import { openPrivateGit, type PrivateGit } from './private-git.js';
import type { Repository } from './repository.js';

/** What of the repository's configuration the guard has to know; read once, before the agent runs. */
export interface RepositorySettings {
  format: BlobFormat;
  fileMode: boolean;
  convertsLineEnds: boolean;
}

export interface GitPlace {
  program: string;
  /** A private folder for what git needs for a moment. */
  parent: string;
  repository: Repository;
}

export function readSettings({ program, parent, repository }: GitPlace): RepositorySettings {
  const git = openPrivateGit({ program, parent, format: 'sha1' });
  try {
    const file = join(repository.commonFolder, 'config');
    const listing = existsSync(file) ? git.call({ args: ['config', '--file', file, '--list', '-z'] }) : '';
    const values = new Map(
      listing
        .toString('utf8')
        .split('\0')
        .map((pair): [string, string] => {
          const cut = pair.indexOf('\n');
          return cut < 0 ? [pair, 'true'] : [pair.slice(0, cut), pair.slice(cut + 1)];
        }),
    );
    return {
      format: values.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
      fileMode: values.get('core.filemode') !== 'false',
      convertsLineEnds:
        process.platform === 'win32' || /^(true|input)$/.test(values.get('core.autocrlf') ?? ''),
    };
  } finally {
    git.close();
  }
}

/** What an index of these bytes lists, or nothing when git cannot read it. */
export function readIndexContent(
  place: GitPlace,
  settings: RepositorySettings,
  content: Buffer,
): IndexEntries | undefined {
  const git = openForIndex(place, settings);
  try {
    writeFileSync(join(git.folder, 'index'), content);
    return listEntries(git);
  } catch {
    return undefined;
  } finally {
    git.close();
  }
}

export interface TrackedFiles {
  entries: IndexEntries;
  /** Paths whose bytes on disk are not, or may not be, those of the object the index names. */
  stale: ReadonlySet<BytePath>;
  /** Paths behind a clean/smudge filter, such as those of LFS. */
  filtered: ReadonlySet<BytePath>;
}

/**
 * What is tracked, and which of it is exactly as the index says. Git decides by the times it remembers and
 * reads what was written in the same second as the index: safe here, because the agent has not run yet.
 */
export function readTracked(place: GitPlace, settings: RepositorySettings, tree: FileTree): TrackedFiles {
  const read = withIndexCopy(place, settings, (git) => {
    const entries = listEntries(git);
    const args = ['diff-files', '--name-only', '--no-renames', '--ignore-submodules=all', '-z'];
    const stale = new Set(splitPaths(git.call({ args })));
    for (const [path, entry] of entries) {
      if (entry.unwatched || entry.conflict || isSubmodule(entry)) stale.add(path);
    }
    const { resized, filtered } = findConverted(git, { place, settings, tree, entries });
    for (const path of [...resized, ...filtered]) stale.add(path);
    return { entries, stale, filtered: new Set(filtered) };
  });
  return read ?? { entries: new Map(), stale: new Set(), filtered: new Set() };
}

/**
 * A copy keeps the real index untouched. Its time is set to the full second of the original's, because git
 * takes entries as young as the index file itself for uncertain and looks into those files.
 */
function withIndexCopy<T>(
  place: GitPlace,
  settings: RepositorySettings,
  use: (git: PrivateGit) => T,
): T | undefined {
  const source = join(place.repository.gitFolder, 'index');
  const stat = statSync(source, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  const git = openForIndex(place, settings);
  try {
    const copy = join(git.folder, 'index');
    copyFileSync(source, copy);
    const second = Math.floor(stat.mtimeMs / 1000);
    utimesSync(copy, second, second);
    return use(git);
  } finally {
    git.close();
  }
}

/** A split index has its other half beside it. */
function openForIndex({ program, parent, repository }: GitPlace, settings: RepositorySettings): PrivateGit {
  const git = openPrivateGit({
    program,
    parent,
    format: settings.format,
    fileMode: settings.fileMode,
    workTree: repository.root,
    objects: join(repository.commonFolder, 'objects'),
  });
  for (const name of listFolder(repository.gitFolder)) {
    if (!name.startsWith('sharedindex.')) continue;
    const half = join(repository.gitFolder, name);
    if (lstatSync(half).isFile()) copyFileSync(half, join(git.folder, name));
  }
  return git;
}

/** The agent may have taken the folder away by now. */
function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const listEntries = (git: PrivateGit): IndexEntries =>
  parseIndexEntries(git.call({ args: ['ls-files', '--stage', '-v', '-z'] }));

interface ConversionQuestion {
  place: GitPlace;
  settings: RepositorySettings;
  tree: FileTree;
  entries: IndexEntries;
}

/**
 * Files that git writes to disk in another form than it keeps them (line ends, LFS, keywords): those whose
 * size is not their object's, and all behind a filter. Only asked where something could convert at all.
 */
function findConverted(
  git: PrivateGit,
  question: ConversionQuestion,
): { resized: BytePath[]; filtered: BytePath[] } {
  const { place, settings, tree, entries } = question;
  const attributes = attributeTexts(place.repository, tree);
  const converts = /\b(text|eol|crlf|filter|ident|working-tree-encoding)\b/.test(attributes);
  if (!converts && !settings.convertsLineEnds) return { resized: [], filtered: [] };
  const files = [...entries].filter(([path, entry]) => tree.files.has(path) && !isSubmodule(entry));
  const input = Buffer.from(files.map(([, entry]) => `${entry.id}\n`).join(''), 'latin1');
  const answer = git.call({ args: ['cat-file', '--batch-check=%(objectsize)'], input });
  const sizes = answer.toString('latin1').split('\n');
  const paths = files.map(([path]) => path);
  return {
    resized: paths.filter((path, at) => String(tree.files.get(path)?.size) !== sizes[at]),
    filtered: /\bfilter\b/.test(attributes) ? findFiltered(question, paths) : [],
  };
}

function findFiltered({ place, settings }: ConversionQuestion, paths: readonly BytePath[]): BytePath[] {
  const git = openPrivateGit({
    program: place.program,
    parent: place.parent,
    format: settings.format,
    workTree: place.repository.root,
    attributes: 'tree',
  });
  try {
    const input = toBytes(paths.map((path) => `${path}\0`).join(''));
    const answer = git.call({ args: ['check-attr', '-z', '--stdin', 'filter'], input });
    const fields = answer.toString('latin1').split('\0');
    return fields.filter((_, at) => at % 3 === 0 && !/^un(set|specified)$/.test(fields[at + 2] ?? 'unset'));
  } finally {
    git.close();
  }
}

function attributeTexts(repository: Repository, tree: FileTree): string {
  const texts = readNamed(fromText(repository.root), tree, '.gitattributes').values();
  const own = join(repository.commonFolder, 'info', 'attributes');
  const ownText = existsSync(own) ? readFileSync(own, 'latin1') : '';
  return [...texts]
    .map((text) => text.toString('latin1'))
    .concat(ownText)
    .join('\n');
}

const splitPaths = (listing: Buffer): BytePath[] => listing.toString('latin1').split('\0').filter(Boolean);
