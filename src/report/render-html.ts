import { createHash } from 'node:crypto';
import { assertNever } from '../core/errors.js';
import { adviseOn } from '../permissions/allow-advice.js';
import { number } from '../text/format.js';
import { embedJson, escapeHtml, code, joined, lineCountsHtml, link, pre, sentence } from '../text/html.js';
import { truncate } from '../text/plain-text.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { renderDiffs, type PagePatch } from './diff-view.js';
import { certaintyWords, findingRemarks, placeRemark, placeText } from './findings.js';
import type { CheckedFinding, RunRecord, ToolCall } from './model.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.js';
import { toolLabel } from './run-report.js';
import { safeHtml, type MakeSafe } from './safe-markdown.js';
import { endOf } from './timeline.js';
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

const ANSWER_CHARACTERS = 60_000;
/** What the page holds of a call's output, and of any text that is not in a block of its own. */
const TEXT_CHARACTERS = 4000;
const DETAIL_CHARACTERS = 8000;
const MAX_NAMES = 100;
/** A longer prompt is folded. */
const MAX_OPEN_PROMPT = 1500;
const MAX_OPEN_PROMPT_LINES = 15;

/**
 * The report as one page that needs nothing else: style, script and data are in it, and its content security policy
 * lets no other script run and nothing be loaded or sent. Secrets are removed from the shown text once more, because
 * parts of a secret may come together only there.
 */
