import { closeSync, openSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { parseJson } from '../text/json.js';
import { describeHookDenial, parseHookDenial } from '../permissions/hook-messages.js';
import type { HookTally } from '../report/model.js';

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
export async function listenToHook(folder: string, platform = process.platform): Promise<HookReports> {
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
  const { address, listenAt, free } = addressIn(folder, platform);
  const isListening = await new Promise<boolean>((done) => {
    // After this, errors of the server change nothing: the hook goes on without reports.
    server.on('error', () => {
      done(false);
    });
    server.listen(listenAt, () => {
      done(true);
    });
  });
  return {
    address: isListening ? address : undefined,
    tally: () => tally,
    close() {
      server.close();
      free();
    },
  };
}

/** On Linux a folder that is open has a short path, so that its full path may be of any length. */
function addressIn(
  folder: string,
  platform: string,
): { address: string; listenAt: string; free: () => void } {
  const free = () => undefined;
  if (platform === 'win32') {
    const address = `\\\\.\\pipe\\cursor-agent-${randomUUID()}`;
    return { address, listenAt: address, free };
  }
  const address = join(folder, 'reports');
  if (platform !== 'linux' || Buffer.byteLength(address) <= MOST_ADDRESS_BYTES)
    return { address, listenAt: address, free };
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
