import { createHash } from 'node:crypto';
import { assertNever } from '../core/errors.js';
import { allowTokens } from '../permissions/allow-advice.js';
import { number } from '../text/format.js';
import { embedJson, escapeHtml } from '../text/html-text.js';
import { truncate } from '../text/plain-text.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { renderData } from './data-view.js';
import { renderDiffs, type PagePatch } from './diff-view.js';
import { hasPlace, placeRemark, placeText, type CheckedFinding } from './findings.js';
import { code, joined, lineCountsHtml, link, pre, sentence } from './html-elements.js';
import { lineLinks } from './line-link.js';
import type { RunRecord, ToolCall } from './model.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.js';
import { pageHeader } from './page-header.js';
import { runningCalls, toolLabel } from './run-report.js';
import { safeHtml } from './safe-markdown.js';
import {
  buildSections,
  TODO_MARKS,
  type Answer,
  type Block,
  type Inline,
  type Section,
  type Sections,
} from './sections.js';

const ANSWER_CHARACTERS = 60_000;
/** What the page holds of a call's output, and of any text that is not in a block of its own. */
const TEXT_CHARACTERS = 4000;
const DETAIL_CHARACTERS = 8000;
const MOST_NAMES = 100;
/** A longer prompt is folded. */
const MOST_OPEN_PROMPT = 1500;
const MOST_OPEN_PROMPT_LINES = 15;

