import { createHash } from 'node:crypto';
import { assertNever } from '../core/errors.js';
import { allowTokens } from '../permissions/allow-advice.js';
import { number } from '../text/format.js';
import { embedJson, escapeHtml } from '../text/html-text.js';
import { truncate } from '../text/plain-text.js';
import { redactAll, type Redaction } from '../text/redact.js';
import { placeRemark, placeText, titlePieces, type CheckedFinding } from './findings.js';
import type { RunRecord, ToolCall } from './model.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.js';
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

/** Makes Markdown of unknown origin safe, as HTML, in at most so many characters. */
type MakeSafe = (text: string, most: number) => string;

/**
 * The report as one page that needs nothing else: style, script and data are in it, and its content security policy
 * lets no other script run and nothing be loaded or sent. Secrets are removed from the shown text once more, because
 * parts of a secret may come together only there.
 */
export function buildHtml(record: RunRecord, redaction?: Redaction): string {
  const { verdict, setup } = record;
  const title = `${setup?.agent ?? 'Cursor'} agent: ${verdict.status === 'success' ? 'done' : verdict.reason}`;
  const shown = mainPart(buildSections(record), (text, most) => safeHtml(text, most, redaction));
  const data = pageData(record);
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

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

const mainPart = (sections: Sections, makeSafe: MakeSafe): string =>
  joined([
    '<main>',
    heading(sections),
    failureAlert(sections),
    renderAnswer(sections.answer, makeSafe),
    numbersList(sections),
    renderSection(sections.denied),
    renderSection(sections.files),
    CALLS,
    renderSection(sections.plan),
    renderSection(sections.given),
    renderSection(sections.policy),
    renderSection(sections.diagnostics),
    '</main>',
  ]);

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

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
const pre = (text: string): string => `<pre tabindex="0">${escapeHtml(text)}</pre>`;

const heading = ({ head: { who, reason } }: Sections): string =>
  reason === undefined
    ? `<h1 class="success"><span class="mark" aria-hidden="true">✓</span> ${escapeHtml(who)}: done</h1>`
    : `<h1 class="failure"><span class="mark" aria-hidden="true">✗</span> ${escapeHtml(who)}: failed (${code(reason)})</h1>`;

function failureAlert({ failure }: Sections): string {
  if (!failure) return '';
  return joined([
    '<div class="alert" role="note">',
    `<p><strong>What happened:</strong> ${escapeHtml(failure.what)}</p>`,
    failure.detail === '' ? '' : pre(truncate(failure.detail, DETAIL_CHARACTERS)),
    `<p><strong>What to do:</strong> ${escapeHtml(failure.remedy)}</p>`,
    '</div>',
  ]);
}

const numbersList = ({ numbers }: Sections): string => {
  const items = numbers.map(
    ({ name, value, exact }) => `<div><dt>${name}</dt><dd>${escapeHtml(exact ?? value.text)}</dd></div>`,
  );
  return `<dl class="numbers">${items.join('')}</dl>`;
};

function renderAnswer(answer: Answer, makeSafe: MakeSafe): string {
  if (answer.kind === 'none') return '';
  if (answer.kind === 'review') return renderReview(answer, makeSafe);
  const { kind, text, file } = answer;
  const html = kind === 'words' ? makeSafe(text, ANSWER_CHARACTERS) : pre(truncate(text, ANSWER_CHARACTERS));
  const place = file === undefined ? '' : ` The whole answer is in ${code(file)}.`;
  const rest =
    text.length > ANSWER_CHARACTERS ? `<p class="small">This is only the beginning.${place}</p>` : '';
  return `<div class="answer" role="region" aria-label="The agent’s answer">\n${html}\n${rest}</div>`;
}

const MOST_FINDINGS_SHOWN = 1000;
/** So few findings are shown open. */
const MOST_OPEN = 10;

function renderReview(
  { title, summary, placed, apart }: Extract<Answer, { kind: 'review' }>,
  makeSafe: MakeSafe,
): string {
  const list = (findings: readonly CheckedFinding[]) => {
    const shown = findings.slice(0, MOST_FINDINGS_SHOWN);
    const left = findings.length - shown.length;
    const open = findings.length <= MOST_OPEN ? ' open' : '';
    return joined([
      ...shown.map(
        (finding) =>
          `<details class="finding"${open}><summary>${findingHead(finding)}</summary>\n${findingBody(finding, makeSafe)}</details>`,
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
  const words = titlePieces(truncate(title, 500))
    .map(({ isCode, text }) => (isCode ? code(text) : escapeHtml(text)))
    .join('');
  return [
    `<span class="severity ${severity}">${severity}</span>`,
    code(placeText(finding)),
    `${words}${count > 1 ? ` × ${number(count)}` : ''}`,
    ...(remark === '' ? [] : [`<span class="small">(${escapeHtml(remark)})</span>`]),
  ].join(' ');
}

function findingBody({ body, suggestion }: CheckedFinding, makeSafe: MakeSafe): string {
  const suggested =
    suggestion === undefined
      ? ''
      : suggestion === ''
        ? '<p>Suggested: delete these lines.</p>'
        : `<p>Suggested instead:</p>${pre(truncate(suggestion, DETAIL_CHARACTERS))}`;
  return `<div class="answer">${makeSafe(body, DETAIL_CHARACTERS)}\n${suggested}</div>`;
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
        ({ status, text }) => `<li class="${status}">${TODO_MARKS[status]} ${escapeHtml(text)}</li>`,
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
    `<div class="scroll"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>`,
    ...rows.map((cells) => `<tr>${cells.map((cell) => `<td>${line(cell)}</td>`).join('')}</tr>`),
    '</tbody></table></div>',
    left > 0 ? `<p class="small">… and ${number(left)} more</p>` : '',
  ]);
}

const line = (content: readonly Inline[]): string => content.map(renderInline).join('');

function renderInline(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return escapeHtml(truncate(part.text, TEXT_CHARACTERS));
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
        : `<span class="plus">+${part.added ?? 0}</span> <span class="minus">−${part.removed ?? 0}</span>`;
    default:
      return assertNever(part);
  }
}

/** The data of the timeline and the list of calls, which the page's script draws. */
function pageData({ report, setup, agentMs = 0 }: RunRecord): object {
  return {
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
<span class="small">Drag to move, Ctrl and wheel to zoom; + − 0 ← → on the keyboard.</span></div>
<div class="picture"><canvas id="timeline" tabindex="0" role="img" aria-label="Timeline of the tool calls by kind; the list below has the same calls in words"></canvas><div id="tip" hidden></div></div>
<div class="tools"><input type="search" id="search" placeholder="Search calls (press /)" aria-label="Search calls">
<div id="kinds" role="group" aria-label="Kinds"></div><div id="states" role="group" aria-label="Outcomes"></div>
<span id="count" class="small" role="status"></span></div>
<div class="browser"><div id="calls" role="grid" tabindex="0" aria-label="Tool calls"></div>
<div id="details" role="region" aria-label="The chosen call" aria-live="polite" tabindex="0"></div></div>
</section>
<noscript><p>The timeline and the list of calls need JavaScript.</p></noscript>`;
