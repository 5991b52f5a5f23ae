import type { Exit } from '../exit.js';
import type { FailureReason } from '../failure.js';
import type { RunReport } from './run-report.js';
import type { Verdict } from './verdict.js';

/** Everything known of one run at its end: what summary, outputs and report file are made from. */
export interface RunRecord {
  verdict: Verdict;
  report: RunReport;
  /** From start to end by our clock, installing included. */
  wallMs: number;
  /** From the start of the agent's process to its end; missing when it was never started. */
  agentMs?: number;
  exit?: Exit;
  /** The end of what the agent wrote besides its stream, redacted. */
  stderr: string;
  setup?: Setup;
  /** Earlier tries that failed for a reason that may pass. */
  tries: Try[];
  files: { result?: string; transcript?: string; report?: string; html?: string };
  /** What changed in the workspace, as git tells it; missing where nobody looked. */
  changes?: Changes;
  /** What went wrong besides, or is worth knowing; each a sentence. */
  notes: string[];
}

export interface Changes {
  files: ChangedFile[];
  /** Changes the policy does not allow, each in words. */
  violations: string[];
  /** What to know of the list besides, such as that something was put back. */
  note?: string;
}

export interface ChangedFile {
  path: string;
  /** `added`, `modified`, `deleted`, `renamed` or what git calls it. */
  status: string;
  added?: number;
  removed?: number;
}

export interface Try {
  reason: FailureReason;
  detail: string;
  /** How long was waited after it. */
  waitMs: number;
}

/** How the run was set up. */
export interface Setup {
  agent: string;
  preset: string;
  mode: string;
  force: boolean;
  allow: string[];
  deny: string[];
  cliVersion?: string;
  isolation: string;
}
