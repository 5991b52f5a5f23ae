import { ExplainedError } from '../core/errors.js';
import type { AppliedPatch } from '../git/apply-patch.js';
import type { TreeFile } from '../git/file-store.js';
import { toText } from '../git/paths.js';
import type { ProposalApi, TreeEntry } from './proposal-api.js';

/** Text goes along with the tree, up to this size: one request for all files, where blobs need one for each. */
const MAX_INLINE_BYTES = 200_000;
const MAX_INLINE_TOTAL_BYTES = 4_000_000;

/** The files that differ, before their content is stored. A rename is a file that is gone and a file that is there. */
export function planEntries(changes: AppliedPatch['changes']) {
  const after = new Set(changes.flatMap((change) => change.after?.path ?? []));
  const gone = changes.flatMap(({ before }) => (before && !after.has(before.path) ? [before] : []));
  const entry = ({ path, mode }: TreeFile) => ({ path: toText(path), mode });
  return [
    ...gone.map((file) => ({ kind: 'gone' as const, ...entry(file) })),
    ...changes.flatMap(({ after: file }) =>
      file ? [{ kind: 'file' as const, ...entry(file), id: file.id }] : [],
    ),
  ];
}

/**
 * Creates the commit through GitHub's API, so that GitHub signs it. It is compared with what was checked: the tree that
 * GitHub made has to have the id of the tree that git made here.
 */
export async function writeCommit(api: ProposalApi, patch: AppliedPatch, message: string): Promise<string> {
  const entries: TreeEntry[] = [];
  let room = MAX_INLINE_TOTAL_BYTES;
  for (const planned of planEntries(patch.changes)) {
    if (planned.kind === 'gone') {
      entries.push(planned);
      continue;
    }
    const { path, mode, id } = planned;
    const bytes = patch.read(id);
    const text = textIn(bytes, Math.min(room, MAX_INLINE_BYTES));
    if (text === undefined) {
      entries.push({ kind: 'blob', path, mode, id: await api.createBlob(bytes) });
    } else {
      entries.push({ kind: 'text', path, mode, content: text });
      room -= bytes.length;
    }
  }
  const tree = await api.createTree(patch.treeBefore, entries);
  if (tree !== patch.tree) {
    throw new ExplainedError(
      `GitHub stored other files than those that were checked (tree ${tree}, expected ${patch.tree}). ` +
        'Nothing was proposed. Run it again; if it happens again, please report it.',
    );
  }
  return api.createCommit(message, tree, patch.commit);
}

/** The text, if these bytes are exactly that text in UTF-8. */
function textIn(bytes: Buffer, maxBytes: number): string | undefined {
  if (bytes.length > maxBytes || bytes.includes(0)) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}
