import type { Policy } from '../permissions/policy.js';
import { foldersAbove, fromText, isText, joinBytes, toText, type BytePath } from '../git/byte-path.js';
import type { LayerChange, Violation } from './changes.js';
import { followLinks, isWithin } from './link-target.js';
import { isDotGit } from '../text/path-fold.js';
import { denyJudge, pathJudge, type PathJudge } from './path-policy.js';
import type { LayerView } from './workspace.js';

export interface ChangeQuestion {
  policy: Policy;
  /** The top of the repository, and where the agent works; both absolute. */
  root: string;
  directory: string;
  /** Repositories and submodules below ours that were there before, by their folder. */
  nested: ReadonlySet<BytePath>;
  /** The layer, by paths from the top of the repository. */
  view: LayerView;
}

/** A larger file is never applied: GitHub takes none, and a file with holes can claim any size. */
export const MOST_FILE_BYTES = 100 * 2 ** 20;

/** More looks behind new links than this are not taken; the link is a violation then. */
const MOST_ALIASES = 1_000_000;

/** What of these changes was not allowed: at most one violation for each, the weightiest reason first. */
export function judgeChanges(changes: readonly LayerChange[], question: ChangeQuestion): Violation[] {
  const judge = pathJudge(question.policy, question);
  const links = linkJudge(question);
  const bare = bareRepositoryJudge(question.view);
  return changes.flatMap((change): Violation[] => {
    const { path } = change;
    const reason =
      judgeName(path, question.nested) ??
      judgeKind(change) ??
      bare(path) ??
      (change.after.kind === 'link' ? links(path) : undefined) ??
      judge(toText(path));
    return reason === undefined ? [] : [{ path: toText(path), reason, change: path }];
  });
}

function judgeName(path: BytePath, nested: ReadonlySet<BytePath>): string | undefined {
  if (toText(path).split('/').some(isDotGit)) return 'it belongs to another git repository inside this one';
  const owner = [path, ...foldersAbove(path)].find((folder) => nested.has(folder));
  if (owner !== undefined)
    return `it belongs to the submodule or repository ${toText(owner)}, not to this one`;
  return isText(path) ? undefined : 'its name is not valid UTF-8, so that it cannot be written down';
}

function judgeKind({ before, after }: LayerChange): string | undefined {
  if (after.kind === 'special') return 'it is neither a file nor a link';
  if (after.kind !== 'file') return undefined;
  if (after.privileged) return 'it was made to run with the rights of its owner (setuid)';
  if (after.bytes > MOST_FILE_BYTES) return 'it is larger than 100 MiB';
  if (before.kind !== 'file' || before.executable === after.executable) return undefined;
  return after.executable ? 'it was made executable' : 'it is no longer executable';
}

/** Git takes any folder with these in it for a repository, and its configuration can run programs. */
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
 * A new or changed link must stay in the repository, out of `.git`, and must not make files appear under a name that
 * may not be written.
 */
function linkJudge({ policy, root, directory, view }: ChangeQuestion): PathJudge {
  const top = fromText(root.replaceAll('\\', '/'));
  const denied = denyJudge(policy, { root, directory });
  const readLink = (absolute: BytePath) => {
    if (!isWithin(absolute, top) || absolute === top) return undefined;
    const path = absolute.slice(top.length + 1);
    return view.entryAt(path).kind === 'link' ? slashes(view.linkAt(path)) : undefined;
  };
  let looks = 0;
  return (path) => {
    const end = followLinks(joinBytes(top, path), readLink);
    if (end === undefined) return 'it is a link that leads in circles';
    if (!isWithin(end, top)) return 'it is a link that leads out of the repository';
    const target = end.slice(top.length + 1);
    if (toText(target).split('/').some(isDotGit)) return 'it is a link that leads into .git';
    const pending = [{ file: target, alias: path }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { file, alias } = next;
      if (++looks > MOST_ALIASES) return 'it is one of too many links to look behind each';
      if (view.entryAt(file).kind === 'folder' || file === '') {
        for (const name of view.namesIn(file))
          pending.push({ file: joinBytes(file, name), alias: joinBytes(alias, name) });
      } else if (alias !== path && denied(toText(alias)) !== undefined) {
        return `it is a link that puts ${toText(file)} where it may not be written, at ${toText(alias)}`;
      }
    }
    return undefined;
  };
}

const slashes = (path: BytePath): BytePath =>
  process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
