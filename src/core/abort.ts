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
