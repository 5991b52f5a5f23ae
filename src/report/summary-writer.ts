import { findDenials } from './denials.js';
import { shownAnswer } from './answer-parts.js';
import { codeText, fenced, folded } from '../text/markdown.js';
import { redacting, type AnswerWriter } from './plain-answer.js';
import { truncate } from '../text/plain-text.js';
import type { Redaction } from '../text/redact.js';
import type { RunRecord } from './model.js';
import {
  callSection,
  diagnosticsSection,
  givenSection,
  planSection,
  policySection,
} from './summary-details.js';
import { failureAlert, numbersLine, verdictHeading } from './summary-head.js';
import { reviewSection } from './summary-review.js';
import { deniedSection, filesSection, timeSection } from './summary-sections.js';

/** The runner drops a summary above 1 MiB. What other steps of this job wrote does not count against it. */
export const SUMMARY_BYTES = 1024 * 1024;

/** How much is told; each step tells less than the one before it. */
export interface Detail {
  /** Characters of the answer. */
  answer: number;
  /** Rows of a table; without any, calls are only counted. */
  rows: number;
  gantt: boolean;
  /** Characters of error texts. */
  words: number;
  isCompact: boolean;
}

const FULL: Detail = { answer: 60_000, rows: 500, gantt: true, words: 4000, isCompact: false };
const STEPS: readonly Partial<Detail>[] = [
  {},
  { rows: 100 },
  { rows: 20, words: 2000 },
  { rows: 0, words: 1000 },
  { rows: 0, words: 1000, gantt: false },
  { rows: 0, words: 1000, gantt: false, answer: 20_000 },
  { rows: 0, words: 500, gantt: false, answer: 5000 },
  { rows: 0, words: 500, gantt: false, answer: 1000, isCompact: true },
  { rows: 0, words: 100, gantt: false, answer: 100, isCompact: true },
];

/** The tags that the summary is written with. */
const TAGS = /<\/?(?:b|br|code|details|i|span|summary)(?: open)?>/;

/**
 * The job summary: as much of it as fits, in steps, each of them whole Markdown; empty where nothing fits. Secrets
 * are taken out of the whole once more, because only there stands together what is shown together.
 */
export const summaryWriter =
  (answerWriter: AnswerWriter) =>
  (
    record: RunRecord,
    style: 'full' | 'compact',
    { room = SUMMARY_BYTES, redaction }: { room?: number; redaction?: Redaction } = {},
  ): string => {
    const writer = redacting(answerWriter, redaction);
    const answers = new Map<number, string>();
    const answer = (detail: Detail): string => {
      const known = answers.get(detail.answer) ?? answerSection(record, writer, detail);
      answers.set(detail.answer, known);
      return known;
    };
    for (const step of STEPS) {
      const detail = { ...FULL, ...step, ...(style === 'compact' ? { isCompact: true } : {}) };
      const whole = joined(summaryParts(record, detail, answer(detail)));
      const text = redaction ? redaction.redactMarkup(whole, TAGS) : whole;
      if (Buffer.byteLength(text) <= room) return text;
    }
    return (
      [joined([verdictHeading(record)]), ''].find((text) => Buffer.byteLength(text) <= Math.max(0, room)) ??
      ''
    );
  };

const joined = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

function summaryParts(record: RunRecord, detail: Detail, answer: string): string[] {
  const short = [verdictHeading(record), failureAlert(record, detail), answer, numbersLine(record)];
  if (detail.isCompact) return short;
  return [
    ...short,
    deniedSection(findDenials(record.report, record.setup), record, detail),
    filesSection(record, detail),
    timeSection(record, detail),
    planSection(record),
    callSection(record, detail),
    givenSection(record, detail),
    policySection(record),
    diagnosticsSection(record, detail),
  ];
}

function answerSection(record: RunRecord, writer: AnswerWriter, detail: Detail): string {
  const { files, verdict } = record;
  const shown = shownAnswer(record);
  if (shown.kind === 'review') return reviewSection(shown.review, writer, detail);
  const { kind, text } = shown;
  const most = detail.answer;
  if (text === '') return verdict.status === 'success' ? '*The agent gave no answer in words.*' : '';
  const file = kind === 'json' ? files.report : files.result;
  const place = file ? ` The whole answer is in ${codeText(file, 300)}.` : '';
  const whole = text.length <= most ? '' : `\n\n*This is its beginning.${place}*`;
  const body = kind === 'words' ? writer.markdown(text, most) : answerBlock(kind, truncate(text, most));
  return `${body}${whole}`;
}

const answerBlock = (kind: 'json' | 'unusable', text: string): string =>
  kind === 'json' ? fenced(text, 'json') : folded('The answer that could not be used', fenced(text));
