import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isForbiddenForAgent, isPath, isSetByAction } from '../agent/environment.js';
import type { ScriptCommand, StepCommand } from '../context/ci-logs.js';
import type { Exit } from '../core/exit.js';
import { info, printGroup } from '../core/runner.js';
import type { CommandResult, VerificationRound } from '../report/model.js';
import { commandLine, failsAsBefore, isPassed, resultWords } from '../report/verification.js';
import { readLines, type Line } from '../stream/lines.js';
import { plural } from '../text/format.js';
import { logLine, nameInvisible, truncate } from '../text/plain-text.js';
import type { Redact, Redaction } from '../text/redact.js';
import type { CleanTree } from '../sandbox/index.js';
import type { Inputs } from './inputs.js';

/** What the action runs on the change, or why it runs nothing. */
export type ChosenCommands =
  | {
      kind: 'commands';
      commands: ScriptCommand[];
      source: string;
      /** Whether nothing that failed in CI is left out. */
      isWhole: boolean;
    }
  /** `isNews`: a user may expect a verification, so the log says that there is none. */
  | { kind: 'none'; why: string; isNews: boolean };

/** They share the time limit, so more would leave too little for each. */
const MAX_COMMANDS = 3;

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
        isWhole: true,
      };
    case 'auto':
      return preset === 'fix-ci'
        ? fromLogs(failed, redact)
        : { kind: 'none', why: 'verify names no command.', isNews: false };
  }
}

const GIVEN = {
  shell: 'bash',
  options: ['-e', '-o', 'pipefail'],
  env: {},
  place: 'working-directory',
} as const satisfies Omit<ScriptCommand, 'script'>;

function fromLogs(failed: readonly StepCommand[], redact: Redact): ChosenCommands {
  const none = (why: string): ChosenCommands => ({
    kind: 'none',
    why: `verify names no command, and ${why}.`,
    isNews: true,
  });
  if (failed.length === 0) return none('no log of a failed CI step was gathered');
  const known = failed.flatMap(({ found }) => ('command' in found ? [withoutOurs(found.command)] : []));
  // A script of several jobs of a matrix is run once. A redacted script would be another script.
  const distinct = known.filter(
    ({ script }, index) =>
      redact(script) === script && known.findIndex((other) => other.script === script) === index,
  );
  const commands = distinct.slice(0, MAX_COMMANDS);
  if (commands.length > 0) {
    const isWhole =
      known.length === failed.length &&
      known.every(({ script }) => commands.some((command) => command.script === script));
    return { kind: 'commands', commands, source: SOURCE, isWhole };
  }
  for (const { step, found } of failed)
    if ('why' in found)
      return none(`the command of the failed CI step “${commandLine(step, 80)}” is not known: ${found.why}`);
  return none('the failed CI step contains a secret');
}

/** Prints what will be run, and where it comes from. */
export function printCommands(chosen: ChosenCommands): void {
  if (chosen.kind === 'commands')
    printGroup(`Verification: ${plural(chosen.commands.length, 'command')}`, [
      ...chosen.commands.map(({ script }) => logLine(commandLine(script))),
      ...(chosen.source === '' ? [] : [chosen.source]),
    ]);
  else if (chosen.isNews) info(logLine(`The change will not be verified: ${chosen.why}`));
}

/** The variables of a step cannot change what the action sets, and cannot run code in every process. */
const withoutOurs = (command: ScriptCommand): ScriptCommand => ({
  ...command,
  env: Object.fromEntries(
    Object.entries(command.env).filter(
      ([name]) => !isForbiddenForAgent(name) && !isSetByAction(name) && !isPath(name),
    ),
  ),
});

/** What the report keeps of the output of a command, counted from its end, and what failures are looked for in. */
const OUTPUT_CHARACTERS = 8000;
const SEARCHED_CHARACTERS = 400_000;
const COMMAND_CHARACTERS = 2000;
/** A longer line is no line for people. */
const MAX_LINE_BYTES = 64 * 1024;
const LINES_IN_LOG = 40;

