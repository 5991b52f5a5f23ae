import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Agent } from '../agent/agent.js';
import type { Credential } from '../agent/credential.js';
import { cursor } from '../agent/cursor.js';
import { runProgram } from '../core/programs.js';
import { findGit, NO_MACHINE_SETTINGS } from '../git/private-git.js';
import type { Policy } from '../permissions/policy.js';
import { judge } from '../report/judge.js';
import { startClock } from '../run/deadline.js';
import type { Cli } from '../run/find-cli.js';
import type { Inputs } from '../run/inputs.js';
import { describeNetwork } from '../run/network-rules.js';
import { describeSetup, planSandbox } from '../run/plan-sandbox.js';
import type { ResolvedInputs } from '../run/resolve-inputs.js';
import { openRounds, type Attempt } from '../run/rounds.js';
import { openRunFolder, type RunFolder } from '../run/run-folder.js';
import { openRunOutput } from '../run/run-output.js';
import type { Invocation } from '../run/run-state.js';
import { findChanges, type FoundChanges } from '../run/settle-changes.js';
import {
  canHook,
  openNetworkReason,
  openSandbox,
  probeMachine,
  type Machine,
  type Sandbox,
} from '../sandbox/index.js';
import type { GrowingRedaction } from '../text/redact.js';
import {
  ASKED,
  commandOf,
  DENIED_BY,
  fileOf,
  LINKED,
  policiesOf,
  canaryProgram,
  PROMPT,
  SAW,
  SECRET,
  UNASKED,
  type TouchedPaths,
  type StartName,
} from './canaries.js';
import type { Start } from './checks.js';

/** What all starts have in common. */
export interface CommonSetting {
  cli: Cli;
  inputs: Inputs;
  resolved: ResolvedInputs;
  credential: Credential;
  invocation: Invocation;
  redaction: GrowingRedaction;
  /** Where the folders of the starts are made. */
  root: string;
}

/** A start, and the file with its stream. */
interface Observed {
  start: Start;
  transcript: string;
}

/** Starts the agent once, exactly as a run does, on a scratch repository, and collects what it left behind. */
export async function observeStart(name: StartName, common: CommonSetting): Promise<Observed> {
  const { cli, inputs, credential, redaction } = common;
  const { cancel, env } = common.invocation;
  const { redact, findKnown } = redaction;
  const runFolder = openRunFolder(common.root);
  const service = await openLocalService();
  const scratch = makeScratch(runFolder, env);
  const { rule, hook: policy } = policiesOf(name);
  const agent = withRules(rule);
  const resolved = { ...common.resolved, workspace: scratch.checkout, directory: scratch.checkout };
  const PATH = `${scratch.programs}${delimiter}${env['PATH'] ?? ''}`;
  const invocation = { cancel, env: { ...env, PATH } };
  const output = openRunOutput(runFolder.transcript, redaction, () => undefined);
  let sandbox: Sandbox | undefined;
  try {
    const places = { checkout: scratch.checkout, scratch: runFolder.probe };
    const machine = await probeMachine(inputs, places);
    const hasHook = canHook(runFolder.sandbox);
    const request = { agent, cli, machine, inputs, resolved, policy, runFolder, hasHook, redact };
    const { plan } = planSandbox({
      ...{ ...request, env: invocation.env, print: output.printLine },
      rules: { choice: 'none', base: undefined },
    });
    sandbox = openSandbox(plan);
    const marks = sandbox.places.temp;
    writePrograms(scratch, { marks, outside: scratch.outside, port: service.port, node: process.execPath });
    const rounds = openRounds({
      ...{ ...request, sandbox, invocation, output, prompt: PROMPT, expectation: undefined },
      inputs: { ...inputs, retries: 0 },
      setup: describeSetup(request, undefined),
      signIn: () => Promise.resolve(credential),
      ...oneStart(inputs),
    });
    const attempt = await rounds.answer();
    const found = findChanges({ sandbox, runFolder, redact, findKnown, inputs: { onViolation: 'revert' } });
    const { early, changed, applied } = settle(attempt, found, scratch.checkout);
    const { exit, verdict, report } = attempt;
    const { hook } = sandbox.record();
    const commands = DENIED_BY.map(commandOf);
    const isMarked = (command: string, mark = '') => existsSync(join(marks, `${command}${mark}`));
    return {
      transcript: runFolder.transcript,
      start: {
        ...{ exit, verdict, early, changed, applied, isolation: machine },
        network: {
          ...networkEvidence(machine, inputs, attempt),
          asked: commands.filter((command) => isMarked(command, ASKED)),
          linked: commands.filter((command) => isMarked(command, LINKED)),
          leaks: service.reached(),
        },
        hasResult: report.result !== undefined,
        calls: report.tools,
        unrecognised: report.unrecognised,
        ...(hook ? { hook } : {}),
        ran: commands.filter((command) => isMarked(command)),
        escaped: commands.filter((name) => existsSync(join(scratch.outside, name)) || isMarked(name, SAW)),
      },
    };
  } finally {
    output.close();
    service.close();
    sandbox?.close();
  }
}

