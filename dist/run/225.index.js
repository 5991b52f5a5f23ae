export const id = 225;
export const ids = [225];
export const modules = {

/***/ 6225:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  findingsFiles: () => (/* binding */ findingsFiles)
});

// EXTERNAL MODULE: ./src/report/answer-markdown.ts
var answer_markdown = __webpack_require__(9178);
// EXTERNAL MODULE: ./src/answer/checkout-files.ts
var checkout_files = __webpack_require__(6462);
// EXTERNAL MODULE: ./src/report/plain-text.ts
var plain_text = __webpack_require__(6676);
// EXTERNAL MODULE: ./src/answer/check-findings.ts
var check_findings = __webpack_require__(9873);
;// CONCATENATED MODULE: ./src/answer/suggested-text.ts

/**
 * A suggestion as text that may take the place of whole lines, whose last break is not part of them. Nothing if it
 * holds characters that cannot be seen: someone would accept it with one click.
 */
function suggestedText(suggestion) {
    const text = suggestion?.replace(/\r\n/g, '\n').replace(/\n$/, '');
    return text === undefined || (0,plain_text/* nameInvisible */.xC)(text) !== text ? undefined : text;
}

;// CONCATENATED MODULE: ./src/answer/rdjson.ts



const MESSAGE_CHARACTERS = 10_000;
const SEVERITY_WORDS = {
    critical: 'ERROR',
    high: 'ERROR',
    medium: 'WARNING',
    low: 'INFO',
    info: 'INFO',
};
/**
 * A review in reviewdog's format (rdjson). reviewdog puts messages into comments as Markdown, so they are made safe
 * here. A range without columns is one of whole lines, the last included.
 */
function buildRdjson({ findings }, safeMarkdown) {
    const diagnostics = findings.filter(check_findings/* hasPlace */.G).map((finding) => diagnosticOf(finding, safeMarkdown));
    return `${JSON.stringify({ source: { name: 'Cursor Agent Action' }, diagnostics }, undefined, 1)}\n`;
}
function diagnosticOf(finding, safeMarkdown) {
    const { path, startLine, endLine, severity, title, body } = finding;
    const suggestion = suggestedText(finding.suggestion);
    const range = { start: { line: startLine }, end: { line: endLine } };
    const message = `${title.trim().replace(/\s+/g, ' ')}\n\n${body.trim()}`;
    return {
        message: safeMarkdown((0,plain_text/* truncate */.xv)(message, MESSAGE_CHARACTERS), MESSAGE_CHARACTERS),
        location: { path, range },
        severity: SEVERITY_WORDS[severity],
        code: { value: severity },
        ...(suggestion === undefined ? {} : { suggestions: [{ range, text: suggestion }] }),
    };
}

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:zlib"
var external_node_zlib_ = __webpack_require__(8522);
// EXTERNAL MODULE: ./src/report/findings.ts
var findings = __webpack_require__(9334);
;// CONCATENATED MODULE: ./src/answer/sarif.ts






/** GitHub takes 25,000 results a run and keeps 5,000 of them; what it would drop is not sent. */
const MOST_RESULTS = 5000;
/** GitHub takes 10 MB, compressed. */
const MOST_GZIP_BYTES = 10_000_000;
const sarif_MESSAGE_CHARACTERS = 1000;
const FIX_CHARACTERS = 10_000;
const LEVELS = {
    critical: 'error',
    high: 'error',
    medium: 'warning',
    low: 'note',
    info: 'note',
};
/**
 * A review as SARIF 2.1.0, for code scanning. A review without findings is a run without results, so that alerts of
 * an earlier one are closed. Findings whose place does not exist are left out.
 */
