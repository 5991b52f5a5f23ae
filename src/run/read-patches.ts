import { closeSync, openSync, readSync } from 'node:fs';
import type { PagePatch } from '../report/diff-view.js';
import type { Changes } from '../report/model.js';

/** What the page shows of a patch. The whole patch is a file that can be downloaded. */
const MOST_BYTES = 200_000;

/** The beginning of each patch of a run, for the page. */
export function readPatches(changes: Changes | undefined): PagePatch[] {
  if (changes?.kind !== 'known') return [];
  const { patchFile, rejectedPatchFile } = changes;
  return [
    ...(patchFile === undefined ? [] : [{ kind: 'applied' as const, ...beginningOf(patchFile) }]),
    ...(rejectedPatchFile === undefined
      ? []
      : [{ kind: 'rejected' as const, ...beginningOf(rejectedPatchFile) }]),
  ];
}

/** Whole lines from the beginning of a file. A patch that cannot be read is shown as one that was cut off. */
function beginningOf(path: string): Pick<PagePatch, 'text' | 'isWhole'> {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(MOST_BYTES + 1);
      const read = bytes.subarray(0, readSync(file, bytes));
      const isWhole = read.length <= MOST_BYTES;
      const end = isWhole ? read.length : read.lastIndexOf('\n') + 1;
      return { text: read.toString('utf8', 0, end), isWhole };
    } finally {
      closeSync(file);
    }
  } catch {
    return { text: '', isWhole: false };
  }
}
