import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runProcess, type ProcessSpec } from '../agent/process.js';
import type { ShellCommand } from '../context/ci-logs.js';
import type { Exit } from '../core/exit.js';
import { RunFailure } from '../core/failure.js';
import { awaitReady, explainFailure } from '../isolation/check.js';
import type { CommandResult, Verification } from '../report/model.js';
import { commandLine, isPassed, resultWords } from '../report/verification.js';
import { splitLines, type Line } from '../stream/read-stream.js';
import { logLine, nameInvisible, truncate } from '../text/plain-text.js';
import { cleanLines, type Redaction } from '../text/redact.js';
import type { Scratch } from '../workspace/workspace.js';
import { closed } from './follow-stream.js';
import type { Prepared } from './prepare-agent.js';
import type { ResolvedInputs } from './resolve-inputs.js';
import { KILL_MS } from './start-agent.js';

/** What is kept of the output of a command, counted from its end. */
const OUTPUT_CHARACTERS = 8000;
const COMMAND_CHARACTERS = 2000;
/** A longer line is no line for people. */
const MOST_LINE_BYTES = 64 * 1024;
const LINES_IN_LOG = 40;

export interface CommandRun {
  commands: readonly ShellCommand[];
  prepared: Pick<Prepared, 'layer'>;
  resolved: Pick<ResolvedInputs, 'workspace'>;
  /** The environment of the commands: that of the agent without anything secret. */
  env: Readonly<Record<string, string>>;
  /** For all commands together. Each gets an equal share of what is left. */
  totalMs: number;
  cancel: AbortSignal;
  redaction: Redaction;
  print(lines: readonly string[]): void;
}

/** Runs the commands one after the other on a throw-away version of the layer, until one fails. */
export async function runCommands(
  run: CommandRun,
): Promise<Verification['rounds'][number] & Pick<Scratch, 'intrusions'>> {
  const { commands, totalMs, print } = run;
  const scratch = run.prepared.layer.workspace.openScratch();
  const startedAt = performance.now();
  const results: CommandResult[] = [];
  for (const [index, command] of commands.entries()) {
    const leftMs = totalMs - (performance.now() - startedAt);
    const shareMs = Math.max(0, leftMs) / (commands.length - index);
    print([`verify ${index + 1} of ${commands.length}: ${logLine(commandLine(command.script))}`]);
    const result = await runCommand(command, { ...run, scratch, shareMs });
    results.push(result);
    const ending = isPassed(result) ? [] : result.output.split('\n').slice(-LINES_IN_LOG);
    print([
      ...ending.map((line) => `  ${logLine(line)}`),
      `verify ${index + 1}: ${logLine(resultWords(result))}`,
    ]);
    if (!isPassed(result)) break;
  }
  return { results, notRun: commands.length - results.length, intrusions: scratch.intrusions };
}

interface OneRun extends CommandRun {
  scratch: Scratch;
  shareMs: number;
}

async function runCommand(command: ShellCommand, run: OneRun): Promise<CommandResult> {
  const { scratch, redaction, cancel } = run;
  const output = keepEnd(redaction);
  const spec = scratch.enter(specOf(command, run));
  const gate = spec.ready === undefined ? undefined : awaitReady(output.onStderr);
  const startedAt = performance.now();
  const exit = await runProcess(
    spec,
    { ...NO_AGENT, onStdout: output.onStdout, onStderr: gate?.onStderr ?? output.onStderr },
    { totalMs: run.shareMs, graceMs: 0, subagentMs: 0, killMs: KILL_MS, cancel },
  );
  if (gate && !gate.isReady() && exit.kind !== 'ended')
    throw new RunFailure(
      'isolation-unavailable',
      `The commands that verify the change could not be isolated, so they were not run. ${explainFailure(gate.printed())}`,
    );
  return {
    command: truncate(redaction.redact(command.script), COMMAND_CHARACTERS),
    exit: withoutCode(exit),
    durationMs: performance.now() - startedAt,
    output: output.end(),
  };
}

/** What it printed is not a stream of events, so nothing in it says that it is done. */
const NO_AGENT = { hasResult: () => false, hasSubagent: () => false, patienceMs: () => Infinity };

/** A command that was stopped has no result, whatever it returned after that. */
const withoutCode = (exit: Exit): Exit => (exit.kind === 'ended' ? { kind: 'ended', why: exit.why } : exit);

function specOf(
  { script, shell, options, env, place }: ShellCommand,
  { scratch, prepared: { layer }, resolved, env: own }: OneRun,
): ProcessSpec {
  const directory =
    place === 'workspace'
      ? relative(layer.checkout, resolved.workspace)
      : relative(layer.workspace.seen, layer.directory);
  return {
    file: findShell(shell),
    args: [...options, '-c', script],
    cwd: join(scratch.seen, directory),
    env: { ...env, ...own },
    input: '',
  };
}

/** By its full path: the PATH of the commands can name folders of the checkout. */
const findShell = (shell: string): string =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => join(folder, shell))
    .find((path) => existsSync(path)) ?? shell;

/** The end of the output of a process, without secrets and without characters that a reader cannot see. */
function keepEnd(redaction: Redaction) {
  let text = '';
  const reader = () => {
    const clean = cleanLines(redaction);
    const lines = splitLines(MOST_LINE_BYTES);
    const take = (some: Line[]) => {
      for (const { text: line, oversized } of some)
        text += `${nameInvisible(clean(oversized ? closed(line, redaction) : line))}\n`;
      text = text.slice(-OUTPUT_CHARACTERS);
    };
    return { lines, take };
  };
  const [stdout, stderr] = [reader(), reader()];
  const onChunk =
    ({ lines, take }: ReturnType<typeof reader>) =>
    (chunk: Buffer) => {
      take(lines.push(chunk));
    };
  return {
    onStdout: onChunk(stdout),
    onStderr: onChunk(stderr),
    end: () => {
      for (const { lines, take } of [stdout, stderr]) take(lines.end());
      return text.trimEnd();
    },
  };
}
