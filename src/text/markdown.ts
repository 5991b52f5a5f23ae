import { oneLine, showUnseen, splitIntoLines, truncate } from './plain-text.js';

/**
 * Markdown around text of unknown origin. Every function here accepts any text, and the structure of the Markdown that
 * it returns does not depend on that text.
 */

/**
 * Text within a line, in which no character has a meaning. GitHub makes mentions, references and links even from
 * escaped text, so those become code, where it makes none.
 */
export function escapeText(text: string): string {
  return splitLiveText(showUnseen(splitIntoLines(text).join(' ')))
    .map(({ isLive, value }, index) => {
      const escaped = escapeMarks(value, index === 0);
      return isLive ? `<code>${escaped}</code>` : escaped;
    })
    .join('');
}

function escapeMarks(text: string, isStart: boolean): string {
  const escaped = text
    .replace(/[&<>\\`*_{}[\]#|~$^=]/g, entity)
    .replace(/:(?=\/\/)|(?<=www)\.|(?<=GH)-(?=\d)/gi, entity)
    // In an element of its own, because GitHub looks for mail addresses after it has decoded entities.
    .replaceAll('@', '<span>@</span>');
  if (!isStart) return escaped;
  return escaped
    .replace(/^(\s*)([-+])/, (_, space: string, mark: string) => space + entity(mark))
    .replace(/^(\s*\d+)([.)])/, (_, number: string, mark: string) => number + entity(mark));
}

const entity = (mark: string): string => `&#${mark.charCodeAt(0)};`;

/** A short text as code. It is HTML, because backticks in a table cannot contain every text. */
export function codeText(text: string, maxLength = 120): string {
  const line = truncate(oneLine(text), maxLength);
  return line === '' ? '' : `<code>${escapeMarks(line, false)}</code>`;
}

/** A block in a fence that is longer than any run of backticks in it. */
export function fenced(text: string, language = ''): string {
  // Cleaned first: a removed character may have separated two runs of backticks.
  const body = splitIntoLines(text).map(showUnseen).join('\n');
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}

/** Text to be copied as it is. It is HTML, because in a fence a line could begin as a command for other bots. */
export function preformatted(text: string): string {
  const lines = splitIntoLines(text).map((line) =>
    escapeMarks(showUnseen(line), false).replace(
      /^(\s*)([!/])/,
      (_, space: string, mark: string) => space + entity(mark),
    ),
  );
  return `<pre>${lines.join('\n')}</pre>`;
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

export function folded(title: string, body: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** A piece of text. `isLive`: GitHub would make a mention, a reference, a link or a formula from it. */
interface TextPiece {
  isLive: boolean;
  value: string;
}

/** Words are searched one by one. A longer word is treated as a whole. */
const MAX_WORD = 200;
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
  if (word.length > MAX_WORD) return LIVE_SIGN.test(word) ? [[0, word]] : [];
  return [...word.matchAll(LIVE)].map((match) => [match.index, match[0].replace(CLOSING, '')]);
}
