import { SEVERITIES, type CheckedFinding, type Review } from './findings.js';
import type { RunRecord } from './model.js';
import { plural } from '../text/format.js';

/** What of a run is shown as its answer. */
export type ShownAnswer =
  | { kind: 'review'; review: Review }
  /** JSON that was asked for, written out for reading. */
  | { kind: 'json'; text: string }
  /** What should have been JSON of a certain form, as it came. */
  | { kind: 'unusable'; text: string }
  | { kind: 'words'; text: string };

export function shownAnswer({ review, structuredOutput, report, verdict }: RunRecord): ShownAnswer {
  const text = report.answer.trim();
  if (review) return { kind: 'review', review };
  if (structuredOutput !== undefined) {
    return { kind: 'json', text: JSON.stringify(structuredOutput, undefined, 2) };
  }
  const isUnusable = verdict.status === 'failure' && verdict.reason === 'bad-output';
  return { kind: isUnusable ? 'unusable' : 'words', text };
}

/** Everything that is to be shown as Markdown. */
export function markdownTexts(record: RunRecord): string[] {
  const shown = shownAnswer(record);
  if (shown.kind === 'words') return [shown.text];
  if (shown.kind !== 'review') return [];
  return [shown.review.summary, ...shown.review.findings.map(({ body }) => body)];
}

export interface FindingGroups {
  placed: CheckedFinding[];
  /** Those whose place does not exist. */
  apart: CheckedFinding[];
}

export function groupFindings({ findings }: Review): FindingGroups {
  const isApart = ({ place }: CheckedFinding) => place === 'no-such-path' || place === 'no-such-line';
  return { placed: findings.filter((finding) => !isApart(finding)), apart: findings.filter(isApart) };
}

/** A title in pieces: what stands between backticks is meant as code. */
export const titlePieces = (title: string): { isCode: boolean; text: string }[] =>
  title
    .split(/`([^`\n]{1,200})`/)
    .map((text, index) => ({ isCode: index % 2 === 1, text }))
    .filter(({ text }) => text !== '');

/** `src/a.ts:3` or `src/a.ts:3-5`. */
export const placeText = ({ path, startLine, endLine }: CheckedFinding): string =>
  `${path}:${startLine}${endLine > startLine ? `-${endLine}` : ''}`;

/** What is worth saying about a place; nothing where it is as it should be. */
export function placeRemark({ place }: CheckedFinding): string {
  switch (place) {
    case 'in-change':
    case 'unchecked':
      return '';
    case 'outside-change':
      return 'outside the change';
    case 'no-such-path':
      return 'there is no such file';
    case 'no-such-line':
      return 'the file has no such line';
  }
}

/** `3 findings: 1 high, 2 low`. */
export function countFindings(findings: readonly CheckedFinding[]): string {
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter((finding) => finding.severity === severity).length,
  })).filter(({ count }) => count > 0);
  const words = counts.map(({ severity, count }) => `${count} ${severity}`).join(', ');
  return findings.length === 0 ? 'No findings.' : `${plural(findings.length, 'finding')}: ${words}`;
}
