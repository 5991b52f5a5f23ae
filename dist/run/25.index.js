export const id = 25;
export const ids = [25];
export const modules = {

/***/ 6686:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C8: () => (/* binding */ fileChanges),
/* harmony export */   S5: () => (/* binding */ changesNote),
/* harmony export */   Zl: () => (/* binding */ lineCounts)
/* harmony export */ });
/** The files a run changed: as git tells it where that is known, else as the agent's edits tell it. */
function fileChanges({ changes, report }) {
    const isKnown = changes?.kind === 'known';
    const files = isKnown ? changes.files : editedFiles(report);
    return {
        source: isKnown ? 'git' : 'agent',
        files,
        added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
        removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
    };
}
/** What to know of the list besides: why git could not tell, or what is not in the patch, or was not put back. */
function changesNote(changes) {
    if (!changes)
        return '';
    if (changes.kind === 'unknown')
        return changes.note;
    const listed = (title, lines) => lines.length === 0 ? [] : [`${title}: ${lines.join('; ')}.`];
    return [
        ...listed('Not in the patch', changes.omitted),
        ...listed('Could not be put back', changes.unreverted ?? []),
    ].join(' ');
}
function editedFiles(report) {
    const files = new Map();
    for (const { kind, state, target, facts } of report.tools) {
        if (state !== 'ok' || (kind !== 'edit' && kind !== 'delete') || target === '')
            continue;
        const file = files.get(target) ?? { path: target, status: 'modified', added: 0, removed: 0 };
        file.status = kind === 'delete' ? 'deleted' : 'modified';
        file.added += facts.linesAdded ?? 0;
        file.removed += facts.linesRemoved ?? 0;
        files.set(target, file);
    }
    return [...files.values()];
}
/** `+3 −1`, or nothing where no numbers are known. */
function lineCounts({ added, removed }) {
    if (added === undefined && removed === undefined)
        return '';
    return `+${added ?? 0} −${removed ?? 0}`;
}


/***/ }),

/***/ 849:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  t: () => (/* binding */ htmlWriter)
});

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: ./src/report/allow-token.ts
var allow_token = __webpack_require__(6371);
// EXTERNAL MODULE: ./src/report/html-text.ts
var html_text = __webpack_require__(7617);
// EXTERNAL MODULE: ./src/failure.ts
var failure = __webpack_require__(1633);
// EXTERNAL MODULE: ./src/report/denials.ts
var report_denials = __webpack_require__(7970);
// EXTERNAL MODULE: ./src/report/file-changes.ts
var file_changes = __webpack_require__(6686);
// EXTERNAL MODULE: ./src/report/answer-parts.ts
var answer_parts = __webpack_require__(1109);
// EXTERNAL MODULE: ./src/report/plain-text.ts
var plain_text = __webpack_require__(6676);
// EXTERNAL MODULE: ./src/report/words.ts
var words = __webpack_require__(2691);
;// CONCATENATED MODULE: ./src/report/html-review.ts




