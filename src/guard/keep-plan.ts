import type { BytePath } from './byte-path.js';

/** One file whose content is nowhere but on disk. */
export interface KeepCandidate {
  path: BytePath;
  size: number;
  /** `needed`: the patch may need it. `forbidden`: no rule may change it. `other`: only to put it back. */
  worth: 'needed' | 'forbidden' | 'other';
}

export interface KeepLimits {
  /** A larger file is not kept at all. */
  fileBytes: number;
  neededBytes: number;
  otherBytes: number;
  otherFiles: number;
}

export const KEEP_LIMITS: KeepLimits = {
  fileBytes: 100 * 2 ** 20,
  neededBytes: 2 ** 30,
  otherBytes: 64 * 2 ** 20,
  otherFiles: 10_000,
};

const RANK = { needed: 0, forbidden: 1, other: 2 } as const;

/**
 * Which contents to keep for later, within bounds: a workspace can hold gigabytes that git ignores. What is
 * left out is still watched; it can only not be shown or put back.
 */
export function planKeeping(candidates: readonly KeepCandidate[], limits: KeepLimits): BytePath[] {
  const depth = (path: BytePath) => path.split('/').length;
  const ordered = candidates
    .filter(({ size }) => size <= limits.fileBytes)
    .sort((a, b) => RANK[a.worth] - RANK[b.worth] || depth(a.path) - depth(b.path) || a.size - b.size);
  let needed = 0;
  let other = 0;
  let files = 0;
  return ordered.flatMap(({ path, size, worth }) => {
    if (worth === 'needed') {
      if (needed + size > limits.neededBytes) return [];
      needed += size;
      return [path];
    }
    if (other + size > limits.otherBytes || files >= limits.otherFiles) return [];
    other += size;
    files += 1;
    return [path];
  });
}