export function buildHtml(
  record: RunRecord,
  redaction?: Redaction,
  patches: readonly PagePatch[] = [],
): string {
  const { setup, report, agentMs = 0 } = record;
  const sections = buildSections(record);
  const title = `${setup?.agent ?? 'Cursor'} agent: ${sections.head.outcome}`;
  const makeSafe: MakeSafe = (text, maxLength) => safeHtml(text, maxLength, redaction);
  const main = mainPart(sections, renderDiffs(patches, redaction), makeSafe);
  // The timeline and the list of calls, which the page's script draws.
  const data = {
    culprit: sections.culprit?.number,
    calls: report.tools.map((call) => pageCall(call, setup)),
    endMs: endOf(report, agentMs),
  };
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${PAGE_STYLE}</style>`,
    '</head>',
    '<body>',
    redaction ? redaction.redactMarkup(main, TAGS) : main,
    `<script type="application/json" id="data">${embedJson(redaction ? redactAll(data, redaction.redact) : data)}</script>`,
    `<script>${PAGE_SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Every `<` in text is escaped, so that this matches only tags. */
const TAGS = /<[^<>]*>/;

/** Allows only the style and the script of this page, by their hashes. */
function contentPolicy(): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    `default-src 'none'`,
    `style-src ${hash(PAGE_STYLE)}`,
    `script-src ${hash(PAGE_SCRIPT)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
}

/** What the page's script shows of a call. Every field is written out, because there can be thousands of calls. */
function pageCall(call: ToolCall, rules: RunRecord['setup']): object {
  const { number: place, name, kind, target, state, message, durationMs, facts, background } = call;
  return {
    number: place,
    name,
    kind,
    target,
    state,
    message,
    background,
    startMs: Math.round(call.startMs),
    durationMs: durationMs === undefined ? undefined : Math.round(durationMs),
    facts: { ...facts, output: facts.output?.slice(0, TEXT_CHARACTERS) },
    allow: state === 'denied' ? adviseOn(call, rules).tokens : undefined,
  };
}

function mainPart(sections: Sections, diffs: string, makeSafe: MakeSafe): string {
  const { culprit, unread, verification, statements, denied, refusedHosts, files } = sections;
  const { plan, given, reachedHosts, policy, diagnostics } = sections;
  const answer = renderAnswer(sections.answer, makeSafe);
  // What is wrong, and where: that is what people open the page of a review for.
  const isReview = sections.answer.kind === 'review';
  return joined([
    '<main>',
    pageHeader(sections),
    failureAlert(sections),
    renderSection(unread),
    isReview ? answer : '',
    numbersList(sections),
    culprit ? CALLS : '',
    renderPrompt(sections),
    renderSection(verification),
    renderSection(statements),
    isReview ? '' : answer,
    ...[denied, refusedHosts, files].map(renderSection),
    diffs,
    culprit ? '' : CALLS,
    ...[plan, given, reachedHosts, policy, diagnostics].map(renderSection),
    identifiersList(sections),
    '</main>',
  ]);
}

const MARKS = {
  good: { sign: '✓', look: 'success' },
  partial: { sign: '!', look: 'found' },
  skipped: { sign: '→', look: 'found' },
  found: { sign: '!', look: 'found' },
  bad: { sign: '✗', look: 'failure' },
} as const satisfies Record<Mark, object>;

/** Who ran, how it ended, and where and when that was. */
function pageHeader({ head: { who, reason, mark, outcome }, about }: Sections): string {
  const { sign, look } = MARKS[mark];
  const facts = about.map((fact) => `<div><dt>${fact.name}</dt><dd>${renderFact(fact)}</dd></div>`);
  return joined([
    '<header>',
    `<h1 class="${look}"><span class="mark" aria-hidden="true">${sign}</span> ${escapeHtml(who)}: ${outcome}${reason === undefined ? '' : ` (${code(reason)})`}</h1>`,
    facts.length === 0 ? '' : `<dl class="about">${facts.join('')}</dl>`,
    '</header>',
  ]);
}

function renderFact({ text, url, look }: Sections['about'][number]): string {
  const html = look === 'code' ? code(text) : escapeHtml(text);
  return look && look !== 'code'
    ? `<time datetime="${escapeHtml(look.iso)}">${html}</time>`
    : link(url, html);
}

function failureAlert({ failure, culprit }: Sections): string {
  if (!failure) return '';
  const { detail } = failure;
  // One line is a sentence. Several lines keep their shape.
  const words = detail.includes('\n')
    ? pre(truncate(detail, DETAIL_CHARACTERS))
    : `<p>${sentence(detail, DETAIL_CHARACTERS)}</p>`;
  return joined([
    '<div class="alert" role="note">',
    `<p><strong>What happened:</strong> ${sentence(failure.what)}</p>`,
    detail === '' ? '' : words,
    culprit ? culpritLine(culprit) : '',
    `<p><strong>What to do:</strong> ${sentence(failure.remedy)}${failure.moreUrl ? ` ${link(failure.moreUrl, 'More about this')}` : ''}</p>`,
    '</div>',
  ]);
}

function culpritLine(call: ToolCall): string {
  const title =
    call.state === 'running'
      ? 'Still running at the end'
      : `The last call that ${call.state === 'denied' ? 'was denied' : 'failed'}`;
  const target = call.target === '' ? `call ${call.number}` : code(truncate(call.target, 200));
  return `<p><strong>${title}:</strong> ${escapeHtml(toolLabel(call))} <a href="#call-${call.number}">${target}</a></p>`;
}

/** The model is in the header. */
const numbersList = ({ numbers }: Sections): string => {
  const items = numbers
    .filter(({ name }) => name !== 'Model')
    .map(
      ({ name, value, exact }) => `<div><dt>${name}</dt><dd>${escapeHtml(exact ?? value.text)}</dd></div>`,
    );
  return `<dl class="numbers">${items.join('')}</dl>`;
};

/** The prompt as it was given, which is a text of unknown origin where a workflow puts an event into it. */
function renderPrompt({ prompt }: Sections): string {
  if (prompt === '') return '';
  const isShort = prompt.length <= MAX_OPEN_PROMPT && prompt.split('\n').length <= MAX_OPEN_PROMPT_LINES;
  return `<details class="prompt"${isShort ? ' open' : ''}><summary><h2>The prompt</h2></summary>${pre(prompt)}</details>`;
}

function renderAnswer(answer: Answer, makeSafe: MakeSafe): string {
  if (answer.kind === 'none') return '';
  if (answer.kind === 'review') return renderReview(answer, makeSafe);
  const { text, file } = answer;
  const place =
    file === undefined ? '' : ` The whole answer is in the file that the output ${code(file)} names.`;
  const html = joined([
    '<div class="answer" role="region" aria-label="The agent’s answer">',
    answer.kind === 'words' ? makeSafe(text, ANSWER_CHARACTERS) : renderRaw(answer),
    text.length > ANSWER_CHARACTERS ? `<p class="small">This is only the beginning.${place}</p>` : '',
    '</div>',
  ]);
  return answer.kind === 'words' ? withSpeaker(html, answer.words) : html;
}

/** The text as it is; of JSON, first the data to read. */
function renderRaw(answer: Extract<Answer, { text: string }>): string {
  const raw = pre(truncate(answer.text, ANSWER_CHARACTERS));
  const readable = answer.kind === 'json' ? renderData(answer.data) : undefined;
  return readable === undefined ? raw : `${readable}\n<details><summary>As JSON</summary>${raw}</details>`;
}

/** Deeper or longer data is not for reading; it is shown as JSON alone. */
const MAX_DEPTH = 6;
const MAX_VALUES = 1000;
const NONE = '<span class="small">none</span>';

/** JSON as names and values, lists and texts; undefined if there is too much of it. */
function renderData(data: unknown): string | undefined {
  let room = MAX_VALUES;
  const render = (value: unknown, depth: number): string => {
    room -= 1;
    if (room < 0 || depth > MAX_DEPTH) throw new RangeError('There is too much data.');
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => `<li>${render(item, depth + 1)}</li>`);
      return items.length === 0 ? NONE : `<ul>${items.join('')}</ul>`;
    }
    if (typeof value === 'object' && value !== null) {
      const items = Object.entries(value).map(
        ([name, item]) =>
          `<div><dt>${escapeHtml(truncate(name, 200))}</dt><dd>${render(item, depth + 1)}</dd></div>`,
      );
      return items.length === 0 ? NONE : `<dl class="data">${items.join('')}</dl>`;
    }
    return escapeHtml(truncate(String(value), TEXT_CHARACTERS));
  };
  try {
    return render(data, 0);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const MAX_FINDINGS_SHOWN = 1000;
const MAX_REMARK = 600;
/** Up to this many findings are expanded. */
const MAX_OPEN = 10;

function renderReview(
  { summary, placed, withheld, aside, linkTo, words }: Extract<Answer, { kind: 'review' }>,
  makeSafe: MakeSafe,
): string {
  const list = (findings: readonly CheckedFinding[]) => {
    const listed = findings.slice(0, MAX_FINDINGS_SHOWN);
    const left = findings.length - listed.length;
    const open = findings.length <= MAX_OPEN ? ' open' : '';
    return joined([
      ...listed.map(
        (finding) =>
          `<details class="finding"${open}><summary>${findingHead(finding)}</summary>\n${findingBody(finding, linkTo(finding), makeSafe)}</details>`,
      ),
      left > 0 ? `<p class="small">… and ${number(left)} more in the report file</p>` : '',
    ]);
  };
  return joined([
    '<section class="review">',
    placed.length === 0 ? '' : '<h2>Findings</h2>',
    list(placed),
    withheld.length === 0
      ? ''
      : `<details><summary><h2>Withheld</h2></summary>\n<p>${escapeHtml(WITHHELD_HINT)}</p>\n${list(withheld)}</details>`,
    aside.length === 0 ? '' : `<h2>Set aside</h2>\n<p>${SET_ASIDE_HINT}</p>`,
    list(aside),
    summary === ''
      ? ''
      : withSpeaker(`<div class="answer">${makeSafe(summary, DETAIL_CHARACTERS)}</div>`, words),
    '</section>',
  ]);
}

/** What the agent said is no verdict. */
function withSpeaker(html: string, words: Words): string {
  if (words === 'action') return html;
  return words === 'agent'
    ? `<h2>The agent said</h2>\n${html}`
    : `<details><summary><h2>The agent said</h2></summary>${html}</details>`;
}

function findingHead(finding: CheckedFinding): string {
  const { severity, title, count } = finding;
  const remark = placeRemark(finding);
  return [
    `<span class="severity ${severity}">${severity}</span>`,
    code(placeText(finding)),
    `${sentence(title, 500)}${count > 1 ? ` × ${number(count)}` : ''}`,
    ...[certaintyWords(finding), remark]
      .filter((words) => words !== '')
      .map((words) => `<span class="small">(${escapeHtml(words)})</span>`),
  ].join(' ');
}

function findingBody(finding: CheckedFinding, address: string | undefined, makeSafe: MakeSafe): string {
  const { body, suggestion } = finding;
  const remarks = findingRemarks(finding).map(
    (remark) => `<p class="small">${sentence(remark, MAX_REMARK)}</p>`,
  );
  const open = address === undefined ? '' : `<p>${link(address, 'Open these lines')}</p>`;
  const suggested =
    suggestion === undefined
      ? ''
      : suggestion === ''
        ? '<p>Suggested: delete these lines.</p>'
        : `<p>Suggested instead:</p>${pre(truncate(suggestion, DETAIL_CHARACTERS))}`;
  return `<div class="answer">${makeSafe(body, DETAIL_CHARACTERS)}\n${suggested}${remarks.join('')}${open}</div>`;
}

function renderSection(section: Section | undefined): string {
  if (!section) return '';
  return `<section><h2>${escapeHtml(section.title)}</h2>\n${joined(section.blocks.map(renderBlock))}</section>`;
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'table':
      return block.foldAs === undefined
        ? renderTable(block)
        : `<details><summary>${escapeHtml(block.foldAs)}</summary>${renderTable(block)}</details>`;
    case 'list': {
      const items = block.items.map((item) => `<li>${line(item)}</li>`);
      const title = block.title === undefined ? '' : `<p><strong>${escapeHtml(block.title)}</strong></p>`;
      return `${title}<ul>${items.join('\n')}</ul>`;
    }
    case 'paragraph':
      return `<p>${line(block.content)}</p>`;
    case 'todos': {
      const items = block.todos.map(
        ({ status, text }) => `<li class="${status}">${TODO_MARKS[status]} ${sentence(text)}</li>`,
      );
      return `<ul class="plan">${items.join('\n')}</ul>`;
    }
    case 'rules': {
      const title = `${escapeHtml(block.title)} (${number(block.rules.length)})`;
      return `<details><summary>${title}</summary>${pre(block.rules.join('\n') || '(nothing)')}</details>`;
    }
    case 'pre': {
      const title = sentence(block.title);
      return block.isFolded
        ? `<details><summary>${title}</summary>${pre(block.text)}</details>`
        : `<p>${title}:</p>${pre(block.text)}`;
    }
    default:
      return assertNever(block);
  }
}

function renderTable({ heads, rows, total }: Extract<Block, { kind: 'table' }>): string {
  const left = total - rows.length;
  return joined([
    `<div class="scroll" role="region" tabindex="0" aria-label="Table: ${heads.join(', ')}"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>`,
    ...rows.map((cells) => `<tr>${cells.map((cell) => `<td>${line(cell)}</td>`).join('')}</tr>`),
    '</tbody></table></div>',
    left > 0 ? `<p class="small">… and ${number(left)} more</p>` : '',
  ]);
}

const line = (content: readonly Inline[]): string => content.map(renderInline).join('');

function renderInline(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return sentence(part.text, TEXT_CHARACTERS);
    case 'code':
      return code(truncate(part.text, TEXT_CHARACTERS));
    case 'number':
      return escapeHtml(part.text).replaceAll(' ', '&nbsp;');
    case 'names': {
      const names = part.names.slice(0, MAX_NAMES).map(code).join('<br>');
      return part.names.length > MAX_NAMES ? `${names}<br>… ${number(part.names.length)} in all` : names;
    }
    case 'line-counts':
      return part.added === undefined && part.removed === undefined
        ? ''
        : lineCountsHtml(part.added ?? 0, part.removed ?? 0);
    default:
      return assertNever(part);
  }
}

/** For looking up this run at the provider. */
function identifiersList({ identifiers }: Sections): string {
  const items = identifiers.map(({ name, id }) => `<li>${name} ${code(truncate(id, 200))}</li>`);
  return items.length === 0
    ? ''
    : `<details class="small"><summary>Identifiers at the agent’s provider</summary><ul>${items.join('')}</ul></details>`;
}

/** What the page's script fills with the timeline and the list of calls. */
const CALLS = `<section id="app" hidden aria-labelledby="calls-title">
<h2 id="calls-title">What it did</h2>
<div class="picture"><div id="lanes" aria-hidden="true"></div><svg id="timeline" preserveAspectRatio="none" role="img" aria-label="Timeline of the tool calls by kind; the list below has the same calls in words"></svg><div id="axis" aria-hidden="true"></div></div>
<div class="tools"><input type="search" id="search" placeholder="Search calls (press /)" aria-label="Search calls">
<div id="kinds" role="group" aria-label="Kinds"></div><div id="states" role="group" aria-label="Outcomes"></div>
<span id="count" class="small" role="status"></span></div>
<div class="browser"><div id="calls" role="listbox" tabindex="0" aria-label="Tool calls" aria-describedby="keys"></div>
<div id="details" role="region" aria-label="The chosen call" tabindex="0"></div></div>
<p id="keys" class="small">Keys: ↑ ↓ Home End choose a call, Enter goes to its details and Escape back, / searches, Escape removes the filters.</p>
</section>
<noscript><p>The timeline and the list of calls need JavaScript.</p></noscript>`;