interface CommandRun {
  commands: readonly ScriptCommand[];
  tree: CleanTree;
  /** Where commands work, by the path from the top of the checkout. */
  folders: Readonly<Record<ScriptCommand['place'], string>>;
  /** Each command gets an equal share of what is left. */
  leftMs(): number;
  /** What the commands are run for, in the log. */
  label: string;
  /** What the commands did before the change. Those that fail just as they did then do not stop the others. */
  before?: VerificationRound | 'is-now' | undefined;
  cancel: AbortSignal;
  redaction: Redaction;
  print(lines: readonly string[]): void;
}

/** What the commands gave, and the output of the last one as far as it is known. */
export interface RanCommands {
  round: VerificationRound;
  output: string;
}

/** Runs the commands one after the other on one tree, until one fails. */
export async function runCommands(run: CommandRun): Promise<RanCommands> {
  const { commands, leftMs, label, before, print } = run;
  const results: CommandResult[] = [];
  let output = '';
  for (const [index, command] of commands.entries()) {
    const shareMs = leftMs() / (commands.length - index);
    print([`${label} ${index + 1} of ${commands.length}: ${logLine(commandLine(command.script))}`]);
    const { result, ...ran } = await runCommand(command, { ...run, shareMs });
    output = ran.output;
    const former = before === 'is-now' ? undefined : before?.results[index];
    const isKnown = failsAsBefore(former, result);
    results.push({ ...result, ...(isKnown ? { asBefore: true as const } : {}) });
    const ending = isPassed(result) ? [] : result.output.split('\n').slice(-LINES_IN_LOG);
    print([
      ...ending.map((line) => `  ${logLine(line)}`),
      `${label} ${index + 1}: ${logLine(resultWords(result))}`,
    ]);
    if (!isPassed(result) && !isKnown && before !== 'is-now') break;
  }
  return { round: { results, notRun: commands.length - results.length }, output };
}

async function runCommand(
  { script, shell, options, env, place }: ScriptCommand,
  { tree, folders, shareMs, redaction, cancel }: CommandRun & { shareMs: number },
): Promise<{ result: CommandResult; output: string }> {
  const kept = keepEnd(redaction);
  const startedAt = performance.now();
  const exit = await tree.run(
    { file: findShell(shell), args: [...options, '-c', script], env, folder: folders[place] },
    { ...NO_AGENT, ...kept },
    { totalMs: shareMs, graceMs: 0, subagentMs: 0, cancel },
  );
  const durationMs = performance.now() - startedAt;
  const output = kept.end();
  const result = {
    command: truncate(redaction.redact(script), COMMAND_CHARACTERS),
    exit: withoutCode(exit),
    durationMs,
    output: output.slice(-OUTPUT_CHARACTERS),
  };
  return { result, output };
}

/** A command prints no stream of events, so its output never says that it is done. */
const NO_AGENT = { hasResult: () => false, hasSubagent: () => false, patienceMs: () => Infinity };

/** A command that was stopped has no result, whatever it returned after that. */
const withoutCode = (exit: Exit): Exit => (exit.kind === 'ended' ? { kind: 'ended', why: exit.why } : exit);

/** By its full path: the PATH of the commands can name folders of the checkout. */
const findShell = (shell: string): string =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => join(folder, shell))
    .find((path) => existsSync(path)) ?? shell;

/** The end of the output of a process, without secrets and without characters that a reader cannot see. */
function keepEnd(redaction: Redaction) {
  let text = '';
  const reader = () => {
    const splitter = readLines(redaction, MAX_LINE_BYTES);
    const take = (lines: Line[]) => {
      for (const line of lines) text += `${nameInvisible(line.text)}\n`;
      if (text.length > 2 * SEARCHED_CHARACTERS) text = text.slice(-SEARCHED_CHARACTERS);
    };
    return {
      onChunk: (chunk: Buffer) => {
        take(splitter.push(chunk));
      },
      end: () => {
        take(splitter.end());
      },
    };
  };
  const [stdout, stderr] = [reader(), reader()];
  return {
    onStdout: stdout.onChunk,
    onStderr: stderr.onChunk,
    end() {
      stdout.end();
      stderr.end();
      return text.slice(-SEARCHED_CHARACTERS).trimEnd();
    },
  };
}
