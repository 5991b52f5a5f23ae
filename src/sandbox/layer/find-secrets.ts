import { readFully, withFile } from './file-tree.js';
import type { BytePath } from '../../git/paths.js';
import type { Span } from '../../text/redact-forms.js';

export type FindKnown = (text: string) => Span[];

/** Each secret as it is written, and how often. */
export type SecretCounts = ReadonlyMap<string, number>;

const CHUNK_BYTES = 4 * 2 ** 20;
/** Each chunk begins with the end of the one before it. A secret is shorter, in whatever form. */
const OVERLAP_BYTES = 64 * 1024;

/** Reads a file in chunks, because it can be large. */
export function secretsInFile(path: BytePath, findKnown: FindKnown): SecretCounts {
  const counts = new Map<string, number>();
  withFile(path, 'ask', (file) => {
    const buffer = Buffer.allocUnsafe(OVERLAP_BYTES + CHUNK_BYTES);
    let kept = 0;
    for (;;) {
      const length = readFully(file, buffer.subarray(kept));
      countSecrets(buffer.subarray(0, kept + length), { findKnown, counts, seen: kept });
      if (kept + length < buffer.length) return;
      buffer.copy(buffer, 0, buffer.length - OVERLAP_BYTES);
      kept = OVERLAP_BYTES;
    }
  });
  return counts;
}

export function secretsInBytes(bytes: Buffer, findKnown: FindKnown): SecretCounts {
  const counts = new Map<string, number>();
  countSecrets(bytes, { findKnown, counts, seen: 0 });
  return counts;
}

/** Whether one of these secrets is there more often than before. */
export const hasNewSecret = (after: SecretCounts, before: SecretCounts): boolean =>
  [...after].some(([secret, count]) => count > (before.get(secret) ?? 0));

interface Counting {
  findKnown: FindKnown;
  counts: Map<string, number>;
  /** How many bytes at the beginning were searched before. */
  seen: number;
}

/** As text and as bytes: what is no valid text would become other characters. */
function countSecrets(bytes: Buffer, { findKnown, counts, seen }: Counting): void {
  for (const text of new Set([bytes.toString('latin1'), bytes.toString('utf8')])) {
    const encoding = text.length === bytes.length ? 'latin1' : 'utf8';
    const seenLength = withoutRuns(bytes.toString(encoding, 0, seen)).length;
    const searched = withoutRuns(text);
    for (const { start, end } of findKnown(searched)) {
      if (end <= seenLength) continue;
      const secret = searched.slice(start, end);
      counts.set(secret, (counts.get(secret) ?? 0) + 1);
    }
  }
}

/** Large files can consist of zeros, and each would be looked at. */
const withoutRuns = (text: string): string => text.replace(/\0{2,}/g, '\0');