const MOST_SHOWN = 1000;
/** So few are shown open. */
const MOST_OPEN = 10;
const BODY_CHARACTERS = 8000;
/** A review for reading, on the page. */
function reviewPart(review, writer) {
    const { placed, apart } = (0,answer_parts/* groupFindings */.kG)(review);
    const summary = review.summary.trim();
    return [
        '<section class="review">',
        `<h2>${(0,html_text/* escapeHtml */.Z)((0,answer_parts/* countFindings */.Gt)(placed))}</h2>`,
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
function findingList(findings, writer) {
    const shown = findings.slice(0, MOST_SHOWN);
    const open = findings.length <= MOST_OPEN ? ' open' : '';
    const items = shown.map((finding) => {
        const remark = (0,answer_parts/* placeRemark */.qm)(finding);
        const times = finding.count > 1 ? ` × ${(0,words/* number */.ai)(finding.count)}` : '';
        const head = [
            `<span class="severity ${finding.severity}">${finding.severity}</span>`,
            `<code>${(0,html_text/* escapeHtml */.Z)((0,answer_parts/* placeText */.Z9)(finding))}</code>`,
            `${titleText(finding.title)}${times}`,
            remark === '' ? '' : `<span class="small">(${(0,html_text/* escapeHtml */.Z)(remark)})</span>`,
        ].filter((part) => part !== '');
        return `<details class="finding"${open}><summary>${head.join(' ')}</summary>\n${findingBody(finding, writer)}</details>`;
    });
    const left = findings.length - shown.length;
    return [
        ...items,
        ...(left > 0 ? [`<p class="small">… and ${(0,words/* number */.ai)(left)} more in the report file</p>`] : []),
    ].join('\n');
}
const titleText = (title) => (0,answer_parts/* titlePieces */.yx)((0,plain_text/* truncate */.xv)(title, 500))
    .map(({ isCode, text }) => (isCode ? `<code>${(0,html_text/* escapeHtml */.Z)(text)}</code>` : (0,html_text/* escapeHtml */.Z)(text)))
    .join('');
function findingBody({ body, suggestion }, writer) {
    const text = body.trim();
    const instead = suggestion === undefined
        ? ''
        : suggestion === ''
            ? '<p>Suggested: delete these lines.</p>'
            : `<p>Suggested instead:</p><pre tabindex="0">${(0,html_text/* escapeHtml */.Z)((0,plain_text/* truncate */.xv)(suggestion, BODY_CHARACTERS))}</pre>`;
    return `<div class="answer">${text === '' ? '' : writer.html(text, BODY_CHARACTERS)}\n${instead}</div>`;
}

// EXTERNAL MODULE: ./src/report/run-report.ts
var run_report = __webpack_require__(7330);
;// CONCATENATED MODULE: ./src/report/html-parts.ts









const ANSWER_CHARACTERS = 60_000;
const MOST_ROWS = 1000;
const MOST_LEFT_OUT = 100;
/** A longer list of files is folded. */
const MOST_OPEN_FILES = 15;
const code = (text) => `<code>${(0,html_text/* escapeHtml */.Z)(text)}</code>`;
const pre = (text) => `<pre tabindex="0">${(0,html_text/* escapeHtml */.Z)(text)}</pre>`;
const section = (title, body) => `<section><h2>${(0,html_text/* escapeHtml */.Z)(title)}</h2>\n${body}</section>`;
/** Cells are HTML already. */
function table(heads, rows) {
    const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
    const body = rows.slice(0, MOST_ROWS).map((cells) => `<tr><td>${cells.join('</td><td>')}</td></tr>`);
    const left = rows.length - body.length;
    return [
        `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>`,
        ...body,
        '</tbody></table></div>',
        left > 0 ? `<p class="small">… and ${(0,words/* number */.ai)(left)} more</p>` : '',
    ].join('\n');
}
function verdictPart({ verdict, setup }) {
    const who = (0,html_text/* escapeHtml */.Z)(setup ? `${setup.agent} agent (${setup.preset})` : 'Cursor agent');
    return verdict.status === 'success'
        ? `<h1 class="success"><span class="mark" aria-hidden="true">✓</span> ${who}: done</h1>`
        : `<h1 class="failure"><span class="mark" aria-hidden="true">✗</span> ${who}: failed (${code(verdict.reason)})</h1>`;
}
function failurePart({ verdict }) {
    if (verdict.status === 'success')
        return '';
    const { what, remedy } = failure/* FAILURES */.E[verdict.reason];
    const detail = verdict.detail.trim();
    return [
        '<div class="alert" role="note">',
        `<p><strong>What happened:</strong> ${(0,html_text/* escapeHtml */.Z)(what)}</p>`,
        detail === '' ? '' : pre((0,plain_text/* truncate */.xv)(detail, 8000)),
        `<p><strong>What to do:</strong> ${(0,html_text/* escapeHtml */.Z)(remedy)}</p>`,
        '</div>',
    ].join('\n');
}
function answerPart(record, writer) {
    const shown = (0,answer_parts/* shownAnswer */.aq)(record);
    if (shown.kind === 'review')
        return reviewPart(shown.review, writer);
    const { kind, text } = shown;
    if (text === '')
        return '';
    const html = kind === 'words' ? writer.html(text, ANSWER_CHARACTERS) : pre((0,plain_text/* truncate */.xv)(text, ANSWER_CHARACTERS));
    const file = kind === 'json' ? record.files.report : record.files.result;
    const whole = text.length > ANSWER_CHARACTERS && file ? `The whole is in ${code(file)}.` : '';
    const note = text.length > ANSWER_CHARACTERS ? `<p class="small">This is its beginning. ${whole}</p>` : '';
    return `<div class="answer" role="region" aria-label="The agent’s answer">\n${html}\n${note}</div>`;
}
function numbersPart(record) {
    const { report, agentMs, wallMs, setup } = record;
    const { calls, failed, denied } = (0,run_report/* countCalls */.x)(report);
    const changed = (0,file_changes/* fileChanges */.C8)(record);
    const { usage } = report;
    const items = [
        ['Time', (0,words/* duration */.p0)(report.durationMs ?? agentMs ?? wallMs)],
        ['Model', report.model],
        ['Tool calls', (0,words/* number */.ai)(calls)],
        ['Failed', failed > 0 ? (0,words/* number */.ai)(failed) : undefined],
        ['Denied', denied > 0 ? (0,words/* number */.ai)(denied) : undefined],
        ['Files', changed.files.length > 0 ? `${changed.files.length} (${(0,file_changes/* lineCounts */.Zl)(changed)})` : undefined],
        ['Tokens in', usage && (0,words/* number */.ai)(usage.inputTokens)],
        ['Tokens out', usage && (0,words/* number */.ai)(usage.outputTokens)],
        ['Tokens cached', usage && (0,words/* number */.ai)(usage.cacheReadTokens)],
        ['Cost', report.costUsd === undefined ? undefined : `$${report.costUsd.toFixed(4)}`],
        ['Turns', report.turns === undefined ? undefined : (0,words/* number */.ai)(report.turns)],
        ['CLI', setup?.cliVersion],
        ['Session', report.sessionId],
    ];
    const shown = items.flatMap(([name, value]) => value === undefined || value === '' ? [] : [`<div><dt>${name}</dt><dd>${(0,html_text/* escapeHtml */.Z)(value)}</dd></div>`]);
    return `<dl class="numbers">${shown.join('')}</dl>`;
}
function deniedPart({ report, setup }) {
    const denials = (0,report_denials/* findDenials */.U)(report, setup);
    if (denials.length === 0)
        return '';
    const rows = denials.map(({ tool, what, why, count, allow }) => [
        `${(0,html_text/* escapeHtml */.Z)(tool)} ${code(what)}${count > 1 ? ` × ${(0,words/* number */.ai)(count)}` : ''}`,
        allow.map(code).join('<br>'),
        (0,html_text/* escapeHtml */.Z)(why),
    ]);
    return section('Denied', table(['Refused', 'Allow with', 'Why'], rows));
}
function filesPart(record) {
    const { files, source } = (0,file_changes/* fileChanges */.C8)(record);
    const violations = record.changes?.violations ?? [];
    const note = (0,file_changes/* changesNote */.S5)(record.changes);
    if (files.length === 0 && violations.length === 0 && note === '')
        return '';
    const rows = files.map((file) => [code(file.path), (0,html_text/* escapeHtml */.Z)(file.status), counts(file)]);
    const forbidden = violations.map((violation) => `<li>${(0,html_text/* escapeHtml */.Z)(violation)}</li>`).join('');
    return section(source === 'git' ? 'Files changed' : 'Files edited, as the agent tells it', [
        fileList(table(['File', 'Change', 'Lines'], rows), files.length),
        forbidden === '' ? '' : `<p><strong>Not allowed by the policy:</strong></p><ul>${forbidden}</ul>`,
        note === '' ? '' : `<p>${(0,html_text/* escapeHtml */.Z)(note)}</p>`,
    ].join('\n'));
}
function fileList(list, count) {
    if (count === 0)
        return '';
    if (count <= MOST_OPEN_FILES)
        return list;
    return `<details><summary>${(0,words/* number */.ai)(count)} files</summary>${list}</details>`;
}
function counts({ added, removed }) {
    if (added === undefined && removed === undefined)
        return '';
    return `<span class="plus">+${added ?? 0}</span> <span class="minus">−${removed ?? 0}</span>`;
}
function planPart({ report: { todos } }) {
    if (todos.length === 0)
        return '';
    const marks = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };
    const items = todos.map(({ status, text }) => `<li class="${status}">${marks[status]} ${(0,html_text/* escapeHtml */.Z)(text)}</li>`);
    return section('Plan', `<ul class="plan">${items.join('\n')}</ul>`);
}
function policyPart({ setup }) {
    if (!setup)
        return '';
    const words = `Preset ${code(setup.preset)}, mode ${code(setup.mode)}, force ${setup.force ? 'on' : 'off'}.`;
    return section('What it was allowed to do', [
        `<p>${words} ${(0,html_text/* escapeHtml */.Z)(setup.isolation)}</p>`,
        `<details><summary>Allowed (${setup.allow.length})</summary>${pre(setup.allow.join('\n'))}</details>`,
        `<details><summary>Denied, whatever is allowed (${setup.deny.length})</summary>${pre(setup.deny.join('\n'))}</details>`,
    ].join('\n'));
}
function givenPart({ context = [], instruction }) {
    if (context.length === 0 && instruction === undefined)
        return '';
    const rows = context.map(({ kind, description, bytes, items, outOf, leftOut, inlined }) => [
        `${code(kind)} ${(0,html_text/* escapeHtml */.Z)(description)}`,
        `${(0,words/* number */.ai)(bytes)} bytes${inlined ? ', in the prompt too' : ''}`,
        outOf === undefined ? (0,words/* number */.ai)(items) : `${(0,words/* number */.ai)(items)} of ${(0,words/* number */.ai)(outOf)}`,
        leftOut.slice(0, MOST_LEFT_OUT).map(code).join('<br>') +
            (leftOut.length > MOST_LEFT_OUT ? `<br>… ${(0,words/* number */.ai)(leftOut.length)} in all` : ''),
    ]);
    return section('What it was given', [
        context.length === 0 ? '' : table(['Gathered', 'Size', 'Files or jobs', 'Left out'], rows),
        instruction === undefined
            ? ''
            : `<details><summary>The preset’s instruction, before the prompt</summary>${pre(instruction)}</details>`,
    ].join('\n'));
}
function diagnosticsPart({ report, notes, tries, corrections, stderr, exit }) {
    const items = [
        ...tries.map(({ reason, detail, waitMs }, index) => `Try ${index + 1} failed (${reason}), waited ${(0,words/* duration */.p0)(waitMs)}: ${detail}`),
        ...(corrections ?? []).map(({ problem }, index) => `Answer ${index + 1} could not be used: ${problem}`),
        ...notes,
        ...report.notices.filter(({ level }) => level === 'warning').map(({ text }) => text),
        ...Object.entries(report.unrecognised.labels).map(([label, count]) => `${(0,words/* number */.ai)(count)} lines not recognised: ${label}`),
        ...report.unrecognised.first.map(({ line, sample }) => `line ${line}: ${(0,plain_text/* truncate */.xv)(sample, 300)}`),
    ].map((text) => `<li>${(0,html_text/* escapeHtml */.Z)((0,plain_text/* truncate */.xv)(text, 1000))}</li>`);
    const parts = [
        items.length === 0 ? '' : `<ul>${items.join('\n')}</ul>`,
        stderr.trim() === '' ? '' : `<p>The end of what it wrote besides:</p>${pre(stderr.trim())}`,
        exit ? `<p class="small">Process: ${code(JSON.stringify(exit))}</p>` : '',
    ].filter((part) => part !== '');
    return parts.length === 0 ? '' : section('Diagnostics', parts.join('\n'));
}

;// CONCATENATED MODULE: ./src/report/page-assets.ts
// Written by `npm run page` from src/report/page; change it there.
const PAGE_STYLE = ":root {\n  color-scheme: light dark;\n  --page: #ffffff;\n  --card: #f6f8fa;\n  --text: #1f2328;\n  --muted: #59636e;\n  --line: #d1d9e0;\n  --link: #0969da;\n  --good: #1a7f37;\n  --failed: #d1242f;\n  --denied: #9a6700;\n  --added: #dafbe1;\n  --removed: #ffebe9;\n  --hunk: #ddf4ff;\n  --kind-read: #54aeff;\n  --kind-search: #218bff;\n  --kind-list: #80ccff;\n  --kind-edit: #4ac26b;\n  --kind-delete: #bf8700;\n  --kind-shell: #a475f9;\n  --kind-web: #339d9b;\n  --kind-mcp: #e85aad;\n  --kind-plan: #8c959f;\n  --kind-task: #6e7781;\n  --kind-other: #afb8c1;\n}\n@media (prefers-color-scheme: dark) {\n  :root {\n    --page: #0d1117;\n    --card: #151b23;\n    --text: #f0f6fc;\n    --muted: #9198a1;\n    --line: #3d444d;\n    --link: #4493f8;\n    --good: #3fb950;\n    --failed: #f85149;\n    --denied: #d29922;\n    --added: #12361f;\n    --removed: #4a1b1e;\n    --hunk: #0c2d4a;\n  }\n}\n* {\n  box-sizing: border-box;\n}\nbody {\n  margin: 0;\n  background: var(--page);\n  color: var(--text);\n  font:\n    15px/1.5 -apple-system,\n    BlinkMacSystemFont,\n    'Segoe UI',\n    'Noto Sans',\n    Helvetica,\n    Arial,\n    sans-serif;\n}\nmain {\n  max-width: 1240px;\n  margin: 0 auto;\n  padding: 24px 16px 64px;\n}\nh1 {\n  margin: 0 0 4px;\n  font-size: 26px;\n  line-height: 1.25;\n}\nh1 .mark {\n  color: var(--good);\n}\nh1.failure .mark {\n  color: var(--failed);\n}\nh2 {\n  margin: 32px 0 12px;\n  font-size: 19px;\n}\nh3 {\n  margin: 0 0 4px;\n  font-size: 16px;\n}\nh4 {\n  margin: 12px 0 4px;\n  color: var(--muted);\n  font-size: 12px;\n  font-weight: 600;\n  letter-spacing: 0.04em;\n  text-transform: uppercase;\n}\na {\n  color: var(--link);\n}\ncode,\npre {\n  font-family: ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace;\n  font-size: 13px;\n}\ncode {\n  padding: 1px 5px;\n  border-radius: 5px;\n  background: var(--card);\n  overflow-wrap: anywhere;\n}\npre {\n  max-height: 420px;\n  margin: 0;\n  padding: 10px 12px;\n  overflow: auto;\n  border: 1px solid var(--line);\n  border-radius: 6px;\n  background: var(--card);\n  white-space: pre-wrap;\n  overflow-wrap: anywhere;\n}\npre code {\n  padding: 0;\n  background: none;\n}\n.numbers {\n  display: grid;\n  grid-template-columns: repeat(auto-fit, minmax(130px, 1fr));\n  gap: 8px;\n  margin: 20px 0 0;\n}\n.numbers div {\n  padding: 8px 12px;\n  border: 1px solid var(--line);\n  border-radius: 8px;\n}\n.numbers dt {\n  color: var(--muted);\n  font-size: 12px;\n}\n.numbers dd {\n  margin: 0;\n  font-weight: 600;\n  overflow-wrap: anywhere;\n}\n.alert {\n  margin: 16px 0;\n  padding: 10px 16px;\n  border-left: 4px solid var(--failed);\n  border-radius: 0 6px 6px 0;\n  background: var(--card);\n}\n.alert p {\n  margin: 6px 0;\n}\n.answer {\n  margin-top: 20px;\n  padding: 4px 20px;\n  border: 1px solid var(--line);\n  border-radius: 8px;\n  overflow-wrap: anywhere;\n}\n.answer h4,\n.answer h5,\n.answer h6 {\n  margin: 18px 0 8px;\n  color: inherit;\n  font-size: 16px;\n  letter-spacing: 0;\n  text-transform: none;\n}\n.answer blockquote {\n  margin: 0;\n  padding-left: 14px;\n  border-left: 3px solid var(--line);\n  color: var(--muted);\n}\n.answer pre,\n.answer table {\n  margin: 12px 0;\n}\n.answer table {\n  display: block;\n  width: max-content;\n  max-width: 100%;\n  overflow: auto;\n}\n.scroll {\n  overflow-x: auto;\n}\n.scroll code {\n  overflow-wrap: break-word;\n}\ntable {\n  border-collapse: collapse;\n}\nth,\ntd {\n  padding: 5px 12px;\n  border: 1px solid var(--line);\n  text-align: left;\n  vertical-align: top;\n}\nth {\n  background: var(--card);\n}\ntd.amount {\n  font-variant-numeric: tabular-nums;\n  white-space: nowrap;\n}\n.plus {\n  color: var(--good);\n}\n.minus {\n  color: var(--failed);\n}\n.bar {\n  position: relative;\n}\n.tools {\n  display: flex;\n  flex-wrap: wrap;\n  gap: 6px;\n  align-items: center;\n  margin-bottom: 8px;\n}\n.tools > div {\n  display: flex;\n  flex-wrap: wrap;\n  gap: 4px;\n}\nbutton,\ninput[type='search'] {\n  padding: 4px 10px;\n  border: 1px solid var(--line);\n  border-radius: 6px;\n  background: var(--card);\n  color: inherit;\n  font: inherit;\n  font-size: 14px;\n}\nbutton {\n  cursor: pointer;\n}\nbutton[aria-pressed='true'] {\n  border-color: var(--link);\n  background: var(--link);\n  color: var(--page);\n}\ninput[type='search'] {\n  flex: 1 1 220px;\n  min-width: 0;\n}\n:focus-visible {\n  outline: 2px solid var(--link);\n  outline-offset: 2px;\n}\n.picture {\n  position: relative;\n  margin-bottom: 16px;\n  padding: 4px;\n  border: 1px solid var(--line);\n  border-radius: 8px;\n}\ncanvas {\n  display: block;\n  width: 100%;\n  touch-action: pan-y;\n  cursor: grab;\n}\ncanvas.over {\n  cursor: pointer;\n}\n#tip {\n  position: absolute;\n  z-index: 2;\n  max-width: min(420px, 90%);\n  padding: 4px 8px;\n  border-radius: 6px;\n  background: var(--text);\n  color: var(--page);\n  font-size: 13px;\n  overflow-wrap: anywhere;\n  pointer-events: none;\n}\n.browser {\n  display: grid;\n  grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);\n  gap: 12px;\n  align-items: start;\n}\n#calls {\n  position: relative;\n  max-height: 520px;\n  overflow: auto;\n  border: 1px solid var(--line);\n  border-radius: 8px;\n}\n.spacer {\n  position: relative;\n}\n.row {\n  position: absolute;\n  top: 0;\n  right: 0;\n  left: 0;\n  display: grid;\n  grid-template-columns: 52px 18px 66px minmax(80px, 1fr) minmax(0, 120px) 62px;\n  gap: 8px;\n  align-items: center;\n  height: 34px;\n  padding: 0 10px;\n  border-bottom: 1px solid var(--line);\n  font-size: 13px;\n  cursor: pointer;\n}\n.row:hover {\n  background: var(--card);\n}\n.row[aria-selected='true'] {\n  background: var(--hunk);\n}\n.row span {\n  overflow: hidden;\n  text-overflow: ellipsis;\n  white-space: nowrap;\n}\n.row .time,\n.row .took {\n  color: var(--muted);\n  font-variant-numeric: tabular-nums;\n}\n.row .took {\n  text-align: right;\n}\n.row .target {\n  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;\n}\n.row .outcome {\n  color: var(--muted);\n}\n.row.ok .mark {\n  color: var(--good);\n}\n.row.failed .mark,\n.row.failed .outcome,\n.facts.failed {\n  color: var(--failed);\n}\n.row.denied .mark,\n.row.denied .outcome,\n.facts.denied {\n  color: var(--denied);\n}\n.kind {\n  padding-left: 8px;\n  border-left: 4px solid var(--kind-other);\n}\n.kind-read {\n  border-color: var(--kind-read);\n}\n.kind-search {\n  border-color: var(--kind-search);\n}\n.kind-list {\n  border-color: var(--kind-list);\n}\n.kind-edit {\n  border-color: var(--kind-edit);\n}\n.kind-delete {\n  border-color: var(--kind-delete);\n}\n.kind-shell {\n  border-color: var(--kind-shell);\n}\n.kind-web {\n  border-color: var(--kind-web);\n}\n.kind-mcp {\n  border-color: var(--kind-mcp);\n}\n.kind-plan {\n  border-color: var(--kind-plan);\n}\n.kind-task {\n  border-color: var(--kind-task);\n}\n#details {\n  max-height: 520px;\n  padding: 12px 14px;\n  overflow: auto;\n  border: 1px solid var(--line);\n  border-radius: 8px;\n}\n.facts {\n  margin: 0;\n  color: var(--muted);\n  font-size: 13px;\n}\n.line {\n  display: block;\n  min-height: 1lh;\n}\n.line.added {\n  background: var(--added);\n}\n.line.removed {\n  background: var(--removed);\n}\n.line.hunk,\n.line.file {\n  background: var(--hunk);\n}\n.done {\n  color: var(--muted);\n}\nul.plan {\n  padding-left: 0;\n  list-style: none;\n}\nsummary {\n  cursor: pointer;\n}\ndetails {\n  margin: 10px 0;\n}\n.small {\n  color: var(--muted);\n  font-size: 13px;\n}\n@media (max-width: 760px) {\n  .browser {\n    grid-template-columns: minmax(0, 1fr);\n  }\n  #calls {\n    max-height: 340px;\n  }\n  #details {\n    max-height: none;\n  }\n  .row {\n    grid-template-columns: 40px 14px 58px minmax(60px, 1fr) 58px;\n  }\n  .row .outcome {\n    display: none;\n  }\n}\n.finding {\n  border: 1px solid var(--line);\n  border-radius: 6px;\n  margin: 8px 0;\n  padding: 8px 12px;\n}\n.finding > summary {\n  cursor: pointer;\n  overflow-wrap: anywhere;\n}\n.finding > .answer {\n  margin: 8px 0 0;\n  padding: 0;\n  border: 0;\n}\n.severity {\n  border: 1px solid currentcolor;\n  border-radius: 1em;\n  font-size: 12px;\n  font-weight: 600;\n  padding: 0 8px;\n}\n.severity.critical,\n.severity.high {\n  color: var(--failed);\n}\n.severity.medium {\n  color: var(--denied);\n}\n.severity.low,\n.severity.info {\n  color: var(--muted);\n}\n";
const PAGE_SCRIPT = "(() => {\n'use strict';\n\nfunction filterCalls(calls, { text, kinds, states }) {\n  const words = text\n    .toLowerCase()\n    .split(/\\s+/)\n    .filter((word) => word !== '');\n  return calls.filter((call) => {\n    if (kinds.size > 0 && !kinds.has(call.kind)) return false;\n    if (states.size > 0 && !states.has(call.state)) return false;\n    if (words.length === 0) return true;\n    const whole = searchText(call);\n    return words.every((word) => whole.includes(word));\n  });\n}\n\nconst searchTexts = new WeakMap();\n\nfunction searchText(call) {\n  const known = searchTexts.get(call);\n  if (known !== undefined) return known;\n  const { kind, name, target, state, message, facts } = call;\n  const text = [kind, name, target, state, message, facts.output ?? ''].join('\\n').toLowerCase();\n  searchTexts.set(call, text);\n  return text;\n}\n\nfunction clockText(ms) {\n  const seconds = Math.floor(ms / 1000);\n  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');\n  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];\n  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;\n}\n\nfunction durationText(ms) {\n  if (ms === undefined) return '';\n  if (ms < 1000) return `${Math.round(ms)} ms`;\n  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${clockText(ms)} min`;\n}\n\nfunction outcomeText(call) {\n  const { state, message, facts } = call;\n  if (state === 'running') return 'never ended';\n  if (state !== 'ok') return message || state;\n  if (facts.linesAdded !== undefined || facts.linesRemoved !== undefined) {\n    return `+${facts.linesAdded ?? 0} −${facts.linesRemoved ?? 0}`;\n  }\n  if (facts.linesRead !== undefined) return `${facts.linesRead} lines`;\n  if (facts.matches !== undefined) return `${facts.matches} matches`;\n  return facts.exitCode === undefined ? '' : `exit ${facts.exitCode}`;\n}\n\nfunction element(tag, attributes = {}, children = []) {\n  const made = document.createElement(tag);\n  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);\n  made.append(...children);\n  return made;\n}\n\nconst ROW_HEIGHT = 34;\nconst SPARE_ROWS = 10;\nconst STATE_MARKS = { ok: '✓', failed: '✗', denied: '⊘', running: '…' };\n\nfunction createCallList(viewport, onSelect) {\n  const spacer = element('div', { class: 'spacer', role: 'presentation' });\n  viewport.replaceChildren(spacer);\n  let calls = [];\n  let selected = -1;\n  const rows = new Map();\n\n  const render = () => {\n    const first = Math.max(0, Math.floor(viewport.scrollTop / ROW_HEIGHT) - SPARE_ROWS);\n    const last = Math.min(\n      calls.length,\n      Math.ceil((viewport.scrollTop + viewport.clientHeight) / ROW_HEIGHT) + SPARE_ROWS,\n    );\n    for (const [index, row] of rows) {\n      if (index >= first && index < last) continue;\n      row.remove();\n      rows.delete(index);\n    }\n    for (let index = first; index < last; index += 1) {\n      const call = calls[index];\n      if (!call || rows.has(index)) continue;\n      const row = callRow(call, index);\n      row.setAttribute('aria-selected', String(index === selected));\n      rows.set(index, row);\n      spacer.append(row);\n    }\n  };\n  const select = (/** @type {number} */ index) => {\n    const call = calls[index];\n    if (!call) return;\n    rows.get(selected)?.setAttribute('aria-selected', 'false');\n    selected = index;\n    const top = index * ROW_HEIGHT;\n    if (top < viewport.scrollTop) viewport.scrollTop = top;\n    const bottom = top + ROW_HEIGHT - viewport.clientHeight;\n    if (bottom > viewport.scrollTop) viewport.scrollTop = bottom;\n    render();\n    rows.get(index)?.setAttribute('aria-selected', 'true');\n    viewport.setAttribute('aria-activedescendant', `call-${call.number}`);\n    onSelect(call);\n  };\n\n  viewport.addEventListener('scroll', render, { passive: true });\n  new ResizeObserver(render).observe(viewport);\n  viewport.addEventListener('click', (event) => {\n    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;\n    if (row instanceof HTMLElement) select(Number(row.dataset['index']));\n  });\n  viewport.addEventListener('keydown', (event) => {\n    const page = Math.max(1, Math.floor(viewport.clientHeight / ROW_HEIGHT) - 1);\n    const target = {\n      ArrowDown: selected + 1,\n      ArrowUp: selected - 1,\n      PageDown: selected + page,\n      PageUp: selected - page,\n      Home: 0,\n      End: calls.length - 1,\n    }[event.key];\n    if (target === undefined) return;\n    event.preventDefault();\n    select(Math.min(Math.max(target, 0), calls.length - 1));\n  });\n\n  return {\n    show(shown) {\n      const before = calls[selected];\n      calls = shown;\n      selected = before ? calls.indexOf(before) : -1;\n      rows.forEach((row) => row.remove());\n      rows.clear();\n      spacer.style.height = `${calls.length * ROW_HEIGHT}px`;\n      viewport.setAttribute('aria-rowcount', String(calls.length));\n      viewport.removeAttribute('aria-activedescendant');\n      viewport.scrollTop = Math.max(0, selected * ROW_HEIGHT - viewport.clientHeight / 2);\n      render();\n    },\n    selectCall(call) {\n      select(calls.indexOf(call));\n    },\n  };\n}\n\nfunction callRow(call, index) {\n  const cell = (/** @type {string} */ name, /** @type {string} */ text) =>\n    element('span', { class: name, role: 'gridcell' }, [text]);\n  const row = element(\n    'div',\n    {\n      class: `row ${call.state}`,\n      role: 'row',\n      id: `call-${call.number}`,\n      'aria-rowindex': String(index + 1),\n      'data-index': String(index),\n    },\n    [\n      cell('time', clockText(call.startMs)),\n      cell('mark', `${STATE_MARKS[call.state]}`),\n      cell(`kind kind-${call.kind}`, call.kind === 'other' ? call.name : call.kind),\n      cell('target', call.target.slice(0, 300)),\n      cell('outcome', outcomeText(call).slice(0, 120)),\n      cell('took', durationText(call.durationMs)),\n    ],\n  );\n  row.children[1]?.setAttribute('aria-label', call.state);\n  row.style.transform = `translateY(${index * ROW_HEIGHT}px)`;\n  return row;\n}\n\nfunction showCallDetails(panel, call) {\n  const { output } = call.facts;\n  const title = `${call.number}. ${call.kind === 'other' ? call.name : call.kind}`;\n  const facts = [\n    call.state,\n    outcomeText(call),\n    `at ${clockText(call.startMs)}`,\n    durationText(call.durationMs),\n    call.name === call.kind ? '' : `tool ${call.name}`,\n  ];\n  panel.replaceChildren(\n    element('h3', {}, [title]),\n    element('p', { class: `facts ${call.state}` }, [facts.filter((fact) => fact !== '').join(' · ')]),\n    ...(call.allow && call.allow.length > 0\n      ? [element('p', {}, ['Allow with ', element('code', {}, [call.allow.join(' and ')])])]\n      : []),\n    ...(call.target === '' ? [] : block('Input', [call.target])),\n    ...(call.message.length > 80 ? block('Message', [call.message]) : []),\n    ...(output === undefined || output === '' ? [] : block('Output', coloured(output, call.kind === 'edit'))),\n  );\n}\n\nfunction block(title, content) {\n  return [element('h4', {}, [title]), element('pre', { tabindex: '0', 'aria-label': title }, content)];\n}\n\nfunction coloured(text, isEdit) {\n  if (!isEdit && !/^@@ /m.test(text)) return [text];\n  return text.split('\\n').map((line) => element('span', { class: `line ${lineKind(line)}` }, [`${line}\\n`]));\n}\n\nfunction lineKind(line) {\n  if (line.startsWith('@@')) return 'hunk';\n  if (/^(\\+\\+\\+|---) /.test(line)) return 'file';\n  if (line.startsWith('+')) return 'added';\n  return line.startsWith('-') ? 'removed' : '';\n}\n\nconst LANE = 22;\nconst AXIS = 22;\nconst LABELS = 64;\nconst CLOSEST_MS = 50;\n\nfunction createTimeline({ canvas, tip, endMs, onSelect }) {\n  const whole = Math.max(endMs, 1);\n  let calls = [];\n  let lanes = [];\n  let chosen;\n  let view = { from: 0, to: whole };\n  let isQueued = false;\n\n  const plotWidth = () => Math.max(1, canvas.clientWidth - LABELS - 8);\n  const xOf = (/** @type {number} */ ms) => LABELS + ((ms - view.from) / (view.to - view.from)) * plotWidth();\n  const msAt = (/** @type {number} */ x) => view.from + ((x - LABELS) / plotWidth()) * (view.to - view.from);\n  const boxOf = (/** @type {Call} */ call) => {\n    const left = xOf(call.startMs);\n    const right = xOf(call.startMs + (call.durationMs ?? whole - call.startMs));\n    return { left, width: Math.max(2, right - left), top: AXIS + lanes.indexOf(call.kind) * LANE + 3 };\n  };\n  const draw = () => {\n    isQueued = false;\n    canvas.style.height = `${AXIS + Math.max(1, lanes.length) * LANE + 6}px`;\n    const ratio = window.devicePixelRatio || 1;\n    canvas.width = Math.round(canvas.clientWidth * ratio);\n    canvas.height = Math.round(canvas.clientHeight * ratio);\n    const pen = canvas.getContext('2d');\n    if (!pen) return;\n    pen.scale(ratio, ratio);\n    const style = getComputedStyle(canvas);\n    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim() || style.color;\n    pen.font = `12px ${style.fontFamily}`;\n    pen.textBaseline = 'middle';\n    drawAxis(pen, { view, xOf, colour, height: canvas.clientHeight, width: canvas.clientWidth });\n    lanes.forEach((kind, lane) => {\n      pen.fillStyle = colour('muted');\n      pen.fillText(kind, 4, AXIS + lane * LANE + LANE / 2);\n    });\n    pen.save();\n    pen.beginPath();\n    pen.rect(LABELS, 0, plotWidth() + 8, canvas.clientHeight);\n    pen.clip();\n    for (const call of calls) {\n      const { left, width, top } = boxOf(call);\n      if (left > canvas.clientWidth || left + width < LABELS) continue;\n      const isBad = call.state === 'failed' || call.state === 'denied';\n      pen.fillStyle = colour(isBad ? call.state : `kind-${call.kind}`);\n      pen.fillRect(left, top, width, LANE - 6);\n      if (call === chosen) {\n        pen.strokeStyle = colour('text');\n        pen.lineWidth = 2;\n        pen.strokeRect(left - 1, top - 1, width + 2, LANE - 4);\n      }\n    }\n    pen.restore();\n  };\n  const queue = () => {\n    if (!isQueued) requestAnimationFrame(draw);\n    isQueued = true;\n  };\n  const look = (/** @type {number} */ from, /** @type {number} */ to) => {\n    const span = Math.min(Math.max(to - from, Math.min(CLOSEST_MS, whole)), whole);\n    const start = Math.min(Math.max(from, 0), whole - span);\n    view = { from: start, to: start + span };\n    canvas.dataset['view'] = `${Math.round(view.from)}-${Math.round(view.to)}`;\n    queue();\n  };\n  const zoom = (/** @type {number} */ factor, around = (view.from + view.to) / 2) => {\n    look(around - (around - view.from) * factor, around + (view.to - around) * factor);\n  };\n  const move = (/** @type {number} */ share) => {\n    const by = (view.to - view.from) * share;\n    if (view.from + by < 0) look(0, view.to - view.from);\n    else look(view.from + by, view.to + by);\n  };\n  const callAt = (/** @type {number} */ x, /** @type {number} */ y) =>\n    calls.findLast((call) => {\n      const { left, width, top } = boxOf(call);\n      return x >= left - 2 && x <= left + width + 2 && y >= top && y <= top + LANE - 6;\n    });\n\n  watchPointer({ canvas, tip, callAt, msAt, zoom, move, onSelect, width: plotWidth });\n  canvas.addEventListener('keydown', (event) => {\n    const act = {\n      '+': () => zoom(0.5),\n      '=': () => zoom(0.5),\n      '-': () => zoom(2),\n      0: () => look(0, whole),\n      ArrowLeft: () => move(-0.2),\n      ArrowRight: () => move(0.2),\n    }[event.key];\n    if (!act || event.ctrlKey || event.metaKey) return;\n    event.preventDefault();\n    act();\n  });\n  new ResizeObserver(queue).observe(canvas);\n  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', queue);\n  look(0, whole);\n\n  return {\n    zoomIn: () => zoom(0.5),\n    zoomOut: () => zoom(2),\n    reset: () => look(0, whole),\n    show(shown) {\n      calls = shown;\n      lanes = [...new Set(calls.map(({ kind }) => kind))];\n      queue();\n    },\n    choose(call) {\n      chosen = call;\n      const end = call.startMs + (call.durationMs ?? 0);\n      const span = view.to - view.from;\n      if (end < view.from || call.startMs > view.to) look(call.startMs - span / 2, call.startMs + span / 2);\n      queue();\n    },\n  };\n}\n\nfunction drawAxis(pen, { view, xOf, colour, height, width }) {\n  const steps = [50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5];\n  const wanted = ((view.to - view.from) / Math.max(1, width - LABELS)) * 80;\n  const step = steps.find((candidate) => candidate >= wanted) ?? 144e5;\n  pen.strokeStyle = colour('line');\n  pen.fillStyle = colour('muted');\n  pen.lineWidth = 1;\n  for (let ms = Math.ceil(view.from / step) * step; ms <= view.to; ms += step) {\n    const x = Math.round(xOf(ms)) + 0.5;\n    pen.beginPath();\n    pen.moveTo(x, AXIS);\n    pen.lineTo(x, height);\n    pen.stroke();\n    const text = step < 1000 ? `${(ms / 1000).toFixed(2)} s` : clockText(ms);\n    pen.fillText(text, Math.min(x + 3, width - 40), AXIS / 2);\n  }\n}\n\nfunction watchPointer({ canvas, tip, callAt, msAt, zoom, move, onSelect, width }) {\n  let grip;\n  canvas.addEventListener('pointerdown', (event) => {\n    grip = { x: event.offsetX, moved: false };\n  });\n  canvas.addEventListener('pointermove', (event) => {\n    if (grip && event.buttons > 0 && Math.abs(event.offsetX - grip.x) > 3) {\n      move((grip.x - event.offsetX) / width());\n      grip = { x: event.offsetX, moved: true };\n    }\n    const call = callAt(event.offsetX, event.offsetY);\n    tip.hidden = !call;\n    canvas.classList.toggle('over', call !== undefined);\n    if (!call) return;\n    tip.textContent = `${call.number}. ${call.kind} ${call.target.slice(0, 200)} (${\n      call.state === 'ok' ? durationText(call.durationMs) : call.state\n    })`;\n    tip.style.left = `${Math.min(event.offsetX + 12, Math.max(0, canvas.clientWidth - 260))}px`;\n    tip.style.top = `${event.offsetY + 18}px`;\n  });\n  canvas.addEventListener('pointerleave', () => {\n    tip.hidden = true;\n  });\n  canvas.addEventListener('pointerup', (event) => {\n    const call = grip?.moved ? undefined : callAt(event.offsetX, event.offsetY);\n    grip = undefined;\n    if (call) onSelect(call);\n  });\n  canvas.addEventListener(\n    'wheel',\n    (event) => {\n      if (!event.ctrlKey && !event.metaKey) return;\n      event.preventDefault();\n      zoom(event.deltaY > 0 ? 1.25 : 0.8, msAt(event.offsetX));\n    },\n    { passive: false },\n  );\n}\n\nfunction part(id, type) {\n  const found = document.getElementById(id);\n  if (!(found instanceof type)) throw new Error(`The page has no ${id}.`);\n  return found;\n}\n\nfunction toggles(bar, values, onChange) {\n  const on = new Set();\n  for (const value of values) {\n    const button = element('button', { type: 'button', 'aria-pressed': 'false' }, [value]);\n    button.addEventListener('click', () => {\n      if (!on.delete(value)) on.add(value);\n      button.setAttribute('aria-pressed', String(on.has(value)));\n      onChange();\n    });\n    bar.append(button);\n  }\n  return on;\n}\n\nfunction start() {\n  const data = JSON.parse(part('data', HTMLScriptElement).textContent ?? '');\n  if (data.calls.length === 0) return;\n  part('app', HTMLElement).hidden = false;\n  const search = part('search', HTMLInputElement);\n  const count = part('count', HTMLElement);\n\n  const choose = (/** @type {Call} */ call) => {\n    showCallDetails(part('details', HTMLElement), call);\n    timeline.choose(call);\n  };\n  const list = createCallList(part('calls', HTMLElement), choose);\n  const timeline = createTimeline({\n    canvas: part('timeline', HTMLCanvasElement),\n    tip: part('tip', HTMLElement),\n    endMs: data.endMs,\n    onSelect: (call) => list.selectCall(call),\n  });\n  const update = () => {\n    const shown = filterCalls(data.calls, { text: search.value, kinds, states });\n    list.show(shown);\n    timeline.show(shown);\n    const all = data.calls.length.toLocaleString('en-US');\n    count.textContent =\n      shown.length === data.calls.length\n        ? `${all} calls`\n        : `${shown.length.toLocaleString('en-US')} of ${all}`;\n  };\n  const values = (/** @type {'kind' | 'state'} */ name) => [...new Set(data.calls.map((call) => call[name]))];\n  const kinds = toggles(part('kinds', HTMLElement), values('kind'), update);\n  const states = toggles(part('states', HTMLElement), values('state'), update);\n  search.addEventListener('input', update);\n  part('zoom-in', HTMLElement).addEventListener('click', timeline.zoomIn);\n  part('zoom-out', HTMLElement).addEventListener('click', timeline.zoomOut);\n  part('zoom-reset', HTMLElement).addEventListener('click', timeline.reset);\n  document.addEventListener('keydown', (event) => {\n    const isTyping = event.target instanceof HTMLInputElement;\n    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;\n    event.preventDefault();\n    search.focus();\n  });\n  update();\n  const first = data.calls.find(({ state }) => state === 'failed' || state === 'denied') ?? data.calls[0];\n  if (first) list.selectCall(first);\n}\n\nstart();\n})();\n";

;// CONCATENATED MODULE: ./src/report/html-writer.ts





/** What of a call's own texts the page carries. */
const CALL_CHARACTERS = 4000;
/**
 * The report as one page that needs nothing else: style, script and data are in it, and its own policy lets no
 * other script run and nothing be loaded or sent.
 */
const htmlWriter = (answer) => (record) => {
    const { report, verdict, setup } = record;
    const title = `${setup?.agent ?? 'Cursor'} agent: ${verdict.status === 'success' ? 'done' : verdict.reason}`;
    const data = {
        calls: report.tools.map((call) => pageCall(call, setup)),
        endMs: Math.max(record.agentMs ?? 0, report.tools.reduce((last, { startMs, durationMs }) => Math.max(last, startMs + (durationMs ?? 0)), 0)),
    };
    return [
        '<!doctype html>',
        '<html lang="en">',
        '<head>',
        '<meta charset="utf-8">',
        `<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">`,
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        `<title>${(0,html_text/* escapeHtml */.Z)(title)}</title>`,
        `<style>${PAGE_STYLE}</style>`,
        '</head>',
        '<body>',
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
        `<script type="application/json" id="data">${(0,html_text/* embedJson */._)(data)}</script>`,
        `<script>${PAGE_SCRIPT}</script>`,
        '</body>',
        '</html>',
        '',
    ]
        .filter((part, index, all) => part !== '' || index === all.length - 1)
        .join('\n');
};
/** Only the style and the script that were put in here, by their hashes. */
function contentPolicy() {
    const hash = (text) => `'sha256-${(0,external_node_crypto_.createHash)('sha256').update(text).digest('base64')}'`;
    return [
        `default-src 'none'`,
        `style-src ${hash(PAGE_STYLE)}`,
        `script-src ${hash(PAGE_SCRIPT)}`,
        `base-uri 'none'`,
        `form-action 'none'`,
    ].join('; ');
}
/** What the page knows of a call; written out, because thousands of them are made at once. */
function pageCall(call, rules) {
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
        allow: state === 'denied' ? (0,allow_token/* allowTokens */.e)(call, rules) : undefined,
    };
}
function boundedFacts(facts) {
    const { output } = facts;
    if (output === undefined || output.length <= CALL_CHARACTERS)
        return facts;
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


/***/ }),

