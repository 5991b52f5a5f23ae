// The program that the CLI asks before each tool call. It starts for every call, so it uses nothing but Node.
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { answerHook } from '../permissions/judge-call.js';
import { parseHookPolicy, type HookPolicy } from '../permissions/hook-messages.js';

/** A call can contain a whole file. What is longer than this is denied unread. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The agent can put a link or a pipe there. Neither is written to. */
const APPEND =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK);

const folder = dirname(process.argv[1] ?? '.');
void readStdin().then(judge);

function judge(question: string): void {
  const policy = readPolicy();
  const { answer, report: line } = answerHook(question, policy);
  report(line, policy?.reportTo);
  process.stdout.write(`${answer}\n`);
}

function readPolicy(): HookPolicy | undefined {
  try {
    return parseHookPolicy(readFileSync(join(folder, 'policy.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Empty if it is too long or cannot be read. An empty question is denied. */
async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) return '';
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The decision is made. It holds even if it cannot be delivered. */
function report(line: string, file: string | undefined): void {
  if (file === undefined) return;
  try {
    const target = openSync(file, APPEND, 0o600);
    writeSync(target, `${line}\n`);
    closeSync(target);
  } catch {
    // The agent's temporary folder may be full, or gone.
  }
}
