import { assertNever } from '../core/errors.js';
import type { Exit } from '../core/exit.js';
import { duration, firstLines, joinParts, plural } from '../text/format.js';
import { oneLine, truncate, truncateStart } from '../text/plain-text.js';
import { keyLines, lineKeys } from './failure-lines.js';
import type { Baseline, CommandResult, Verification } from './model.js';

export const isPassed = ({ exit }: { exit: Exit }): boolean => exit.kind === 'exited' && exit.code === 0;

/** Whether the change is to blame: the command does not fail in the same way without it. */
export const isBroken = (result: Pick<CommandResult, 'exit' | 'asBefore'>): boolean =>
  !isPassed(result) && result.asBefore !== true;

/** How a command ended, in a few words: `exit 1 after 2.0 s`. */
export function resultWords({
  exit,
  durationMs,
  asBefore,
}: Pick<CommandResult, 'exit' | 'durationMs' | 'asBefore'>): string {
  return `${endWords(exit)} after ${duration(durationMs)}${asBefore ? ', as before the change' : ''}`;
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
export const commandLine = (command: string, maxLength = 200): string =>
  truncate(oneLine(command), maxLength);

/** The round that decides. */
export const lastRound = ({ rounds }: Verification): Verification['rounds'][number] | undefined =>
  rounds.at(-1);

/** The command that failed in the last round. */
export const failedResult = (verification: Verification): CommandResult | undefined =>
  lastRound(verification)?.results.find(isBroken);

/** The result in one sentence. */
export function verificationWords(verification: Verification): string {
  const { state, why = '', rounds, originals } = verification;
  const { results = [], notRun = 0 } = lastRound(verification) ?? {};
  const again = rounds.length > 1 ? `, in round ${rounds.length}` : '';
  switch (state) {
    case 'none':
      return `Nothing was verified: ${why}`;
    case 'not-reproduced':
      return why;
    case 'passed': {
      const too = originals ? ', and also with the original tests' : '';
      return joinParts([passedWords(results, `${again}${too}`), asBeforeWords(results)], ' ');
    }
    case 'passed-with-changed-tests':
      return (
        `${plural(results.length, 'command')} passed on the changed code${again}, but only with the tests, snapshots or settings ` +
        `that the change itself brings: ${firstLines(originals?.paths ?? [], MAX_PATHS).join(', ')}.`
      );
    case 'failed':
      if (results.length === 0) return `Nothing was repaired: ${why}`;
      return `A command failed on the changed code${again}${notRun === 0 ? '' : `; ${plural(notRun, 'more command')} not run`}.`;
    default:
      return assertNever(state);
  }
}

function passedWords(results: readonly CommandResult[], more: string): string {
  const passed = results.filter(isPassed).length;
  return passed === 0 ? '' : `${plural(passed, 'command')} passed on the changed code${more}.`;
}

function asBeforeWords(results: readonly CommandResult[]): string {
  const failed = results.filter(({ asBefore }) => asBefore === true);
  if (failed.length === 0) return '';
  const names = failed.map(({ command }) => commandLine(command, 80)).join(', ');
  return `${plural(failed.length, 'command')} failed just as before the change: ${names}.`;
}

const MAX_PATHS = 5;

/** What happened before the agent was started, in a few sentences. */
export const baselineWords = ({ state, why }: Baseline): string => `${BASELINE_WORDS[state]} ${why}`;

const BASELINE_WORDS: Readonly<Record<Baseline['state'], string>> = {
  reproduced: 'The failure was reproduced before the agent was started.',
  'not-reproduced': 'The failure could not be reproduced.',
  'not-comparable': 'What the commands did before the agent was started proves nothing.',
  baseline: 'The commands ran before the agent was started.',
};

/** One command in the table of the evidence. Undefined where it was not run. */
export interface EvidenceRow {
  command: string;
  before: CommandResult | undefined;
  after: CommandResult | undefined;
  originals: CommandResult | undefined;
}

/** Every command that was run, with how it ended each time. */
export function evidenceRows({ before, rounds, originals }: Verification): EvidenceRow[] {
  const [first = [], last = [], original = []] = [before?.round, rounds.at(-1), originals?.round].map(
    (round) => round?.results ?? [],
  );
  const [ofFirst, ofLast, ofOriginal] = [first, last, original].map(byCommand);
  const keys = new Set([first, last, original].flatMap((results) => [...byCommand(results).keys()]));
  return [...keys].map((key) => {
    const results = { before: ofFirst?.get(key), after: ofLast?.get(key), originals: ofOriginal?.get(key) };
    return { command: (results.after ?? results.before ?? results.originals)?.command ?? '', ...results };
  });
}

/** The same command can be there twice. */
function byCommand(results: readonly CommandResult[]): Map<string, CommandResult> {
  const named = new Map<string, CommandResult>();
  for (const result of results) {
    let key = result.command;
    while (named.has(key)) key += '\n';
    named.set(key, result);
  }
  return named;
}

/** What a reader needs of the output of a command that failed. */
export const matterOf = (result: CommandResult): string[] =>
  isPassed(result)
    ? []
    : keyLines(result.output, MAX_KEY_LINES).map((line) => truncate(line, KEY_CHARACTERS));

const MAX_KEY_LINES = 2;
const KEY_CHARACTERS = 160;

/**
 * What a reader of a comment or a pull request is told; undefined if that is nothing. That no command was run is
 * mentioned only for a repair. `escape` makes the words safe, which can come from a report of unknown origin.
 */
export function verificationNote(
  { verification, preset }: { verification?: Verification; preset: string },
  escape: (words: string) => string,
): string | undefined {
  if (!verification || (verification.rounds.length === 0 && preset !== 'fix-ci')) return undefined;
  const { state, before } = verification;
  const words = [
    ...(before && state !== 'not-reproduced' ? [baselineWords(before)] : []),
    verificationWords(verification),
  ];
  const note = escape(words.join(' '));
  switch (state) {
    case 'failed':
      return `**This change is not verified.** ${note}`;
    case 'passed-with-changed-tests':
      return `**This change passes only with the tests that it changes.** ${note}`;
    default:
      return note;
  }
}

const FAILURE = /error|fail|broken|dead|invalid|missing|not found|unknown|undefined|unresolved|warn/i;

/** Whether a command that fails on the change failed without it too, and says nothing more that could be a failure. */
export function failsAsBefore(before: CommandResult | undefined, after: CommandResult): boolean {
  if (!before || isPassed(before) || isPassed(after)) return false;
  const isSameEnd = endWords(before.exit) === endWords(after.exit);
  const known = lineKeys(before.output);
  const news = [...lineKeys(after.output)].filter((line) => !known.has(line) && FAILURE.test(line));
  return isSameEnd && news.length === 0;
}

const DETAIL_CHARACTERS = 2000;

/** Why the step fails: the command, how it ended, and the end of its output. */
export function verificationDetail(verification: Verification): string {
  const failed =
    failedResult(verification) ?? verification.before?.round.results.find((result) => !isPassed(result));
  if (!failed) return verificationWords(verification);
  const { state, rounds, source = '' } = verification;
  const asked = rounds.length - 1;
  return [
    ...(state === 'failed' && rounds.length === 0 ? [verificationWords(verification)] : []),
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