function buildSarif(review, linesOf) {
    const placed = review.findings.filter(check_findings/* hasPlace */.G);
    const lost = review.findings.length - placed.length;
    const fingerprints = fingerprintsOf(placed, linesOf);
    const results = placed.map((finding, index) => resultOf(finding, fingerprints[index] ?? ''));
    const { text, kept } = fitting(results);
    const left = results.length - kept;
    return {
        text,
        notes: [
            ...(lost > 0
                ? [
                    `${lost} of ${review.findings.length} findings point at no line of the checkout; sarif-file leaves them out.`,
                ]
                : []),
            ...(left > 0 ? [`sarif-file has the worst ${kept} findings; ${left} more are in the report.`] : []),
        ],
    };
}
/** The worst come first, so what does not fit is cut from the end. */
function fitting(results) {
    for (let kept = Math.min(results.length, MOST_RESULTS);; kept = Math.floor(kept / 2)) {
        const text = `${JSON.stringify(logOf(results.slice(0, kept)), undefined, 1)}\n`;
        // Text never grows by being compressed, so only a large one is worth trying.
        if (kept === 0 || text.length < MOST_GZIP_BYTES / 4 || (0,external_node_zlib_.gzipSync)(text).length <= MOST_GZIP_BYTES)
            return { text, kept };
    }
}
const logOf = (results) => ({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
        {
            tool: { driver: { name: 'Cursor Agent Action', rules: findings/* SEVERITIES */.oC.map(ruleOf) } },
            invocations: [{ executionSuccessful: true }],
            originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The top of the repository.' } } },
            columnKind: 'utf16CodeUnits',
            results,
        },
    ],
});
/** A model has no fixed rules; what stays the same from run to run is how bad it finds something. */
const ruleOf = (severity) => ({
    id: ruleId(severity),
    name: `${severity[0]?.toUpperCase() ?? ''}${severity.slice(1)}Finding`,
    shortDescription: { text: `Finding of an AI review, severity ${severity}` },
    fullDescription: {
        text: `A language model reviewed the code and found this to be of severity ${severity}. It may be wrong: judge for yourself.`,
    },
    help: { text: 'Read the message, look at the lines, and fix them or dismiss the alert.' },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { tags: ['ai-review', severity] },
});
const ruleId = (severity) => `ai-review/${severity}`;
function resultOf(finding, fingerprint) {
    const { path, startLine, endLine, severity } = finding;
    const suggestion = suggestedText(finding.suggestion);
    const artifactLocation = { uri: encodePath(path), uriBaseId: '%SRCROOT%' };
    const region = { startLine, endLine };
    return {
        ruleId: ruleId(severity),
        ruleIndex: findings/* SEVERITIES */.oC.indexOf(severity),
        level: LEVELS[severity],
        message: { text: messageOf(finding) },
        locations: [{ physicalLocation: { artifactLocation, region } }],
        partialFingerprints: { primaryLocationLineHash: fingerprint },
        ...(suggestion === undefined || suggestion.length > FIX_CHARACTERS
            ? {}
            : {
                fixes: [
                    {
                        description: { text: 'What the reviewer suggests instead.' },
                        artifactChanges: [
                            {
                                artifactLocation,
                                replacements: [{ deletedRegion: region, insertedContent: { text: suggestion } }],
                            },
                        ],
                    },
                ],
            }),
    };
}
/** Each part by itself: a slash stays, whatever would mean something in a URI does not, nor does half a character. */
const encodePath = (path) => Buffer.from(path).toString().split('/').map(encodeURIComponent).join('/');
/** The first sentence is what GitHub shows in lists. */
function messageOf({ title, body, count }) {
    const heading = (0,plain_text/* nameInvisible */.xC)(title.trim().replace(/\s+/g, ' '));
    const sentence = /[.!?]$/.test(heading) ? heading : `${heading}.`;
    const times = count > 1 ? ` (said ${count} times)` : '';
    return (0,plain_text/* truncate */.xv)(plainMessage(`${sentence}${times} ${(0,plain_text/* nameInvisible */.xC)(body.trim())}`.trim()), sarif_MESSAGE_CHARACTERS);
}
/** SARIF gives `[text](target)` and `{0}` a meaning in messages; a model's text must not have it. */
const plainMessage = (text) => text.replace(/\[(?=[^[\]]{0,500}\]\()/g, '\\[').replace(/\{(\d+)\}/g, '{{$1}}');
/**
 * What makes an alert the same one in the next run: the text of the lines, blanks aside, and which one of those on
 * such lines it is. Neither their numbers, which shift, nor the words, which a model chooses anew each time.
 */
function fingerprintsOf(findings, linesOf) {
    const seen = new Map();
    return findings.map((finding) => {
        const text = linesOf(finding.path, finding)?.replace(/\s+/g, '') || finding.title;
        const hash = (0,external_node_crypto_.createHash)('sha256').update(text).digest('hex').slice(0, 16);
        const key = JSON.stringify([finding.path, finding.severity, hash]);
        const nth = (seen.get(key) ?? 0) + 1;
        seen.set(key, nth);
        return `${hash}:${nth}`;
    });
}

;// CONCATENATED MODULE: ./src/answer/findings-files.ts




/** A review as the files that code scanning and reviewdog read. `root` is the top of the repository. */
function findingsFiles(review, root) {
    const { text, notes } = buildSarif(review, (0,checkout_files/* openCheckout */.H)(root).lines);
    return { sarif: text, rdjson: buildRdjson(review, answer_markdown/* safeMarkdown */.f), notes };
}


/***/ }),

