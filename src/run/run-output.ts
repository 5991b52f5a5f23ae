import { openAgentSection } from './agent-section.js';
import type { Redaction } from '../text/redact.js';
import type { RunReport } from '../report/model.js';
import type { Run } from './run.js';
import { openTranscript, type Transcript } from './transcript.js';

/** Where what the agent says goes while it runs: transcript, log and report. */
export interface Telling {
  redaction: Redaction;
  transcript: Transcript;
  print: (lines: readonly string[]) => void;
  printLine: (line: string) => void;
  /** Told of the report as soon as there is one, so that it survives whatever happens. */
  onReport: (report: RunReport) => void;
  close(): void;
}

export function openTelling({ record, redaction, unwritten }: Run, transcriptFile: string): Telling {
  const startedAt = performance.now();
  const transcript = openTranscript(transcriptFile, { redact: redaction.redactWritten });
  record.files.transcript = transcriptFile;
  const section = openAgentSection();
  // Once more as they are printed: only now are colours and all that is not seen gone from them.
  const print = (lines: readonly string[]) => {
    section.print(lines.map(redaction.redact));
  };
  return {
    redaction,
    transcript,
    print,
    printLine: (line) => {
      print([line]);
    },
    onReport: (report) => {
      record.report = report;
    },
    close() {
      section.close();
      transcript.close();
      record.notes.push(...transcript.notes());
      unwritten.push(...transcript.problems());
      record.agentMs = performance.now() - startedAt;
    },
  };
}
