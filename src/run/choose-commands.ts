import { isForbiddenForAgent, isSetByAction } from '../agent/environment.js';
import type { ShellCommand, StepCommand } from '../context/ci-logs.js';
import { info, printGroup } from '../core/runner.js';
import { commandLine } from '../report/verification.js';
import { plural } from '../text/format.js';
import { logLine } from '../text/plain-text.js';
import type { Redact } from '../text/redact.js';
import type { Inputs } from './inputs.js';

/** What the action runs on the change, or why it runs nothing. */
export type ChosenCommands =
  | { kind: 'commands'; commands: ShellCommand[]; source: string }
  /** `isNews`: somebody may expect a verification, so the log says that there is none. */
  | { kind: 'none'; why: string; isNews: boolean };

/** More would take the time limit apart. */
const MOST_COMMANDS = 3;

const SOURCE =
  'The command is the one of the CI step that failed, from its log. A log does not show the working directory of a ' +
  'step: name the commands in verify if they need another one, or set verify: none.';

/**
 * The commands of the input `verify`. Without them, for `fix-ci`, those of the failed CI steps that the logs of that run
 * show. What the agent says is never a source of commands.
 */
export function chooseCommands(
  { verify, preset }: Pick<Inputs, 'verify' | 'preset'>,
  failed: readonly StepCommand[],
  redact: Redact,
): ChosenCommands {
  switch (verify.kind) {
    case 'none':
      return { kind: 'none', why: 'verify is none.', isNews: false };
    case 'commands':
      return {
        kind: 'commands',
        commands: verify.commands.map((script) => ({ ...GIVEN, script })),
        source: '',
      };
    case 'auto':
      return preset === 'fix-ci' ? fromLogs(failed, redact) : { ...NOT_GIVEN, isNews: false };
  }
}

const GIVEN = {
  shell: 'bash',
  options: ['-e', '-o', 'pipefail'],
  env: {},
  place: 'working-directory',
} as const satisfies Omit<ShellCommand, 'script'>;

const NOT_GIVEN = { kind: 'none', why: 'verify names no command.' } as const;

function fromLogs(failed: readonly StepCommand[], redact: Redact): ChosenCommands {
  if (failed.length === 0)
    return {
      ...NOT_GIVEN,
      why: 'verify names no command, and no log of a failed CI step was gathered.',
      isNews: true,
    };
  const known = failed.flatMap(({ job, step, found }) =>
    'command' in found ? [{ job, step, command: withoutOurs(found.command) }] : [],
  );
  // A script of several jobs of a matrix is run once. A redacted script would be another script.
  const distinct = known.filter(
    ({ command: { script } }, index) =>
      redact(script) === script && known.findIndex(({ command }) => command.script === script) === index,
  );
  const chosen = distinct.slice(0, MOST_COMMANDS);
  if (chosen.length > 0)
    return { kind: 'commands', commands: chosen.map(({ command }) => command), source: SOURCE };
  const [first] = failed.flatMap(({ step, found }) => ('why' in found ? [{ step, why: found.why }] : []));
  const reason = first
    ? `the command of the failed CI step “${commandLine(first.step, 80)}” is not known: ${first.why}`
    : '';
  return {
    kind: 'none',
    why: `verify names no command, and ${reason || 'the failed CI step contains a secret'}.`,
    isNews: true,
  };
}

/** Prints what will be run after the agent, and where it comes from. */
export function toldCommands(chosen: ChosenCommands): ChosenCommands {
  if (chosen.kind === 'commands')
    printGroup(`Verification of the change: ${plural(chosen.commands.length, 'command')}`, [
      ...chosen.commands.map(({ script }) => logLine(commandLine(script))),
      ...(chosen.source === '' ? [] : [chosen.source]),
    ]);
  else if (chosen.isNews) info(logLine(`The change will not be verified: ${chosen.why}`));
  return chosen;
}

/** The variables of a step cannot change what the action sets, and cannot run code in every process. */
const withoutOurs = (command: ShellCommand): ShellCommand => ({
  ...command,
  env: Object.fromEntries(
    Object.entries(command.env).filter(
      ([name]) => !isForbiddenForAgent(name) && !isSetByAction(name) && name.toUpperCase() !== 'PATH',
    ),
  ),
});
