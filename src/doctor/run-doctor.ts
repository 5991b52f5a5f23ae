import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exchangeAddress, grantAfter, type Exchange, type Granted } from '../agent/credential.js';
import { unlessCancelled } from '../core/entry.js';
import { messageOf } from '../core/errors.js';
import { RunFailure } from '../core/failure.js';
import { appendSummary, error, getInput, info, setOutput, summarySize, warning } from '../core/runner.js';
import { readGithubEvent } from '../github/event.js';
import { exchangeKey } from '../run/sign-in.js';
import { findCli, type Cli } from '../run/find-cli.js';
import { INPUT_NAMES, type InputName, type Inputs, type RawInputs } from '../run/inputs.js';
import { checkInputs, type CheckedInputs } from '../run/resolve-inputs.js';
import { openRunFolder, type RunFolder } from '../run/run-folder.js';
import type { Invocation } from '../run/run-state.js';
import { findSecrets, hideSecrets } from '../run/secrets.js';
import { createGrowingRedaction, redactAll, type GrowingRedaction } from '../text/redact.js';
import { assessEvent } from '../trust/decide.js';
import { PROMPT, STARTS, type StartName } from './canaries.js';
import {
  buildDoctorReport,
  renderDoctorReport,
  type DoctorReport,
  type DoctorEvidence,
  type Start,
} from './checks.js';
import { observeStart, type CommonSetting } from './observe-start.js';

/** The inputs of doctor/action.yml. Each means what the input of the same name in action.yml means. */
export const DOCTOR_INPUTS = [
  ...['api-key', 'model', 'credential', 'isolation', 'network', 'timeout-minutes'],
  ...['cli-version', 'cli-sha256', 'cli-path', 'cli-download-url'],
] as readonly InputName[];
/** For one start, in minutes. */
const START_MINUTES = '5';

/** Checks everything that the action relies on, with the real CLI and key. Fails the step if an answer is no. */
export async function runDoctor(env: NodeJS.ProcessEnv, cancel: AbortSignal): Promise<number> {
  const redaction = createGrowingRedaction();
  const raw = readDoctorInputs();
  hideSecrets(redaction, findSecrets(raw, env));
  const event = readGithubEvent(env);
  const checked = checkInputs(raw, { env, event, names: DOCTOR_INPUTS });
  const trust = assessEvent(event, []);
  if (trust.kind !== 'allowed')
    throw new RunFailure(
      'untrusted-event',
      `The doctor spends money and runs \`cli-path\`, so only events that require write access may start it, such as schedule and workflow_dispatch. This is ${event.name || 'a run without an event name'}.`,
    );
  const [model = 'auto'] = checked.inputs.model;
  info(
    `The doctor starts the agent ${STARTS.length} times with a short prompt, on a scratch repository of its own. ` +
      `With the model ${model}, Cursor charges the account behind the key for that: usually a few cents.`,
  );
  const runFolder = openRunFolder(env['RUNNER_TEMP']);
  const evidence = await gatherEvidence({ ...checked, redaction, runFolder }, { env, cancel });
  const platform = `${process.platform}/${process.arch}`;
  const report = buildDoctorReport(evidence, { platform, model });
  return tellReport(redactAll(report, redaction.redact), runFolder);
}

function readDoctorInputs(): RawInputs {
  const given = (name: InputName) => (DOCTOR_INPUTS.includes(name) ? getInput(name) : '');
  const raw = Object.fromEntries(INPUT_NAMES.map((name) => [name, given(name)])) as RawInputs;
  return { ...raw, prompt: PROMPT, 'timeout-minutes': raw['timeout-minutes'] || START_MINUTES };
}

interface Examination extends CheckedInputs {
  redaction: GrowingRedaction;
  /** The transcript in it gets the streams of all starts. */
  runFolder: RunFolder;
}

async function gatherEvidence(
  { inputs, resolved, runFolder, redaction }: Examination,
  invocation: Invocation,
): Promise<DoctorEvidence> {
  const { root, install, transcript } = runFolder;
  writeFileSync(transcript, '');
  const installed = unlessCancelled(findCli(inputs, resolved, install), invocation.cancel);
  const [cli, signIn] = await Promise.all([orProblem(installed), signInto(inputs, invocation)]);
  const known = {
    cli: 'problem' in cli ? cli : { version: cli.version },
    isolation: inputs.isolation,
    network: inputs.network,
    ...(signIn.exchange ? { exchange: signIn.exchange } : {}),
  };
  if ('problem' in cli) return { ...known, starts: {} };
  if ('stopped' in signIn) return { ...known, stopped: signIn.stopped, starts: {} };
  const { credential, secrets, notes } = signIn.granted;
  hideSecrets(redaction, secrets);
  for (const note of notes) warning(note);
  const common = { cli, inputs, resolved, credential, invocation, redaction, root };
  return { ...known, credential: credential.kind, ...(await observeStarts(common, transcript)) };
}