/***/ 4285:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   OF: () => (/* binding */ fenced),
/* harmony export */   TL: () => (/* binding */ quoted),
/* harmony export */   TM: () => (/* binding */ folded),
/* harmony export */   X1: () => (/* binding */ escapeText),
/* harmony export */   ph: () => (/* binding */ codeText),
/* harmony export */   tp: () => (/* binding */ table)
/* harmony export */ });
/* harmony import */ var _live_text_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4492);
/* harmony import */ var _plain_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6676);


/**
 * Markdown around text of unknown origin. Every function here takes any text and gives a piece of Markdown
 * whose structure does not depend on it.
 */
/**
 * Text between other text: no mark in it means anything. What GitHub would make a mention, a reference or a link
 * of, however it is escaped, stands in code, where it does not look.
 */
function escapeText(text) {
    return (0,_live_text_js__WEBPACK_IMPORTED_MODULE_0__/* .splitLiveText */ .k)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .showUnseen */ .AZ)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .splitIntoLines */ .I9)(text).join(' ')))
        .map(({ isLive, value }, index) => {
        const escaped = escapeMarks(value, index === 0);
        return isLive ? `<code>${escaped}</code>` : escaped;
    })
        .join('');
}
function escapeMarks(text, isStart) {
    const escaped = text
        .replace(/[&<>\\`*_{}[\]#|~$^=]/g, entity)
        .replace(/:(?=\/\/)|(?<=www)\.|(?<=GH)-(?=\d)/gi, entity)
        // An element of its own: mail addresses are looked for after entities have been read.
        .replaceAll('@', '<span>@</span>');
    if (!isStart)
        return escaped;
    return escaped
        .replace(/^(\s*)([-+])/, (_, space, mark) => space + entity(mark))
        .replace(/^(\s*\d+)([.)])/, (_, number, mark) => number + entity(mark));
}
const entity = (mark) => `&#${mark.charCodeAt(0)};`;
/** A short text as code, for table cells too: HTML code, because backticks cannot hold every text in a table. */
function codeText(text, most = 120) {
    const line = (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .truncate */ .xv)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .showUnseen */ .AZ)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .splitIntoLines */ .I9)(text.trim()).join(' ⏎ ')), most);
    return line === '' ? '' : `<code>${escapeMarks(line, false)}</code>`;
}
/** A block in a fence that is longer than any run of backticks in it. */
function fenced(text, language = '') {
    // Cleaned first: what is taken out may have kept two runs of backticks apart.
    const body = (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .splitIntoLines */ .I9)(text).map(_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .showUnseen */ .AZ).join('\n');
    const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}${language}\n${body}\n${fence}`;
}
/** A quotation of many lines, each of them escaped. */
function quoted(text) {
    return (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__/* .splitIntoLines */ .I9)(text)
        .map((line) => `> ${escapeText(line)}`.trimEnd())
        .join('<br>\n');
}
function table(heads, rows) {
    const line = (cells) => `| ${cells.join(' | ')} |`;
    return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
function folded(title, body, open = false) {
    return `<details${open ? ' open' : ''}><summary>${title}</summary>\n\n${body}\n\n</details>`;
}


/***/ }),

/***/ 6757:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   F: () => (/* binding */ buildReport)
/* harmony export */ });
/* unused harmony export REPORT_VERSION */
/* harmony import */ var _denials_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7970);
/* harmony import */ var _file_changes_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6686);
/* harmony import */ var _timeline_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1935);



/**
 * The report file: what a run was, as data. Readers rely on this; new fields may come with any release, and
 * `version` changes when a field changes its meaning or goes. Its schema is in report-schema.ts, which a run does
 * not load: the tests hold every report they make against it.
 */
const REPORT_VERSION = 1;
/** The record of a run and what follows from it. */
function buildReport(record) {
    const total = record.agentMs ?? record.report.durationMs ?? record.wallMs;
    return {
        version: REPORT_VERSION,
        ...record,
        denials: (0,_denials_js__WEBPACK_IMPORTED_MODULE_0__/* .findDenials */ .U)(record.report, record.setup),
        changedFiles: (0,_file_changes_js__WEBPACK_IMPORTED_MODULE_1__/* .fileChanges */ .C8)(record),
        timeShares: (0,_timeline_js__WEBPACK_IMPORTED_MODULE_2__/* .timeShares */ .q)(record.report, total),
    };
}


/***/ }),

/***/ 6925:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  R: () => (/* binding */ SUMMARY_BYTES),
  u: () => (/* binding */ summaryWriter)
});

// EXTERNAL MODULE: ./src/report/denials.ts
var denials = __webpack_require__(7970);
// EXTERNAL MODULE: ./src/report/answer-parts.ts
var answer_parts = __webpack_require__(1109);
// EXTERNAL MODULE: ./src/report/markdown.ts
var markdown = __webpack_require__(4285);
// EXTERNAL MODULE: ./src/report/plain-text.ts
var plain_text = __webpack_require__(6676);
// EXTERNAL MODULE: ./src/report/run-report.ts
var run_report = __webpack_require__(7330);
// EXTERNAL MODULE: ./src/report/file-changes.ts
var file_changes = __webpack_require__(6686);
// EXTERNAL MODULE: ./src/report/timeline.ts
var timeline = __webpack_require__(1935);
// EXTERNAL MODULE: ./src/report/words.ts
var words = __webpack_require__(2691);
;// CONCATENATED MODULE: ./src/report/summary-sections.ts





/** Even a short summary names this many of what a person has to act upon. */
const FEWEST_ROWS = 5;
const BAR_BLOCKS = 8;
/** A longer list of files is folded. */
const MOST_OPEN_FILES = 15;
/** What was refused, why, and the exact token that would allow it. */
function deniedSection(denials, record, { rows }) {
    if (denials.length === 0)
        return '';
    const shown = denials.slice(0, Math.max(rows, FEWEST_ROWS));
    const cells = shown.map(({ tool, what, why, count, allow }) => [
        `${(0,markdown/* escapeText */.X1)(tool)} ${(0,markdown/* codeText */.ph)(what)}${count > 1 ? ` × ${(0,words/* number */.ai)(count)}` : ''}`,
        allow.map((token) => (0,markdown/* codeText */.ph)(token)).join('<br>'),
        (0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(why, 200)),
    ]);
    const mode = record.setup && record.setup.mode !== 'agent' ? record.setup.mode : undefined;
    const hint = mode === undefined
        ? ''
        : `\n\nMode <code>${(0,markdown/* escapeText */.X1)(mode)}</code> only reads: what writes or runs needs <code>mode: agent</code> too.`;
    return [
        '### 🚫 Denied',
        `${(0,markdown/* table */.tp)(['Refused', 'Allow with', 'Why'], cells)}${more(denials.length - shown.length)}${hint}`,
    ].join('\n\n');
}
/** The files that changed, with + and −, and what of it was not allowed. */
function filesSection(record, { rows }) {
    const { files, source } = (0,file_changes/* fileChanges */.C8)(record);
    const { changes } = record;
    const violations = changes?.violations ?? [];
    const note = (0,file_changes/* changesNote */.S5)(changes);
    if (files.length === 0 && violations.length === 0 && note === '')
        return '';
    const shown = files.slice(0, Math.max(rows, FEWEST_ROWS));
    const list = (0,markdown/* table */.tp)(['File', 'Change', 'Lines'], shown.map((file) => [(0,markdown/* codeText */.ph)(file.path), (0,markdown/* escapeText */.X1)(file.status), (0,file_changes/* lineCounts */.Zl)(file)]));
    const forbidden = violations
        .slice(0, Math.max(rows, FEWEST_ROWS))
        .map((violation) => `- ${(0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(violation, 300))}`);
    return [
        files.length === 0
            ? ''
            : source === 'git'
                ? '### 📝 Files changed'
                : '### 📝 Files edited, as the agent tells it',
        fileList(`${list}${more(files.length - shown.length)}`, files.length),
        forbidden.length === 0 ? '' : `**Not allowed by the policy:**\n\n${forbidden.join('\n')}`,
        note === '' ? '' : (0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(note, 500)),
    ]
        .filter((part) => part !== '')
        .join('\n\n');
}
function fileList(list, count) {
    if (count === 0)
        return '';
    return count <= MOST_OPEN_FILES ? list : (0,markdown/* folded */.TM)((0,words/* plural */.LS)(count, 'file'), list);
}
/** A picture of the run, and the time by kind of tool. */
function timeSection({ report, agentMs, wallMs }, { gantt }) {
    const total = agentMs ?? report.durationMs ?? wallMs;
    const picture = gantt ? (0,timeline/* buildGantt */.f)(report, total) : '';
    const shares = (0,timeline/* timeShares */.q)(report, total);
    if (report.tools.length === 0 || (picture === '' && total < 1000))
        return '';
    const rows = shares.map(({ what, calls, ms, share }) => [
        (0,markdown/* escapeText */.X1)(what),
        calls === undefined ? '' : (0,words/* number */.ai)(calls),
        (0,words/* duration */.p0)(ms).replaceAll(' ', '&nbsp;'),
        `${'█'.repeat(Math.round(Math.min(share, 1) * BAR_BLOCKS))} ${Math.round(share * 100)}&nbsp;%`.trim(),
    ]);
    return [
        '### ⏱️ Where the time went',
        picture === '' ? '' : (0,markdown/* fenced */.OF)(picture, 'mermaid'),
        (0,markdown/* table */.tp)(['Tool', 'Calls', 'Time', 'Share'], rows),
    ]
        .filter((part) => part !== '')
        .join('\n\n');
}
const more = (count) => count > 0 ? `\n\n… and ${(0,words/* number */.ai)(count)} more, all of them in the report.` : '';

;// CONCATENATED MODULE: ./src/report/summary-details.ts





const MOST_NOTES = 20;
function planSection({ report: { todos }, verdict }) {
    if (todos.length === 0)
        return '';
    const marks = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };
    const done = todos.filter((todo) => todo.status === 'done').length;
    const lines = todos.map((todo) => `- ${marks[todo.status]} ${(0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(todo.text, 200))}`);
    const title = `Plan: ${done} of ${todos.length} done`;
    return (0,markdown/* folded */.TM)(title, lines.join('\n'), verdict.status === 'failure' && done < todos.length);
}
function callSection({ report }, { rows }) {
    const { calls } = (0,run_report/* countCalls */.x)(report);
    if (calls === 0)
        return '';
    const kinds = Object.entries(report.totals).map(([kind, { calls: count }]) => `${(0,words/* number */.ai)(count)} ${kind}`);
    const title = (0,markdown/* escapeText */.X1)(`${(0,words/* plural */.LS)(calls, 'tool call')}: ${kinds.join(', ')}`);
    if (rows === 0)
        return title;
    const marks = { ok: '', running: '⏳', failed: '❌', denied: '🚫' };
    const cells = report.tools
        .slice(0, rows)
        .map((call) => [
        String(call.number),
        (0,markdown/* escapeText */.X1)((0,words/* toolLabel */.LK)(call)),
        (0,markdown/* codeText */.ph)(call.target),
        `${marks[call.state]} ${(0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)((0,words/* outcomeWords */.wX)(call), 200))}`.trim(),
        call.durationMs === undefined ? '' : (0,words/* duration */.p0)(call.durationMs).replaceAll(' ', '&nbsp;'),
    ]);
    const body = (0,markdown/* table */.tp)(['#', 'Tool', 'What', 'Outcome', 'Time'], cells);
    return (0,markdown/* folded */.TM)(title, `${body}${more(calls - cells.length)}`);
}
function policySection({ setup }) {
    if (!setup)
        return '';
    const body = [
        `Preset <code>${(0,markdown/* escapeText */.X1)(setup.preset)}</code>, mode <code>${(0,markdown/* escapeText */.X1)(setup.mode)}</code>, ` +
            `force ${setup.force ? 'on' : 'off'}. ${(0,markdown/* escapeText */.X1)(setup.isolation)}`,
        `Allowed:\n\n${(0,markdown/* fenced */.OF)(setup.allow.join('\n') || '(nothing)')}`,
        `Denied, whatever is allowed:\n\n${(0,markdown/* fenced */.OF)(setup.deny.join('\n') || '(nothing)')}`,
    ];
    return (0,markdown/* folded */.TM)('What the agent was allowed to do', body.join('\n\n'));
}
/** What was gathered for the agent, and what its preset told it. */
function givenSection({ context = [], instruction }, { rows }) {
    if (context.length === 0 && instruction === undefined)
        return '';
    const cells = context.map(({ kind, bytes, leftOut, inlined, ...about }) => [
        (0,markdown/* codeText */.ph)(kind),
        `${(0,words/* number */.ai)(bytes)} bytes${inlined ? ', in the prompt too' : ''}`,
        (0,words/* share */.uM)(about, kind === 'ci-logs' ? 'failed job' : 'changed file'),
        leftOut
            .slice(0, Math.min(rows, MOST_NOTES))
            .map((name) => (0,markdown/* codeText */.ph)(name, 120))
            .join('<br>') +
            (leftOut.length > Math.min(rows, MOST_NOTES) ? ` ${(0,words/* number */.ai)(leftOut.length)} in all` : ''),
    ]);
    const body = [
        context.length === 0 ? '' : (0,markdown/* table */.tp)(['Gathered', 'Size', 'About', 'Left out'], cells),
        instruction === undefined ? '' : `The preset’s instruction, before the prompt:\n\n${(0,markdown/* fenced */.OF)(instruction)}`,
    ];
    const kinds = context.map(({ kind }) => (0,markdown/* escapeText */.X1)(kind)).join(', ');
    const title = kinds === '' ? 'What the agent was told' : `What the agent was given: ${kinds}`;
    return (0,markdown/* folded */.TM)(title, body.filter((part) => part !== '').join('\n\n'));
}
/** What helps to find out why: open on a failure, folded otherwise. */
function diagnosticsSection(record, { words }) {
    const { stderr, exit, verdict } = record;
    const said = (0,plain_text/* truncateStart */.fl)(stderr.trim(), words);
    const parts = [
        remarks(record).join('\n'),
        ...unrecognisedLines(record),
        said === '' ? '' : `The end of what it wrote besides:\n\n${(0,markdown/* fenced */.OF)(said)}`,
        exit && verdict.status === 'failure' ? `Process: <code>${(0,markdown/* escapeText */.X1)(JSON.stringify(exit))}</code>` : '',
    ].filter((part) => part !== '');
    return parts.length === 0 ? '' : (0,markdown/* folded */.TM)('Diagnostics', parts.join('\n\n'), verdict.status === 'failure');
}
function remarks({ report, notes, tries, corrections, exit }) {
    const item = (text) => `- ${(0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(text, 500))}`;
    return [
        ...tries.map(({ reason, detail, waitMs }, index) => `- Try ${index + 1} failed (${reason}), waited ${(0,words/* duration */.p0)(waitMs)}: ${(0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(detail, 300))}`),
        ...(corrections ?? []).map(({ problem }, index) => item(`Answer ${index + 1} could not be used: ${problem}`)),
        ...(exit?.kind === 'ended' && exit.why === 'after-result'
            ? ['- The agent did not exit after its result and was ended; the result counts.']
            : []),
        ...notes.slice(0, MOST_NOTES).map(item),
        ...report.notices
            .filter(({ level }) => level === 'warning')
            .slice(0, MOST_NOTES)
            .map(({ text }) => item(text)),
    ];
}
function unrecognisedLines({ report: { unrecognised } }) {
    const listed = (counts) => Object.entries(counts)
        .slice(0, MOST_NOTES)
        .map(([label, count]) => `${(0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(label, 80))} × ${(0,words/* number */.ai)(count)}`)
        .join(', ');
    const tools = listed(unrecognised.tools);
    return [
        unrecognised.count === 0
            ? ''
            : `${(0,words/* plural */.LS)(unrecognised.count, 'line')} not recognised: ${listed(unrecognised.labels)}`,
        tools === '' ? '' : `Tools this version has no words for: ${tools}`,
        ...unrecognised.first.map(({ line, sample }) => (0,markdown/* quoted */.TL)(`line ${line}: ${(0,plain_text/* truncate */.xv)(sample, 200)}`)),
    ].filter((line) => line !== '');
}

// EXTERNAL MODULE: ./src/failure.ts
var failure = __webpack_require__(1633);
;// CONCATENATED MODULE: ./src/report/summary-head.ts






/** The first line: whether it worked. */
function verdictHeading({ verdict, setup }) {
    const who = setup ? `${setup.agent} agent (${setup.preset})` : 'Cursor agent';
    return verdict.status === 'success'
        ? `## ✅ ${(0,markdown/* escapeText */.X1)(who)}: done`
        : `## ❌ ${(0,markdown/* escapeText */.X1)(who)}: failed (<code>${verdict.reason}</code>)`;
}
/** Why it did not, and what to do about it. */
function failureAlert({ verdict }, { words }) {
    if (verdict.status === 'success')
        return '';
    const { what, remedy } = failure/* FAILURES */.E[verdict.reason];
    const detail = (0,plain_text/* truncate */.xv)(verdict.detail.trim(), words);
    const lines = [
        `**What happened:** ${what}`,
        ...(detail === '' ? [] : ['', ...detailLines(detail)]),
        '',
        `**What to do:** ${remedy}`,
    ];
    return ['> [!CAUTION]', ...lines.map((line) => `> ${line}`.trimEnd())].join('\n');
}
/** A sentence wraps on a narrow screen; lines keep their shape. */
function detailLines(detail) {
    return detail.includes('\n') ? (0,markdown/* fenced */.OF)(detail).split('\n') : [(0,markdown/* escapeText */.X1)(detail)];
}
/** Time, model, tokens, cost, calls, files: a line that wraps on a narrow screen, as no table does. */
function numbersLine(record) {
    const { report, wallMs, agentMs, setup } = record;
    const { calls, failed, denied } = (0,run_report/* countCalls */.x)(report);
    const shortfalls = [
        failed > 0 ? `${(0,words/* number */.ai)(failed)} failed` : '',
        denied > 0 ? `${(0,words/* number */.ai)(denied)} denied` : '',
    ].filter((part) => part !== '');
    const { usage } = report;
    const cached = usage && usage.cacheReadTokens > 0 ? `, ${(0,words/* compactNumber */.$M)(usage.cacheReadTokens)} cached` : '';
    const changed = (0,file_changes/* fileChanges */.C8)(record);
    const items = [
        ['Time', (0,words/* duration */.p0)(report.durationMs ?? agentMs ?? wallMs)],
        ['Model', (0,markdown/* escapeText */.X1)((0,plain_text/* truncate */.xv)(report.model ?? '', 80))],
        ['Tool calls', `${(0,words/* number */.ai)(calls)}${shortfalls.length > 0 ? ` (${shortfalls.join(', ')})` : ''}`],
        ['Files', changed.files.length === 0 ? '' : `${(0,words/* number */.ai)(changed.files.length)} (${(0,file_changes/* lineCounts */.Zl)(changed)})`],
        [
            'Tokens',
            usage
                ? `${(0,words/* compactNumber */.$M)(usage.inputTokens)} in, ${(0,words/* compactNumber */.$M)(usage.outputTokens)} out${cached}`
                : '',
        ],
        ['Cost', report.costUsd === undefined ? '' : `$${report.costUsd.toFixed(report.costUsd < 1 ? 4 : 2)}`],
        ['Turns', report.turns === undefined ? '' : (0,words/* number */.ai)(report.turns)],
        ['CLI', (0,markdown/* codeText */.ph)(setup?.cliVersion ?? '', 60)],
    ];
    return items
        .filter(([, value]) => value !== '')
        .map(([name, value]) => `**${name}** ${value}`.replaceAll(' ', '&nbsp;'))
        .join(' · ');
}

