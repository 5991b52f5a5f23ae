/**
 * The agent's text as plain text. In the log it must not contain commands for the runner or the terminal, nor characters
 * that a reader cannot see.
 */

/* eslint-disable no-control-regex, no-misleading-character-class -- these are the characters to find */
export const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
export const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that are invisible or change the direction of text. */
export const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;
/* eslint-enable no-control-regex, no-misleading-character-class */

const nameOf = (mark: string): string =>
  `<U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;

/** For HTML: keeps lines and tabs, drops colour codes, and shows every other invisible character by its name. */
export function nameInvisible(text: string): string {
  return text
    .replace(ANSI, '')
    .replace(CONTROL, nameOf)
    .replace(/[\u2028\u2029]/g, nameOf)
    .replace(INVISIBLE, nameOf)
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

/** For logs and Markdown: keeps line ends, drops colour codes, and makes control and invisible characters visible. */
export function showUnseen(text: string): string {
  return text
    .replace(ANSI, '')
    .replace(/\t/g, '  ')
    .replace(CONTROL, (mark) => (mark === '\r' || mark === '\n' ? mark : '\ufffd'))
    .replace(INVISIBLE, nameOf);
}

/** Splits at everything that ends a line somewhere: the runner also splits at \r, other readers at U+2028. */
export const splitIntoLines = (text: string): string[] => text.split(/\r\n|[\n\r\u2028\u2029\u0085]/);

/** At most `maxLength` characters, without cutting one in half. */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = isHighSurrogate(text.charCodeAt(maxLength - 2)) ? maxLength - 2 : maxLength - 1;
  return `${text.slice(0, end)}…`;
}

/** The last `maxLength` characters, without cutting one in half. */
export function truncateStart(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const start = text.length - maxLength + 1;
  return `…${text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start)}`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** A text in pieces: what is between backticks is meant as code. */
export const codePieces = (text: string): { isCode: boolean; text: string }[] =>
  text
    .split(/`([^`\n]{1,200})`/)
    .map((piece, index) => ({ isCode: index % 2 === 1, text: piece }))
    .filter((piece) => piece.text !== '');

/** Joins the words of a text with single spaces, and cuts it at `maxLength` characters. */
export const joinWords = (text: string, maxLength = 1000): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, maxLength);

/** Puts a text on one line, and shows where its lines ended. */
export const oneLine = (text: string): string => showUnseen(splitIntoLines(text.trim()).join(' ⏎ '));

/** A line for the runner's log that contains no workflow command. */
export function logLine(text: string, maxLength = 1000): string {
  return truncate(breakCommands(showUnseen(splitIntoLines(text).join(' '))), maxLength);
}

/** A text of several lines without workflow commands, for our own messages. */
export const commandFree = (text: string): string =>
  splitIntoLines(text)
    .map((line) => breakCommands(showUnseen(line)))
    .join('\n');

/** The runner reads `::name` at the beginning of a line, after spaces, and `##[name]` anywhere in a line. */
const breakCommands = (line: string): string =>
  line.replace(/##(?=\[)/g, '##\\').replace(/^(\s*:):/, '$1\\:');
