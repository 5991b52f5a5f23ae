/** How long people are left without a word while something takes long. */
const QUIET_MS = 5000;

/** Returns what is called for each step. It reports the number of steps, but only while they take long. */
export function countProgress(report: (steps: number) => void, now = () => performance.now()): () => void {
  let steps = 0;
  let reportedMs = now();
  return () => {
    steps += 1;
    if (now() - reportedMs < QUIET_MS) return;
    reportedMs = now();
    report(steps);
  };
}