// EXTERNAL MODULE: ./src/report/findings.ts
var findings = __webpack_require__(9334);
;// CONCATENATED MODULE: ./src/report/summary-review.ts





/** So few are shown open: a reader came for them. */
const MOST_OPEN = 3;
const MOST_SHOWN = 500;
/** Even a short summary names this many. */
const FEWEST_SHOWN = 5;
/** Below this a text says nothing any more, and is left out. */
const LEAST_BODY = 200;
/** A review for reading: its summary, then each finding under a line that says how bad, where and what. */
function reviewSection(review, writer, detail) {
    const { placed, apart } = (0,answer_parts/* groupFindings */.kG)(review);
    const most = { findings: shownCount(detail), body: Math.floor(detail.answer / 15) };
    const summary = (0,plain_text/* truncate */.xv)(review.summary.trim(), Math.max(detail.answer / 4, LEAST_BODY));
    return [
        `### 🔎 ${(0,answer_parts/* countFindings */.Gt)(placed)}`,
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
function shownCount({ answer }) {
    return Math.min(MOST_SHOWN, Math.max(FEWEST_SHOWN, Math.floor(answer / 100)));
}
function findingList(findings, writer, most) {
    if (findings.length === 0)
        return '';
    const shown = findings.slice(0, most.findings);
    const isOpen = findings.length <= MOST_OPEN;
    const items = shown.map((finding) => {
        const title = findingTitle(finding);
        const body = most.body < LEAST_BODY ? '' : findingBody(finding, writer, most.body);
        if (most.body < LEAST_BODY)
            return `- ${title}`;
        return body === '' ? title : (0,markdown/* folded */.TM)(title, body, isOpen);
    });
    const gap = most.body < LEAST_BODY ? '\n' : '\n\n';
    return `${items.join(gap)}${more(findings.length - shown.length)}`;
}
function findingTitle(finding) {
    const { severity, title, count } = finding;
    const remark = (0,answer_parts/* placeRemark */.qm)(finding);
    return [
        `${findings/* SEVERITY_SIGNS */.rC[severity]} <b>${severity}</b>`,
        (0,markdown/* codeText */.ph)((0,answer_parts/* placeText */.Z9)(finding), 200),
        `${titleText(title)}${count > 1 ? ` × ${count}` : ''}${remark === '' ? '' : ` <i>(${remark})</i>`}`,
    ].join(' · ');
}
const titleText = (title) => (0,answer_parts/* titlePieces */.yx)((0,plain_text/* truncate */.xv)(title, 300))
    .map(({ isCode, text }) => (isCode ? (0,markdown/* codeText */.ph)(text, 200) : (0,markdown/* escapeText */.X1)(text)))
    .join('');
function findingBody({ body, suggestion }, writer, most) {
    const text = body.trim();
    return [
        text === '' ? '' : writer.markdown(text, most),
        suggestion === undefined
            ? ''
            : suggestion === ''
                ? 'Suggested: delete these lines.'
                : `Suggested instead:\n\n${(0,markdown/* fenced */.OF)((0,plain_text/* truncate */.xv)(suggestion, most))}`,
    ]
        .filter((part) => part !== '')
        .join('\n\n');
}

;// CONCATENATED MODULE: ./src/report/summary-writer.ts








/** The runner drops a summary above 1 MiB. What other steps of this job wrote does not count against it. */
const SUMMARY_BYTES = 1024 * 1024;
const FULL = { answer: 60_000, rows: 500, gantt: true, words: 4000, isCompact: false };
const STEPS = [
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
/** The job summary: as much of it as fits, in steps, each of them whole Markdown; empty where nothing fits. */
const summaryWriter = (writer) => (record, style, room = SUMMARY_BYTES) => {
    const answers = new Map();
    const answer = (detail) => {
        const known = answers.get(detail.answer) ?? answerSection(record, writer, detail);
        answers.set(detail.answer, known);
        return known;
    };
    for (const step of STEPS) {
        const detail = { ...FULL, ...step, ...(style === 'compact' ? { isCompact: true } : {}) };
        const text = joined(summaryParts(record, detail, answer(detail)));
        if (Buffer.byteLength(text) <= room)
            return text;
    }
    return ([joined([verdictHeading(record)]), ''].find((text) => Buffer.byteLength(text) <= Math.max(0, room)) ??
        '');
};
const joined = (parts) => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
function summaryParts(record, detail, answer) {
    const short = [verdictHeading(record), failureAlert(record, detail), answer, numbersLine(record)];
    if (detail.isCompact)
        return short;
    return [
        ...short,
        deniedSection((0,denials/* findDenials */.U)(record.report, record.setup), record, detail),
        filesSection(record, detail),
        timeSection(record, detail),
        planSection(record),
        callSection(record, detail),
        givenSection(record, detail),
        policySection(record),
        diagnosticsSection(record, detail),
    ];
}
function answerSection(record, writer, detail) {
    const { files, verdict } = record;
    const shown = (0,answer_parts/* shownAnswer */.aq)(record);
    if (shown.kind === 'review')
        return reviewSection(shown.review, writer, detail);
    const { kind, text } = shown;
    const most = detail.answer;
    if (text === '')
        return verdict.status === 'success' ? '*The agent gave no answer in words.*' : '';
    const file = kind === 'json' ? files.report : files.result;
    const place = file ? ` The whole answer is in ${(0,markdown/* codeText */.ph)(file, 300)}.` : '';
    const whole = text.length <= most ? '' : `\n\n*This is its beginning.${place}*`;
    const body = kind === 'words' ? writer.markdown(text, most) : answerBlock(kind, (0,plain_text/* truncate */.xv)(text, most));
    return `${body}${whole}`;
}
const answerBlock = (kind, text) => kind === 'json' ? (0,markdown/* fenced */.OF)(text, 'json') : (0,markdown/* folded */.TM)('The answer that could not be used', (0,markdown/* fenced */.OF)(text));


/***/ }),

/***/ 1935:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   f: () => (/* binding */ buildGantt),
/* harmony export */   q: () => (/* binding */ timeShares)
/* harmony export */ });
/* harmony import */ var _words_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2691);