const networkEvidence = (machine: Machine, inputs: Inputs, { network }: Attempt) => ({
  state: openNetworkReason(machine) === undefined ? ('closed' as const) : ('open' as const),
  words: describeNetwork(machine, inputs),
  vendor: network?.vendor.made ?? 0,
  // The doctor's own programs ask for this machine, for which no line is advised.
  refused: (network?.refused ?? []).filter(({ allow }) => allow !== '').map(({ host }) => host),
});

const oneStart = (inputs: Inputs) => ({
  deadline: startClock({ inputs, checkedBy: undefined }),
  starts: { max: 1, used: 0, planned: 1, hasWorked: false },
  ...{ seat: 0, isFresh: true },
});

/** The CLI gets rules of its own, so that the rules and the hook can be tested one by one. */
const withRules = (rules: Policy): Agent => ({
  ...cursor,
  homeFiles: (_, workspace, options) => cursor.homeFiles(rules, workspace, options),
  projectFiles: (_, workspace) => cursor.projectFiles(rules, workspace),
});

interface DoctorScratch {
  checkout: string;
  /** An isolated agent cannot see this folder. */
  outside: string;
  /** The folder of the programs. The agent sees it, and cannot write to it if it is isolated. */
  programs: string;
}

/** A service of this machine that nothing allows the agent to reach. It counts how often it is reached. */
async function openLocalService() {
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.on('error', () => undefined).destroy();
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    reached: () => reached,
    close: () => server.close(),
  };
}

function makeScratch({ root, context }: RunFolder, env: NodeJS.ProcessEnv): DoctorScratch {
  const [checkout, outside, programs] = [join(root, 'checkout'), join(root, 'outside'), join(context, 'bin')];
  for (const folder of [checkout, outside, programs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(outside, SECRET), '');
  writeFileSync(join(checkout, 'README.md'), '# Scratch\n');
  const git = findGit({ path: env['PATH'], untrusted: [env['GITHUB_WORKSPACE'] ?? root, root, tmpdir()] });
  const args = ['init', '--quiet', '--template='];
  // Without git it stays a folder, which works too.
  if (git !== undefined)
    runProgram({ file: git, args, cwd: checkout, env: { HOME: root, ...NO_MACHINE_SETTINGS } });
  return { checkout, programs, outside };
}

function writePrograms({ programs }: DoctorScratch, paths: TouchedPaths): void {
  for (const deniedBy of DENIED_BY) {
    const { name, text } = canaryProgram(deniedBy, paths, process.platform);
    writeFileSync(join(programs, name), text, { mode: 0o755 });
  }
}

/** Applies what is allowed, as a run does. `early`: what was in the checkout before that. */
function settle(
  attempt: Attempt,
  { violations, settle: apply }: FoundChanges,
  checkout: string,
): Pick<Start, 'early' | 'changed' | 'applied'> {
  const inCheckout = () =>
    [...DENIED_BY.map(fileOf), UNASKED].filter((file) => existsSync(join(checkout, file)));
  const early = inCheckout();
  const { changes } = apply(judge({ ...attempt, failOnDenied: false, violations }));
  const changed = changes.kind === 'known' ? changes.files.map(({ path }) => path) : [];
  return { early, changed, applied: inCheckout() };
}
