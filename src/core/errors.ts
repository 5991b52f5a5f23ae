/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}

/** The code that the system or Node gave an error, such as ENOENT; empty if it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** An error as part of a sentence: its message without the final period, or its code if it has no message. */
export function reasonOf(error: unknown): string {
  return (messageOf(error) || codeOf(error)).replace(/\.$/, '');
}

/** What `work` returns; undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Ends an exhaustive switch: a new member of the union makes the call a type error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** An error whose message already says what happened and what to do. It is shown as it is, without a stack. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
}
