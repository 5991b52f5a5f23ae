/** Waits for work that knows no signal, but not after the signal is aborted. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>, error: () => Error): Promise<T> {
  return new Promise((done, failed) => {
    const stop = () => {
      failed(error());
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(done, failed).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}

/** The error for a signal that is both the time limit and the cancellation of the job. */
export const tooLate = (): Error => new Error('it took too long, or was cancelled');
