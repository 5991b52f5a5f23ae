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

/**
 * Whether the failure of CI is there. Anything that leaves a doubt makes the two runs not comparable, and proves nothing.
 */
export function judgeBaseline(evidence: BaselineEvidence): Baseline {
  const { failures, runs } = evidence;
  const failedRun = runs.find(({ round }) => !round.results.every(isPassed));
  const shownRun = failedRun ?? runs.at(-1);
  const round = shownRun?.round ?? { results: [], notRun: 0 };
  const failed = round.results.find((result) => !isPassed(result));
  if (!failures) return { ...withoutLog(failed), lines: [], round };
  if (!failed) return { ...judgePasses(evidence), lines: [], round };
  const output = shownRun?.output ?? '';
  const doubt = whyUnusable(failed) ?? whyIncomplete(failures, output);
  if (doubt !== undefined) return { state: 'not-comparable', why: doubt, lines: [], round };
  const shared = sharedLines(failures, output).map(({ text }) => text);
  if (shared.length === 0)
    return { state: 'not-comparable', why: `${shortCommand(failed)} ${OTHER_FAILURE}`, lines: [], round };
  const isOne = shared.length === 1;
  const flaky = runs[0] === failedRun ? '' : ', but not every time: the failure is flaky';
  return {
    state: 'reproduced',
    why:
      `${plural(shared.length, 'line')} of the CI log that ${isOne ? 'names' : 'name'} what failed ` +
      `${isOne ? 'appears' : 'appear'} here too${flaky}.`,
    lines: firstLines(shared, MAX_SHARED),
    round,
  };
}

type BaselineVerdict = Pick<Baseline, 'state' | 'why'>;

function withoutLog(failed: CommandResult | undefined): BaselineVerdict {
  const result = failed
    ? `${shortCommand(failed)} fails without a change`
    : 'the commands pass without a change';
  return {
    state: 'baseline',
    why: `There was no log of a failed CI run to compare with; ${result}.`,
  };
}

/** The commands passed although CI failed. */
function judgePasses({ isWhole, runs, isCut }: BaselineEvidence): BaselineVerdict {
  if (!isWhole)
    return {
      state: 'not-comparable',
      why: 'The commands pass, but CI failed in others too, whose lines are not known.',
    };
  const passed = `The commands passed ${times(runs.length)}`;
  if (isCut || runs.length < MIN_PASSES)
    return { state: 'not-comparable', why: `${passed}, and there was no time to repeat them.` };
  return { state: 'not-reproduced', why: `${passed} on the commit that failed in CI.` };
}

const OTHER_FAILURE =
  'fails, but in another way: nothing that failed in the log of CI appears in its output.';

/** The commands failed for something that is missing here and was there in CI. */
function whyIncomplete(failures: readonly FailureLine[], output: string): string | undefined {
  const missing = missingLine(output);
  return missing && !failures.some(({ key }) => key === missing.key)
    ? `Something that CI has is missing here: ${missing.text}`
    : undefined;
}

/** The lines of the CI log that the output has, too. The name of a test file is not enough: other tests in it can fail. */
function sharedLines(failures: readonly FailureLine[], output: string): FailureLine[] {
  const keys = lineKeys(output);
  const hasTests = failures.some(({ kind }) => kind === 'test');
  return failures.filter(({ kind, key }) => keys.has(key) && !(hasTests && kind === 'test-file'));
}

const shortCommand = ({ command }: CommandResult): string => commandLine(command, 80);

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Exit codes of shells for a command that could not be run, and that was not found. */
const NOT_RUN: ReadonlySet<number> = new Set([126, 127]);

function whyUnusable(failed: CommandResult): string | undefined {
  const { exit } = failed;
  const command = shortCommand(failed);
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
