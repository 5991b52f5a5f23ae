import { assertNever } from '../core/errors.js';
import type { Exit } from '../core/exit.js';
import { duration, plural } from '../text/format.js';
import { oneLine, truncate, truncateStart } from '../text/plain-text.js';
import type { CommandResult, Verification } from './model.js';

export const isPassed = ({ exit }: Pick<CommandResult, 'exit'>): boolean =>
  exit.kind === 'exited' && exit.code === 0;

/** How a command ended, in a few words: `exit 1 after 2.0 s`. */
export function resultWords({ exit, durationMs }: Pick<CommandResult, 'exit' | 'durationMs'>): string {
  return `${endWords(exit)} after ${duration(durationMs)}`;
}

function endWords(exit: Exit): string {
  switch (exit.kind) {
    case 'exited':
      return `exit ${exit.code}`;
    case 'signalled':
      return `ended by ${exit.signal}`;
    case 'not-started':
      return `not started (${exit.error})`;
    case 'ended':
      return exit.why === 'cancelled'
        ? 'cancelled'
        : 'stopped, because its share of the time limit was over,';
    default:
      return assertNever(exit);
  }
}

/** A command on one line. */
export const commandLine = (command: string, most = 200): string => truncate(oneLine(command), most);

/** The round that decides. */
export const lastRound = ({ rounds }: Verification): Verification['rounds'][number] | undefined =>
  rounds.at(-1);

/** The command that failed in the last round. */
export const failedResult = (verification: Verification): CommandResult | undefined =>
  lastRound(verification)?.results.find((result) => !isPassed(result));

/** The result in one sentence. */
export function verificationWords(verification: Verification): string {
  const { state, why = '', rounds } = verification;
  const { results = [], notRun = 0 } = lastRound(verification) ?? {};
  const again = rounds.length > 1 ? `, in round ${rounds.length}` : '';
  switch (state) {
    case 'none':
      return `Nothing was verified: ${why}`;
    case 'passed':
      return `${plural(results.length, 'command')} passed on the changed code${again}.`;
    case 'failed':
      return `A command failed on the changed code${again}${notRun === 0 ? '' : `; ${plural(notRun, 'more command')} not run`}.`;
    default:
      return assertNever(state);
  }
}

/**
 * What a reader of a comment or a pull request is told; undefined if that is nothing. That no command was run is
 * mentioned only for a repair. `escape` makes the words safe, which can come from a report of unknown origin.
 */
export function verificationNote(
  { verification, preset }: { verification?: Verification; preset: string },
  escape: (words: string) => string,
): string | undefined {
  if (!verification || (verification.rounds.length === 0 && preset !== 'fix-ci')) return undefined;
  const words = escape(verificationWords(verification));
  return verification.state === 'failed' ? `**This change is not verified.** ${words}` : words;
}

const DETAIL_CHARACTERS = 2000;

/** Why the step fails: the command, how it ended, and the end of its output. */
export function verificationDetail(verification: Verification): string {
  const failed = failedResult(verification);
  if (!failed) return verificationWords(verification);
  const { rounds, source = '' } = verification;
  const asked = rounds.length - 1;
  return [
    `${commandLine(failed.command)}: ${resultWords(failed)}.`,
    ...(asked > 0 ? [`The agent was asked ${asked === 1 ? 'once' : `${asked} times`} to repair it.`] : []),
    ...(source === '' ? [] : [source]),
    ...(failed.output.trim() === '' ? [] : [truncateStart(failed.output.trim(), DETAIL_CHARACTERS)]),
  ].join('\n');
}

/** What programs say that could not make a sandbox of their own: bubblewrap, Chromium, rootless containers. */
const NESTED_SANDBOX =
  /\bbwrap: |No usable sandbox!|Failed to move to new namespace|\bnew[ug]idmap\b|cannot clone: Operation not permitted|cannot re-exec process|unshare(?: failed)?: .*Operation not permitted|The SUID sandbox helper binary was found/;

/** A hint for a command that failed inside of the isolation because it wanted to isolate something itself. */
export function nestedSandboxNote(outputs: readonly string[]): string | undefined {
  return outputs.some((output) => NESTED_SANDBOX.test(output))
    ? 'A command wanted to make a sandbox of its own, as bubblewrap, Chromium and rootless containers do. Inside of the ' +
        'isolation that is not possible. Switch it off for that command (such as `--no-sandbox` for Chromium), or run ' +
        'the command in a step of its own.'
    : undefined;
}
