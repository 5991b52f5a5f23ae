import { hunksByPath, type LineRange } from '../git/diff.js';
import { GithubError } from '../github/github-error.js';
import { MAX_COUNTED_BYTES } from '../review/check-findings.js';
import type { Finding } from '../report/model.js';
import { countTextLines, fileFinder, findEntry, type GitEntry } from '../review/find-file.js';
import { hashCode, linesOf } from '../review/finding-id.js';
import { findingJudge, type CheckedChange } from '../review/judge-finding.js';
import { withPlaces, type Publication } from './publication.js';
import type { PullRequestApi } from './pull-request-api.js';

/** What the findings are looked up in: a commit that GitHub or the event vouches for, and the change up to it. */
export type ReviewedCommit =
  { kind: 'known'; commit: string; change: CheckedChange | undefined } | ({ kind: 'unknown' } & Unknown);

interface Unknown {
  why: string;
  /** A permission is missing, or there are too many: the author of the change can bring that about. */
  isRefused?: boolean;
}

/** The reason that GitHub gives. Throws errors of any other kind. */
export function refusalOf(error: unknown): Unknown {
  if (!(error instanceof GithubError) || !error.mayLackPermission) throw error;
  return { why: error.message, isRefused: error.failure.status === 403 };
}

type Contents = Pick<PullRequestApi, 'folder' | 'blob'>;

/** For all findings together. What is on lines that the diff shows needs none. */
const MAX_REQUESTS = 200;
const MANY_FILES = `GitHub was asked ${MAX_REQUESTS} times about files outside the change, which is the limit.`;

/**
 * Judges every finding of the reports by what GitHub says about the reviewed commit. A report cannot make a place real;
 * it can only say that the workflow leaves a file out. What cannot be looked up is set aside.
 */
export async function lookUpPlaces(
  api: Contents,
  publication: Publication,
  reviewed: ReviewedCommit,
): Promise<Publication> {
  if (reviewed.kind === 'unknown')
    return { ...withReason(publication, reviewed), isOtherCommit: reviewed.isRefused !== true };
  if (publication.reported.length === 0) return publication;
  const { commit, change } = reviewed;
  const excluded = new Set<Finding>(publication.reported.filter(({ isExcluded = false }) => isExcluded));
  const tree = openTree(api, commit);
  const files = hunksByPath(change?.files ?? []);
  const codeOf = (finding: Finding) => hashCode(finding, { files, readLines: tree.readLines });
  for (;;) {
    const missing = new Set<string>();
    const findFile = (path: string) => {
      if (tree.lacks(path)) missing.add(path);
      return tree.findFile(path);
    };
    const isExcluded = (_path: string, finding: Finding) => excluded.has(finding);
    const place = findingJudge({ change, findFile, isExcluded });
    const judge = () => ({ ...withPlaces(publication, place), codeOf });
    const judged = judge();
    const why = await tree.read(missing);
    // What was read until then counts.
    if (why) return withReason(judge(), why);
    if (missing.size === 0) return judged;
  }
}

/** Some findings could not be looked up. The next run would know nothing of them, so nothing counts as reviewed. */
export const withReason = (publication: Publication, { why, isRefused = false }: Unknown): Publication => ({
  ...publication,
  reviewed: undefined,
  whyUnknown: why,
  mayNotLook: isRefused,
});

/** The files of a commit, read one folder and one file at a time. */
function openTree(api: Contents, commit: string) {
  /** By path and by id. Undefined if GitHub does not tell. */
  const folders = new Map<string, readonly GitEntry[] | undefined>();
  const counts = new Map<string, number | undefined>();
  const texts = new Map<string, Buffer>();
  let requests = 0;
  const idOf = (folder: string): string => {
    const at = folder.lastIndexOf('/');
    const name = folder.slice(at + 1);
    if (folder === '') return commit;
    return folders.get(folder.slice(0, Math.max(at, 0)))?.find((entry) => entry.name === name)?.id ?? '';
  };
  const readFolder = (folder: string) => folders.get(folder);
  /** The request that is needed next to find a file; undefined if it is found, or cannot be. */
  const next = (path: string): (() => Promise<void>) | undefined => {
    const found = findEntry(path, readFolder);
    if (found === 'none') return undefined;
    if ('unread' in found) {
      const { unread } = found;
      return folders.has(unread)
        ? undefined
        : async () => void folders.set(unread, await api.folder(idOf(unread)));
    }
    const { id, type, size = 0 } = found.entry;
    if (type !== 'file' || counts.has(id)) return undefined;
    return async () => {
      const bytes = size > MAX_COUNTED_BYTES ? undefined : await api.blob(id);
      counts.set(id, bytes && countTextLines(bytes));
      if (bytes) texts.set(id, bytes);
    };
  };
  return {
    lacks: (path: string): boolean => next(path) !== undefined,
    findFile: fileFinder(readFolder, ({ id }) => counts.get(id)),
    readLines(path: string, range: LineRange): string[] | undefined {
      const found = findEntry(path, readFolder);
      const bytes = typeof found === 'object' && 'entry' in found ? texts.get(found.entry.id) : undefined;
      return bytes && linesOf(bytes, range);
    },
    async read(paths: ReadonlySet<string>): Promise<Unknown | undefined> {
      try {
        for (const path of paths)
          for (let request = next(path); request; request = next(path)) {
            requests += 1;
            if (requests > MAX_REQUESTS) return { why: MANY_FILES, isRefused: true };
            await request();
          }
        return undefined;
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}
