import { readFileSync } from 'node:fs';

/** Gone, or dead and only waiting for its parent to look. */
export function isGone(pid: string): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