/***/ 9178:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   E: () => (/* binding */ markdownAnswer),
/* harmony export */   f: () => (/* binding */ safeMarkdown)
/* harmony export */ });
/* harmony import */ var mdast_util_from_markdown__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(4101);
/* harmony import */ var mdast_util_gfm__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(844);
/* harmony import */ var mdast_util_to_markdown__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(1286);
/* harmony import */ var micromark__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(7549);
/* harmony import */ var micromark_extension_gfm__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(9363);
/* harmony import */ var _markdown_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4285);
/* harmony import */ var _plain_text_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6676);
/* harmony import */ var _live_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4492);
/* harmony import */ var _plain_answer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3513);









/**
 * Markdown of unknown origin, read by a Markdown parser and written anew: it looks as it was meant to, and
 * nothing in it runs, loads, pings anyone, hides, or reaches beyond its own place in the document.
 */
function safeMarkdown(text, most) {
    const source = (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .truncate */ .xv)(text.trim(), most).replace(/\r\n?/g, '\n').replaceAll('\u0000', '\ufffd');
    if (latest?.source !== source)
        latest = { source, safe: splitPieces(source).map(safePiece).join('\n\n') };
    return latest.safe;
}
/** The answer is made safe as Markdown first; what is left cannot hold HTML or any link but to the web. */
const markdownAnswer = {
    markdown: safeMarkdown,
    html: (text, most) => (0,micromark__WEBPACK_IMPORTED_MODULE_4__/* .micromark */ .yt)(safeMarkdown(text, most), { extensions: [(0,micromark_extension_gfm__WEBPACK_IMPORTED_MODULE_5__/* .gfm */ .T)()], htmlExtensions: [(0,micromark_extension_gfm__WEBPACK_IMPORTED_MODULE_5__/* .gfmHtml */ .I)()] }),
};
/** Summary and page show the same answer; it is read once. */
let latest;
function safePiece(source) {
    if ((0,_plain_answer_js__WEBPACK_IMPORTED_MODULE_2__/* .isPlain */ .$)(source))
        return source;
    if (isTooTangled(source))
        return (0,_markdown_js__WEBPACK_IMPORTED_MODULE_0__/* .fenced */ .OF)(source);
    const tree = (0,mdast_util_from_markdown__WEBPACK_IMPORTED_MODULE_6__/* .fromMarkdown */ .Y)(source, { extensions: [(0,micromark_extension_gfm__WEBPACK_IMPORTED_MODULE_5__/* .gfm */ .T)()], mdastExtensions: [(0,mdast_util_gfm__WEBPACK_IMPORTED_MODULE_7__/* .gfmFromMarkdown */ .C)()] });
    const safe = { type: 'root', children: rewriteAll(tree, definitionsOf(tree)) };
    return (0,mdast_util_to_markdown__WEBPACK_IMPORTED_MODULE_8__/* .toMarkdown */ .l)(safe, WRITING).trimEnd();
}
const WRITING = {
    bullet: '-',
    fences: true,
    rule: '-',
    resourceLink: true,
    extensions: [(0,mdast_util_gfm__WEBPACK_IMPORTED_MODULE_7__/* .gfmToMarkdown */ .H)({ tablePipeAlign: false })],
};
/** Languages that GitHub does not show as code but draws, loads or lays out. */
const LIVE_LANGUAGES = ['mermaid', 'math', 'geojson', 'topojson', 'stl', 'suggestion'];
/**
 * Parsers of Markdown need time and stack out of proportion for some texts that no one writes to be read: deep
 * nesting, and very long runs of marks that open something. Those are shown as they are.
 */
