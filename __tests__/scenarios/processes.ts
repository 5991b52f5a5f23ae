import { readFileSync } from 'node:fs';

/** Whether a process is gone, or is a zombie that its parent has not collected yet. */
export function isGone(pid: string): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
