import { countFindings, groupFindings, placeRemark, placeText, titlePieces } from './answer-parts.js';
import type { CheckedFinding, Review } from './findings.js';
import { escapeHtml } from '../text/html-text.js';
import type { AnswerWriter } from './plain-answer.js';
import { truncate } from '../text/plain-text.js';
import { number } from '../text/format.js';

const MOST_SHOWN = 1000;
/** So few are shown open. */
const MOST_OPEN = 10;
const BODY_CHARACTERS = 8000;

/** A review for reading, on the page. */
export function reviewPart(review: Review, writer: AnswerWriter): string {
  const { placed, apart } = groupFindings(review);
  const summary = review.summary.trim();
  return [
    '<section class="review">',
    `<h2>${escapeHtml(countFindings(placed))}</h2>`,
    summary === '' ? '' : `<div class="answer">${writer.html(summary, BODY_CHARACTERS)}</div>`,
    findingList(placed, writer),
    apart.length === 0
      ? ''
      : '<h2>Set apart</h2>\n<p>These point at nothing in the checkout, so they may be made up.</p>',
    findingList(apart, writer),
    '</section>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function findingList(findings: readonly CheckedFinding[], writer: AnswerWriter): string {
  const shown = findings.slice(0, MOST_SHOWN);
  const open = findings.length <= MOST_OPEN ? ' open' : '';
  const items = shown.map((finding) => {
    const remark = placeRemark(finding);
    const times = finding.count > 1 ? ` × ${number(finding.count)}` : '';
    const head = [
      `<span class="severity ${finding.severity}">${finding.severity}</span>`,
      `<code>${escapeHtml(placeText(finding))}</code>`,
      `${titleText(finding.title)}${times}`,
      remark === '' ? '' : `<span class="small">(${escapeHtml(remark)})</span>`,
    ].filter((part) => part !== '');
    return `<details class="finding"${open}><summary>${head.join(' ')}</summary>\n${findingBody(finding, writer)}</details>`;
  });
  const left = findings.length - shown.length;
  return [
    ...items,
    ...(left > 0 ? [`<p class="small">… and ${number(left)} more in the report file</p>`] : []),
  ].join('\n');
}

const titleText = (title: string): string =>
  titlePieces(truncate(title, 500))
    .map(({ isCode, text }) => (isCode ? `<code>${escapeHtml(text)}</code>` : escapeHtml(text)))
    .join('');

function findingBody({ body, suggestion }: CheckedFinding, writer: AnswerWriter): string {
  const text = body.trim();
  const instead =
    suggestion === undefined
      ? ''
      : suggestion === ''
        ? '<p>Suggested: delete these lines.</p>'
        : `<p>Suggested instead:</p><pre tabindex="0">${escapeHtml(truncate(suggestion, BODY_CHARACTERS))}</pre>`;
  return `<div class="answer">${text === '' ? '' : writer.html(text, BODY_CHARACTERS)}\n${instead}</div>`;
}
