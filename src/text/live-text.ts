/** A piece of text. `isLive`: GitHub would make a mention, a reference, a link or a formula from it. */
export interface TextPiece {
  isLive: boolean;
  value: string;
}

/** Words are searched one by one. A longer word is treated as a whole. */
const MOST_WORD = 200;
const LIVE = new RegExp(
  [
    // Addresses of any kind, and text that begins like one.
    /[a-z][a-z0-9+.-]*:\/\/.*/,
    /\bwww\..*/,
    /\b(?:mailto|xmpp):.*/,
    // Mentions, mail addresses, and commits of other repositories.
    /[\w.+/-]*@\w[\w./-]*/,
    // Issues, pull requests, advisories.
    /(?:[\w.-]+(?:\/[\w.-]+)?)?#\d+/,
    /\bGH-\d+\b/,
    /\bGHSA-[\w-]+\b/,
    // Commits.
    /\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);
const LIVE_SIGN = /@|:\/\/|www\.|mailto:|xmpp:|#\d|gh-\d|ghsa-|\$/i;
const CLOSING = /[.,;:!?)\]'"*_~]+$/;

/** Splits a text into plain pieces and live pieces. */
export function splitLiveText(text: string): TextPiece[] {
  // A formula is between two dollar signs, which may be far apart or outside of this text.
  const hasFormula = text.split('$').length > 2 || text.startsWith('$') || text.endsWith('$');
  const pieces: TextPiece[] = [];
  let done = 0;
  const add = (start: number, value: string) => {
    if (value === '') return;
    if (start > done) pieces.push({ isLive: false, value: text.slice(done, start) });
    pieces.push({ isLive: true, value });
    done = start + value.length;
  };
  for (const { 0: word, index } of text.matchAll(/[^\s`]+/g)) {
    for (const [start, value] of livePartsOf(word, hasFormula)) add(index + start, value);
  }
  if (done < text.length) pieces.push({ isLive: false, value: text.slice(done) });
  return pieces;
}

function livePartsOf(word: string, hasFormula: boolean): [number, string][] {
  if (hasFormula && word.includes('$')) return [[0, word]];
  if (word.length > MOST_WORD) return LIVE_SIGN.test(word) ? [[0, word]] : [];
  return [...word.matchAll(LIVE)].map((match) => [match.index, match[0].replace(CLOSING, '')]);
}
