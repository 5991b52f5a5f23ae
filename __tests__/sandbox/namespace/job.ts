import type { Exit } from '../../../src/core/exit.js';
import type { PrivilegeSource } from '../../../src/sandbox/namespace/isolate.js';
import type { NetworkLedger } from '../../../src/sandbox/network/ledger.js';
import type { Interpreter } from '../../../src/sandbox/namespace/keyring.js';

/** What the action's process is asked to do. */
export interface Job {
  how: PrivilegeSource | 'bare' | 'probe';
  layer?: 'overlay' | 'copy';
  access?: 'read' | 'write';
  /** A script for sh, or a whole command. */
  run?: string | readonly string[];
  input?: string;
  /** The agent's program, where that is not the command itself. */
  cli?: string;
  /** What it is told to read. */
  shown?: readonly string[];
  /** A file of ours in the agent's home, which it must not change, by its path there. */
  locked?: string;
  /** Added to the agent's environment. */
  env?: Readonly<Record<string, string>>;
  /** Folders of programs, before all others. */
  path?: readonly string[];
  /** The checkout, if it is not that of the stand. */
  workspace?: string;
  /** Where it works, below the checkout. */
  directory?: string;
  limits?: { totalMs: number; graceMs: number; killMs: number };
  /** Closes the network, with these lines as `allowed-hosts`. Names are resolved as `names` says. */
  network?: { lines: readonly string[]; names?: Readonly<Record<string, readonly string[]>> };
  /** A signal for the whole group once the agent says `ready`, or word of it to the test. */
  onReady?: NodeJS.Signals | 'tell';
  /** Put before the action's own command. */
  before?: readonly string[];
  /** Scripts of agents that run at the same time, each in its own seat of one sandbox. */
  several?: readonly string[];
  /** Cancels all of them once so many have said `ready`. */
  cancelAt?: number;
}

/** What became of agents that ran at the same time. */
export interface SeveralAnswer {
  starts: { exit: Exit; lines: string[]; refused: string[] }[];
  /** From the cancellation until all had ended. */
  endedMs: number;
  violations: string[];
}

/** A job as it is handed over, with everything that the stand knows. */
export interface Request extends Job {
  workspace: string;
  agentPath: string;
  agentKey: string;
  keyring: Interpreter | undefined;
}

export interface Answer {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Whether the isolation was set up and the agent started. */
  isReady: boolean;
  isSentinelAlive: boolean;
  exit?: unknown;
  /** What the agent has done to its layer. */
  changes: string[];
  tampering: string[];
  /** What went through the proxy, if the network was closed. */
  ledger?: NetworkLedger;
}

/** What the action puts into the layer for its agent. */
export const OWN_FILE = '{"permissions":{"allow":[],"deny":[]}}\n';