/** A CLI that cannot be installed is an answer. A job that was cancelled is none. */
async function orProblem(installed: Promise<Cli>): Promise<Cli | { problem: string }> {
  try {
    return await installed;
  } catch (problem) {
    if (problem instanceof RunFailure) return { problem: problem.detail };
    throw problem;
  }
}

type SignedIn = { exchange?: Exchange } & (
  { granted: Granted } | { stopped: DoctorEvidence['stopped'] & object }
);

async function signInto(inputs: Inputs, { env, cancel }: Invocation): Promise<SignedIn> {
  const { apiKey: key, credential: choice } = inputs;
  if (choice === 'key') return { granted: { credential: { kind: 'key', key }, secrets: [], notes: [] } };
  const exchange = await exchangeKey({ address: exchangeAddress(env), key, cancel });
  try {
    const ms = STARTS.length * inputs.timeoutMinutes * 60_000;
    return {
      exchange,
      granted: grantAfter(exchange, { choice, key, mayRunCommands: false, ms, now: Date.now() }),
    };
  } catch (problem) {
    if (!(problem instanceof RunFailure) || problem.reason === 'invalid-input') throw problem;
    return { exchange, stopped: problem };
  }
}

/** Starts the agent once per kind of start, and stops where another start would only cost money. */
async function observeStarts(
  common: CommonSetting,
  recording: string,
): Promise<Pick<DoctorEvidence, 'starts' | 'stopped'>> {
  const starts: Partial<Record<StartName, Start>> = {};
  for (const [index, name] of STARTS.entries()) {
    info(`Start ${index + 1} of ${STARTS.length}: ${DESCRIBED[name]}`);
    try {
      const { start, transcript } = await observeStart(name, common);
      starts[name] = start;
      keepStream(recording, { name, transcript });
    } catch (problem) {
      if (!(problem instanceof RunFailure)) throw problem;
      return { starts, stopped: problem };
    }
    if (common.invocation.cancel.aborted) throw new RunFailure('cancelled', 'The job was cancelled.');
    const stopped = whyStop(starts[name]);
    if (stopped !== undefined) return { starts, stopped };
  }
  return { starts };
}

const DESCRIBED: Readonly<Record<StartName, string>> = {
  control: 'nothing is denied, to see that the commands work',
  force: 'with rules, and with --force',
  'no-force': 'with the same rules, without --force',
};

function whyStop({ verdict, hasResult, calls }: Start): DoctorEvidence['stopped'] {
  if (!hasResult && verdict.status === 'failure')
    return { reason: verdict.reason, detail: `The agent did not finish: ${verdict.detail}` };
  return calls.length > 0 ? undefined : { reason: 'no-result', detail: 'The agent made no tool call.' };
}

/** One file for a bug report. The transcripts are redacted already. */
function keepStream(recording: string, { name, transcript }: { name: StartName; transcript: string }): void {
  const stream = existsSync(transcript) ? readFileSync(transcript) : '';
  appendFileSync(recording, `${JSON.stringify({ type: 'doctor', start: name })}\n`);
  appendFileSync(recording, stream);
}

/** Returns the exit code. */
function tellReport(report: DoctorReport, { root, transcript }: RunFolder): number {
  const file = join(root, 'doctor.json');
  writeFileSync(file, `${JSON.stringify(report, undefined, 1)}\n`);
  setOutput('status', report.status);
  setOutput('report-file', file);
  setOutput('recording-file', transcript);
  if (summarySize() !== undefined) tryToSummarise(report);
  for (const { id, answer, detail } of report.checks) info(`${answer.padEnd(7)} ${id.padEnd(12)} ${detail}`);
  const linesWith = (word: string) =>
    report.checks
      .filter(({ answer }) => answer === word)
      .map(({ question, detail }) => `${question} ${detail}`);
  const [failed, open] = [linesWith('fail'), linesWith('unknown')];
  if (open.length > 0) warning(open.join('\n'), 'The doctor does not know');
  if (failed.length === 0) return 0;
  error(failed.join('\n'), 'The doctor found something that does not hold');
  return 1;
}

/** Only people read the summary, and the log has the same. */
function tryToSummarise(report: DoctorReport): void {
  try {
    appendSummary(`${renderDoctorReport(report)}\n`);
  } catch (problem) {
    warning(`The job summary could not be written: ${messageOf(problem)}`);
  }
}
