import type { Policy } from '../agent/policy.js';
import { foldersAbove, fromText, isText, joinBytes, toText, type BytePath } from './byte-path.js';
import type { Violation } from './changes.js';
import type { Difference } from './file-state.js';
import type { FileTree } from './file-walk.js';
import { followLinks, isWithin } from './link-target.js';
import { isDotGit } from './path-fold.js';
import { denyJudge, pathJudge, type PathJudge } from './path-policy.js';
import type { Repository } from './repository.js';

export interface FileQuestion {
  policy: Policy;
  repository: Repository;
  /** Repositories below ours that were there before. */
  nested: ReadonlySet<BytePath>;
  now: FileTree;
  readLink: (absolute: BytePath) => BytePath | undefined;
}

/** More looks behind new links than this are not taken; the link is a violation then. */
const MOST_ALIASES = 1_000_000;

/** What of these differences was not allowed: one violation a path, the weightiest reason first. */
export function judgeDifferences(differences: readonly Difference[], question: FileQuestion): Violation[] {
  const judge = pathJudge(question.policy, question.repository);
  const links = linkJudge(question);
  return differences.flatMap((difference): Violation[] => {
    const { path } = difference;
    const reason =
      judgeName(path, question.nested) ??
      judgeKind(difference) ??
      (isLink(difference.after) ? links(path) : undefined) ??
      judge(toText(path));
    return reason === undefined ? [] : [{ path: toText(path), reason, target: { kind: 'file', key: path } }];
  });
}

function judgeName(path: BytePath, nested: ReadonlySet<BytePath>): string | undefined {
  if (toText(path).split('/').some(isDotGit)) return 'it belongs to another git repository inside this one';
  const owner = [path, ...foldersAbove(path)].find((folder) => nested.has(folder));
  if (owner !== undefined)
    return `it belongs to the submodule or repository ${toText(owner)}, not to this one`;
  return isText(path) ? undefined : 'its name is not valid UTF-8, so that it cannot be written down';
}

function judgeKind({ before, after }: Difference): string | undefined {
  if (after.kind === 'special') return 'it is neither a file nor a link';
  if (after.kind !== 'blob') return undefined;
  const was = before.kind === 'blob' ? before : undefined;
  if (after.privileged && !was?.privileged) return 'it was made to run with the rights of its owner (setuid)';
  if (was?.mode === '100644' && after.mode === '100755') return 'it was made executable';
  if (was?.mode === '100755' && after.mode === '100644') return 'it is no longer executable';
  return undefined;
}

const isLink = (state: Difference['after']): boolean => state.kind === 'blob' && state.mode === '120000';

/**
 * A new or changed link must stay in the repository, out of `.git`, and must not make files appear under a
 * name that may not be written.
 */
function linkJudge({ policy, repository, now, readLink }: FileQuestion): PathJudge {
  const root = fromText(repository.root.replaceAll('\\', '/'));
  const denied = denyJudge(policy, repository);
  let looks = 0;
  return (path) => {
    const end = followLinks(joinBytes(root, path), readLink);
    if (end === undefined) return 'it is a link that leads in circles';
    if (!isWithin(end, root)) return 'it is a link that leads out of the repository';
    const target = end.slice(root.length + 1);
    if (toText(target).split('/').some(isDotGit)) return 'it is a link that leads into .git';
    if (target !== '' && !now.folders.has(target)) return undefined;
    const inside = target === '' ? '' : `${target}/`;
    for (const file of now.files.keys()) {
      if (!file.startsWith(inside)) continue;
      if (++looks > MOST_ALIASES) return 'it is one of too many links to look behind each';
      const alias = `${path}/${file.slice(inside.length)}`;
      if (denied(toText(alias)) !== undefined) {
        return `it is a link that puts ${toText(file)} where it may not be written, at ${toText(alias)}`;
      }
    }
    return undefined;
  };
}
