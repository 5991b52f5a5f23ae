/**
 * Text of the agent as text and nothing else: what reaches the log must not be able to speak to the runner, to
 * the terminal, or to a reader's eyes with characters that cannot be seen.
 */

/* eslint-disable no-control-regex, no-misleading-character-class -- such characters are what is looked for */
export const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
export const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** Characters that change the direction of text or are not seen at all. */
export const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;
/* eslint-enable no-control-regex, no-misleading-character-class */

const nameOf = (mark: string): string =>
  `<U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;

/** Text that may have lines and tabs, without colour codes and with every other character that cannot be seen shown by its name. */
export function nameInvisible(text: string): string {
  return text
    .replace(ANSI, '')
    .replace(CONTROL, nameOf)
    .replace(/[\u2028\u2029]/g, nameOf)
    .replace(INVISIBLE, nameOf)
    .replace(/\p{Surrogate}/gu, '\ufffd');
}

/** Colour codes are dropped; other unseen characters are shown as what they are. */
export function showUnseen(text: string): string {
  return text
    .replace(ANSI, '')
    .replace(/\t/g, '  ')
    .replace(CONTROL, (mark) => (mark === '\r' || mark === '\n' ? mark : '\ufffd'))
    .replace(INVISIBLE, nameOf);
}

/** Everything that ends a line for anyone: the runner splits at \r too, and other readers at U+2028. */
export const splitIntoLines = (text: string): string[] => text.split(/\r\n|[\n\r\u2028\u2029\u0085]/);

/** At most `most` characters, and never half of one. */
export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = isHighSurrogate(text.charCodeAt(most - 2)) ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** The last `most` characters, likewise. */
export function truncateStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = text.length - most + 1;
  return `…${text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start)}`;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** One line of text on one line. */
export const oneLine = (text: string): string => showUnseen(splitIntoLines(text.trim()).join(' ⏎ '));

/** A line for the runner's log in which no workflow command can be read. */
export function logLine(text: string, most = 1000): string {
  return truncate(breakCommands(showUnseen(splitIntoLines(text).join(' '))), most);
}

/** A text of many lines, each of them free of workflow commands: for what we say in our own name. */
export const commandFree = (text: string): string =>
  splitIntoLines(text)
    .map((line) => breakCommands(showUnseen(line)))
    .join('\n');

/** The runner reads `::name` at the beginning of a line, blanks aside, and `##[name]` anywhere in one. */
const breakCommands = (line: string): string =>
  line.replace(/##(?=\[)/g, '##\\').replace(/^(\s*:):/, '$1\\:');
