import type { Socket } from 'node:net';
import { targetText, type Target } from './host.js';

/** A host that was refused, how often, why, and the line of `allowed-hosts` that is advised, if any. */
export interface RefusedHost {
  host: string;
  count: number;
  why: string;
  allow: string;
}

/** A host that was reached or tried. */
export interface ReachedHost {
  host: string;
  count: number;
  /** How many of the connections could not be made. */
  failed: number;
  sentBytes: number;
  receivedBytes: number;
}

/** What went through the proxy and what did not, with an upper bound on every list. */
export interface NetworkLedger {
  refused: RefusedHost[];
  allowed: ReachedHost[];
  /** Requests for hosts beyond those that are listed. */
  moreRefused: number;
  moreAllowed: number;
  /** Requests that were not valid, and connections beyond the limit. */
  invalid: number;
  overLimit: number;
}

const emptyLedger = (): NetworkLedger => ({
  refused: [],
  allowed: [],
  moreRefused: 0,
  moreAllowed: 0,
  invalid: 0,
  overLimit: 0,
});

/** The ledgers of several starts as one. */
export function mergeLedgers(ledgers: readonly NetworkLedger[]): NetworkLedger {
  const total = emptyLedger();
  for (const ledger of ledgers) {
    for (const host of ledger.refused) {
      const same = total.refused.find((one) => one.host === host.host);
      if (same) same.count += host.count;
      else if (total.refused.length < MAX_HOSTS) total.refused.push({ ...host });
      else total.moreRefused += host.count;
    }
    for (const host of ledger.allowed) {
      const same = total.allowed.find((one) => one.host === host.host);
      if (same)
        for (const name of ['count', 'failed', 'sentBytes', 'receivedBytes'] as const)
          same[name] += host[name];
      else if (total.allowed.length < MAX_HOSTS) total.allowed.push({ ...host });
      else total.moreAllowed += host.count;
    }
    for (const name of ['moreRefused', 'moreAllowed', 'invalid', 'overLimit'] as const)
      total[name] += ledger[name];
  }
  return total;
}

/** What one start of an agent did before its model answered, to explain why the vendor was not reached. */
export interface StartNetwork {
  /** Connections to the vendor that were asked for, and those that could be made. */
  vendor: { asked: number; made: number };
  refused: RefusedHost[];
}

export function earlyNetwork(
  { allowed, refused }: NetworkLedger,
  isVendor: (host: string) => boolean,
): StartNetwork {
  const hosts = allowed.filter(({ host }) => isVendor(host));
  const asked = hosts.reduce((sum, { count }) => sum + count, 0);
  const failed = hosts.reduce((sum, host) => sum + host.failed, 0);
  return { vendor: { asked, made: asked - failed }, refused: refused.map((host) => ({ ...host })) };
}

/** An agent can name a million hosts. */
const MAX_HOSTS = 100;
/** How often the bytes are counted. */
const TICK_MS = 1000;

/** Keeps the ledger of a run. At most `maxBytes` may move, in both directions together. */
export function openLedger(maxBytes: number) {
  const ledger = emptyLedger();
  const { refused, allowed } = ledger;
  const { countAll, isOverLimit, watch, close } = watchConnections(maxBytes);
  return {
    isOverLimit,
    watch,
    close,
    read(): NetworkLedger {
      countAll();
      return ledger;
    },
    countInvalid: () => (ledger.invalid += 1),
    countOverLimit: () => (ledger.overLimit += 1),
    /** Returns the entry if this is the first time. */
    refuse(target: Target, { why, line }: { why: string; line: string }): RefusedHost | undefined {
      const host = targetText(target);
      const known = refused.find((one) => one.host === host);
      if (known) known.count += 1;
      else if (refused.length >= MAX_HOSTS) ledger.moreRefused += 1;
      else {
        const entry = { host, count: 1, why, allow: line };
        refused.push(entry);
        return entry;
      }
      return undefined;
    },
    /** Returns the entry that counts this connection. Beyond the limit it is not listed. */
    allow(target: Target): ReachedHost {
      const host = targetText(target);
      const known = allowed.find((one) => one.host === host);
      const entry = known ?? { host, count: 0, failed: 0, sentBytes: 0, receivedBytes: 0 };
      entry.count += 1;
      if (!known && allowed.length >= MAX_HOSTS) ledger.moreAllowed += 1;
      else if (!known) allowed.push(entry);
      return entry;
    },
  };
}

export type OpenLedger = ReturnType<typeof openLedger>;

/** Counts the bytes of all connections while they are open, and ends them when too many have moved. */
function watchConnections(maxBytes: number) {
  /** Each open connection, and what counts its bytes. */
  const open = new Map<Socket, () => void>();
  let total = 0;
  const countAll = () => {
    for (const count of open.values()) count();
  };
  const endAll = () => {
    for (const socket of open.keys()) socket.destroy();
  };
  const isOverLimit = () => total > maxBytes;
  const ticker = setInterval(() => {
    countAll();
    if (isOverLimit()) endAll();
  }, TICK_MS).unref();
  return {
    countAll,
    isOverLimit,
    /** Returns what counts the bytes of this connection for the last time. */
    watch(socket: Socket, entry: ReachedHost): () => void {
      // What was exchanged with a proxy of the job to make the connection is not the agent's.
      let [sent, received] = [socket.bytesWritten, socket.bytesRead];
      const count = () => {
        const more = { sent: socket.bytesWritten - sent, received: socket.bytesRead - received };
        [sent, received] = [socket.bytesWritten, socket.bytesRead];
        total += more.sent + more.received;
        entry.sentBytes += more.sent;
        entry.receivedBytes += more.received;
      };
      open.set(socket, count);
      const stop = () => {
        if (open.delete(socket)) count();
      };
      socket.once('close', stop);
      return stop;
    },
    close() {
      clearInterval(ticker);
      countAll();
      endAll();
    },
  };
}
