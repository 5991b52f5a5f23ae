/** GitHub asks for at most 80 writes a minute: some at once, and one a second after that. */
const AT_ONCE = 15;
const BETWEEN_MS = 1000;

export interface Clock {
  wait(ms: number): Promise<unknown>;
  now(): number;
}

/** A function to await before each write. */
export function createPace({ wait, now }: Clock): () => Promise<void> {
  let credit = AT_ONCE;
  let last = now();
  return async () => {
    const time = now();
    credit = Math.min(AT_ONCE, credit + (time - last) / BETWEEN_MS);
    last = time;
    if (credit < 1) {
      const missing = (1 - credit) * BETWEEN_MS;
      await wait(missing);
      last = now();
      credit = 1;
    }
    credit -= 1;
  };
}
