import { assertNever } from '../core/errors.js';
import { joinParts, number } from '../text/format.js';
import { codeText, escapeText, fenced, folded, table } from '../text/markdown.js';
import { codePieces, truncate, truncateStart } from '../text/plain-text.js';
import type { Redaction } from '../text/redact.js';
import {
  certaintyWords,
  isGrave,
  findingRemarks,
  placeRemark,
  placeText,
  SEVERITY_SIGNS,
} from './findings.js';
import {
  buildSections,
  TODO_MARKS,
  SET_ASIDE_HINT,
  WITHHELD_HINT,
  type Answer,
  type Block,
  type Inline,
  type Mark,
  type Section,
  type Sections,
  type Words,
} from './sections.js';
import type { CheckedFinding, RunRecord } from './model.js';
import { lineCounts } from './run-report.js';
import { safeMarkdown, type MakeSafe } from './safe-markdown.js';

/** The runner drops a summary above 1 MiB. What other steps of the job wrote does not count. */
export const SUMMARY_BYTES = 1024 * 1024;

/** How much is shown; each step shows less than the one before it. */
interface SummaryDetail {
  /** Characters of the answer. */
  answer: number;
  /** Rows of a table. Without any, calls are only counted. */
  rows: number;
  /** Characters of error texts. */
  words: number;
  isCompact: boolean;
}

const FULL: SummaryDetail = { answer: 60_000, rows: 500, words: 4000, isCompact: false };
const STEPS: readonly Partial<SummaryDetail>[] = [
  {},
  { rows: 100 },
  { rows: 20, words: 2000 },
  { rows: 0, words: 1000 },
  { rows: 0, words: 1000, answer: 20_000 },
  { rows: 0, words: 500, answer: 5000 },
  { rows: 0, words: 500, answer: 1000, isCompact: true },
  { rows: 0, words: 100, answer: 100, isCompact: true },
];

/** Even a short summary names this many things that a person has to act on. */
const MIN_ROWS = 5;
const MAX_NAMES = 20;

/** The tags that the summary is written with. */
const TAGS = /<\/?(?:a|b|br|code|details|i|span|summary)(?: open| href="[^"<>]*")?>/;

/**
 * The job summary: as much as fits, in steps, each of them complete Markdown; empty if nothing fits. Secrets are
 * removed from the whole once more, because parts of a secret may come together only there.
 */
export function buildSummary(
  record: RunRecord,
  style: 'full' | 'compact',
  { room = SUMMARY_BYTES, redaction }: { room?: number; redaction?: Redaction } = {},
): string {
  const sections = buildSections(record);
  const makeSafe: MakeSafe = (text, maxLength) => safeMarkdown(text, maxLength, redaction);
  const isClean = (text: string) => redaction === undefined || redaction.redact(text) === text;
  // Several steps show the same length of the answer. It is rendered once for each length.
  const answers = new Map<number, string>();
  const answer = (detail: SummaryDetail): string => {
    const rendered =
      answers.get(detail.answer) ?? renderAnswer(sections.answer, detail, { makeSafe, isClean });
    answers.set(detail.answer, rendered);
    return rendered;
  };
  for (const step of STEPS) {
    const detail = { ...FULL, ...step, ...(style === 'compact' ? { isCompact: true } : {}) };
    const whole = `${joined(summaryParts(sections, detail, answer(detail)))}\n`;
    const text = redaction ? redaction.redactMarkup(whole, TAGS) : whole;
    if (Buffer.byteLength(text) <= room) return text;
  }
  const last = `${heading(sections)}\n`;
  return Buffer.byteLength(last) <= room ? last : '';
}

const joined = (parts: readonly string[]): string => joinParts(parts, '\n\n');

function summaryParts(sections: Sections, detail: SummaryDetail, answer: string): string[] {
  const short = [
    heading(sections),
    failureAlert(sections, detail),
    renderSection(sections.unread, detail),
    // What was proven stands before what the agent says about it.
    renderSection(sections.verification, detail),
    renderSection(sections.statements, detail),
    answer,
    numbersLine(sections),
    pageLink(sections),
  ];
  if (detail.isCompact) return short;
  const { denied, refusedHosts, files, time, plan, calls, given, policy, diagnostics } = sections;
  const render = (section: Section | undefined) => renderSection(section, detail);
  return [
    ...short,
    ...[denied, refusedHosts, files, time, plan].map(render),
    detail.rows === 0 ? escapeText(calls?.title ?? '') : render(calls),
    ...[given, policy, diagnostics].map(render),
  ];
}

const MARKS = { good: '✅', partial: '⚠️', skipped: '⏭️', found: '💬', bad: '❌' } as const satisfies Record<
  Mark,
  string
>;

