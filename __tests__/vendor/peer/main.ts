// Replaces Cursor's CLI: the vendor's own executor does what a scripted model asks for. The script is part of the prompt,
// because an isolated agent sees nothing else of the test.
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startBackend, type Call, type Outcome } from './backend.js';
import { loadExecutor, requestNames } from './executor.js';
import { startTrace } from './trace.js';

const SCRIPT = /script:([\w-]+)/;

const print = (record: object) => {
  let bytes = Buffer.from(`${JSON.stringify({ session_id: 'chat-1', ...record })}\n`);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
};
// What the executor itself prints must not get into the stream.
process.stdout.write = () => true;

const here = import.meta.dirname;
const workspace = process.cwd();
const home = process.env['HOME'] ?? '';
const input = readFileSync(0, 'utf8');
const script = JSON.parse(
  Buffer.from(SCRIPT.exec(input)?.[1] ?? '', 'base64url').toString() || '[]',
) as Call[];

/** The number of the last command that was started in the background. */
let shell = 0;
/** Puts in what a test cannot know, and what is too long for a prompt. */
const fill = (text: string) =>
  text
    .replaceAll('@WORKSPACE', workspace)
    .replaceAll('@HOME', home)
    .replaceAll('@BACKEND', backend.url)
    .replaceAll('@LONG', 'long '.repeat(40_000))
    .replaceAll('"@SHELL"', String(shell));

const STREAM_NAMES: Readonly<Record<string, string>> = {
  writeArgs: 'editToolCall',
  diagnosticsArgs: 'readLintsToolCall',
  shellStreamArgs: 'shellToolCall',
  backgroundShellSpawnArgs: 'shellToolCall',
  listMcpResourcesExecArgs: 'listMcpResourcesToolCall',
  readMcpResourceExecArgs: 'readMcpResourceToolCall',
};
const streamName = (name: string) => STREAM_NAMES[name] ?? name.replace(/(?:Exec)?Args$/, 'ToolCall');

/** Says in the stream what happened, as Cursor's servers would, with the words of the executor. */
function announce(call: Call, outcome: Outcome, number: number): void {
  // A question about a tool that runs on the servers is no call.
  if (call.name === 'executeHookArgs') return;
  const { toolCallId: _, ...args } = JSON.parse(
    JSON.stringify(call.args, (_key, value: unknown) =>
      typeof value === 'string' ? value.slice(0, 1_000) : value,
    ),
  ) as Record<string, unknown>;
  const event = (subtype: string, result?: object) => {
    const content = { args, ...(result ? { result } : {}) };
    print({
      type: 'tool_call',
      subtype,
      call_id: `call-${number}`,
      tool_call: { [streamName(call.name)]: content },
    });
  };
  event('started');
  event('completed', resultOf(outcome));
}

function resultOf(outcome: Outcome): object {
  if ('error' in outcome) return { error: outcome };
  const exit = outcome.answers.find(({ kind }) => kind === 'exit');
  if (exit) return { success: { exitCode: 0, stdout: '', stderr: '', ...(exit.value as object) } };
  const last = outcome.answers.at(-1);
  return { [last?.kind || 'success']: last?.value ?? {} };
}

const outcomes: { name: string; outcome: Outcome }[] = [];
/** What each run still has to do: the first is the agent's, the others are those of its sub-agents. */
const scripts = [script];
const backend = await startBackend(
  () => executor,
  async (ask) => {
    for (const step of scripts.shift() ?? []) {
      const call = JSON.parse(fill(JSON.stringify(step))) as Call;
      if (call.inner) scripts.push([...call.inner]);
      const outcome = await ask(call).catch((error: unknown) => ({ error: String(error) }));
      outcomes.push({ name: call.name, outcome });
      announce(call, outcome, outcomes.length);
      const id = /"shellId":(\d+)/.exec(JSON.stringify(outcome))?.[1];
      if (id !== undefined) shell = Number(id);
    }
  },
);
const endTrace = process.env['PEER_TRACE'] ? startTrace() : undefined;
// It reads the address when it is loaded.
process.env['CURSOR_BACKEND_URL'] = backend.url;
const executor = loadExecutor(join(here, 'node_modules', '@cursor', 'sdk'));
print({
  type: 'system',
  subtype: 'init',
  apiKeySource: 'env',
  cwd: workspace,
  model: 'Auto',
  permissionMode: 'default',
});
const agent = await executor.Agent.create({
  apiKey: process.env['CURSOR_AUTH_TOKEN'] ?? process.env['CURSOR_API_KEY'] ?? '',
  model: { id: 'auto' },
  local: { cwd: workspace, settingSources: ['all'], enableAgentRetries: false },
});
const run = await agent.send(input);
for await (const _ of run.stream());
await run.wait();
backend.close();
const result = JSON.stringify(
  { outcomes, requests: requestNames(executor), trace: endTrace?.() },
  (_, value: unknown) => (typeof value === 'string' ? value.slice(0, 1_000) : value),
);
print({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: result }] } });
print({
  type: 'result',
  subtype: 'success',
  duration_ms: 1,
  duration_api_ms: 1,
  is_error: false,
  result,
  request_id: 'request-1',
});
process.exit(0);
