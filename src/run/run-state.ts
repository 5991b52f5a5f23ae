import type { Credential } from '../agent/credential.js';
import type { HistoryRequest } from '../context/history.js';
import { detailOf } from '../core/entry.js';
import { codeOf, messageOf } from '../core/errors.js';
import { RunFailure, type FailureReason } from '../core/failure.js';
import { documentsUrl } from '../core/this-action.js';
import { parseRepository, serverUrlOf } from '../github/client.js';
import type { GithubEvent } from '../github/event.js';
import { emptyReport } from '../report/run-report.js';
import { failure } from '../report/judge.js';
import type { RunOrigin, RunRecord, Verdict } from '../report/model.js';
import type { Sandbox } from '../sandbox/index.js';
import { createGrowingRedaction, type GrowingRedaction } from '../text/redact.js';
import type { Continuation } from './continue-proposal.js';
import type { Work } from './open-work.js';
import type { CheckedInputs } from './resolve-inputs.js';
import type { RunFolder } from './run-folder.js';
import type { RunOutput } from './run-output.js';

/** The process that runs the action: its environment, and the signal that the job was cancelled. */
export interface Invocation {
  env: NodeJS.ProcessEnv;
  cancel: AbortSignal;
}

/** What is known once the inputs are checked. */
export interface Checked extends CheckedInputs {
  invocation: Invocation;
  event: GithubEvent;
  runFolder: RunFolder;
}

/** What is known once the run is admitted. */
export interface Admitted extends Checked {
  /** The fork whose change is reviewed. */
  fork: string | undefined;
  /** How to read the history of the checkout and fetch what it lacks. */
  history: HistoryRequest;
  /** The pull request that this run keeps up to date. */
  continuation: Continuation;
}

/**
 * The state of a run. Its end is reported from it, whatever happened. `run-agent.ts`, `open-work.ts` and `finish-work.ts`
 * write to it, and `tell-result.ts` at the end; the other steps return what they found.
 */
export interface Run {
  startedAt: number;
  record: RunRecord;
  /** Removes from texts what must not be shown. */
  redaction: GrowingRedaction;
  /** A sentence for each file or output that could not be written. */
  unwritten: string[];
  summary: 'full' | 'compact' | 'off';
  /** Whether the page is uploaded as an artifact. */
  uploadsPage: boolean;
  folder?: RunFolder;
  /** What the agent signs in with, once that is known. */
  credential?: Credential;
  /** Where the output of the agent goes, once it can be started. */
  output?: Pick<RunOutput, 'withCommands' | 'printLine'>;
  /** Where the agent works. It is closed at the end of the run, whatever happened since it was opened. */
  sandbox?: Sandbox;
  /** Everything that is open while the agent works. */
  work?: Work;
  /** The top of the repository that findings point into, once there are some. */
  repository?: string;
}

/** Until more is known, the run counts as one that failed early. */
export function beginRun(env: NodeJS.ProcessEnv = {}): Run {
  const documents = documentsUrl(env);
  return {
    startedAt: performance.now(),
    record: {
      verdict: failure('internal', 'The run ended before it could be judged.'),
      report: emptyReport(),
      wallMs: 0,
      stderr: '',
      tries: [],
      files: {},
      notes: [],
      ...(documents === undefined ? {} : { documentsUrl: documents }),
    },
    redaction: createGrowingRedaction(),
    unwritten: [],
    summary: 'full',
    uploadsPage: true,
  };
}

/** Each note once. */
export function addNotes({ record }: Run, more: readonly string[]): void {
  record.notes = [...new Set([...record.notes, ...more])];
}

/** Where and when a run takes place, for people who read its report later. `startedAt` is by `performance.now()`. */
export function originOf(
  { pull, change, head }: Pick<GithubEvent, 'pull' | 'change' | 'head'>,
  env: NodeJS.ProcessEnv,
  startedAt: number,
): RunOrigin {
  const pullRequest = pull?.number ?? change?.pullRequest;
  return {
    startedAt: new Date(performance.timeOrigin + startedAt).toISOString(),
    ...placeOf(env),
    ...(pullRequest === undefined ? {} : { pullRequest }),
    ...(head === undefined ? {} : { commit: head }),
  };
}

function placeOf(env: NodeJS.ProcessEnv): Pick<RunOrigin, 'repository' | 'repositoryUrl' | 'runUrl'> {
  const { GITHUB_REPOSITORY: repository = '', GITHUB_RUN_ID: run = '', GITHUB_RUN_ATTEMPT: attempt } = env;
  if (!parseRepository(repository)) return {};
  const repositoryUrl = `${serverUrlOf(env)}/${repository}`;
  const runUrl = `${repositoryUrl}/actions/runs/${run}/attempts/${attempt || '1'}`;
  return { repositoryUrl, ...(run ? { runUrl } : {}), repository };
}

const DISK_FULL = ['ENOSPC', 'EDQUOT'];

/** What could not be written, why, and what to do about it. */
export function unwrittenText(what: string, error: unknown): string {
  const problem = `${what} could not be written: ${messageOf(error)}.`;
  return DISK_FULL.includes(codeOf(error))
    ? `${problem} The disk is full: free some space before this step, or use a runner with a larger disk.`
    : `${problem} Make sure that this step may write its files under RUNNER_TEMP and the file of its outputs.`;
}

/** A failure that the action knows has a reason. Anything else is a bug in the action, reported with its stack. */
export function verdictOf(error: unknown): Verdict {
  return failure(error instanceof RunFailure ? error.reason : 'internal', detailOf(error));
}

export const failureReason = (verdict: Verdict): FailureReason | undefined =>
  verdict.status === 'failure' ? verdict.reason : undefined;
