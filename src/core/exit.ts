/** How the agent's process ended. */
export type Exit =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  /** Ended by the action; `code` is what the process answered to that, if anything. */
  | { kind: 'ended'; why: EndedWhy; code?: number }
  | { kind: 'not-started'; error: string };

/** Why the action ended it: it had given its result, ran too long, fell silent, or the job was cancelled. */
export type EndedWhy = 'after-result' | 'timeout' | 'idle' | 'cancelled';

export function exitCodeOf(exit: Exit): number | undefined {
  return exit.kind === 'exited' || exit.kind === 'ended' ? exit.code : undefined;
}