/** The first line: the outcome. */
const heading = ({ head: { who, reason, mark, outcome } }: Sections): string =>
  `## ${MARKS[mark]} ${escapeText(who)}: ${outcome}${reason === undefined ? '' : ` (<code>${reason}</code>)`}`;

/** Why it failed, and what to do about it. */
function failureAlert({ failure }: Sections, { words }: SummaryDetail): string {
  if (!failure) return '';
  const detail = truncate(failure.detail, words);
  // A sentence may wrap on a narrow screen; lines keep their shape.
  const isSentence = !detail.includes('\n');
  const lines = [
    `**What happened:** ${failure.what}${isSentence && detail !== '' ? ` ${withCode(detail)}` : ''}`,
    ...(isSentence ? [] : ['', ...fenced(detail).split('\n')]),
    '',
    `**What to do:** ${failure.remedy}${failure.moreUrl ? ` [More about this](${failure.moreUrl})` : ''}`,
  ];
  return ['> [!CAUTION]', ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}

/** Time, model, tokens and so on in a line, because a line wraps on a narrow screen and a table does not. */
const numbersLine = ({ numbers }: Sections): string =>
  numbers
    .map(({ name, value }) => `**${name}** ${renderInline(value, 0)}`.replaceAll(' ', '&nbsp;'))
    .join(' · ');

const pageLink = ({ pageUrl }: Sections): string =>
  pageUrl === undefined
    ? ''
    : `[Open the page of this run](${pageUrl}), with the timeline and every tool call.`;

/** Text in which words between backticks are code. */
const withCode = (text: string): string =>
  codePieces(text)
    .map(({ isCode, text: piece }) => (isCode ? codeText(piece, 200) : escapeText(piece)))
    .join('');

interface Cleaning {
  makeSafe: MakeSafe;
  /** Whether a text contains no secret. */
  isClean: (text: string) => boolean;
}

function renderAnswer(answer: Answer, detail: SummaryDetail, cleaning: Cleaning): string {
  const { makeSafe } = cleaning;
  switch (answer.kind) {
    case 'none':
      return answer.isExpected ? '' : '*The agent gave no answer in words.*';
    case 'review':
      return renderReview(answer, detail, cleaning);
    case 'words':
      return withSpeaker(`${makeSafe(answer.text, detail.answer)}${rest(answer, detail)}`, answer.words);
    case 'json':
      return `${fenced(truncate(answer.text, detail.answer), 'json')}${rest(answer, detail)}`;
    case 'unusable':
      return `${folded('The answer that could not be used', fenced(truncate(answer.text, detail.answer)))}${rest(answer, detail)}`;
    default:
      return assertNever(answer);
  }
}

/** What the agent said is no verdict, so it stands below a title that says who said it. */
function withSpeaker(text: string, words: Words): string {
  if (text.trim() === '' || words === 'action') return text.trim();
  return words === 'agent' ? `### The agent said\n\n${text}` : folded('The agent said', text);
}

function rest({ text, file }: { text: string; file: string | undefined }, detail: SummaryDetail): string {
  if (text.length <= detail.answer) return '';
  const place =
    file === undefined ? '' : ` The whole answer is in the file that the output ${codeText(file)} names.`;
  return `\n\n*This is only the beginning.${place}*`;
}

/** Up to this many findings are expanded. */
const MAX_OPEN = 3;
const MAX_FINDINGS_SHOWN = 500;
/** A shorter text than this says too little, and is left out. */
const MIN_BODY = 200;

const MAX_REMARK = 600;

/** A review: its summary, then each finding under a line that says how bad it is, where and what. */
function renderReview(
  { summary, placed, withheld, aside, linkTo, words }: Extract<Answer, { kind: 'review' }>,
  detail: SummaryDetail,
  { makeSafe, isClean }: Cleaning,
): string {
  // Findings are what a review is for: rows of tables give way before they do.
  const maxFindings = Math.min(MAX_FINDINGS_SHOWN, Math.max(MIN_ROWS, Math.floor(detail.answer / 100)));
  const body = Math.floor(detail.answer / 15);
  const list = (findings: readonly CheckedFinding[]) => {
    const items = findings.slice(0, maxFindings).map((finding) => {
      const url = linkTo(finding) ?? '';
      const head = findingHead(finding, isClean(url) ? url : '');
      if (body < MIN_BODY) return `- ${head}`;
      const content = findingBody(finding, (text) => makeSafe(text, body), body);
      // The gravest are open, however many there are.
      return content === '' ? head : folded(head, content, findings.length <= MAX_OPEN || isGrave(finding));
    });
    return `${items.join(body < MIN_BODY ? '\n' : '\n\n')}${more(findings.length - items.length)}`;
  };
  return joined([
    placed.length === 0 ? '' : `### 🔎 Findings\n\n${list(placed)}`,
    withheld.length === 0
      ? ''
      : folded(`Withheld (${number(withheld.length)})`, `${WITHHELD_HINT}\n\n${list(withheld)}`),
    aside.length === 0
      ? ''
      : folded(`Set aside (${number(aside.length)})`, `${SET_ASIDE_HINT}\n\n${list(aside)}`),
    withSpeaker(makeSafe(truncate(summary, Math.max(detail.answer / 4, MIN_BODY)), detail.answer), words),
  ]);
}

/** With a link to the lines, if their address is given. */
function findingHead(finding: CheckedFinding, url: string): string {
  const { severity, title, count } = finding;
  const remark = placeRemark(finding);
  const words = withCode(truncate(title, 300));
  const sure = certaintyWords(finding);
  const place = codeText(placeText(finding), 200);
  return [
    `${SEVERITY_SIGNS[severity]} <b>${severity}</b>`,
    // Nothing of it can end the attribute: `encodeURIComponent` leaves no quote and no bracket.
    url === '' ? place : `<a href="${url}">${place}</a>`,
    `${words}${count > 1 ? ` × ${count}` : ''}${sure === '' ? '' : ` <sub>(${sure})</sub>`}${remark === '' ? '' : ` <i>(${remark})</i>`}`,
  ].join(' · ');
}

function findingBody(finding: CheckedFinding, makeSafe: (text: string) => string, maxLength: number): string {
  const { body, suggestion } = finding;
  const remarks = findingRemarks(finding).map((remark) => escapeText(truncate(remark, MAX_REMARK)));
  const suggested =
    suggestion === undefined
      ? ''
      : suggestion === ''
        ? 'Suggested: delete these lines.'
        : `Suggested instead:\n\n${fenced(truncate(suggestion, maxLength))}`;
  return joined([makeSafe(body), suggested, ...remarks]);
}

function renderSection(section: Section | undefined, detail: SummaryDetail): string {
  if (!section) return '';
  const { icon, title, fold, blocks } = section;
  const body = joined(blocks.map((block) => renderBlock(block, detail)));
  return fold === 'never'
    ? `### ${icon} ${title}\n\n${body}`
    : folded(escapeText(title), body, fold === 'open');
}

function renderBlock(block: Block, { rows, words }: SummaryDetail): string {
  const maxItems = Math.max(rows, MIN_ROWS);
  const names = Math.min(rows, MAX_NAMES);
  const line = (content: readonly Inline[]) => content.map((part) => renderInline(part, names)).join('');
  switch (block.kind) {
    case 'table': {
      const cells = block.rows.slice(0, maxItems).map((row) => row.map((cell) => line(cell).trim()));
      const list = `${table(block.heads, cells)}${more(block.total - cells.length)}`;
      return block.foldAs === undefined ? list : folded(block.foldAs, list);
    }
    case 'list': {
      const items = block.items.slice(0, maxItems).map((item) => `- ${line(item)}`);
      const title = block.title === undefined ? '' : `**${block.title}**`;
      return joined([title, `${items.join('\n')}${more(block.items.length - items.length)}`]);
    }
    case 'paragraph':
      return line(block.content);
    case 'todos':
      return block.todos
        .map(({ status, text }) => `- ${TODO_MARKS[status]} ${escapeText(truncate(text, 200))}`)
        .join('\n');
    case 'rules':
      return rulesText(block);
    case 'pre':
      return `${withCode(block.title)}:\n\n${fenced(block.keepEnd ? truncateStart(block.text, words) : block.text, block.language)}`;
    default:
      return assertNever(block);
  }
}

/** A longer list of rules is only counted. */
const MAX_RULES = 20;

function rulesText({ title, rules, pageUrl }: Extract<Block, { kind: 'rules' }>): string {
  const head = `${title} (${number(rules.length)})`;
  if (rules.length <= MAX_RULES) return `${head}:\n\n${fenced(rules.join('\n') || '(nothing)')}`;
  return `${head}: ${pageUrl === undefined ? 'all of them are in the report' : `[the list is on the page](${pageUrl})`}.`;
}

function renderInline(part: Inline, maxNames: number): string {
  switch (part.kind) {
    case 'text':
      return withCode(truncate(part.text, part.maxLength));
    case 'code':
      return codeText(part.text, part.maxLength);
    case 'number':
      return part.text.replaceAll(' ', '&nbsp;');
    case 'names': {
      const names = part.names.slice(0, Math.max(maxNames, MIN_ROWS)).map((name) => codeText(name));
      const left = part.names.length - names.length;
      return `${names.join('<br>')}${left > 0 ? ` ${number(part.names.length)} in all` : ''}`;
    }
    case 'line-counts':
      return lineCounts(part);
    default:
      return assertNever(part);
  }
}

const more = (count: number): string =>
  count > 0 ? `\n\n… and ${number(count)} more, all of them in the report.` : '';