/** Above this many calls, neighbours of a kind share a bar. */
const MOST_SINGLE_BARS = 24;
const MOST_BARS = 30;
/** Shorter than this share of the whole a bar could not be seen. */
const THINNEST = 1 / 120;
const LABEL_CHARACTERS = 40;
/** Below these a picture says nothing that the table does not say better. */
const FEWEST_CALLS = 3;
const SHORTEST_RUN_MS = 2000;
/** The run as a Mermaid gantt; empty where it would say nothing. */
function buildGantt(report, totalMs) {
    const end = endOf(report, totalMs);
    const calls = report.tools.filter(({ kind }) => kind !== 'plan');
    if (calls.length < FEWEST_CALLS || end < SHORTEST_RUN_MS)
        return '';
    const bars = barsOf(calls, end);
    const kinds = [...new Set(bars.map(({ kind }) => kind))];
    const lines = kinds.flatMap((kind) => [
        `  section ${kind}`,
        ...bars.filter((bar) => bar.kind === kind).map((bar) => taskLine(bar, end)),
    ]);
    return [
        'gantt',
        '  dateFormat YYYY-MM-DD HH:mm:ss.SSS',
        `  axisFormat ${axisFormat(end)}`,
        `  tickInterval ${tickInterval(end)}`,
        ...lines,
    ].join('\n');
}
/** When the run ended, by whatever was seen last. */
function endOf({ tools }, totalMs) {
    return tools.reduce((last, call) => Math.max(last, call.startMs + (call.durationMs ?? 0)), totalMs);
}
function barsOf(calls, end) {
    if (calls.length <= MOST_SINGLE_BARS)
        return calls.map((call) => barOf(call, end));
    for (let gap = end / 200;; gap *= 2) {
        const bars = groupedBars(calls, end, gap);
        if (bars.length <= MOST_BARS || gap > end)
            return bars;
    }
}
function barOf(call, end) {
    const { target, startMs, durationMs, state, kind } = call;
    return {
        kind,
        label: `${call.number} ${plainLabel(target || (0,_words_js__WEBPACK_IMPORTED_MODULE_0__/* .toolLabel */ .LK)(call))}`,
        startMs,
        endMs: durationMs === undefined ? end : startMs + durationMs,
        state: state === 'running' || state === 'ok' ? (state === 'ok' ? 'ok' : 'running') : 'bad',
    };
}
/** Calls of a kind that follow each other within `gap` are one bar; what went wrong stands apart. */
function groupedBars(calls, end, gap) {
    const groups = [];
    const open = new Map();
    for (const call of calls) {
        const bar = barOf(call, end);
        const key = `${bar.kind} ${bar.state}`;
        const before = open.get(key);
        if (before && bar.startMs - before.bar.endMs <= gap) {
            before.bar.endMs = Math.max(before.bar.endMs, bar.endMs);
            before.calls += 1;
        }
        else {
            const group = { bar, calls: 1 };
            groups.push(group);
            open.set(key, group);
        }
    }
    return groups.map(({ bar, calls: count }) => ({
        ...bar,
        label: count === 1
            ? bar.label
            : `${(0,_words_js__WEBPACK_IMPORTED_MODULE_0__/* .plural */ .LS)(count, 'call').replace(',', ' ')}${bar.state === 'bad' ? ' failed' : ''}`,
    }));
}
/** Only characters that mean nothing to Mermaid. */
function plainLabel(text) {
    const plain = text
        .slice(0, 4 * LABEL_CHARACTERS)
        .replace(/[^\p{L}\p{N} ./()+=-]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
    return plain.length > LABEL_CHARACTERS ? `${plain.slice(0, LABEL_CHARACTERS).trim()}…` : plain;
}
function taskLine({ label, startMs, endMs, state }, end) {
    const last = Math.max(endMs, startMs + end * THINNEST);
    const tag = { ok: '', bad: 'crit, ', running: 'active, ' }[state];
    return `  ${label} :${tag}${moment(startMs)}, ${moment(last)}`;
}
/** Counted from a midnight in the reader's own time, so that the axis begins at zero for everyone. */
function moment(ms) {
    return new Date(Date.UTC(2000, 0, 1) + Math.round(ms)).toISOString().replace('T', ' ').replace('Z', '');
}
/** Few enough ticks that their labels stay apart on a phone. */
const TICK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400];
function tickInterval(end) {
    const seconds = TICK_SECONDS.find((step) => end / 1000 / step <= 6) ?? 28_800;
    return seconds < 60 ? `${seconds}second` : `${seconds / 60}minute`;
}
const axisFormat = (end) => (end >= 3_600_000 ? '%H:%M:%S' : '%M:%S');
/** Where the time went: kinds of tool by their own durations, and what is left for the model. */
function timeShares(report, totalMs) {
    const end = endOf(report, totalMs);
    if (end <= 0)
        return [];
    const kinds = Object.entries(report.totals)
        .map(([what, { calls, durationMs }]) => ({ what, calls, ms: durationMs, share: durationMs / end }))
        .sort((a, b) => b.ms - a.ms);
    const waiting = end - busyMs(report.tools, end);
    return [{ what: 'model and waiting', ms: waiting, share: waiting / end }, ...kinds];
}
/** How long at least one call was running. */
function busyMs(calls, end) {
    const spans = calls
        .map(({ startMs, durationMs }) => ({ from: startMs, to: startMs + (durationMs ?? end - startMs) }))
        .sort((a, b) => a.from - b.from);
    let [busy, until] = [0, 0];
    for (const { from, to } of spans) {
        busy += Math.max(0, to - Math.max(from, until));
        until = Math.max(until, to);
    }
    return Math.min(busy, end);
}


/***/ })

};
