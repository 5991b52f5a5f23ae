import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import type { Agent } from '../agent/agent.js';
import { fromText } from '../git/paths.js';
import { shellQuote } from '../isolation/shell-words.js';
import {
  describeHookDenial,
  formatHookPolicy,
  HOOK_PROGRAM,
  parseHookDenial,
  type HookPolicy,
} from '../permissions/hook-messages.js';
import type { HookTally } from '../report/model.js';
import { plural } from '../text/format.js';
import { parseJson } from '../text/json.js';
import { logLine } from '../text/plain-text.js';
import { findTampering, type Violation } from '../workspace/workspace.js';
import { writeFiles, type RunFolder } from './run-folder.js';

/**
 * Our own hook, which the CLI asks before each tool call: a second fence behind its permission rules, also with
 * --force, and the only one for sub-agents and for web tools on the vendor's servers.
 *
 * Program and policy are in a folder of their own. An isolated agent sees it read-only, and its `hooks.json` too.
 * Nothing keeps an agent that is not isolated from these files, because it runs as the same user. Then it is a
 * violation if they are not the same afterwards.
 */
export interface Hook {
  /** Files and folders that the agent must be able to read. */
  shown: readonly string[];
  /** Files of the agent's home that make the CLI ask, by their path in it. */
  homeFiles: Readonly<Record<string, string>>;
  /** Writes the policy. Before that the hook denies everything. */
  usePolicy(policy: Omit<HookPolicy, 'reportTo'>): void;
  /** The files of the hook that were changed or removed. */
  tampering(): Violation[];
  /** What the hook reported, also as a line for the log. No more is received after this. */
  close(tell: (line: string) => void): HookTally;
}

/** Beside this bundle in `dist/`. */
const PROGRAM = resolve(process.argv[1] ?? '.', '..', '..', 'hook', 'index.js');

/** Undefined if the agent knows no hooks, or if the hook could not be started. */
export async function openHook(agent: Agent, { hook: folder, home }: RunFolder): Promise<Hook | undefined> {
  const node = process.execPath;
  const program = join(folder, HOOK_PROGRAM);
  const command = commandLine([node, program]);
  if (agent.hookFiles === undefined || command === undefined || !existsSync(PROGRAM)) return undefined;
  mkdirSync(folder, { recursive: true });
  const code = readFileSync(PROGRAM);
  writeFileSync(program, code);
  const ours = new Map([[HOOK_PROGRAM, code]]);
  const reports = await listenToHook(folder);
  const homeFiles = agent.hookFiles({
    command,
    // How the CLI starts hooks on Windows is not known. A hook that cannot start must not block every call.
    failClosed: process.platform !== 'win32',
  });
  const inHome = new Map(Object.entries(homeFiles).map(([name, text]) => [name, Buffer.from(text)]));
  return {
    shown: [folder, node, ...(reports.address === undefined ? [] : [reports.address])],
    homeFiles,
    usePolicy(policy) {
      const text = formatHookPolicy({ ...policy, reportTo: reports.address });
      writeFiles(folder, { 'policy.json': text });
      ours.set('policy.json', Buffer.from(text));
    },
    tampering: () =>
      [
        { place: '~', files: inHome, folder: home },
        { place: 'hook', files: ours, folder },
      ].flatMap(({ place, files, folder: written }) =>
        findTampering({ absent: [], files }, fromText(written)).map(({ path, reason }) => ({
          path: `${place}/${path}`,
          reason,
        })),
      ),
    close(tell) {
      reports.close();
      const tally = reports.tally();
      if (tally.judged > 0) tell(logLine(describeTally(tally)));
      return tally;
    },
  };
}

/** As a shell reads it. On Windows it is not known which shell that is, so there it must need no quotes. */
function commandLine(words: readonly string[]): string | undefined {
  if (process.platform !== 'win32') return words.map(shellQuote).join(' ');
  return words.every((word) => /^[\w:.\\-]+$/.test(word)) ? words.join(' ') : undefined;
}

/** One line for the log. Each denial has its own line there. */
const describeTally = ({ judged, denied }: HookTally): string =>
  `permission hook: ${plural(judged, 'call')}, ${denied} denied`;

/**
 * What our hook says about its decisions. The agent can reach the same socket and say anything, so this only informs:
 * it grants nothing, and no verdict depends on it.
 */
export interface HookReports {
  /** Where the hook sends its reports; undefined if this machine gave no socket. */
  address: string | undefined;
  tally(): HookTally;
  close(): void;
}

const ReportSchema = z.object({
  tool: z.string().check(z.maxLength(64)),
  permission: z.enum(['allow', 'deny']),
  why: z.optional(z.string().check(z.maxLength(500))),
});

const MOST_BYTES = 4096;
const MOST_REPORTS = 20_000;
const MOST_DENIALS = 50;
const PATIENCE_MS = 2000;
/** What the kernel takes as the address of a socket, without the zero at its end. */
const MOST_ADDRESS_BYTES = 107;

/** Listens in a folder of ours. A machine that gives no socket costs the reports, not the hook. */
export async function listenToHook(folder: string): Promise<HookReports> {
  const tally: HookTally = { judged: 0, denied: 0, denials: {} };
  const server = createServer((socket) => {
    receive(socket, (text) => {
      if (tally.judged >= MOST_REPORTS) server.close();
      else count(tally, text);
    });
  });
  server.maxConnections = 64;
  // It must not keep the action running.
  server.unref();
  const { address, listenAt, free } = addressIn(folder);
  // Errors of the server change nothing: the hook goes on without reports.
  server.on('error', () => undefined).listen(listenAt);
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  return {
    address: isListening ? address : undefined,
    tally: () => tally,
    close() {
      server.close();
      free?.();
    },
  };
}

/** On Linux a folder that is open has a short path, so that its full path may be of any length. */
function addressIn(folder: string): { address: string; listenAt: string; free?: () => void } {
  const isWindows = process.platform === 'win32';
  const address = isWindows ? `\\\\.\\pipe\\cursor-agent-${randomUUID()}` : join(folder, 'reports');
  if (process.platform !== 'linux' || Buffer.byteLength(address) <= MOST_ADDRESS_BYTES)
    return { address, listenAt: address };
  const file = openSync(folder, 'r');
  return {
    address,
    listenAt: `/proc/self/fd/${file}/reports`,
    free: () => {
      closeSync(file);
    },
  };
}

function receive(socket: Socket, take: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  socket.unref();
  socket
    .setTimeout(PATIENCE_MS, () => socket.destroy())
    .on('error', () => socket.destroy())
    .on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) socket.destroy();
      else chunks.push(chunk);
    })
    .on('end', () => {
      take(Buffer.concat(chunks).toString('utf8'));
    });
}

function count(tally: HookTally, text: string): void {
  const report = ReportSchema.safeParse(parseJson(text));
  if (!report.success) return;
  tally.judged += 1;
  if (report.data.permission === 'allow') return;
  tally.denied += 1;
  const denial = parseHookDenial(report.data.why ?? '');
  if (denial === undefined) return;
  const sentence = describeHookDenial(denial);
  const isKnown = Object.hasOwn(tally.denials, sentence);
  if (isKnown || Object.keys(tally.denials).length < MOST_DENIALS)
    tally.denials[sentence] = (tally.denials[sentence] ?? 0) + 1;
}
