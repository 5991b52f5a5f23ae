// The program that the CLI asks before each tool call. It starts for every call, so it uses nothing but Node.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { answerHook } from '../permissions/judge-call.js';
import { parseHookPolicy, type HookPolicy } from '../permissions/hook-messages.js';

/** A call can contain a whole file. What is longer than this is denied unread. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The answer must not wait for a process that is gone or busy. */
const REPORT_MS = 500;

const folder = dirname(process.argv[1] ?? '.');
void readStdin().then(judge);

function judge(question: string): void {
  const policy = readPolicy();
  const { answer, report } = answerHook(question, policy);
  process.stdout.write(`${answer}\n`, () => {
    sendReport(report, policy?.reportTo);
  });
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
      if (bytes > MOST_BYTES) return '';
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The decision is made. Whether anybody hears of it changes nothing. */
function sendReport(line: string, socket: string | undefined): void {
  const end = () => process.exit(0);
  if (socket === undefined) return end();
  try {
    // A path can be longer than the address of a socket may be. Its name in this folder is short.
    if (dirname(socket) === folder) process.chdir(folder);
    const address = dirname(socket) === folder ? socket.slice(folder.length + 1) : socket;
    setTimeout(end, REPORT_MS);
    connect(address).on('error', end).on('close', end).resume().end(`${line}\n`);
  } catch {
    end();
  }
}
