import { foldEvents } from '../report/fold.js';
import { createRedaction, type Redaction } from '../text/redact.js';
import type { RunRecord } from '../report/model.js';
import { failure } from '../report/judge.js';
import type { Workplace } from './run-folder.js';

/** A run while it is under way: what is known of it so far, and how to tell it. */
export interface Run {
  startedAt: number;
  record: RunRecord;
  /** What must not be shown, and how it is kept from being shown. */
  secrets: readonly string[];
  redaction: Redaction;
  /** What should have been written to disk and could not be, each in a sentence. */
  unwritten: string[];
  summary: 'full' | 'compact' | 'off';
  workplace?: Workplace;
  /** The top of the repository that findings point into, once there are some. */
  repository?: string;
}

/** Until something better is known, a run is one that did not get anywhere. */
export function beginRun(): Run {
  return {
    startedAt: performance.now(),
    record: {
      verdict: failure('internal', 'The run ended before it could be judged.'),
      report: foldEvents().report,
      wallMs: 0,
      stderr: '',
      tries: [],
      files: {},
      notes: [],
    },
    secrets: [],
    redaction: createRedaction([]),
    unwritten: [],
    summary: 'full',
  };
}
