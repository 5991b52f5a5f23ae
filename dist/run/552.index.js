export const id = 552;
export const ids = [552];
export const modules = {

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

/***/ 3552:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  SUMMARY_BYTES: () => (/* reexport */ summary_writer/* SUMMARY_BYTES */.R),
  buildHtml: () => (/* reexport */ buildHtml),
  buildReport: () => (/* reexport */ report_file/* buildReport */.F),
  buildSummary: () => (/* reexport */ buildSummary)
});

// EXTERNAL MODULE: ./src/report/answer-markdown.ts
var answer_markdown = __webpack_require__(9178);
// EXTERNAL MODULE: ./src/report/html-writer.ts + 3 modules
var html_writer = __webpack_require__(849);
;// CONCATENATED MODULE: ./src/report/html.ts


/** The page of a run, with its answer as the Markdown it is. */
const buildHtml = (0,html_writer/* htmlWriter */.t)(answer_markdown/* markdownAnswer */.E);

// EXTERNAL MODULE: ./src/report/report-file.ts
var report_file = __webpack_require__(6757);
// EXTERNAL MODULE: ./src/report/summary-writer.ts + 4 modules
var summary_writer = __webpack_require__(6925);
;// CONCATENATED MODULE: ./src/report/summary.ts



/** The job summary of a run, with its answer as the Markdown it is. */
const buildSummary = (0,summary_writer/* summaryWriter */.u)(answer_markdown/* markdownAnswer */.E);

;// CONCATENATED MODULE: ./src/report/documents.ts
/** Everything that writes a run down; loaded together, and only when there is something to write. */





/***/ })

};
