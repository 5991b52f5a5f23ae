/** How often a slow download says how far it is. */
const EVERY_MS = 5_000;

export interface Progress {
  /** Bytes so far → a line to show, when it is time for one. */
  line(bytes: number, now: number): string | undefined;
  /** The last line. */
  done(bytes: number, now: number): string;
}

/** Words for a download: percent, megabytes, megabytes a second. Without a total there is no percentage. */
export function trackProgress(total: number | undefined, start: number): Progress {
  let shown = start;
  const rate = (bytes: number, now: number) => `${megabytes(bytes / (Math.max(now - start, 1) / 1000))} MB/s`;
  return {
    line(bytes, now) {
      if (now - shown < EVERY_MS) return undefined;
      shown = now;
      const part =
        total === undefined || total <= 0
          ? `${megabytes(bytes)} MB`
          : `${Math.min(100, Math.floor((bytes / total) * 100))} % (${megabytes(bytes)} of ${megabytes(total)} MB)`;
      return `  ${part}, ${rate(bytes, now)}`;
    },
    done: (bytes, now) => `Downloaded ${megabytes(bytes)} MB, ${rate(bytes, now)}`,
  };
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