const MOST_NESTING = 8;
const MOST_MARKS_A_BLOCK = 1000;
function isTooTangled(source) {
    return source.split(/\n[ \t]*\n/).some((block) => {
        const marks = block.match(/[[\]*_~<`!&]/g)?.length ?? 0;
        return (marks > MOST_MARKS_A_BLOCK && !FENCE.test(block)) || block.split('\n').some(isDeeplyNested);
    });
}
const isDeeplyNested = (line) => (/^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))+/.exec(line)?.[0].replace(/[ \t\d]/g, '').length ?? 0) >
    MOST_NESTING;
/**
 * A long text is read in pieces, because the time to read one grows faster than its length. It is cut between
 * blocks where it can be; wherever it is cut, each piece is written as Markdown that is closed in itself.
 */
const PIECE_CHARACTERS = 8000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
function splitPieces(source) {
    const pieces = [[]];
    let [length, fence] = [0, ''];
    for (const line of source.split('\n')) {
        const mark = FENCE.exec(line)?.[1] ?? '';
        const isBetween = fence === '' && (length > 2 * PIECE_CHARACTERS || /^[^\s>*+\-\d|]/.test(line));
        const isAfterBlank = pieces.at(-1)?.at(-1)?.trim() === '' || length > 2 * PIECE_CHARACTERS;
        if (length > PIECE_CHARACTERS && isBetween && isAfterBlank) {
            pieces.push([]);
            length = 0;
        }
        if (fence === '')
            fence = mark;
        else if (mark.startsWith(fence) && line.trim() === mark)
            fence = '';
        pieces.at(-1)?.push(line);
        length += line.length + 1;
    }
    return pieces.map((lines) => lines.join('\n')).filter((piece) => piece.trim() !== '');
}
/** Addresses that stand apart from their links; the links are written whole, so these can go. */
function definitionsOf(tree) {
    const found = new Map();
    const visit = (node) => {
        if (node.type === 'definition' && !found.has(node.identifier))
            found.set(node.identifier, node.url);
        if ('children' in node)
            node.children.forEach(visit);
    };
    visit(tree);
    return found;
}
function rewriteAll(parent, definitions) {
    const children = parent.children.flatMap((child) => rewrite(child, definitions));
    if (isPhrasing(parent))
        return joinCode(joinText(children).flatMap(splitText));
    return children.map((child) => (child.type === 'text' ? paragraph(splitText(child)) : child));
}
const PHRASING_PARENTS = [
    'paragraph',
    'heading',
    'emphasis',
    'strong',
    'delete',
    'link',
    'linkReference',
    'tableCell',
];
const isPhrasing = (node) => PHRASING_PARENTS.includes(node.type);
const text = (value) => ({ type: 'text', value });
const paragraph = (children) => ({
    type: 'paragraph',
    children: children,
});
const withChildren = (node, definitions) => ({
    ...node,
    children: rewriteAll(node, definitions),
});
function rewrite(node, definitions) {
    switch (node.type) {
        case 'text':
            return [text((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(node.value))];
        case 'inlineCode':
            return [{ type: 'inlineCode', value: (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(node.value) }];
        case 'code':
            return [{ type: 'code', lang: language(node.lang), meta: null, value: (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(node.value) }];
        case 'html':
            return [text((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(node.value).replace(/\n\s*\n/g, '\n'))];
        case 'heading':
            return [{ ...withChildren(node, definitions), depth: deeper(node.depth) }];
        case 'link':
            return linkTo(node.url, withChildren(node, definitions).children);
        case 'linkReference':
            return linkTo(definitions.get(node.identifier) ?? '', rewriteAll(node, definitions));
        case 'image':
            return imageAsLink(node.alt, node.url);
        case 'imageReference':
            return imageAsLink(node.alt, definitions.get(node.identifier) ?? '');
        case 'footnoteReference':
            return [text(`[${(0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(node.label ?? node.identifier)}]`)];
        case 'footnoteDefinition':
            return [
                paragraph([text(`[${(0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(node.label ?? node.identifier)}]:`)]),
                ...rewriteAll(node, definitions),
            ];
        case 'blockquote':
            return [withChildren(withPlainAlert(node), definitions)];
        case 'definition':
        case 'yaml':
            return [];
        default:
            return ['children' in node ? withChildren(node, definitions) : node];
    }
}
/** Headings of the answer stand below those of the summary. */
const deeper = (depth) => (depth <= 2 ? 4 : depth === 3 ? 5 : 6);
function language(given) {
    const name = /^[\w+#.-]{1,30}$/.exec(given ?? '')?.[0];
    return name === undefined || LIVE_LANGUAGES.includes(name.toLowerCase()) ? null : name;
}
/** Links lead to the web only, and say where. */
function linkTo(address, children) {
    const url = webAddress(address);
    const label = joinText(children);
    if (!url)
        return label;
    const shown = label.map((child) => ('value' in child ? child.value : '')).join('');
    const isItself = shown !== '' && (shown === address || `http://${shown}` === address);
    // GitHub tells the other side when one of these is linked to.
    if (isReference(url)) {
        const code = { type: 'inlineCode', value: (0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(url.href) };
        return isItself ? [code] : [...label, text(' '), code];
    }
    const link = {
        type: 'link',
        url: url.href,
        children: (isItself ? [text((0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(shown))] : label),
    };
    return isItself ? [link] : [link, text(` (${url.host})`)];
}
function webAddress(address) {
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
        return undefined;
    const url = new URL(address);
    url.username = '';
    url.password = '';
    return url;
}
/** Whatever the host: an Enterprise server has a name of its own. */
const isReference = ({ pathname }) => /^\/[^/]+\/[^/]+\/(issues|pull|discussions|commit)\/\w/i.test(pathname);
function imageAsLink(alt, url) {
    return linkTo(url, [text(`image: ${(0,_plain_text_js__WEBPACK_IMPORTED_MODULE_3__/* .nameInvisible */ .xC)(alt || 'without a description')}`)]);
}
/** GitHub draws `[!WARNING]` at the beginning of a quotation as a box of its own; here it is a word. */
function withPlainAlert(quote) {
    const [first, ...rest] = quote.children;
    if (first?.type !== 'paragraph')
        return quote;
    const [start, ...others] = first.children;
    const alert = start?.type === 'text' ? /^\[!(\w+)\][ \t]*\n?/.exec(start.value) : null;
    if (!alert || start?.type !== 'text')
        return quote;
    const word = alert[1] ?? '';
    const name = word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
    const left = start.value.slice(alert[0].length);
    const children = [
        { type: 'strong', children: [text(`${name}:`)] },
        text(left === '' ? '' : ` ${left}`),
        ...others,
    ];
    return { ...quote, children: [{ ...first, children }, ...rest] };
}
/** Neighbouring texts are one text to whoever renders them. */
function joinText(nodes) {
    const joined = [];
    for (const node of nodes) {
        const last = joined.at(-1);
        if (node.type === 'text' && last?.type === 'text')
            last.value += node.value;
        else
            joined.push(node.type === 'text' ? { ...node } : node);
    }
    return joined;
}
/** Two pieces of code side by side would be read as one with the marks between them inside. */
function joinCode(nodes) {
    const joined = [];
    for (const node of nodes) {
        const last = joined.at(-1);
        if (node.type === 'inlineCode' && last?.type === 'inlineCode')
            last.value += node.value;
        else
            joined.push(node.type === 'inlineCode' ? { ...node } : node);
    }
    return joined;
}
/** What GitHub would bring to life in a text becomes code, where nothing lives. */
function splitText(node) {
    if (node.type !== 'text')
        return [node];
    return (0,_live_text_js__WEBPACK_IMPORTED_MODULE_1__/* .splitLiveText */ .k)(node.value).map(({ isLive, value }) => isLive ? { type: 'inlineCode', value } : text(value));
}


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


/***/ })

};
