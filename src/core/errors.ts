/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}

/** Ends an exhaustive switch: a new member of the union makes the call a type error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** An error whose message already says what happened and what to do. It is shown as it is, without a stack. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
}
