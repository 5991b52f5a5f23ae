import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './workspace.js';

/** What a scripted agent was given when it was started. */
export interface Sighting {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: string;
  cliJson: unknown;
  homeConfig: unknown;
  homeMcp: unknown;
}

export interface FakeAgent {
  path: string;
  /** Whether every user can run it where it is. Otherwise it is copied for other users. */
  isForAnyone?: boolean;
  /** What it saw each time it was started. */
  sightings(): Sighting[];
}

/**
 * A real program that replaces the CLI. It records what it was given, then runs `body`, which can use
 * `emit(record)` and `print(text)` write to stdout, `complain(text)` to stderr, `sleep(ms)`, `sighting`,
 * `attempt` (1, 2, …), and all of Node through `await import`. A chat that has to refute findings says nothing about them
 * and leaves no sighting, unless `body` asks whether it `isValidation`.
 */
export function fakeAgent(body: string): FakeAgent {
  const folder = makeFolder('agent');
  const path = join(folder, 'cursor-agent');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path,
    `#!${process.execPath}\nconst refutes = ${body.includes('isValidation')};\n${PREAMBLE}\n${body}\n`,
  );
  chmodSync(path, 0o755);
  const log = join(folder, 'sightings.ndjson');
  return {
    path,
    sightings: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Sighting)
        : [],
  };
}

const PREAMBLE = `
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
const here = dirname(fileURLToPath(import.meta.url));
const json = (path) => { try { return JSON.parse(readFileSync(path, 'utf8')); } catch { return undefined; } };
const readStdin = () => { try { return readFileSync(0, 'utf8'); } catch { return ''; } };
const sighting = {
  argv: process.argv.slice(2), env: { ...process.env }, cwd: process.cwd(),
  stdin: globalThis.leaveStdin ? '' : readStdin(),
  cliJson: json('.cursor/cli.json'), homeConfig: json(join(process.env.HOME ?? '', '.cursor/cli-config.json')),
  homeMcp: json(join(process.env.HOME ?? '', '.cursor/mcp.json')),
};
const isValidation = sighting.stdin.includes('----- begin claims ');
// An isolated agent cannot write there, so it leaves no sighting.
let attempt = 1;
try {
  if (refutes || !isValidation) appendFileSync(join(here, 'sightings.ndjson'), JSON.stringify(sighting) + '\\n');
  attempt = readFileSync(join(here, 'sightings.ndjson'), 'utf8').trim().split('\\n').length;
} catch {}
const out = (fd, text) => { let bytes = Buffer.from(text); while (bytes.length > 0) {
  try { bytes = bytes.subarray(writeSync(fd, bytes)); } catch (error) { if (error.code !== 'EAGAIN') throw error; } } };
const print = (text) => out(1, text + '\\n');
const complain = (text) => out(2, text + '\\n');
const emit = (record) => print(JSON.stringify(record));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const session_id = 'chat-1';
const init = () => emit({ type: 'system', subtype: 'init', apiKeySource: 'env', cwd: process.cwd(), session_id, model: 'Test Model', permissionMode: 'default' });
const say = (text) => emit({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] }, session_id });
const start = (call_id, key, args) => emit({ type: 'tool_call', subtype: 'started', call_id, tool_call: { [key]: { args } }, session_id });
const complete = (call_id, key, args, result) => emit({ type: 'tool_call', subtype: 'completed', call_id, tool_call: { [key]: { args, result } }, session_id });
const call = (call_id, key, args, result) => { start(call_id, key, args); complete(call_id, key, args, result); };
const finish = (result = 'done', more = {}) => emit({ type: 'result', subtype: 'success', duration_ms: 1200, duration_api_ms: 900, is_error: false, result, session_id, request_id: 'request-1', ...more });
if (isValidation && !refutes) { init(); say('{"verdicts": []}'); finish(); process.exit(0); }
`;

/** An agent that answers at once. */
export const ANSWERS = `init(); say('All is well.'); finish('All is well.');`;
