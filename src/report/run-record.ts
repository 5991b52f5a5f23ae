import type { Exit } from '../core/exit.js';
import type { FailureReason } from '../core/failure.js';
import type { Review, ReviewedChange } from './findings.js';
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
  /** Answers that did not satisfy `output-schema`, each followed by a request to correct it if there was to be one. */
  corrections?: Correction[];
  /** What the agent changed in the workspace; missing when it never came to that. */
  changes?: Changes;
  /** What the preset told the agent before the prompt; missing where it was switched off. */
  instruction?: string;
  /** What was gathered for the agent to read. */
  context?: GivenContext[];
  /** The change the run was about, where the event names one. */
  change?: ReviewedChange;
  /** The JSON of the answer, once it satisfied the schema that was asked for. */
  structuredOutput?: unknown;
  /** With `output-schema: findings`: the same, each finding checked against the change. */
  review?: Review;
  files: {
    result?: string;
    transcript?: string;
    report?: string;
    html?: string;
    sarif?: string;
    rdjson?: string;
  };
  /** What went wrong besides, or is worth knowing; each a sentence. */
  notes: string[];
}

/** What the agent changed, what of it was not allowed, and what became of it. */
export type Changes =
  | { kind: 'unknown'; note: string; violations: string[] }
  | {
      kind: 'known';
      /** Everything it changed, less what git ignores. */
      files: ChangedFile[];
      /** Whether that was written to the checkout: all of it, what was allowed, or nothing. */
      applied: 'all' | 'allowed' | 'none';
      /** Every path that was: of a rename both. */
      paths: string[];
      /** How many files it changed that git ignores. They are never applied. */
      ignored: number;
      /** What was applied, and what was not, as patches. */
      patchFile?: string;
      rejectedPatchFile?: string;
      /** Changed files that are in neither patch, and why. */
      omitted: string[];
      violations: string[];
    };

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

/** One thing that was gathered for the agent. */
export interface GivenContext {
  kind: string;
  /** What it is, in a line. */
  description: string;
  file: string;
  bytes: number;
  /** How many files or jobs it is about. */
  items: number;
  /** How many there are in all, where only some of them were asked for. */
  outOf?: number;
  /** What of it is not in there, because it would be too long or could not be had. */
  leftOut: string[];
  /** Whether it stands in the prompt too. */
  inlined: boolean;
}

export interface Correction {
  /** What was wrong with the answer, in the words the agent was told. */
  problem: string;
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
