/** How the agent's process ended. */
export type Exit =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  /** The action ended the process. `code` is its exit code, if it exited. */
  | { kind: 'ended'; why: EndedWhy; code?: number }
  | { kind: 'not-started'; error: string };

/** Why the action ended the process: its result was there, it ran too long, it was silent, the job was cancelled. */
export type EndedWhy = 'after-result' | 'timeout' | 'idle' | 'cancelled';

/** How the process ended, in a sentence. */
export function exitWords(exit: Exit): string {
  switch (exit.kind) {
    case 'exited':
      return `The process ended with exit code ${exit.code}.`;
    case 'signalled':
      return `The process was ended by ${exit.signal}.`;
    case 'ended':
      return exit.code === undefined
        ? `The action ended the process ${ENDED_WORDS[exit.why]}.`
        : `The action ended the process ${ENDED_WORDS[exit.why]}; its exit code was ${exit.code}.`;
    case 'not-started':
      return `The CLI could not be started: ${exit.error}.`;
  }
}

const ENDED_WORDS: Readonly<Record<EndedWhy, string>> = {
  'after-result': 'after its result',
  timeout: 'at the time limit',
  idle: 'because it wrote nothing for too long',
  cancelled: 'because the job was cancelled',
};

export function exitCodeOf(exit: Exit): number | undefined {
  return exit.kind === 'exited' || exit.kind === 'ended' ? exit.code : undefined;
}
