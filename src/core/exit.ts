/** How the agent's process ended. */
export type Exit =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  /** The action ended the process. `code` is its exit code, if it exited. */
  | { kind: 'ended'; why: EndedWhy; code?: number }
  | { kind: 'not-started'; error: string };

/** Why the action ended the process: its result was there, it ran too long, it was silent, the job was cancelled. */
export type EndedWhy = 'after-result' | 'timeout' | 'idle' | 'cancelled';

export function exitCodeOf(exit: Exit): number | undefined {
  return exit.kind === 'exited' || exit.kind === 'ended' ? exit.code : undefined;
}
