import { countFindings, groupFindings, placeRemark, placeText, titlePieces } from './answer-parts.js';
import { SEVERITY_SIGNS, type CheckedFinding, type Review } from './findings.js';
import { codeText, escapeText, fenced, folded } from '../text/markdown.js';
import type { AnswerWriter } from './plain-answer.js';
import { truncate } from '../text/plain-text.js';
import type { Detail } from './summary-writer.js';
import { more } from './summary-sections.js';

/** So few are shown open: a reader came for them. */
const MOST_OPEN = 3;
const MOST_SHOWN = 500;
/** Even a short summary names this many. */
const FEWEST_SHOWN = 5;
/** Below this a text says nothing any more, and is left out. */
const LEAST_BODY = 200;

/** A review for reading: its summary, then each finding under a line that says how bad, where and what. */
export function reviewSection(review: Review, writer: AnswerWriter, detail: Detail): string {
  const { placed, apart } = groupFindings(review);
  const most = { findings: shownCount(detail), body: Math.floor(detail.answer / 15) };
  const summary = truncate(review.summary.trim(), Math.max(detail.answer / 4, LEAST_BODY));
  return [
    `### 🔎 ${countFindings(placed)}`,
    summary === '' ? '' : writer.markdown(summary, detail.answer),
    findingList(placed, writer, most),
    apart.length === 0
      ? ''
      : `### 📍 Set apart\n\nThese point at nothing in the checkout, so they may be made up.`,
    findingList(apart, writer, most),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Findings are what a review is for: rows of tables give way before they do. */
function shownCount({ answer }: Detail): number {
  return Math.min(MOST_SHOWN, Math.max(FEWEST_SHOWN, Math.floor(answer / 100)));
}

function findingList(
  findings: readonly CheckedFinding[],
  writer: AnswerWriter,
  most: { findings: number; body: number },
): string {
  if (findings.length === 0) return '';
  const shown = findings.slice(0, most.findings);
  const isOpen = findings.length <= MOST_OPEN;
  const items = shown.map((finding) => {
    const title = findingTitle(finding);
    const body = most.body < LEAST_BODY ? '' : findingBody(finding, writer, most.body);
    if (most.body < LEAST_BODY) return `- ${title}`;
    return body === '' ? title : folded(title, body, isOpen);
  });
  const gap = most.body < LEAST_BODY ? '\n' : '\n\n';
  return `${items.join(gap)}${more(findings.length - shown.length)}`;
}

function findingTitle(finding: CheckedFinding): string {
  const { severity, title, count } = finding;
  const remark = placeRemark(finding);
  return [
    `${SEVERITY_SIGNS[severity]} <b>${severity}</b>`,
    codeText(placeText(finding), 200),
    `${titleText(title)}${count > 1 ? ` × ${count}` : ''}${remark === '' ? '' : ` <i>(${remark})</i>`}`,
  ].join(' · ');
}

const titleText = (title: string): string =>
  titlePieces(truncate(title, 300))
    .map(({ isCode, text }) => (isCode ? codeText(text, 200) : escapeText(text)))
    .join('');

function findingBody({ body, suggestion }: CheckedFinding, writer: AnswerWriter, most: number): string {
  const text = body.trim();
  return [
    text === '' ? '' : writer.markdown(text, most),
    suggestion === undefined
      ? ''
      : suggestion === ''
        ? 'Suggested: delete these lines.'
        : `Suggested instead:\n\n${fenced(truncate(suggestion, most))}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
