/** Files that people read. Nothing in them is code, so nothing in them proves what the code does. */
const PROSE =
  /\.(?:md|mdx|markdown|txt|rst|adoc|asciidoc|org|tex|textile|po|log)$|(?:^|\/)(?:readme|licen[cs]e|changelog|contributing|authors|notice|todo)[^/]*$/i;

/** What opens a comment of several lines in some language, and what closes it; in these files only, if it is code elsewhere. */
const BLOCKS: readonly { open: string; close: string; files?: RegExp }[] = [
  { open: '/*', close: '*/' },
  { open: '<!--', close: '-->' },
  { open: '"""', close: '"""' },
  { open: "'''", close: "'''" },
  { open: '<#', close: '#>' },
  { open: '--[[', close: ']]' },
  { open: '{{!', close: '}}' },
  { open: '<%#', close: '%>' },
  { open: '=begin', close: '=end' },
  { open: '(*', close: '*)', files: /\.(?:mli?|fsi?|fsx|pas|pp|dpr|sml|v|wl|m|nb|applescript)$/i },
  { open: '{-', close: '-}', files: /\.(?:l?hs|elm|purs|idr|agda|dhall)$/i },
  { open: '{', close: '}', files: /\.(?:pas|pp|dpr)$/i },
  { open: '#=', close: '=#', files: /\.jl$/i },
  { open: '#|', close: '|#', files: /\.(?:lisp|cl|el|scm|rkt|ss)$/i },
  { open: '{#', close: '#}', files: /\.(?:html?|twig|j2|jinja2?|njk)$/i },
];
/** What opens a comment to the end of the line, anywhere or after a blank; and what only does so at its beginning. */
const LINE_COMMENT = /\/\/|(?<!\S)(?:#|--|;)|^\s*(?:[;%*!"']|rem\b|dnl\b)/i;

/**
 * The lines of a file without what may be a comment in any language. A string that looks like the beginning of one is
 * taken for one, because here it costs little to believe too little.
 */
export function codeLines(path: string, text: string): string[] {
  const lines = text.split('\n');
  if (PROSE.test(path)) return lines.map(() => '');
  const blocks = BLOCKS.filter(({ files }) => !files || files.test(path));
  let close: string | undefined;
  return lines.map((line) => {
    let [code, rest] = ['', line];
    for (;;) {
      if (close !== undefined) {
        const end = rest.indexOf(close);
        if (end === -1) return code;
        rest = rest.slice(end + close.length);
        close = undefined;
      }
      const opening = firstOpening(rest, blocks);
      const comment = LINE_COMMENT.exec(rest)?.index ?? Infinity;
      if (comment < (opening?.at ?? Infinity)) return code + rest.slice(0, comment);
      if (!opening) return code + rest;
      code += rest.slice(0, opening.at);
      rest = rest.slice(opening.at + opening.open.length);
      close = opening.close;
    }
  });
}

function firstOpening(text: string, blocks: typeof BLOCKS) {
  const openings = blocks.flatMap(({ open, close }) => {
    const at = text.indexOf(open);
    return at === -1 ? [] : [{ at, open, close }];
  });
  return openings.sort((one, other) => one.at - other.at)[0];
}
