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
import type { Attempt } from '../run/attempts.js';
import type { Cli } from '../run/find-cli.js';
import type { Inputs } from '../run/inputs.js';
import { openHook } from '../sandbox/hook.js';
import { openNetwork, type AgentNetwork } from '../run/open-network.js';
import { prepareAgent } from '../run/prepare-agent.js';
import type { ResolvedInputs } from '../run/resolve-inputs.js';
import { openRunFolder, writeFiles, type RunFolder } from '../run/run-folder.js';
import { openRunOutput } from '../run/run-output.js';
import type { Invocation } from '../run/run-state.js';
import { findChanges } from '../run/settle-changes.js';
import { startClock } from '../run/deadline.js';
import { openStarts } from '../run/start-agent.js';
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
import type { NetworkEvidence, Start } from './checks.js';

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
  const runFolder = openRunFolder(common.root);
  const service = await openLocalService();
  const scratch = makeScratch(runFolder, env, service.port);
  const { rule, hook: policy } = policiesOf(name);
  const agent = withRules(rule);
  const hook = await openHook(agent, runFolder);
  const output = openRunOutput(runFolder.transcript, { redaction, onReport: () => undefined });
  const resolved = { ...common.resolved, workspace: scratch.checkout, directory: scratch.checkout };
  const rules = { choice: 'none', base: undefined } as const;
  const PATH = `${scratch.programs}${delimiter}${env['PATH'] ?? ''}`;
  const invocation = { cancel, env: { ...env, PATH } };
  const tell = output.printLine;
  const network = await openNetwork({ agent, inputs, resolved, runFolder, invocation, tell });
  const setting = {
    ...{ agent, cli, inputs, resolved, rules, policy, runFolder, hook, network },
    ...{ redact: redaction.redact, findKnown: redaction.findKnown },
    ...{ invocation, prompt: PROMPT, output, deadline: startClock({ inputs, isVerified: false }) },
  };
  const signIn = () => Promise.resolve(credential);
  const starts = openStarts(prepareAgent(setting), { ...setting, signIn });
  const commands = DENIED_BY.map(commandOf);
  try {
    const attempt = await starts.start({ model: setting.inputs.model[0] ?? 'auto' });
    const prepared = starts.prepared();
    const tally = hook?.close(output.printLine);
    const { early, changed, applied } = settle(attempt, {
      ...setting,
      layer: prepared.layer,
      inputs: { onViolation: 'revert' },
    });
    const { exit, verdict, report } = attempt;
    return {
      transcript: runFolder.transcript,
      start: {
        ...{ exit, verdict, early, changed, applied, isolation: prepared.isolation },
        network: {
          ...describeNetwork(network),
          asked: commands.filter((command) => isMarked(scratch, command, ASKED)),
          linked: commands.filter((command) => isMarked(scratch, command, LINKED)),
          leaks: service.reached(),
        },
        hasResult: report.result !== undefined,
        calls: report.tools,
        unrecognised: report.unrecognised,
        ...(tally ? { hook: tally } : {}),
        ran: commands.filter((command) => isMarked(scratch, command)),
        escaped: commands.filter(
          (command) => existsSync(join(scratch.outside, command)) || isMarked(scratch, command, SAW),
        ),
      },
    };
  } finally {
    output.close();
    network.close();
    service.close();
    starts.prepared().layer.workspace.close();
  }
}

/** The CLI gets rules of its own, so that the rules and the hook can be tested one by one. */
const withRules = (rules: Policy): Agent => ({
  ...cursor,
  homeFiles: (_, workspace, options) => cursor.homeFiles(rules, workspace, options),
  projectFiles: (_, workspace) => cursor.projectFiles(rules, workspace),
});

interface DoctorScratch extends Pick<TouchedPaths, 'marks' | 'outside'> {
  checkout: string;
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

function makeScratch(
  { root, context, temp }: RunFolder,
  env: NodeJS.ProcessEnv,
  port: number,
): DoctorScratch {
  const [checkout, outside, programs] = [join(root, 'checkout'), join(root, 'outside'), join(context, 'bin')];
  for (const folder of [checkout, outside, programs]) mkdirSync(folder, { recursive: true });
  writeFiles(outside, { [SECRET]: '' });
  writeFiles(checkout, { 'README.md': '# Scratch\n' });
  const git = findGit({ path: env['PATH'], untrusted: [env['GITHUB_WORKSPACE'] ?? root, root, tmpdir()] });
  const args = ['init', '--quiet', '--template='];
  // Without git it stays a folder, which works too.
  if (git !== undefined)
    runProgram({ file: git, args, cwd: checkout, env: { HOME: root, ...NO_MACHINE_SETTINGS } });
  for (const deniedBy of DENIED_BY) {
    const places = { marks: temp, outside, port, node: process.execPath };
    const { name, text } = canaryProgram(deniedBy, places, process.platform);
    writeFileSync(join(programs, name), text, { mode: 0o755 });
  }
  return { checkout, programs, outside, marks: temp };
}

/** Applies what is allowed, as a run does. `early`: what was in the checkout before that. */
function settle(
  attempt: Attempt,
  request: Parameters<typeof findChanges>[0],
): Pick<Start, 'early' | 'changed' | 'applied'> {
  const inCheckout = () =>
    [...DENIED_BY.map(fileOf), UNASKED].filter((file) => existsSync(join(request.layer.checkout, file)));
  const early = inCheckout();
  const { violations, settle: apply } = findChanges(request);
  const { changes } = apply(judge({ ...attempt, failOnDenied: false, violations }));
  const changed = changes.kind === 'known' ? changes.files.map(({ path }) => path) : [];
  return { early, changed, applied: inCheckout() };
}

function describeNetwork(network: AgentNetwork): Pick<NetworkEvidence, 'state' | 'words' | 'vendor'> {
  const vendor = network.seen()?.vendor.made ?? 0;
  return { state: network.state(), words: network.describe(), vendor };
}

const isMarked = ({ marks }: DoctorScratch, command: string, mark = ''): boolean =>
  existsSync(join(marks, `${command}${mark}`));
