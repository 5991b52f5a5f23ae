import { targetText, type Target } from './host.js';

/** A host that was refused, how often, why, and the line of `allowed-hosts` that would allow it. */
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

/** An agent can name a million hosts. */
const MOST_HOSTS = 100;

/** Counts the bytes of one connection. */
export interface ConnectionCount {
  failed(): void;
  moved(bytes: { sent: number; received: number }): void;
}

export interface LedgerBook {
  ledger: NetworkLedger;
  /** Returns the entry if this is the first time. */
  refuse(target: Target, refusal: { why: string; line: string }): RefusedHost | undefined;
  allow(target: Target): ConnectionCount;
}

export function openLedger(): LedgerBook {
  const ledger: NetworkLedger = {
    refused: [],
    allowed: [],
    moreRefused: 0,
    moreAllowed: 0,
    invalid: 0,
    overLimit: 0,
  };
  const refused = new Map<string, RefusedHost>();
  const allowed = new Map<string, ReachedHost>();
  return {
    ledger,
    refuse(target, { why, line }) {
      const host = targetText(target);
      const known = refused.get(host);
      if (known) {
        known.count += 1;
        return undefined;
      }
      if (refused.size >= MOST_HOSTS) {
        ledger.moreRefused += 1;
        return undefined;
      }
      const entry = { host, count: 1, why, allow: line };
      refused.set(host, entry);
      ledger.refused.push(entry);
      return entry;
    },
    allow(target) {
      const host = targetText(target);
      const entry = allowed.get(host) ?? { host, count: 0, failed: 0, sentBytes: 0, receivedBytes: 0 };
      if (!allowed.has(host)) {
        if (allowed.size >= MOST_HOSTS) {
          ledger.moreAllowed += 1;
          return { failed: () => undefined, moved: () => undefined };
        }
        allowed.set(host, entry);
        ledger.allowed.push(entry);
      }
      entry.count += 1;
      return {
        failed() {
          entry.failed += 1;
        },
        moved({ sent, received }) {
          entry.sentBytes += sent;
          entry.receivedBytes += received;
        },
      };
    },
  };
}
