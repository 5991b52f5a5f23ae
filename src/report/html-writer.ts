import { createHash } from 'node:crypto';
import { allowTokens } from './allow-token.js';
import { embedJson, escapeHtml } from '../text/html-text.js';
import {
  answerPart,
  deniedPart,
  diagnosticsPart,
  failurePart,
  filesPart,
  givenPart,
  numbersPart,
  planPart,
  policyPart,
  verdictPart,
} from './html-parts.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.js';
import { redacting, type AnswerWriter } from './plain-answer.js';
import { redactAll, type Redaction } from '../text/redact.js';
import type { RunRecord, ToolCall } from './model.js';

/** What of a call's own texts the page carries. */
const CALL_CHARACTERS = 4000;

/**
 * The report as one page that needs nothing else: style, script and data are in it, and its own policy lets no
 * other script run and nothing be loaded or sent. Secrets are taken out of what it shows once more, because only
 * there stands together what is shown together.
 */
export const htmlWriter =
  (answerWriter: AnswerWriter) =>
  (record: RunRecord, redaction?: Redaction): string => {
    const answer = redacting(answerWriter, redaction);
    const { report, verdict, setup } = record;
    const title = `${setup?.agent ?? 'Cursor'} agent: ${verdict.status === 'success' ? 'done' : verdict.reason}`;
    const data = {
      calls: report.tools.map((call) => pageCall(call, setup)),
      endMs: Math.max(
        record.agentMs ?? 0,
        report.tools.reduce(
          (last, { startMs, durationMs }) => Math.max(last, startMs + (durationMs ?? 0)),
          0,
        ),
      ),
    };
    const shown = shownParts(record, answer);
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
    ]
      .filter((part, index, all) => part !== '' || index === all.length - 1)
      .join('\n');
  };

/** In text every `<` is escaped, so that this is a tag and nothing else. */
const TAGS = /<[^<>]*>/;

const shownParts = (record: RunRecord, answer: AnswerWriter): string =>
  [
    '<main>',
    verdictPart(record),
    failurePart(record),
    answerPart(record, answer),
    numbersPart(record),
    deniedPart(record),
    filesPart(record),
    CALLS,
    planPart(record),
    givenPart(record),
    policyPart(record),
    diagnosticsPart(record),
    '</main>',
  ]
    .filter((part) => part !== '')
    .join('\n');

/** Only the style and the script that were put in here, by their hashes. */
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

/** What the page knows of a call; written out, because thousands of them are made at once. */
function pageCall(call: ToolCall, rules: RunRecord['setup']): object {
  const { number, name, kind, target, state, message, durationMs, facts } = call;
  return {
    number,
    name,
    kind,
    target,
    state,
    message,
    startMs: Math.round(call.startMs),
    durationMs: durationMs === undefined ? undefined : Math.round(durationMs),
    facts: boundedFacts(facts),
    allow: state === 'denied' ? allowTokens(call, rules) : undefined,
  };
}

function boundedFacts(facts: ToolCall['facts']): ToolCall['facts'] {
  const { output } = facts;
  if (output === undefined || output.length <= CALL_CHARACTERS) return facts;
  return { ...facts, output: output.slice(0, CALL_CHARACTERS) };
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
