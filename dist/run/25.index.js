const id=25,ids=[25],modules={6686:(function(__unused_webpack_module,__webpack_exports__,__webpack_require__){__webpack_require__.d(__webpack_exports__,{C8:()=>fileChanges,S5:()=>changesNote,Zl:()=>lineCounts});var _text_format_js__WEBPACK_IMPORTED_MODULE_0__=__webpack_require__(8488);function fileChanges({changes,report}){const isKnown=changes?.kind==="known",files=isKnown?changes.files:editedFiles(report);return{source:isKnown?"git":"agent",files,added:files.reduce((sum,file)=>sum+(file.added??0),0),removed:files.reduce((sum,file)=>sum+(file.removed??0),0)}}function changesNote(changes){if(!changes)return"";if(changes.kind==="unknown")return changes.note;const listed=(title,lines)=>lines.length===0?[]:[`${title}: ${lines.join("; ")}.`];return[...changes.files.length===0?[]:BECAME[changes.applied],...changes.ignored===0?[]:[ignoredNote(changes.ignored)],...listed("Not in the patch",changes.omitted)].join(" ")}const BECAME={all:[],allowed:["What was allowed was applied to the checkout; the rest is in `rejected-patch-file`."],none:["Nothing of it was applied: the checkout is as it was. The changes are in `rejected-patch-file`."]},ignoredNote=count=>count===1?"1 more file that git ignores was changed; it was not applied.":`${(0,_text_format_js__WEBPACK_IMPORTED_MODULE_0__.ai)(count)} more files that git ignores were changed; they were not applied.`;function editedFiles(report){const files=new Map;for(const{kind,state,target,facts}of report.tools){if(state!=="ok"||kind!=="edit"&&kind!=="delete"||target==="")continue;const file=files.get(target)??{path:target,status:"modified",added:0,removed:0};file.status=kind==="delete"?"deleted":"modified",file.added+=facts.linesAdded??0,file.removed+=facts.linesRemoved??0,files.set(target,file)}return[...files.values()]}function lineCounts({added,removed}){return added===void 0&&removed===void 0?"":`+${added??0} \u2212${removed??0}`}}),849:(function(__unused_webpack_module,__webpack_exports__,__webpack_require__){__webpack_require__.d(__webpack_exports__,{t:()=>htmlWriter});var external_node_crypto_=__webpack_require__(7598),allow_token=__webpack_require__(6371),html_text=__webpack_require__(4044),failure=__webpack_require__(3333),report_denials=__webpack_require__(7970),file_changes=__webpack_require__(6686),answer_parts=__webpack_require__(1109),plain_text=__webpack_require__(4651),format=__webpack_require__(8488);const MOST_SHOWN=1e3,MOST_OPEN=10,BODY_CHARACTERS=8e3;function reviewPart(review,writer){const{placed,apart}=(0,answer_parts.kG)(review),summary=review.summary.trim();return['<section class="review">',`<h2>${(0,html_text.Z)((0,answer_parts.Gt)(placed))}</h2>`,summary===""?"":`<div class="answer">${writer.html(summary,BODY_CHARACTERS)}</div>`,findingList(placed,writer),apart.length===0?"":`<h2>Set apart</h2>
<p>These point at nothing in the checkout, so they may be made up.</p>`,findingList(apart,writer),"</section>"].filter(part=>part!=="").join(`
`)}function findingList(findings,writer){const shown=findings.slice(0,MOST_SHOWN),open=findings.length<=MOST_OPEN?" open":"",items=shown.map(finding=>{const remark=(0,answer_parts.qm)(finding),times=finding.count>1?` \xD7 ${(0,format.ai)(finding.count)}`:"",head=[`<span class="severity ${finding.severity}">${finding.severity}</span>`,`<code>${(0,html_text.Z)((0,answer_parts.Z9)(finding))}</code>`,`${titleText(finding.title)}${times}`,remark===""?"":`<span class="small">(${(0,html_text.Z)(remark)})</span>`].filter(part=>part!=="");return`<details class="finding"${open}><summary>${head.join(" ")}</summary>
${findingBody(finding,writer)}</details>`}),left=findings.length-shown.length;return[...items,...left>0?[`<p class="small">\u2026 and ${(0,format.ai)(left)} more in the report file</p>`]:[]].join(`
`)}const titleText=title=>(0,answer_parts.yx)((0,plain_text.xv)(title,500)).map(({isCode,text})=>isCode?`<code>${(0,html_text.Z)(text)}</code>`:(0,html_text.Z)(text)).join("");function findingBody({body,suggestion},writer){const text=body.trim(),instead=suggestion===void 0?"":suggestion===""?"<p>Suggested: delete these lines.</p>":`<p>Suggested instead:</p><pre tabindex="0">${(0,html_text.Z)((0,plain_text.xv)(suggestion,BODY_CHARACTERS))}</pre>`;return`<div class="answer">${text===""?"":writer.html(text,BODY_CHARACTERS)}
${instead}</div>`}var run_report=__webpack_require__(7330);const ANSWER_CHARACTERS=6e4,MOST_ROWS=1e3,MOST_LEFT_OUT=100,MOST_OPEN_FILES=15,code=text=>`<code>${(0,html_text.Z)(text)}</code>`,pre=text=>`<pre tabindex="0">${(0,html_text.Z)(text)}</pre>`,section=(title,body)=>`<section><h2>${(0,html_text.Z)(title)}</h2>
${body}</section>`;function table(heads,rows){const head=heads.map(text=>`<th scope="col">${text}</th>`).join(""),body=rows.slice(0,MOST_ROWS).map(cells=>`<tr><td>${cells.join("</td><td>")}</td></tr>`),left=rows.length-body.length;return[`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>`,...body,"</tbody></table></div>",left>0?`<p class="small">\u2026 and ${(0,format.ai)(left)} more</p>`:""].join(`
`)}function verdictPart({verdict,setup}){const who=(0,html_text.Z)(setup?`${setup.agent} agent (${setup.preset})`:"Cursor agent");return verdict.status==="success"?`<h1 class="success"><span class="mark" aria-hidden="true">\u2713</span> ${who}: done</h1>`:`<h1 class="failure"><span class="mark" aria-hidden="true">\u2717</span> ${who}: failed (${code(verdict.reason)})</h1>`}function failurePart({verdict}){if(verdict.status==="success")return"";const{what,remedy}=failure.E[verdict.reason],detail=verdict.detail.trim();return['<div class="alert" role="note">',`<p><strong>What happened:</strong> ${(0,html_text.Z)(what)}</p>`,detail===""?"":pre((0,plain_text.xv)(detail,8e3)),`<p><strong>What to do:</strong> ${(0,html_text.Z)(remedy)}</p>`,"</div>"].join(`
`)}function answerPart(record,writer){const shown=(0,answer_parts.aq)(record);if(shown.kind==="review")return reviewPart(shown.review,writer);const{kind,text}=shown;if(text==="")return"";const html=kind==="words"?writer.html(text,ANSWER_CHARACTERS):pre((0,plain_text.xv)(text,ANSWER_CHARACTERS)),file=kind==="json"?record.files.report:record.files.result,whole=text.length>ANSWER_CHARACTERS&&file?`The whole is in ${code(file)}.`:"",note=text.length>ANSWER_CHARACTERS?`<p class="small">This is its beginning. ${whole}</p>`:"";return`<div class="answer" role="region" aria-label="The agent\u2019s answer">
${html}
${note}</div>`}function numbersPart(record){const{report,agentMs,wallMs,setup}=record,{calls,failed,denied}=(0,run_report.x)(report),changed=(0,file_changes.C8)(record),{usage}=report;return`<dl class="numbers">${[["Time",(0,format.p0)(report.durationMs??agentMs??wallMs)],["Model",report.model],["Tool calls",(0,format.ai)(calls)],["Failed",failed>0?(0,format.ai)(failed):void 0],["Denied",denied>0?(0,format.ai)(denied):void 0],["Files",changed.files.length>0?`${changed.files.length} (${(0,file_changes.Zl)(changed)})`:void 0],["Tokens in",usage&&(0,format.ai)(usage.inputTokens)],["Tokens out",usage&&(0,format.ai)(usage.outputTokens)],["Tokens cached",usage&&(0,format.ai)(usage.cacheReadTokens)],["Cost",report.costUsd===void 0?void 0:`$${report.costUsd.toFixed(4)}`],["Turns",report.turns===void 0?void 0:(0,format.ai)(report.turns)],["CLI",setup?.cliVersion],["Session",report.sessionId]].flatMap(([name,value])=>value===void 0||value===""?[]:[`<div><dt>${name}</dt><dd>${(0,html_text.Z)(value)}</dd></div>`]).join("")}</dl>`}function deniedPart({report,setup}){const denials=(0,report_denials.U)(report,setup);if(denials.length===0)return"";const rows=denials.map(({tool,what,why,count,allow})=>[`${(0,html_text.Z)(tool)} ${code(what)}${count>1?` \xD7 ${(0,format.ai)(count)}`:""}`,allow.map(code).join("<br>"),(0,html_text.Z)(why)]);return section("Denied",table(["Refused","Allow with","Why"],rows))}function filesPart(record){const{files,source}=(0,file_changes.C8)(record),violations=record.changes?.violations??[],note=(0,file_changes.S5)(record.changes);if(files.length===0&&violations.length===0&&note==="")return"";const rows=files.map(file=>[code(file.path),(0,html_text.Z)(file.status),counts(file)]),forbidden=violations.map(violation=>`<li>${(0,html_text.Z)(violation)}</li>`).join("");return section(source==="git"?"Files changed":"Files edited, as the agent tells it",[fileList(table(["File","Change","Lines"],rows),files.length),forbidden===""?"":`<p><strong>Not allowed by the policy:</strong></p><ul>${forbidden}</ul>`,note===""?"":`<p>${(0,html_text.Z)(note)}</p>`].join(`
`))}function fileList(list,count){return count===0?"":count<=MOST_OPEN_FILES?list:`<details><summary>${(0,format.ai)(count)} files</summary>${list}</details>`}function counts({added,removed}){return added===void 0&&removed===void 0?"":`<span class="plus">+${added??0}</span> <span class="minus">\u2212${removed??0}</span>`}function planPart({report:{todos}}){if(todos.length===0)return"";const marks={done:"\u2611","in-progress":"\u25B6",pending:"\u2610",cancelled:"\u2612"},items=todos.map(({status,text})=>`<li class="${status}">${marks[status]} ${(0,html_text.Z)(text)}</li>`);return section("Plan",`<ul class="plan">${items.join(`
`)}</ul>`)}function policyPart({setup}){if(!setup)return"";const words=`Preset ${code(setup.preset)}, mode ${code(setup.mode)}, force ${setup.force?"on":"off"}.`;return section("What it was allowed to do",[`<p>${words} ${(0,html_text.Z)(setup.isolation)}</p>`,`<details><summary>Allowed (${setup.allow.length})</summary>${pre(setup.allow.join(`
`))}</details>`,`<details><summary>Denied, whatever is allowed (${setup.deny.length})</summary>${pre(setup.deny.join(`
`))}</details>`].join(`
`))}function givenPart({context=[],instruction}){if(context.length===0&&instruction===void 0)return"";const rows=context.map(({kind,description,bytes,items,outOf,leftOut,inlined})=>[`${code(kind)} ${(0,html_text.Z)(description)}`,`${(0,format.ai)(bytes)} bytes${inlined?", in the prompt too":""}`,outOf===void 0?(0,format.ai)(items):`${(0,format.ai)(items)} of ${(0,format.ai)(outOf)}`,leftOut.slice(0,MOST_LEFT_OUT).map(code).join("<br>")+(leftOut.length>MOST_LEFT_OUT?`<br>\u2026 ${(0,format.ai)(leftOut.length)} in all`:"")]);return section("What it was given",[context.length===0?"":table(["Gathered","Size","Files or jobs","Left out"],rows),instruction===void 0?"":`<details><summary>The preset\u2019s instruction, before the prompt</summary>${pre(instruction)}</details>`].join(`
`))}function diagnosticsPart({report,notes,tries,corrections,stderr,exit}){const items=[...tries.map(({reason,detail,waitMs},index)=>`Try ${index+1} failed (${reason}), waited ${(0,format.p0)(waitMs)}: ${detail}`),...(corrections??[]).map(({problem},index)=>`Answer ${index+1} could not be used: ${problem}`),...notes,...report.notices.filter(({level})=>level==="warning").map(({text})=>text),...Object.entries(report.unrecognised.labels).map(([label,count])=>`${(0,format.ai)(count)} lines not recognised: ${label}`),...report.unrecognised.first.map(({line,sample})=>`line ${line}: ${(0,plain_text.xv)(sample,300)}`)].map(text=>`<li>${(0,html_text.Z)((0,plain_text.xv)(text,1e3))}</li>`),parts=[items.length===0?"":`<ul>${items.join(`
`)}</ul>`,stderr.trim()===""?"":`<p>The end of what it wrote besides:</p>${pre(stderr.trim())}`,exit?`<p class="small">Process: ${code(JSON.stringify(exit))}</p>`:""].filter(part=>part!=="");return parts.length===0?"":section("Diagnostics",parts.join(`
`))}const PAGE_STYLE=`:root {
  color-scheme: light dark;
  --page: #ffffff;
  --card: #f6f8fa;
  --text: #1f2328;
  --muted: #59636e;
  --line: #d1d9e0;
  --link: #0969da;
  --good: #1a7f37;
  --failed: #d1242f;
  --denied: #9a6700;
  --added: #dafbe1;
  --removed: #ffebe9;
  --hunk: #ddf4ff;
  --kind-read: #54aeff;
  --kind-search: #218bff;
  --kind-list: #80ccff;
  --kind-edit: #4ac26b;
  --kind-delete: #bf8700;
  --kind-shell: #a475f9;
  --kind-web: #339d9b;
  --kind-mcp: #e85aad;
  --kind-plan: #8c959f;
  --kind-task: #6e7781;
  --kind-other: #afb8c1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117;
    --card: #151b23;
    --text: #f0f6fc;
    --muted: #9198a1;
    --line: #3d444d;
    --link: #4493f8;
    --good: #3fb950;
    --failed: #f85149;
    --denied: #d29922;
    --added: #12361f;
    --removed: #4a1b1e;
    --hunk: #0c2d4a;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font:
    15px/1.5 -apple-system,
    BlinkMacSystemFont,
    'Segoe UI',
    'Noto Sans',
    Helvetica,
    Arial,
    sans-serif;
}
main {
  max-width: 1240px;
  margin: 0 auto;
  padding: 24px 16px 64px;
}
h1 {
  margin: 0 0 4px;
  font-size: 26px;
  line-height: 1.25;
}
h1 .mark {
  color: var(--good);
}
h1.failure .mark {
  color: var(--failed);
}
h2 {
  margin: 32px 0 12px;
  font-size: 19px;
}
h3 {
  margin: 0 0 4px;
  font-size: 16px;
}
h4 {
  margin: 12px 0 4px;
  color: var(--muted);
  font-size: 12px;
  font-weight: 600;
  letter-spacing: 0.04em;
  text-transform: uppercase;
}
a {
  color: var(--link);
}
code,
pre {
  font-family: ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace;
  font-size: 13px;
}
code {
  padding: 1px 5px;
  border-radius: 5px;
  background: var(--card);
  overflow-wrap: anywhere;
}
pre {
  max-height: 420px;
  margin: 0;
  padding: 10px 12px;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--card);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
pre code {
  padding: 0;
  background: none;
}
.numbers {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(130px, 1fr));
  gap: 8px;
  margin: 20px 0 0;
}
.numbers div {
  padding: 8px 12px;
  border: 1px solid var(--line);
  border-radius: 8px;
}
.numbers dt {
  color: var(--muted);
  font-size: 12px;
}
.numbers dd {
  margin: 0;
  font-weight: 600;
  overflow-wrap: anywhere;
}
.alert {
  margin: 16px 0;
  padding: 10px 16px;
  border-left: 4px solid var(--failed);
  border-radius: 0 6px 6px 0;
  background: var(--card);
}
.alert p {
  margin: 6px 0;
}
.answer {
  margin-top: 20px;
  padding: 4px 20px;
  border: 1px solid var(--line);
  border-radius: 8px;
  overflow-wrap: anywhere;
}
.answer h4,
.answer h5,
.answer h6 {
  margin: 18px 0 8px;
  color: inherit;
  font-size: 16px;
  letter-spacing: 0;
  text-transform: none;
}
.answer blockquote {
  margin: 0;
  padding-left: 14px;
  border-left: 3px solid var(--line);
  color: var(--muted);
}
.answer pre,
.answer table {
  margin: 12px 0;
}
.answer table {
  display: block;
  width: max-content;
  max-width: 100%;
  overflow: auto;
}
.scroll {
  overflow-x: auto;
}
.scroll code {
  overflow-wrap: break-word;
}
table {
  border-collapse: collapse;
}
th,
td {
  padding: 5px 12px;
  border: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}
th {
  background: var(--card);
}
td.amount {
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
.plus {
  color: var(--good);
}
.minus {
  color: var(--failed);
}
.bar {
  position: relative;
}
.tools {
  display: flex;
  flex-wrap: wrap;
  gap: 6px;
  align-items: center;
  margin-bottom: 8px;
}
.tools > div {
  display: flex;
  flex-wrap: wrap;
  gap: 4px;
}
button,
input[type='search'] {
  padding: 4px 10px;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--card);
  color: inherit;
  font: inherit;
  font-size: 14px;
}
button {
  cursor: pointer;
}
button[aria-pressed='true'] {
  border-color: var(--link);
  background: var(--link);
  color: var(--page);
}
input[type='search'] {
  flex: 1 1 220px;
  min-width: 0;
}
:focus-visible {
  outline: 2px solid var(--link);
  outline-offset: 2px;
}
.picture {
  position: relative;
  margin-bottom: 16px;
  padding: 4px;
  border: 1px solid var(--line);
  border-radius: 8px;
}
canvas {
  display: block;
  width: 100%;
  touch-action: pan-y;
  cursor: grab;
}
canvas.over {
  cursor: pointer;
}
#tip {
  position: absolute;
  z-index: 2;
  max-width: min(420px, 90%);
  padding: 4px 8px;
  border-radius: 6px;
  background: var(--text);
  color: var(--page);
  font-size: 13px;
  overflow-wrap: anywhere;
  pointer-events: none;
}
.browser {
  display: grid;
  grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
  gap: 12px;
  align-items: start;
}
#calls {
  position: relative;
  max-height: 520px;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 8px;
}
.spacer {
  position: relative;
}
.row {
  position: absolute;
  top: 0;
  right: 0;
  left: 0;
  display: grid;
  grid-template-columns: 52px 18px 66px minmax(80px, 1fr) minmax(0, 120px) 62px;
  gap: 8px;
  align-items: center;
  height: 34px;
  padding: 0 10px;
  border-bottom: 1px solid var(--line);
  font-size: 13px;
  cursor: pointer;
}
.row:hover {
  background: var(--card);
}
.row[aria-selected='true'] {
  background: var(--hunk);
}
.row span {
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
.row .time,
.row .took {
  color: var(--muted);
  font-variant-numeric: tabular-nums;
}
.row .took {
  text-align: right;
}
.row .target {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
.row .outcome {
  color: var(--muted);
}
.row.ok .mark {
  color: var(--good);
}
.row.failed .mark,
.row.failed .outcome,
.facts.failed {
  color: var(--failed);
}
.row.denied .mark,
.row.denied .outcome,
.facts.denied {
  color: var(--denied);
}
.kind {
  padding-left: 8px;
  border-left: 4px solid var(--kind-other);
}
.kind-read {
  border-color: var(--kind-read);
}
.kind-search {
  border-color: var(--kind-search);
}
.kind-list {
  border-color: var(--kind-list);
}
.kind-edit {
  border-color: var(--kind-edit);
}
.kind-delete {
  border-color: var(--kind-delete);
}
.kind-shell {
  border-color: var(--kind-shell);
}
.kind-web {
  border-color: var(--kind-web);
}
.kind-mcp {
  border-color: var(--kind-mcp);
}
.kind-plan {
  border-color: var(--kind-plan);
}
.kind-task {
  border-color: var(--kind-task);
}
#details {
  max-height: 520px;
  padding: 12px 14px;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 8px;
}
.facts {
  margin: 0;
  color: var(--muted);
  font-size: 13px;
}
.line {
  display: block;
  min-height: 1lh;
}
.line.added {
  background: var(--added);
}
.line.removed {
  background: var(--removed);
}
.line.hunk,
.line.file {
  background: var(--hunk);
}
.done {
  color: var(--muted);
}
ul.plan {
  padding-left: 0;
  list-style: none;
}
summary {
  cursor: pointer;
}
details {
  margin: 10px 0;
}
.small {
  color: var(--muted);
  font-size: 13px;
}
@media (max-width: 760px) {
  .browser {
    grid-template-columns: minmax(0, 1fr);
  }
  #calls {
    max-height: 340px;
  }
  #details {
    max-height: none;
  }
  .row {
    grid-template-columns: 40px 14px 58px minmax(60px, 1fr) 58px;
  }
  .row .outcome {
    display: none;
  }
}
.finding {
  border: 1px solid var(--line);
  border-radius: 6px;
  margin: 8px 0;
  padding: 8px 12px;
}
.finding > summary {
  cursor: pointer;
  overflow-wrap: anywhere;
}
.finding > .answer {
  margin: 8px 0 0;
  padding: 0;
  border: 0;
}
.severity {
  border: 1px solid currentcolor;
  border-radius: 1em;
  font-size: 12px;
  font-weight: 600;
  padding: 0 8px;
}
.severity.critical,
.severity.high {
  color: var(--failed);
}
.severity.medium {
  color: var(--denied);
}
.severity.low,
.severity.info {
  color: var(--muted);
}
`,PAGE_SCRIPT=`(() => {
'use strict';

function filterCalls(calls, { text, kinds, states }) {
  const words = text
    .toLowerCase()
    .split(/\\s+/)
    .filter((word) => word !== '');
  return calls.filter((call) => {
    if (kinds.size > 0 && !kinds.has(call.kind)) return false;
    if (states.size > 0 && !states.has(call.state)) return false;
    if (words.length === 0) return true;
    const whole = searchText(call);
    return words.every((word) => whole.includes(word));
  });
}

const searchTexts = new WeakMap();

function searchText(call) {
  const known = searchTexts.get(call);
  if (known !== undefined) return known;
  const { kind, name, target, state, message, facts } = call;
  const text = [kind, name, target, state, message, facts.output ?? ''].join('\\n').toLowerCase();
  searchTexts.set(call, text);
  return text;
}

function clockText(ms) {
  const seconds = Math.floor(ms / 1000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? \`\${h}:\${two(m)}:\${two(s)}\` : \`\${m}:\${two(s)}\`;
}

function durationText(ms) {
  if (ms === undefined) return '';
  if (ms < 1000) return \`\${Math.round(ms)} ms\`;
  return ms < 60_000 ? \`\${(ms / 1000).toFixed(1)} s\` : \`\${clockText(ms)} min\`;
}

function outcomeText(call) {
  const { state, message, facts } = call;
  if (state === 'running') return 'never ended';
  if (state !== 'ok') return message || state;
  if (facts.linesAdded !== undefined || facts.linesRemoved !== undefined) {
    return \`+\${facts.linesAdded ?? 0} \u2212\${facts.linesRemoved ?? 0}\`;
  }
  if (facts.linesRead !== undefined) return \`\${facts.linesRead} lines\`;
  if (facts.matches !== undefined) return \`\${facts.matches} matches\`;
  return facts.exitCode === undefined ? '' : \`exit \${facts.exitCode}\`;
}

function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const ROW_HEIGHT = 34;
const SPARE_ROWS = 10;
const STATE_MARKS = { ok: '\u2713', failed: '\u2717', denied: '\u2298', running: '\u2026' };

function createCallList(viewport, onSelect) {
  const spacer = element('div', { class: 'spacer', role: 'presentation' });
  viewport.replaceChildren(spacer);
  let calls = [];
  let selected = -1;
  const rows = new Map();

  const render = () => {
    const first = Math.max(0, Math.floor(viewport.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const last = Math.min(
      calls.length,
      Math.ceil((viewport.scrollTop + viewport.clientHeight) / ROW_HEIGHT) + SPARE_ROWS,
    );
    for (const [index, row] of rows) {
      if (index >= first && index < last) continue;
      row.remove();
      rows.delete(index);
    }
    for (let index = first; index < last; index += 1) {
      const call = calls[index];
      if (!call || rows.has(index)) continue;
      const row = callRow(call, index);
      row.setAttribute('aria-selected', String(index === selected));
      rows.set(index, row);
      spacer.append(row);
    }
  };
  const select = (/** @type {number} */ index) => {
    const call = calls[index];
    if (!call) return;
    rows.get(selected)?.setAttribute('aria-selected', 'false');
    selected = index;
    const top = index * ROW_HEIGHT;
    if (top < viewport.scrollTop) viewport.scrollTop = top;
    const bottom = top + ROW_HEIGHT - viewport.clientHeight;
    if (bottom > viewport.scrollTop) viewport.scrollTop = bottom;
    render();
    rows.get(index)?.setAttribute('aria-selected', 'true');
    viewport.setAttribute('aria-activedescendant', \`call-\${call.number}\`);
    onSelect(call);
  };

  viewport.addEventListener('scroll', render, { passive: true });
  new ResizeObserver(render).observe(viewport);
  viewport.addEventListener('click', (event) => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    if (row instanceof HTMLElement) select(Number(row.dataset['index']));
  });
  viewport.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor(viewport.clientHeight / ROW_HEIGHT) - 1);
    const target = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      PageDown: selected + page,
      PageUp: selected - page,
      Home: 0,
      End: calls.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(Math.min(Math.max(target, 0), calls.length - 1));
  });

  return {
    show(shown) {
      const before = calls[selected];
      calls = shown;
      selected = before ? calls.indexOf(before) : -1;
      rows.forEach((row) => row.remove());
      rows.clear();
      spacer.style.height = \`\${calls.length * ROW_HEIGHT}px\`;
      viewport.setAttribute('aria-rowcount', String(calls.length));
      viewport.removeAttribute('aria-activedescendant');
      viewport.scrollTop = Math.max(0, selected * ROW_HEIGHT - viewport.clientHeight / 2);
      render();
    },
    selectCall(call) {
      select(calls.indexOf(call));
    },
  };
}

function callRow(call, index) {
  const cell = (/** @type {string} */ name, /** @type {string} */ text) =>
    element('span', { class: name, role: 'gridcell' }, [text]);
  const row = element(
    'div',
    {
      class: \`row \${call.state}\`,
      role: 'row',
      id: \`call-\${call.number}\`,
      'aria-rowindex': String(index + 1),
      'data-index': String(index),
    },
    [
      cell('time', clockText(call.startMs)),
      cell('mark', \`\${STATE_MARKS[call.state]}\`),
      cell(\`kind kind-\${call.kind}\`, call.kind === 'other' ? call.name : call.kind),
      cell('target', call.target.slice(0, 300)),
      cell('outcome', outcomeText(call).slice(0, 120)),
      cell('took', durationText(call.durationMs)),
    ],
  );
  row.children[1]?.setAttribute('aria-label', call.state);
  row.style.transform = \`translateY(\${index * ROW_HEIGHT}px)\`;
  return row;
}

function showCallDetails(panel, call) {
  const { output } = call.facts;
  const title = \`\${call.number}. \${call.kind === 'other' ? call.name : call.kind}\`;
  const facts = [
    call.state,
    outcomeText(call),
    \`at \${clockText(call.startMs)}\`,
    durationText(call.durationMs),
    call.name === call.kind ? '' : \`tool \${call.name}\`,
  ];
  panel.replaceChildren(
    element('h3', {}, [title]),
    element('p', { class: \`facts \${call.state}\` }, [facts.filter((fact) => fact !== '').join(' \xB7 ')]),
    ...(call.allow && call.allow.length > 0
      ? [element('p', {}, ['Allow with ', element('code', {}, [call.allow.join(' and ')])])]
      : []),
    ...(call.target === '' ? [] : block('Input', [call.target])),
    ...(call.message.length > 80 ? block('Message', [call.message]) : []),
    ...(output === undefined || output === '' ? [] : block('Output', coloured(output, call.kind === 'edit'))),
  );
}

function block(title, content) {
  return [element('h4', {}, [title]), element('pre', { tabindex: '0', 'aria-label': title }, content)];
}

function coloured(text, isEdit) {
  if (!isEdit && !/^@@ /m.test(text)) return [text];
  return text.split('\\n').map((line) => element('span', { class: \`line \${lineKind(line)}\` }, [\`\${line}\\n\`]));
}

function lineKind(line) {
  if (line.startsWith('@@')) return 'hunk';
  if (/^(\\+\\+\\+|---) /.test(line)) return 'file';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : '';
}

const LANE = 22;
const AXIS = 22;
const LABELS = 64;
const CLOSEST_MS = 50;

function createTimeline({ canvas, tip, endMs, onSelect }) {
  const whole = Math.max(endMs, 1);
  let calls = [];
  let lanes = [];
  let chosen;
  let view = { from: 0, to: whole };
  let isQueued = false;

  const plotWidth = () => Math.max(1, canvas.clientWidth - LABELS - 8);
  const xOf = (/** @type {number} */ ms) => LABELS + ((ms - view.from) / (view.to - view.from)) * plotWidth();
  const msAt = (/** @type {number} */ x) => view.from + ((x - LABELS) / plotWidth()) * (view.to - view.from);
  const boxOf = (/** @type {Call} */ call) => {
    const left = xOf(call.startMs);
    const right = xOf(call.startMs + (call.durationMs ?? whole - call.startMs));
    return { left, width: Math.max(2, right - left), top: AXIS + lanes.indexOf(call.kind) * LANE + 3 };
  };
  const draw = () => {
    isQueued = false;
    canvas.style.height = \`\${AXIS + Math.max(1, lanes.length) * LANE + 6}px\`;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const pen = canvas.getContext('2d');
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(\`--\${name}\`).trim() || style.color;
    pen.font = \`12px \${style.fontFamily}\`;
    pen.textBaseline = 'middle';
    drawAxis(pen, { view, xOf, colour, height: canvas.clientHeight, width: canvas.clientWidth });
    lanes.forEach((kind, lane) => {
      pen.fillStyle = colour('muted');
      pen.fillText(kind, 4, AXIS + lane * LANE + LANE / 2);
    });
    pen.save();
    pen.beginPath();
    pen.rect(LABELS, 0, plotWidth() + 8, canvas.clientHeight);
    pen.clip();
    for (const call of calls) {
      const { left, width, top } = boxOf(call);
      if (left > canvas.clientWidth || left + width < LABELS) continue;
      const isBad = call.state === 'failed' || call.state === 'denied';
      pen.fillStyle = colour(isBad ? call.state : \`kind-\${call.kind}\`);
      pen.fillRect(left, top, width, LANE - 6);
      if (call === chosen) {
        pen.strokeStyle = colour('text');
        pen.lineWidth = 2;
        pen.strokeRect(left - 1, top - 1, width + 2, LANE - 4);
      }
    }
    pen.restore();
  };
  const queue = () => {
    if (!isQueued) requestAnimationFrame(draw);
    isQueued = true;
  };
  const look = (/** @type {number} */ from, /** @type {number} */ to) => {
    const span = Math.min(Math.max(to - from, Math.min(CLOSEST_MS, whole)), whole);
    const start = Math.min(Math.max(from, 0), whole - span);
    view = { from: start, to: start + span };
    canvas.dataset['view'] = \`\${Math.round(view.from)}-\${Math.round(view.to)}\`;
    queue();
  };
  const zoom = (/** @type {number} */ factor, around = (view.from + view.to) / 2) => {
    look(around - (around - view.from) * factor, around + (view.to - around) * factor);
  };
  const move = (/** @type {number} */ share) => {
    const by = (view.to - view.from) * share;
    if (view.from + by < 0) look(0, view.to - view.from);
    else look(view.from + by, view.to + by);
  };
  const callAt = (/** @type {number} */ x, /** @type {number} */ y) =>
    calls.findLast((call) => {
      const { left, width, top } = boxOf(call);
      return x >= left - 2 && x <= left + width + 2 && y >= top && y <= top + LANE - 6;
    });

  watchPointer({ canvas, tip, callAt, msAt, zoom, move, onSelect, width: plotWidth });
  canvas.addEventListener('keydown', (event) => {
    const act = {
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      0: () => look(0, whole),
      ArrowLeft: () => move(-0.2),
      ArrowRight: () => move(0.2),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  new ResizeObserver(queue).observe(canvas);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', queue);
  look(0, whole);

  return {
    zoomIn: () => zoom(0.5),
    zoomOut: () => zoom(2),
    reset: () => look(0, whole),
    show(shown) {
      calls = shown;
      lanes = [...new Set(calls.map(({ kind }) => kind))];
      queue();
    },
    choose(call) {
      chosen = call;
      const end = call.startMs + (call.durationMs ?? 0);
      const span = view.to - view.from;
      if (end < view.from || call.startMs > view.to) look(call.startMs - span / 2, call.startMs + span / 2);
      queue();
    },
  };
}

function drawAxis(pen, { view, xOf, colour, height, width }) {
  const steps = [50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5];
  const wanted = ((view.to - view.from) / Math.max(1, width - LABELS)) * 80;
  const step = steps.find((candidate) => candidate >= wanted) ?? 144e5;
  pen.strokeStyle = colour('line');
  pen.fillStyle = colour('muted');
  pen.lineWidth = 1;
  for (let ms = Math.ceil(view.from / step) * step; ms <= view.to; ms += step) {
    const x = Math.round(xOf(ms)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, AXIS);
    pen.lineTo(x, height);
    pen.stroke();
    const text = step < 1000 ? \`\${(ms / 1000).toFixed(2)} s\` : clockText(ms);
    pen.fillText(text, Math.min(x + 3, width - 40), AXIS / 2);
  }
}

function watchPointer({ canvas, tip, callAt, msAt, zoom, move, onSelect, width }) {
  let grip;
  canvas.addEventListener('pointerdown', (event) => {
    grip = { x: event.offsetX, moved: false };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (grip && event.buttons > 0 && Math.abs(event.offsetX - grip.x) > 3) {
      move((grip.x - event.offsetX) / width());
      grip = { x: event.offsetX, moved: true };
    }
    const call = callAt(event.offsetX, event.offsetY);
    tip.hidden = !call;
    canvas.classList.toggle('over', call !== undefined);
    if (!call) return;
    tip.textContent = \`\${call.number}. \${call.kind} \${call.target.slice(0, 200)} (\${
      call.state === 'ok' ? durationText(call.durationMs) : call.state
    })\`;
    tip.style.left = \`\${Math.min(event.offsetX + 12, Math.max(0, canvas.clientWidth - 260))}px\`;
    tip.style.top = \`\${event.offsetY + 18}px\`;
  });
  canvas.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  canvas.addEventListener('pointerup', (event) => {
    const call = grip?.moved ? undefined : callAt(event.offsetX, event.offsetY);
    grip = undefined;
    if (call) onSelect(call);
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, msAt(event.offsetX));
    },
    { passive: false },
  );
}

function part(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(\`The page has no \${id}.\`);
  return found;
}

function toggles(bar, values, onChange) {
  const on = new Set();
  for (const value of values) {
    const button = element('button', { type: 'button', 'aria-pressed': 'false' }, [value]);
    button.addEventListener('click', () => {
      if (!on.delete(value)) on.add(value);
      button.setAttribute('aria-pressed', String(on.has(value)));
      onChange();
    });
    bar.append(button);
  }
  return on;
}

function start() {
  const data = JSON.parse(part('data', HTMLScriptElement).textContent ?? '');
  if (data.calls.length === 0) return;
  part('app', HTMLElement).hidden = false;
  const search = part('search', HTMLInputElement);
  const count = part('count', HTMLElement);

  const choose = (/** @type {Call} */ call) => {
    showCallDetails(part('details', HTMLElement), call);
    timeline.choose(call);
  };
  const list = createCallList(part('calls', HTMLElement), choose);
  const timeline = createTimeline({
    canvas: part('timeline', HTMLCanvasElement),
    tip: part('tip', HTMLElement),
    endMs: data.endMs,
    onSelect: (call) => list.selectCall(call),
  });
  const update = () => {
    const shown = filterCalls(data.calls, { text: search.value, kinds, states });
    list.show(shown);
    timeline.show(shown);
    const all = data.calls.length.toLocaleString('en-US');
    count.textContent =
      shown.length === data.calls.length
        ? \`\${all} calls\`
        : \`\${shown.length.toLocaleString('en-US')} of \${all}\`;
  };
  const values = (/** @type {'kind' | 'state'} */ name) => [...new Set(data.calls.map((call) => call[name]))];
  const kinds = toggles(part('kinds', HTMLElement), values('kind'), update);
  const states = toggles(part('states', HTMLElement), values('state'), update);
  search.addEventListener('input', update);
  part('zoom-in', HTMLElement).addEventListener('click', timeline.zoomIn);
  part('zoom-out', HTMLElement).addEventListener('click', timeline.zoomOut);
  part('zoom-reset', HTMLElement).addEventListener('click', timeline.reset);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    search.focus();
  });
  update();
  const first = data.calls.find(({ state }) => state === 'failed' || state === 'denied') ?? data.calls[0];
  if (first) list.selectCall(first);
}

start();
})();
`;var plain_answer=__webpack_require__(3513),redact=__webpack_require__(9636);const CALL_CHARACTERS=4e3,htmlWriter=answerWriter=>(record,redaction)=>{const answer=(0,plain_answer.qG)(answerWriter,redaction),{report,verdict,setup}=record,title=`${setup?.agent??"Cursor"} agent: ${verdict.status==="success"?"done":verdict.reason}`,data={calls:report.tools.map(call=>pageCall(call,setup)),endMs:Math.max(record.agentMs??0,report.tools.reduce((last,{startMs,durationMs})=>Math.max(last,startMs+(durationMs??0)),0))},shown=shownParts(record,answer);return["<!doctype html>",'<html lang="en">',"<head>",'<meta charset="utf-8">',`<meta http-equiv="Content-Security-Policy" content="${contentPolicy()}">`,'<meta name="viewport" content="width=device-width, initial-scale=1">','<meta name="referrer" content="no-referrer">',`<title>${(0,html_text.Z)(title)}</title>`,`<style>${PAGE_STYLE}</style>`,"</head>","<body>",redaction?redaction.redactMarkup(shown,TAGS):shown,`<script type="application/json" id="data">${(0,html_text._)(redaction?(0,redact.$I)(data,redaction.redact):data)}<\/script>`,`<script>${PAGE_SCRIPT}<\/script>`,"</body>","</html>",""].filter((part,index,all)=>part!==""||index===all.length-1).join(`
`)},TAGS=/<[^<>]*>/,shownParts=(record,answer)=>["<main>",verdictPart(record),failurePart(record),answerPart(record,answer),numbersPart(record),deniedPart(record),filesPart(record),CALLS,planPart(record),givenPart(record),policyPart(record),diagnosticsPart(record),"</main>"].filter(part=>part!=="").join(`
`);function contentPolicy(){const hash=text=>`'sha256-${(0,external_node_crypto_.createHash)("sha256").update(text).digest("base64")}'`;return["default-src 'none'",`style-src ${hash(PAGE_STYLE)}`,`script-src ${hash(PAGE_SCRIPT)}`,"base-uri 'none'","form-action 'none'"].join("; ")}function pageCall(call,rules){const{number,name,kind,target,state,message,durationMs,facts}=call;return{number,name,kind,target,state,message,startMs:Math.round(call.startMs),durationMs:durationMs===void 0?void 0:Math.round(durationMs),facts:boundedFacts(facts),allow:state==="denied"?(0,allow_token.e)(call,rules):void 0}}function boundedFacts(facts){const{output}=facts;return output===void 0||output.length<=CALL_CHARACTERS?facts:{...facts,output:output.slice(0,CALL_CHARACTERS)}}const CALLS=`<section id="app" hidden aria-labelledby="calls-title">
<h2 id="calls-title">What it did</h2>
<div class="tools"><div role="group" aria-label="Zoom">
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">\u2212</button>
<button type="button" id="zoom-reset">whole run</button></div>
<span class="small">Drag to move, Ctrl and wheel to zoom; + \u2212 0 \u2190 \u2192 on the keyboard.</span></div>
<div class="picture"><canvas id="timeline" tabindex="0" role="img" aria-label="Timeline of the tool calls by kind; the list below has the same calls in words"></canvas><div id="tip" hidden></div></div>
<div class="tools"><input type="search" id="search" placeholder="Search calls (press /)" aria-label="Search calls">
<div id="kinds" role="group" aria-label="Kinds"></div><div id="states" role="group" aria-label="Outcomes"></div>
<span id="count" class="small" role="status"></span></div>
<div class="browser"><div id="calls" role="grid" tabindex="0" aria-label="Tool calls"></div>
<div id="details" role="region" aria-label="The chosen call" aria-live="polite" tabindex="0"></div></div>
</section>
<noscript><p>The timeline and the list of calls need JavaScript.</p></noscript>`}),6757:(function(__unused_webpack_module,__webpack_exports__,__webpack_require__){__webpack_require__.d(__webpack_exports__,{F:()=>buildReport});var _denials_js__WEBPACK_IMPORTED_MODULE_1__=__webpack_require__(7970),_file_changes_js__WEBPACK_IMPORTED_MODULE_0__=__webpack_require__(6686),_timeline_js__WEBPACK_IMPORTED_MODULE_2__=__webpack_require__(1935);const REPORT_VERSION=1;function buildReport(record){const total=record.agentMs??record.report.durationMs??record.wallMs;return{version:REPORT_VERSION,...record,denials:(0,_denials_js__WEBPACK_IMPORTED_MODULE_1__.U)(record.report,record.setup),changedFiles:(0,_file_changes_js__WEBPACK_IMPORTED_MODULE_0__.C8)(record),timeShares:(0,_timeline_js__WEBPACK_IMPORTED_MODULE_2__.q)(record.report,total)}}}),6925:(function(__unused_webpack_module,__webpack_exports__,__webpack_require__){__webpack_require__.d(__webpack_exports__,{R:()=>SUMMARY_BYTES,u:()=>summaryWriter});var denials=__webpack_require__(7970),answer_parts=__webpack_require__(1109),markdown=__webpack_require__(6590),plain_answer=__webpack_require__(3513),plain_text=__webpack_require__(4651),run_report=__webpack_require__(7330),file_changes=__webpack_require__(6686),timeline=__webpack_require__(1935),format=__webpack_require__(8488);const FEWEST_ROWS=5,BAR_BLOCKS=8,MOST_OPEN_FILES=15;function deniedSection(denials2,record,{rows}){if(denials2.length===0)return"";const shown=denials2.slice(0,Math.max(rows,FEWEST_ROWS)),cells=shown.map(({tool,what,why,count,allow})=>[`${(0,markdown.X1)(tool)} ${(0,markdown.ph)(what)}${count>1?` \xD7 ${(0,format.ai)(count)}`:""}`,allow.map(token=>(0,markdown.ph)(token)).join("<br>"),(0,markdown.X1)((0,plain_text.xv)(why,200))]),mode=record.setup&&record.setup.mode!=="agent"?record.setup.mode:void 0,hint=mode===void 0?"":`

Mode <code>${(0,markdown.X1)(mode)}</code> only reads: what writes or runs needs <code>mode: agent</code> too.`;return["### \u{1F6AB} Denied",`${(0,markdown.tp)(["Refused","Allow with","Why"],cells)}${more(denials2.length-shown.length)}${hint}`].join(`

`)}function filesSection(record,{rows}){const{files,source}=(0,file_changes.C8)(record),{changes}=record,violations=changes?.violations??[],note=(0,file_changes.S5)(changes);if(files.length===0&&violations.length===0&&note==="")return"";const shown=files.slice(0,Math.max(rows,FEWEST_ROWS)),list=(0,markdown.tp)(["File","Change","Lines"],shown.map(file=>[(0,markdown.ph)(file.path),(0,markdown.X1)(file.status),(0,file_changes.Zl)(file)])),forbidden=violations.slice(0,Math.max(rows,FEWEST_ROWS)).map(violation=>`- ${(0,markdown.X1)((0,plain_text.xv)(violation,300))}`);return[files.length===0?"":source==="git"?"### \u{1F4DD} Files changed":"### \u{1F4DD} Files edited, as the agent tells it",fileList(`${list}${more(files.length-shown.length)}`,files.length),forbidden.length===0?"":`**Not allowed by the policy:**

${forbidden.join(`
`)}`,note===""?"":(0,markdown.X1)((0,plain_text.xv)(note,500))].filter(part=>part!=="").join(`

`)}function fileList(list,count){return count===0?"":count<=MOST_OPEN_FILES?list:(0,markdown.TM)((0,format.LS)(count,"file"),list)}function timeSection({report,agentMs,wallMs},{gantt}){const total=agentMs??report.durationMs??wallMs,picture=gantt?(0,timeline.f)(report,total):"",shares=(0,timeline.q)(report,total);if(report.tools.length===0||picture===""&&total<1e3)return"";const rows=shares.map(({what,calls,ms,share})=>[(0,markdown.X1)(what),calls===void 0?"":(0,format.ai)(calls),(0,format.p0)(ms).replaceAll(" ","&nbsp;"),`${"\u2588".repeat(Math.round(Math.min(share,1)*BAR_BLOCKS))} ${Math.round(share*100)}&nbsp;%`.trim()]);return["### \u23F1\uFE0F Where the time went",picture===""?"":(0,markdown.OF)(picture,"mermaid"),(0,markdown.tp)(["Tool","Calls","Time","Share"],rows)].filter(part=>part!=="").join(`

`)}const more=count=>count>0?`

\u2026 and ${(0,format.ai)(count)} more, all of them in the report.`:"";var call_text=__webpack_require__(8546);const MOST_NOTES=20;function planSection({report:{todos},verdict}){if(todos.length===0)return"";const marks={done:"\u2611","in-progress":"\u25B6",pending:"\u2610",cancelled:"\u2612"},done=todos.filter(todo=>todo.status==="done").length,lines=todos.map(todo=>`- ${marks[todo.status]} ${(0,markdown.X1)((0,plain_text.xv)(todo.text,200))}`),title=`Plan: ${done} of ${todos.length} done`;return(0,markdown.TM)(title,lines.join(`
`),verdict.status==="failure"&&done<todos.length)}function callSection({report},{rows}){const{calls}=(0,run_report.x)(report);if(calls===0)return"";const kinds=Object.entries(report.totals).map(([kind,{calls:count}])=>`${(0,format.ai)(count)} ${kind}`),title=(0,markdown.X1)(`${(0,format.LS)(calls,"tool call")}: ${kinds.join(", ")}`);if(rows===0)return title;const marks={ok:"",running:"\u23F3",failed:"\u274C",denied:"\u{1F6AB}"},cells=report.tools.slice(0,rows).map(call=>[String(call.number),(0,markdown.X1)((0,call_text.L)(call)),(0,markdown.ph)(call.target),`${marks[call.state]} ${(0,markdown.X1)((0,plain_text.xv)((0,call_text.w)(call),200))}`.trim(),call.durationMs===void 0?"":(0,format.p0)(call.durationMs).replaceAll(" ","&nbsp;")]),body=(0,markdown.tp)(["#","Tool","What","Outcome","Time"],cells);return(0,markdown.TM)(title,`${body}${more(calls-cells.length)}`)}function policySection({setup}){if(!setup)return"";const body=[`Preset <code>${(0,markdown.X1)(setup.preset)}</code>, mode <code>${(0,markdown.X1)(setup.mode)}</code>, force ${setup.force?"on":"off"}. ${(0,markdown.X1)(setup.isolation)}`,`Allowed:

${(0,markdown.OF)(setup.allow.join(`
`)||"(nothing)")}`,`Denied, whatever is allowed:

${(0,markdown.OF)(setup.deny.join(`
`)||"(nothing)")}`];return(0,markdown.TM)("What the agent was allowed to do",body.join(`

`))}function givenSection({context=[],instruction},{rows}){if(context.length===0&&instruction===void 0)return"";const cells=context.map(({kind,bytes,leftOut,inlined,...about})=>[(0,markdown.ph)(kind),`${(0,format.ai)(bytes)} bytes${inlined?", in the prompt too":""}`,(0,format.uM)(about,kind==="ci-logs"?"failed job":"changed file"),leftOut.slice(0,Math.min(rows,MOST_NOTES)).map(name=>(0,markdown.ph)(name,120)).join("<br>")+(leftOut.length>Math.min(rows,MOST_NOTES)?` ${(0,format.ai)(leftOut.length)} in all`:"")]),body=[context.length===0?"":(0,markdown.tp)(["Gathered","Size","About","Left out"],cells),instruction===void 0?"":`The preset\u2019s instruction, before the prompt:

${(0,markdown.OF)(instruction)}`],kinds=context.map(({kind})=>(0,markdown.X1)(kind)).join(", "),title=kinds===""?"What the agent was told":`What the agent was given: ${kinds}`;return(0,markdown.TM)(title,body.filter(part=>part!=="").join(`

`))}function diagnosticsSection(record,{words}){const{stderr,exit,verdict}=record,said=(0,plain_text.fl)(stderr.trim(),words),parts=[remarks(record).join(`
`),...unrecognisedLines(record),said===""?"":`The end of what it wrote besides:

${(0,markdown.OF)(said)}`,exit&&verdict.status==="failure"?`Process: <code>${(0,markdown.X1)(JSON.stringify(exit))}</code>`:""].filter(part=>part!=="");return parts.length===0?"":(0,markdown.TM)("Diagnostics",parts.join(`

`),verdict.status==="failure")}function remarks({report,notes,tries,corrections,exit}){const item=text=>`- ${(0,markdown.X1)((0,plain_text.xv)(text,500))}`;return[...tries.map(({reason,detail,waitMs},index)=>`- Try ${index+1} failed (${reason}), waited ${(0,format.p0)(waitMs)}: ${(0,markdown.X1)((0,plain_text.xv)(detail,300))}`),...(corrections??[]).map(({problem},index)=>item(`Answer ${index+1} could not be used: ${problem}`)),...exit?.kind==="ended"&&exit.why==="after-result"?["- The agent did not exit after its result and was ended; the result counts."]:[],...notes.slice(0,MOST_NOTES).map(item),...report.notices.filter(({level})=>level==="warning").slice(0,MOST_NOTES).map(({text})=>item(text))]}function unrecognisedLines({report:{unrecognised}}){const listed=counts=>Object.entries(counts).slice(0,MOST_NOTES).map(([label,count])=>`${(0,markdown.X1)((0,plain_text.xv)(label,80))} \xD7 ${(0,format.ai)(count)}`).join(", "),tools=listed(unrecognised.tools);return[unrecognised.count===0?"":`${(0,format.LS)(unrecognised.count,"line")} not recognised: ${listed(unrecognised.labels)}`,tools===""?"":`Tools this version has no words for: ${tools}`,...unrecognised.first.map(({line,sample})=>(0,markdown.TL)(`line ${line}: ${(0,plain_text.xv)(sample,200)}`))].filter(line=>line!=="")}var failure=__webpack_require__(3333);function verdictHeading({verdict,setup}){const who=setup?`${setup.agent} agent (${setup.preset})`:"Cursor agent";return verdict.status==="success"?`## \u2705 ${(0,markdown.X1)(who)}: done`:`## \u274C ${(0,markdown.X1)(who)}: failed (<code>${verdict.reason}</code>)`}function failureAlert({verdict},{words}){if(verdict.status==="success")return"";const{what,remedy}=failure.E[verdict.reason],detail=(0,plain_text.xv)(verdict.detail.trim(),words);return["> [!CAUTION]",...[`**What happened:** ${what}`,...detail===""?[]:["",...detailLines(detail)],"",`**What to do:** ${remedy}`].map(line=>`> ${line}`.trimEnd())].join(`
`)}function detailLines(detail){return detail.includes(`
`)?(0,markdown.OF)(detail).split(`
`):[(0,markdown.X1)(detail)]}function numbersLine(record){const{report,wallMs,agentMs,setup}=record,{calls,failed,denied}=(0,run_report.x)(report),shortfalls=[failed>0?`${(0,format.ai)(failed)} failed`:"",denied>0?`${(0,format.ai)(denied)} denied`:""].filter(part=>part!==""),{usage}=report,cached=usage&&usage.cacheReadTokens>0?`, ${(0,format.$M)(usage.cacheReadTokens)} cached`:"",changed=(0,file_changes.C8)(record);return[["Time",(0,format.p0)(report.durationMs??agentMs??wallMs)],["Model",(0,markdown.X1)((0,plain_text.xv)(report.model??"",80))],["Tool calls",`${(0,format.ai)(calls)}${shortfalls.length>0?` (${shortfalls.join(", ")})`:""}`],["Files",changed.files.length===0?"":`${(0,format.ai)(changed.files.length)} (${(0,file_changes.Zl)(changed)})`],["Tokens",usage?`${(0,format.$M)(usage.inputTokens)} in, ${(0,format.$M)(usage.outputTokens)} out${cached}`:""],["Cost",report.costUsd===void 0?"":`$${report.costUsd.toFixed(report.costUsd<1?4:2)}`],["Turns",report.turns===void 0?"":(0,format.ai)(report.turns)],["CLI",(0,markdown.ph)(setup?.cliVersion??"",60)]].filter(([,value])=>value!=="").map(([name,value])=>`**${name}** ${value}`.replaceAll(" ","&nbsp;")).join(" \xB7 ")}var findings=__webpack_require__(9334);const MOST_OPEN=3,MOST_SHOWN=500,FEWEST_SHOWN=5,LEAST_BODY=200;function reviewSection(review,writer,detail){const{placed,apart}=(0,answer_parts.kG)(review),most={findings:shownCount(detail),body:Math.floor(detail.answer/15)},summary=(0,plain_text.xv)(review.summary.trim(),Math.max(detail.answer/4,LEAST_BODY));return[`### \u{1F50E} ${(0,answer_parts.Gt)(placed)}`,summary===""?"":writer.markdown(summary,detail.answer),findingList(placed,writer,most),apart.length===0?"":`### \u{1F4CD} Set apart

These point at nothing in the checkout, so they may be made up.`,findingList(apart,writer,most)].filter(part=>part!=="").join(`

`)}function shownCount({answer}){return Math.min(MOST_SHOWN,Math.max(FEWEST_SHOWN,Math.floor(answer/100)))}function findingList(findings2,writer,most){if(findings2.length===0)return"";const shown=findings2.slice(0,most.findings),isOpen=findings2.length<=MOST_OPEN,items=shown.map(finding=>{const title=findingTitle(finding),body=most.body<LEAST_BODY?"":findingBody(finding,writer,most.body);return most.body<LEAST_BODY?`- ${title}`:body===""?title:(0,markdown.TM)(title,body,isOpen)}),gap=most.body<LEAST_BODY?`
`:`

`;return`${items.join(gap)}${more(findings2.length-shown.length)}`}function findingTitle(finding){const{severity,title,count}=finding,remark=(0,answer_parts.qm)(finding);return[`${findings.rC[severity]} <b>${severity}</b>`,(0,markdown.ph)((0,answer_parts.Z9)(finding),200),`${titleText(title)}${count>1?` \xD7 ${count}`:""}${remark===""?"":` <i>(${remark})</i>`}`].join(" \xB7 ")}const titleText=title=>(0,answer_parts.yx)((0,plain_text.xv)(title,300)).map(({isCode,text})=>isCode?(0,markdown.ph)(text,200):(0,markdown.X1)(text)).join("");function findingBody({body,suggestion},writer,most){const text=body.trim();return[text===""?"":writer.markdown(text,most),suggestion===void 0?"":suggestion===""?"Suggested: delete these lines.":`Suggested instead:

${(0,markdown.OF)((0,plain_text.xv)(suggestion,most))}`].filter(part=>part!=="").join(`

`)}const SUMMARY_BYTES=1024*1024,FULL={answer:6e4,rows:500,gantt:!0,words:4e3,isCompact:!1},STEPS=[{},{rows:100},{rows:20,words:2e3},{rows:0,words:1e3},{rows:0,words:1e3,gantt:!1},{rows:0,words:1e3,gantt:!1,answer:2e4},{rows:0,words:500,gantt:!1,answer:5e3},{rows:0,words:500,gantt:!1,answer:1e3,isCompact:!0},{rows:0,words:100,gantt:!1,answer:100,isCompact:!0}],TAGS=/<\/?(?:b|br|code|details|i|span|summary)(?: open)?>/,summaryWriter=answerWriter=>(record,style,{room=SUMMARY_BYTES,redaction}={})=>{const writer=(0,plain_answer.qG)(answerWriter,redaction),answers=new Map,answer=detail=>{const known=answers.get(detail.answer)??answerSection(record,writer,detail);return answers.set(detail.answer,known),known};for(const step of STEPS){const detail={...FULL,...step,...style==="compact"?{isCompact:!0}:{}},whole=joined(summaryParts(record,detail,answer(detail))),text=redaction?redaction.redactMarkup(whole,TAGS):whole;if(Buffer.byteLength(text)<=room)return text}return[joined([verdictHeading(record)]),""].find(text=>Buffer.byteLength(text)<=Math.max(0,room))??""},joined=parts=>`${parts.filter(part=>part!=="").join(`

`)}
`;function summaryParts(record,detail,answer){const short=[verdictHeading(record),failureAlert(record,detail),answer,numbersLine(record)];return detail.isCompact?short:[...short,deniedSection((0,denials.U)(record.report,record.setup),record,detail),filesSection(record,detail),timeSection(record,detail),planSection(record),callSection(record,detail),givenSection(record,detail),policySection(record),diagnosticsSection(record,detail)]}function answerSection(record,writer,detail){const{files,verdict}=record,shown=(0,answer_parts.aq)(record);if(shown.kind==="review")return reviewSection(shown.review,writer,detail);const{kind,text}=shown,most=detail.answer;if(text==="")return verdict.status==="success"?"*The agent gave no answer in words.*":"";const file=kind==="json"?files.report:files.result,place=file?` The whole answer is in ${(0,markdown.ph)(file,300)}.`:"",whole=text.length<=most?"":`

*This is its beginning.${place}*`;return`${kind==="words"?writer.markdown(text,most):answerBlock(kind,(0,plain_text.xv)(text,most))}${whole}`}const answerBlock=(kind,text)=>kind==="json"?(0,markdown.OF)(text,"json"):(0,markdown.TM)("The answer that could not be used",(0,markdown.OF)(text))}),1935:(function(__unused_webpack_module,__webpack_exports__,__webpack_require__){__webpack_require__.d(__webpack_exports__,{f:()=>buildGantt,q:()=>timeShares});var _text_format_js__WEBPACK_IMPORTED_MODULE_1__=__webpack_require__(8488),_call_text_js__WEBPACK_IMPORTED_MODULE_0__=__webpack_require__(8546);const MOST_SINGLE_BARS=24,MOST_BARS=30,THINNEST=1/120,LABEL_CHARACTERS=40,FEWEST_CALLS=3,SHORTEST_RUN_MS=2e3;function buildGantt(report,totalMs){const end=endOf(report,totalMs),calls=report.tools.filter(({kind})=>kind!=="plan");if(calls.length<FEWEST_CALLS||end<SHORTEST_RUN_MS)return"";const bars=barsOf(calls,end),lines=[...new Set(bars.map(({kind})=>kind))].flatMap(kind=>[`  section ${kind}`,...bars.filter(bar=>bar.kind===kind).map(bar=>taskLine(bar,end))]);return["gantt","  dateFormat YYYY-MM-DD HH:mm:ss.SSS",`  axisFormat ${axisFormat(end)}`,`  tickInterval ${tickInterval(end)}`,...lines].join(`
`)}function endOf({tools},totalMs){return tools.reduce((last,call)=>Math.max(last,call.startMs+(call.durationMs??0)),totalMs)}function barsOf(calls,end){if(calls.length<=MOST_SINGLE_BARS)return calls.map(call=>barOf(call,end));for(let gap=end/200;;gap*=2){const bars=groupedBars(calls,end,gap);if(bars.length<=MOST_BARS||gap>end)return bars}}function barOf(call,end){const{target,startMs,durationMs,state,kind}=call;return{kind,label:`${call.number} ${plainLabel(target||(0,_call_text_js__WEBPACK_IMPORTED_MODULE_0__.L)(call))}`,startMs,endMs:durationMs===void 0?end:startMs+durationMs,state:state==="running"||state==="ok"?state==="ok"?"ok":"running":"bad"}}function groupedBars(calls,end,gap){const groups=[],open=new Map;for(const call of calls){const bar=barOf(call,end),key=`${bar.kind} ${bar.state}`,before=open.get(key);if(before&&bar.startMs-before.bar.endMs<=gap)before.bar.endMs=Math.max(before.bar.endMs,bar.endMs),before.calls+=1;else{const group={bar,calls:1};groups.push(group),open.set(key,group)}}return groups.map(({bar,calls:count})=>({...bar,label:count===1?bar.label:`${(0,_text_format_js__WEBPACK_IMPORTED_MODULE_1__.LS)(count,"call").replace(","," ")}${bar.state==="bad"?" failed":""}`}))}function plainLabel(text){const plain=text.slice(0,4*LABEL_CHARACTERS).replace(/[^\p{L}\p{N} ./()+=-]+/gu," ").replace(/\s+/g," ").trim();return plain.length>LABEL_CHARACTERS?`${plain.slice(0,LABEL_CHARACTERS).trim()}\u2026`:plain}function taskLine({label,startMs,endMs,state},end){const last=Math.max(endMs,startMs+end*THINNEST),tag={ok:"",bad:"crit, ",running:"active, "}[state];return`  ${label} :${tag}${moment(startMs)}, ${moment(last)}`}function moment(ms){return new Date(Date.UTC(2e3,0,1)+Math.round(ms)).toISOString().replace("T"," ").replace("Z","")}const TICK_SECONDS=[1,2,5,10,15,30,60,120,300,600,900,1800,3600,7200,14400];function tickInterval(end){const seconds=TICK_SECONDS.find(step=>end/1e3/step<=6)??28800;return seconds<60?`${seconds}second`:`${seconds/60}minute`}const axisFormat=end=>end>=36e5?"%H:%M:%S":"%M:%S";function timeShares(report,totalMs){const end=endOf(report,totalMs);if(end<=0)return[];const kinds=Object.entries(report.totals).map(([what,{calls,durationMs}])=>({what,calls,ms:durationMs,share:durationMs/end})).sort((a,b)=>b.ms-a.ms),waiting=end-busyMs(report.tools,end);return[{what:"model and waiting",ms:waiting,share:waiting/end},...kinds]}function busyMs(calls,end){const spans=calls.map(({startMs,durationMs})=>({from:startMs,to:startMs+(durationMs??end-startMs)})).sort((a,b)=>a.from-b.from);let[busy,until]=[0,0];for(const{from,to}of spans)busy+=Math.max(0,to-Math.max(from,until)),until=Math.max(until,to);return Math.min(busy,end)}}),6590:(function(__unused_webpack_module,__webpack_exports__,__webpack_require__){__webpack_require__.d(__webpack_exports__,{OF:()=>fenced,TL:()=>quoted,TM:()=>folded,X1:()=>escapeText,ph:()=>codeText,tp:()=>table});var _live_text_js__WEBPACK_IMPORTED_MODULE_0__=__webpack_require__(697),_plain_text_js__WEBPACK_IMPORTED_MODULE_1__=__webpack_require__(4651);function escapeText(text){return(0,_live_text_js__WEBPACK_IMPORTED_MODULE_0__.k)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.AZ)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.I9)(text).join(" "))).map(({isLive,value},index)=>{const escaped=escapeMarks(value,index===0);return isLive?`<code>${escaped}</code>`:escaped}).join("")}function escapeMarks(text,isStart){const escaped=text.replace(/[&<>\\`*_{}[\]#|~$^=]/g,entity).replace(/:(?=\/\/)|(?<=www)\.|(?<=GH)-(?=\d)/gi,entity).replaceAll("@","<span>@</span>");return isStart?escaped.replace(/^(\s*)([-+])/,(_,space,mark)=>space+entity(mark)).replace(/^(\s*\d+)([.)])/,(_,number,mark)=>number+entity(mark)):escaped}const entity=mark=>`&#${mark.charCodeAt(0)};`;function codeText(text,most=120){const line=(0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.xv)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.AZ)((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.I9)(text.trim()).join(" \u23CE ")),most);return line===""?"":`<code>${escapeMarks(line,!1)}</code>`}function fenced(text,language=""){const body=(0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.I9)(text).map(_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.AZ).join(`
`),longest=Math.max(2,...[...body.matchAll(/`+/g)].map(([run])=>run.length)),fence="`".repeat(longest+1);return`${fence}${language}
${body}
${fence}`}function quoted(text){return(0,_plain_text_js__WEBPACK_IMPORTED_MODULE_1__.I9)(text).map(line=>`> ${escapeText(line)}`.trimEnd()).join(`<br>
`)}function table(heads,rows){const line=cells=>`| ${cells.join(" | ")} |`;return[line(heads),line(heads.map(()=>"---")),...rows.map(line)].join(`
`)}function folded(title,body,open=!1){return`<details${open?" open":""}><summary>${title}</summary>

${body}

</details>`}})};export{id,ids,modules};
