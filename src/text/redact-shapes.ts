import type { Span } from './redact-find.js';

/**
 * Tokens that are recognised by their shape alone: GitHub, Cursor, OpenAI and Anthropic, AWS, Slack, GitLab, npm,
 * Google and JSON web tokens. Each pattern begins with fixed letters at the edge of a word and continues with one class
 * of characters, so no text can make it slow.
 */
const TOKENS = [
  'gh[pousr]_[A-Za-z0-9]{20,}',
  'github_pat_[A-Za-z0-9_]{20,}',
  // Words joined by hyphens look the same, but a key has digits.
  'sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}',
  'key_[0-9A-Fa-f]{24,}',
  'A(?:KIA|SIA)[0-9A-Z]{16}',
  'xox[abeoprs]-(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{10,}',
  'glpat-[A-Za-z0-9_-]{16,}',
  'npm_[A-Za-z0-9]{30,}',
  'AIza[A-Za-z0-9_-]{30,}',
  'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*',
];
/** With letters before it, it is another word. */
const TOKEN = new RegExp(`(?<![A-Za-z0-9_-])(?:${TOKENS.join('|')})`, 'g');
/**
 * Only the beginning of each, because this is tried at every letter. It is tried without the edge, because in a line of
 * JSON the `n` of an escaped newline stands before the first word of a line.
 */
const BEGINNINGS = TOKENS.map((token) => token.replace(/\(\?=.*?\)/, '').replace(/(\{\d+),\}.*/, '$1}'));
const HINT = new RegExp(['PRIVATE KEY', ...BEGINNINGS].join('|'));

const KEY_BEGINS = '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
const KEY_ENDS = '-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
/** Up to its end or, if it has none, as far as its characters go. The longest keys in use are well below the limit. */
const PRIVATE_KEY = new RegExp(
  `${KEY_BEGINS}(?:(?:(?!-----BEGIN )[^]){0,20000}?${KEY_ENDS}|(?:[A-Za-z0-9+/=\\s]|\\\\[nrt])*)`,
  'g',
);

/** Whether a text can contain a token. */
export const mayHoldToken = (text: string): boolean => HINT.test(text);

export const findTokens = (text: string): Span[] =>
  [TOKEN, PRIVATE_KEY].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ index, 0: token }) => ({
      start: index,
      end: index + token.length,
    })),
  );

/** The longest end of a text that is looked at. */
const OPEN_CHARACTERS = 4096;
const PREFIXES = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'sk-', 'key_', 'AKIA', 'ASIA', 'xox', 'glpat-'],
  ...['npm_', 'AIza', 'eyJ'],
];

/** How many characters at the end of a text can be the beginning of a token. Some tokens have dots in them. */
export function openToken(text: string): number {
  const words = /(?:[\w-]+\.)*[\w-]*$/.exec(text.slice(-OPEN_CHARACTERS))?.[0] ?? '';
  for (let word = words; word !== ''; word = /\.(.*)$/.exec(word)?.[1] ?? '')
    if (PREFIXES.some((prefix) => word.startsWith(prefix) || prefix.startsWith(word))) return word.length;
  return 0;
}

/** A private key in PEM has at most this many lines. */
const MOST_KEY_LINES = 300;
const KEY_LINE = /^[\sA-Za-z0-9+/=:,.-]*$/;

/** For each line of a text, in order: whether it is inside of a private key that began on an earlier line. */
export function watchKeyLines(): (line: string) => boolean {
  let left = 0;
  return (line) => {
    const isInside = left > 0 && KEY_LINE.test(line);
    left = isInside ? left - 1 : 0;
    if (!line.includes('PRIVATE KEY')) return isInside;
    if (new RegExp(KEY_ENDS).test(line)) left = 0;
    else if (new RegExp(KEY_BEGINS).test(line) && !line.trimStart().startsWith('{')) left = MOST_KEY_LINES;
    return isInside;
  };
}