/** Makes Markdown of unknown origin safe, as HTML, in at most so many characters. */
type MakeSafe = (text: string, most: number) => string;

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
  const { verdict, setup } = record;
  const title = `${setup?.agent ?? 'Cursor'} agent: ${verdict.status === 'success' ? 'done' : verdict.reason}`;
  const culprit = findCulprit(record);
  const shown = mainPart(record, {
    culprit,
    diffs: renderDiffs(patches, redaction),
    makeSafe: (text, most) => safeHtml(text, most, redaction),
  });
  const data = pageData(record, culprit);
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
    redaction ? redaction.redactMarkup(shown, TAGS) : shown,
    `<script type="application/json" id="data">${embedJson(redaction ? redactAll(data, redaction.redact) : data)}</script>`,
    `<script>${PAGE_SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Every `<` in text is escaped, so that this matches only tags. */
const TAGS = /<[^<>]*>/;

interface PageParts {
  culprit: ToolCall | undefined;
  /** HTML. */
  diffs: string;
  makeSafe: MakeSafe;
}

function mainPart(record: RunRecord, { culprit, diffs, makeSafe }: PageParts): string {
  const sections = buildSections(record);
  return joined([
    '<main>',
    pageHeader(record, sections.head),
    failureAlert(sections, culprit),
    numbersList(sections),
    culprit ? CALLS : '',
    renderPrompt(record),
    renderAnswer(record, sections.answer, makeSafe),
    renderSection(sections.verification),
    renderSection(sections.denied),
    renderSection(sections.refusedHosts),
    renderSection(sections.files),
    diffs,
    culprit ? '' : CALLS,
    renderSection(sections.plan),
    renderSection(sections.given),
    renderSection(sections.reachedHosts),
    renderSection(sections.policy),
    renderSection(sections.diagnostics),
    identifiers(record),
    '</main>',
  ]);
}

/** Failures that are about the answer or the changes. No single call explains them. */
const WITHOUT_CULPRIT: readonly string[] = ['findings', 'bad-output', 'policy-violation'];

/** The call at which a failed run stopped: the one that was still running, or the last one that went wrong. */
function findCulprit({ verdict, report }: RunRecord): ToolCall | undefined {
  if (verdict.status === 'success' || WITHOUT_CULPRIT.includes(verdict.reason)) return undefined;
  const running = runningCalls(report);
  const wanted = verdict.reason === 'denied' ? 'denied' : 'failed';
  return (
    running.findLast(({ background }) => !background) ??
    running.at(-1) ??
    report.tools.findLast(({ state }) => state === wanted)
  );
}

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

function failureAlert({ failure }: Sections, culprit: ToolCall | undefined): string {
  if (!failure) return '';
  return joined([
    '<div class="alert" role="note">',
    `<p><strong>What happened:</strong> ${sentence(failure.what)}</p>`,
    failure.detail === '' ? '' : renderDetail(failure.detail),
    culprit ? culpritLine(culprit) : '',
    `<p><strong>What to do:</strong> ${sentence(failure.remedy)}</p>`,
    '</div>',
  ]);
}

/** One line is a sentence. Several lines keep their shape. */
const renderDetail = (detail: string): string =>
  detail.includes('\n')
    ? pre(truncate(detail, DETAIL_CHARACTERS))
    : `<p>${sentence(detail, DETAIL_CHARACTERS)}</p>`;

function culpritLine(call: ToolCall): string {
  const what = { running: 'Still running at the end', denied: 'The last call that was denied' };
  const title =
    call.state === 'running' || call.state === 'denied' ? what[call.state] : 'The last call that failed';
  const target = call.target === '' ? `call ${call.number}` : code(truncate(call.target, 200));
  return `<p><strong>${title}:</strong> ${escapeHtml(toolLabel(call))} <a href="#call-${call.number}">${target}</a></p>`;
}

/** The prompt as it was given, which is a text of unknown origin where a workflow puts an event into it. */
function renderPrompt({ prompt = '' }: RunRecord): string {
  const text = prompt.trim();
  if (text === '') return '';
  const isShort = text.length <= MOST_OPEN_PROMPT && text.split('\n').length <= MOST_OPEN_PROMPT_LINES;
  return `<details class="prompt"${isShort ? ' open' : ''}><summary><h2>The prompt</h2></summary>${pre(text)}</details>`;
}

/** What only somebody needs who looks for this run elsewhere. */
function identifiers({ report: { sessionId, requestId } }: RunRecord): string {
  const items = [
    ...(sessionId === undefined ? [] : [`<li>Session ${code(truncate(sessionId, 200))}</li>`]),
    ...(requestId === undefined ? [] : [`<li>Request ${code(truncate(requestId, 200))}</li>`]),
  ];
  return items.length === 0
    ? ''
    : `<details class="small"><summary>Identifiers at the agent’s provider</summary><ul>${items.join('')}</ul></details>`;
}

/** The model is in the header, and the session is a detail. */
const numbersList = ({ numbers }: Sections): string => {
  const shown = numbers.filter(({ name, isMinor }) => !isMinor && name !== 'Model');
  const items = shown.map(
    ({ name, value, exact }) => `<div><dt>${name}</dt><dd>${escapeHtml(exact ?? value.text)}</dd></div>`,
  );
  return `<dl class="numbers">${items.join('')}</dl>`;
};

function renderAnswer(record: RunRecord, answer: Answer, makeSafe: MakeSafe): string {
  if (answer.kind === 'none') return '';
  if (answer.kind === 'review') return renderReview(record, answer, makeSafe);
  if (answer.kind === 'json') return renderJson(record.structuredOutput, answer);
  const { kind, text, file } = answer;
  const html = kind === 'words' ? makeSafe(text, ANSWER_CHARACTERS) : pre(truncate(text, ANSWER_CHARACTERS));
  const rest = text.length > ANSWER_CHARACTERS ? cutRemark(file) : '';
  return `<div class="answer" role="region" aria-label="The agent’s answer">\n${html}\n${rest}</div>`;
}

/** The data to read, and below it the JSON itself. */
function renderJson(data: unknown, { text, file }: Extract<Answer, { text: string }>): string {
  const readable = renderData(data);
  const json = pre(truncate(text, ANSWER_CHARACTERS));
  return joined([
    '<div class="answer" role="region" aria-label="The agent’s answer">',
    readable === undefined ? json : `${readable}\n<details><summary>As JSON</summary>${json}</details>`,
    text.length > ANSWER_CHARACTERS ? cutRemark(file) : '',
    '</div>',
  ]);
}

const cutRemark = (file: string | undefined): string =>
  `<p class="small">This is only the beginning.${file === undefined ? '' : ` The whole answer is in ${code(file)}.`}</p>`;

const MOST_FINDINGS_SHOWN = 1000;
/** So few findings are shown open. */
const MOST_OPEN = 10;

function renderReview(
  record: RunRecord,
  { title, summary, placed, apart }: Extract<Answer, { kind: 'review' }>,
  makeSafe: MakeSafe,
): string {
  const lineLink = lineLinks(record);
  const addressOf = (finding: CheckedFinding) => (hasPlace(finding) ? lineLink(finding) : undefined);
  const list = (findings: readonly CheckedFinding[]) => {
    const shown = findings.slice(0, MOST_FINDINGS_SHOWN);
    const left = findings.length - shown.length;
    const open = findings.length <= MOST_OPEN ? ' open' : '';
    return joined([
      ...shown.map(
        (finding) =>
          `<details class="finding"${open}><summary>${findingHead(finding)}</summary>\n${findingBody(finding, addressOf(finding), makeSafe)}</details>`,
      ),
      left > 0 ? `<p class="small">… and ${number(left)} more in the report file</p>` : '',
    ]);
  };
  return joined([
    '<section class="review">',
    `<h2>${escapeHtml(title)}</h2>`,
    summary === '' ? '' : `<div class="answer">${makeSafe(summary, DETAIL_CHARACTERS)}</div>`,
    list(placed),
    apart.length === 0
      ? ''
      : '<h2>Unverified</h2>\n<p>These point at a file or line that does not exist, so they may be made up.</p>',
    list(apart),
    '</section>',
  ]);
}

function findingHead(finding: CheckedFinding): string {
  const { severity, title, count } = finding;
  const remark = placeRemark(finding);
  return [
    `<span class="severity ${severity}">${severity}</span>`,
    code(placeText(finding)),
    `${sentence(title, 500)}${count > 1 ? ` × ${number(count)}` : ''}`,
    ...(remark === '' ? [] : [`<span class="small">(${escapeHtml(remark)})</span>`]),
  ].join(' ');
}

function findingBody(
  { body, suggestion }: CheckedFinding,
  address: string | undefined,
  makeSafe: MakeSafe,
): string {
  const open = link(address, 'Open these lines');
  const suggested =
    suggestion === undefined
      ? ''
      : suggestion === ''
        ? '<p>Suggested: delete these lines.</p>'
        : `<p>Suggested instead:</p>${pre(truncate(suggestion, DETAIL_CHARACTERS))}`;
  return `<div class="answer">${makeSafe(body, DETAIL_CHARACTERS)}\n${suggested}${address === undefined ? '' : `<p>${open}</p>`}</div>`;
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
    case 'diagram':
      return '';
    case 'pre': {
      const title = escapeHtml(block.title);
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
      const shown = part.names.slice(0, MOST_NAMES).map(code).join('<br>');
      return part.names.length > MOST_NAMES ? `${shown}<br>… ${number(part.names.length)} in all` : shown;
    }
    case 'line-counts':
      return part.added === undefined && part.removed === undefined
        ? ''
        : lineCountsHtml(part.added ?? 0, part.removed ?? 0);
    default:
      return assertNever(part);
  }
}

/** The data of the timeline and the list of calls, which the page's script draws. */
function pageData({ report, setup, agentMs = 0 }: RunRecord, culprit: ToolCall | undefined): object {
  return {
    culprit: culprit?.number,
    calls: report.tools.map((call) => pageCall(call, setup)),
    endMs: report.tools.reduce(
      (last, { startMs, durationMs }) => Math.max(last, startMs + (durationMs ?? 0)),
      agentMs,
    ),
  };
}

/** Every field is written out, because there can be thousands of calls. */
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
    facts: boundedFacts(facts),
    allow: state === 'denied' ? allowTokens(call, rules) : undefined,
  };
}

function boundedFacts(facts: ToolCall['facts']): ToolCall['facts'] {
  const { output } = facts;
  if (output === undefined || output.length <= TEXT_CHARACTERS) return facts;
  return { ...facts, output: output.slice(0, TEXT_CHARACTERS) };
}

const CALLS = `<section id="app" hidden aria-labelledby="calls-title">
<h2 id="calls-title">What it did</h2>
<div class="tools"><div role="group" aria-label="Zoom">
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">−</button>
<button type="button" id="zoom-reset">whole run</button></div>
<span class="small wide">Drag to move, Ctrl and wheel to zoom; + − 0 ← → on the keyboard.</span></div>
<div class="picture"><canvas id="timeline" tabindex="0" role="img" aria-label="Timeline of the tool calls by kind; the list below has the same calls in words"></canvas><div id="tip" hidden></div></div>
<div class="tools"><input type="search" id="search" placeholder="Search calls (press /)" aria-label="Search calls">
<div id="kinds" role="group" aria-label="Kinds"></div><div id="states" role="group" aria-label="Outcomes"></div>
<span id="count" class="small" role="status"></span></div>
<div class="browser"><div id="calls" role="listbox" tabindex="0" aria-label="Tool calls" aria-describedby="keys"></div>
<div id="details" role="region" aria-label="The chosen call" tabindex="0"></div></div>
<p id="keys" class="small">Keys: ↑ ↓ Home End choose a call, Enter goes to its details and Escape back, / searches, Escape removes the filters.</p>
</section>
<noscript><p>The timeline and the list of calls need JavaScript.</p></noscript>`;
