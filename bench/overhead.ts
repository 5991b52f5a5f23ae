import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The cost of the action itself: the time of a whole run with an agent that answers at once in ordinary Markdown,
 * compared with a Node process that does nothing. Nothing is installed. It is measured isolated and on an overlay, as on
 * a runner, and without isolation on a copy of a folder with one file. Runners run actions with Node 24: set SCENARIO_NODE to
 * measure with another Node than the one that runs this.
 */
const NODE = process.env['SCENARIO_NODE'] ?? process.execPath;
const ROUNDS = 21;
/** Nothing is kept for milliseconds alone, but a step that takes longer than this is felt. */
const MAX_ISOLATED = 12;

const folder = mkdtempSync(join(tmpdir(), 'bench-overhead-'));
const agent = join(folder, 'cursor-agent');
const workspace = join(folder, 'workspace');
mkdirSync(workspace);
writeFileSync(join(workspace, 'README.md'), '# Project\n');
const answer = [
  '## Review',
  '',
  'The parser is **fine**, but `parse()` reads one byte too many:',
  '',
  '- [src/parse.ts](src/parse.ts) line 12',
  '- no test covers it',
  '',
  '```ts',
  'while (at <= end) at += 1;',
  '```',
].join('\n');
const records = [
  { type: 'system', subtype: 'init', session_id: 's', model: 'm', cwd: folder },
  {
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: answer }] },
    session_id: 's',
  },
  { type: 'result', subtype: 'success', is_error: false, duration_ms: 1, result: answer, session_id: 's' },
];
writeFileSync(
  agent,
  `#!/bin/sh\ncat > /dev/null\ncat <<'END'\n${records.map((r) => JSON.stringify(r)).join('\n')}\nEND\n`,
);
chmodSync(agent, 0o755);
for (const name of ['output', 'summary', 'state']) writeFileSync(join(folder, name), '');

const bundle = resolve('dist', 'run', 'index.js');
const env = {
  PATH: process.env['PATH'],
  GITHUB_WORKSPACE: workspace,
  RUNNER_TEMP: folder,
  GITHUB_OUTPUT: join(folder, 'output'),
  GITHUB_STEP_SUMMARY: join(folder, 'summary'),
  GITHUB_STATE: join(folder, 'state'),
};
const inputs = {
  INPUT_PROMPT: 'x',
  'INPUT_API-KEY': 'key_1234567890',
  INPUT_CREDENTIAL: 'key',
  'INPUT_CLI-PATH': agent,
  INPUT_ISOLATION: 'off',
};

const CASES: Record<string, { args: string[]; env: NodeJS.ProcessEnv; status: number }> = {
  'node -e 0': { args: ['-e', '0'], env, status: 0 },
  // Without a policy it denies, which takes as long as any other answer.
  'the hook': { args: [resolve('dist', 'hook', 'index.js')], env, status: 0 },
  'inputs refused': { args: [bundle], env, status: 1 },
  'whole run': { args: [bundle], env: { ...env, ...inputs }, status: 0 },
  isolated: { args: [bundle], env: { ...env, ...inputs, INPUT_ISOLATION: 'required' }, status: 0 },
};

const times: Record<string, number[]> = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, { args, env: variables, status }] of Object.entries(CASES)) {
    const start = process.hrtime.bigint();
    const run = spawnSync(NODE, args, { env: variables, encoding: 'utf8' });
    (times[name] ??= []).push(Number(process.hrtime.bigint() - start) / 1e6);
    if (run.status !== status)
      throw new Error(`${name} ended with ${run.status}: ${run.stdout}${run.stderr}`);
  }
}
const agentTimes = Array.from({ length: ROUNDS }, () => {
  const start = process.hrtime.bigint();
  spawnSync(agent, [], { input: 'x' });
  return Number(process.hrtime.bigint() - start) / 1e6;
});
rmSync(folder, { recursive: true, force: true });

const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const baseline = median(times['node -e 0'] ?? []);
const ratio = (name: string) => median(times[name] ?? []) / baseline;
const whole = ratio('whole run');
const agentShare = median(agentTimes) / baseline;
console.log(`with Node ${spawnSync(NODE, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
console.log(
  `start-up and inputs, with summary and outputs written: ${ratio('inputs refused').toFixed(2)} x node -e 0`,
);
console.log(`the hook, for each tool call: ${ratio('the hook').toFixed(2)} x`);
console.log(`the agent itself: ${agentShare.toFixed(2)} x`);
console.log(
  `policy, process, stream, clean-up: ${(whole - ratio('inputs refused') - agentShare).toFixed(2)} x`,
);
console.log(`whole run: ${whole.toFixed(2)} x node -e 0`);
const isolated = ratio('isolated');
console.log(
  `isolated: ${isolated.toFixed(2)} x node -e 0 (at most ${MAX_ISOLATED} x) ${isolated <= MAX_ISOLATED ? 'ok' : 'MISSED'}`,
);
process.exitCode = isolated <= MAX_ISOLATED ? 0 : 1;
