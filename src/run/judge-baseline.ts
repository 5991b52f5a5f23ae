import { lineKeys, missingLine, type FailureLine } from '../report/failure-lines.js';
import type { Baseline, CommandResult } from '../report/model.js';
import { commandLine, isPassed, resultWords } from '../report/verification.js';
import { firstLines, plural } from '../text/format.js';
import type { RanCommands } from './verify-commands.js';

/** What a run of the commands on the plain checkout shows. */
interface BaselineEvidence {
  /** What failed in CI. Undefined if no log of it was gathered. */
  failures: readonly FailureLine[] | undefined;
  /** Whether the commands are all that failed in CI. */
  isWhole: boolean;
  /** All runs of the commands, in their order. */
  runs: readonly RanCommands[];
  /** Whether passing again did not fit into the time. */
  isCut: boolean;
}

/** How often the commands have to pass until the failure counts as not reproduced. */
export const MIN_PASSES = 3;

/** Lines of the log that are named. */
const MAX_SHARED = 5;

/** Whether the failure of CI is there. Whatever leaves a doubt is not comparable, and proves nothing. */
export function judgeBaseline({ failures, isWhole, runs, isCut }: BaselineEvidence): Baseline {
  const failedRun = runs.find(({ round }) => !round.results.every(isPassed));
  const last = failedRun ?? runs.at(-1);
  const round = last?.round ?? { results: [], notRun: 0 };
  const verdict = (state: Baseline['state'], why: string, lines: string[] = []): Baseline => ({
    state,
    why,
    lines,
    round,
  });
  const failed = round.results.find((result) => !isPassed(result));
  if (!failures)
    return verdict(
      'baseline',
      failed
        ? `There was no log of a failed CI run to compare with; ${commandLine(failed.command, 80)} fails without a change.`
        : 'There was no log of a failed CI run to compare with; the commands pass without a change.',
    );
  if (!failed) {
    if (!isWhole)
      return verdict(
        'not-comparable',
        'The commands pass, but CI failed in others too, whose lines are not known.',
      );
    if (isCut || runs.length < MIN_PASSES)
      return verdict(
        'not-comparable',
        `The commands passed ${times(runs.length)}, and there was no time to repeat them.`,
      );
    return verdict(
      'not-reproduced',
      `The commands passed ${times(runs.length)} on the commit that failed in CI.`,
    );
  }
  const unusable = whyUnusable(failed);
  if (unusable !== undefined) return verdict('not-comparable', unusable);
  const output = last?.output ?? '';
  const keys = new Set(failures.map(({ key }) => key));
  const missing = missingLine(output);
  if (missing && !keys.has(missing.key))
    return verdict('not-comparable', `Something that CI has is missing here: ${missing.text}`);
  const here = lineKeys(output);
  // In one file other tests can fail than in CI.
  const hasTests = failures.some(({ kind }) => kind === 'test');
  const shared = failures.filter(({ kind, key }) => here.has(key) && !(hasTests && kind === 'test-file'));
  if (shared.length === 0)
    return verdict(
      'not-comparable',
      `${commandLine(failed.command, 80)} fails, but in another way: nothing that failed in the log of CI appears in its output.`,
    );
  const isFlaky = runs[0] !== failedRun;
  return verdict(
    'reproduced',
    `${plural(shared.length, 'line')} of the CI log that ${shared.length === 1 ? 'names' : 'name'} what failed ${shared.length === 1 ? 'appears' : 'appear'} here too` +
      `${isFlaky ? ', but not every time: the failure is flaky' : ''}.`,
    firstLines(
      shared.map(({ text }) => text),
      MAX_SHARED,
    ),
  );
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Exit codes of shells for a command that could not be run, and that was not found. */
const NOT_RUN: ReadonlySet<number> = new Set([126, 127]);

function whyUnusable(failed: CommandResult): string | undefined {
  const { exit } = failed;
  const command = commandLine(failed.command, 80);
  if (exit.kind === 'ended') return `${command} did not finish in its share of the time limit.`;
  if (exit.kind === 'exited' && NOT_RUN.has(exit.code))
    return `${command} ended with exit ${exit.code}, so a program is missing here.`;
  return exit.kind === 'exited' ? undefined : `${command}: ${resultWords(failed)}.`;
}

/** Why no agent was started, with what a person can look at. */
export function notReproducedText(baseline: Baseline, failures: readonly FailureLine[]): string {
  const tests = failures.filter(({ kind }) => kind === 'test');
  const named = (tests.length > 0 ? tests : failures).map(({ text }) => text);
  const failed =
    named.length === 0 ? '' : ` In CI these failed: ${firstLines(named, MAX_SHARED).join('; ')}.`;
  return (
    `${baseline.why} So no agent was started.${failed} What can differ: a test that fails only sometimes, the platform and the ` +
    'versions of tools, services, secrets and variables that the job of CI has and this one has not.'
  );
}
