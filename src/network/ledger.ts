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

export function openLedger() {
  const ledger: NetworkLedger = {
    refused: [],
    allowed: [],
    moreRefused: 0,
    moreAllowed: 0,
    invalid: 0,
    overLimit: 0,
  };
  const { refused, allowed } = ledger;
  return {
    ledger,
    /** Returns the entry if this is the first time. */
    refuse(target: Target, { why, line }: { why: string; line: string }): RefusedHost | undefined {
      const host = targetText(target);
      const known = refused.find((one) => one.host === host);
      if (known) known.count += 1;
      else if (refused.length >= MOST_HOSTS) ledger.moreRefused += 1;
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
      if (!known && allowed.length >= MOST_HOSTS) ledger.moreAllowed += 1;
      else if (!known) allowed.push(entry);
      return entry;
    },
  };
}
