import type { Span } from './redact-scan.js';

/**
 * Tokens nobody told us about, known by their shape: GitHub, Cursor, OpenAI and Anthropic, AWS, Slack, GitLab,
 * npm, Google, JSON web tokens and private keys. Each pattern begins with fixed letters at the edge of a word
 * and goes on with one class of characters, so that no text can make them slow.
 */
const TOKENS = [
  'gh[pousr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  // Words joined by hyphens look alike; a key has digits.
  'sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}',
  'key_[0-9A-Fa-f]{24,}',
  'A(?:KIA|SIA)[0-9A-Z]{16}',
  'xox[abeoprs]-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{10,}',
  'glpat-[A-Za-z0-9_-]{16,}',
  'npm_[A-Za-z0-9]{30,}',
  'AIza[A-Za-z0-9_-]{30,}',
  'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
].join('|');
/** Letters before the fixed ones make it another word. */
const TOKEN = new RegExp(`(?<![A-Za-z0-9_-])(?:${TOKENS})`, 'g');
/**
 * Whether a closer look is worth it. Without the edge, because in a line of JSON the `n` of an escaped newline
 * stands before a word that begins a line; with counts instead of bounds, because every place is tried; and
 * from the rarest character on, because every line of a long stream is searched.
 */
const UNDERSCORE = {
  mark: '_',
  leads: pairs('hp', 'ho', 'hu', 'hs', 'hr', 'at', 'ey', 'pm'),
  pattern: /(?<=gh[pousr]|github_pat|key|npm)_[A-Za-z0-9_]{20}/y,
  length: 20,
};
const HYPHEN = {
  mark: '-',
  leads: pairs('sk', 'at', ...Array.from('abeoprs', (letter) => `x${letter}`)),
  pattern: /(?<=sk|glpat|xox[abeoprs])-[A-Za-z0-9_-]{10}/y,
  length: 10,
};
const WITHOUT_MARK = /A(?:KIA|SIA)[0-9A-Z]{16}|AIza[A-Za-z0-9_-]{30}|yJ[A-Za-z0-9_-]{8}/;

function hasAround(text: string, { mark, leads, pattern, length }: typeof UNDERSCORE): boolean {
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    // The two characters before rule most places out, for far less than a pattern costs.
    if (!leads.has(pairAt(text, at - 2)) || !isRun(text, at, length)) continue;
    pattern.lastIndex = at;
    if (pattern.test(text)) return true;
  }
  return false;
}

/** Whether so many characters after this place can be a token; from the end, where most words are over. */
function isRun(text: string, at: number, length: number): boolean {
  for (let last = at + length; last > at; last -= 1)
    if (!isTokenCharacter(text.charCodeAt(last))) return false;
  return true;
}

function pairs(...texts: string[]): ReadonlySet<number> {
  return new Set(texts.map((text) => pairAt(text, 0)));
}

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

const PEM_MARK = 'PRIVATE KEY';
const PEM_BEGIN = '-----BEGIN ';
const PEM_END = '-----END ';
const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_FOOT = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
/** What a private key is written in, with line ends as they are or as JSON escapes them. */
const PEM_BODY = /(?:[A-Za-z0-9+/=\s]|\\[nrt])*/y;
/** The longest private keys in use are well below this. */
const PEM_CHARACTERS = 20_000;

/** Whether a text may hold a token, for deciding whether it needs a closer look. */
export const mayHoldToken = (text: string): boolean =>
  hasAround(text, UNDERSCORE) ||
  hasAround(text, HYPHEN) ||
  // Four plain searches cost half of what the pattern does.
  ((text.includes('yJ') || text.includes('AKIA') || text.includes('ASIA') || text.includes('AIza')) &&
    WITHOUT_MARK.test(text)) ||
  text.includes(PEM_MARK);

export function findTokens(text: string): Span[] {
  const tokens = Array.from(text.matchAll(TOKEN), ({ index, 0: token }) => ({
    start: index,
    end: index + token.length,
  }));
  return text.includes(PEM_MARK) ? [...tokens, ...findPrivateKeys(text)] : tokens;
}

function findPrivateKeys(text: string): Span[] {
  const found: Span[] = [];
  let foot = text.indexOf(PEM_END);
  for (let start = text.indexOf(PEM_BEGIN); start >= 0;) {
    const head = matchAt(PEM_HEAD, text, start);
    let end = start + PEM_BEGIN.length;
    if (head > 0) {
      // Each search for an end goes on from the one before, so that many beginnings do not cost more.
      if (foot >= 0 && foot < start) foot = text.indexOf(PEM_END, start);
      const footEnd =
        foot > start && foot - start < PEM_CHARACTERS ? foot + matchAt(PEM_FOOT, text, foot) : -1;
      end = footEnd > foot ? footEnd : start + head + matchAt(PEM_BODY, text, start + head);
      found.push({ start, end });
    }
    start = text.indexOf(PEM_BEGIN, end);
  }
  return found;
}

/** How many characters the pattern takes at this place. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** A token that goes on where the text ends could be this long before it is given up as one. */
const OPEN_CHARACTERS = 4096;
const PREFIXES = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'sk-', 'key_', 'AKIA', 'ASIA', 'xox', 'glpat-'],
  ...['npm_', 'AIza', 'eyJ'],
];

/** How many characters at the end of a text may be a token that is not whole yet. */
export function openToken(text: string): number {
  const least = Math.max(0, text.length - OPEN_CHARACTERS);
  let [start, open] = [text.length, 0];
  // Parts between dots are looked at one by one: a token may begin after a dot, and some have dots in them.
  for (;;) {
    while (start > least && isTokenCharacter(text.charCodeAt(start - 1))) start -= 1;
    const word = text.slice(start);
    if (word !== '' && PREFIXES.some((prefix) => word.startsWith(prefix) || prefix.startsWith(word)))
      open = word.length;
    if (start <= least || text[start - 1] !== '.') return open;
    start -= 1;
  }
}

/** Letters, digits, `_` and `-`. */
function isTokenCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d
  );
}
