import { AGENTS } from '../agent/agent.js';
import { describeCredential } from '../agent/credential.js';
import { newerCliNotice, olderCliWarning } from '../agent/cursor.js';
import { plannedChats } from '../review/effort.js';
import { openSandbox, type Machine } from '../sandbox/index.js';
import { startClock } from './deadline.js';
import type { Task } from './define-task.js';
import type { Cli } from './find-cli.js';
import type { Work } from './finish-work.js';
import { describeSetup, planSandbox, printSetup } from './plan-sandbox.js';
import { openRounds } from './rounds.js';
import { openRunOutput } from './run-output.js';
import { addNotes, type Run } from './run-state.js';
import type { SignIn } from './sign-in.js';

interface WorkParts {
  cli: Cli;
  machine: Machine;
  signIn: SignIn;
}

/**
 * Opens the sandbox, and what follows the agent in it. The run has each of them as soon as it is open, so that it is
 * closed whatever happens next.
 */
export function openWork(run: Run, task: Task & WorkParts, openOutput = openRunOutput): Work {
  const { record, redaction, credential } = run;
  const { inputs, runFolder, invocation, context, commands } = task;
  const agent = AGENTS[inputs.agent];
  const { plan, notes } = planSandbox({
    ...{ ...task, agent, env: invocation.env, redact: redaction.redact },
    print: (line) => run.output?.printLine(line),
  });
  const setup = describeSetup({ ...task, agent }, credential && describeCredential(credential));
  const sandbox = openSandbox(plan);
  run.sandbox = sandbox;
  record.setup = setup;
  printSetup(setup, sandbox.facts.tools);
  addNotes(run, [...notes, ...cliNotes(task.cli.version)]);
  const output = openOutput(runFolder.transcript, redaction, (report) => (record.report = report));
  run.output = output;
  record.files.transcript = runFolder.transcript;
  const validates = task.plan.validates === 'none' ? undefined : 'validation';
  const checkedBy = commands.kind === 'commands' ? 'verification' : validates;
  const setting = {
    ...{ ...task, agent, sandbox, setup, output },
    deadline: startClock({ inputs, checkedBy }),
    starts: { max: task.plan.maxStarts, used: 0, planned: plannedChats(task.plan), hasWorked: false },
    ...{ seat: 0, isFresh: false },
  };
  run.work = {
    ...setting,
    rounds: openRounds(setting),
    checkout: plan.checkout,
    ...{ failures: context.failures, mark: context.mark, scope: context.scope },
    ...{ redact: redaction.redact, findKnown: redaction.findKnown },
    onVerification: (verification) => (record.verification = verification),
  };
  if (setting.starts.planned === 1)
    output.printLine(`1 chat; at most ${setting.starts.max} starts of the agent`);
  return run.work;
}

/** A newer CLI than the tested one may send events that this version does not know. Older ones have known defects. */
const cliNotes = (version = ''): string[] =>
  [olderCliWarning(version), newerCliNotice(version)].filter((text) => text !== undefined);
