import { splitLiveText } from './live-text.js';
import { showUnseen, splitIntoLines, truncate } from './plain-text.js';

/**
 * Markdown around text of unknown origin. Every function here takes any text and gives a piece of Markdown
 * whose structure does not depend on it.
 */

/**
 * Text between other text: no mark in it means anything. What GitHub would make a mention, a reference or a link
 * of, however it is escaped, stands in code, where it does not look.
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
    // An element of its own: mail addresses are looked for after entities have been read.
    .replaceAll('@', '<span>@</span>');
  if (!isStart) return escaped;
  return escaped
    .replace(/^(\s*)([-+])/, (_, space: string, mark: string) => space + entity(mark))
    .replace(/^(\s*\d+)([.)])/, (_, number: string, mark: string) => number + entity(mark));
}

const entity = (mark: string): string => `&#${mark.charCodeAt(0)};`;

/** A short text as code, for table cells too: HTML code, because backticks cannot hold every text in a table. */
export function codeText(text: string, most = 120): string {
  const line = truncate(showUnseen(splitIntoLines(text.trim()).join(' ⏎ ')), most);
  return line === '' ? '' : `<code>${escapeMarks(line, false)}</code>`;
}

/** A block in a fence that is longer than any run of backticks in it. */
export function fenced(text: string, language = ''): string {
  // Cleaned first: what is taken out may have kept two runs of backticks apart.
  const body = splitIntoLines(text).map(showUnseen).join('\n');
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}

/** A quotation of many lines, each of them escaped. */
export function quoted(text: string): string {
  return splitIntoLines(text)
    .map((line) => `> ${escapeText(line)}`.trimEnd())
    .join('<br>\n');
}

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

export function folded(title: string, body: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${title}</summary>\n\n${body}\n\n</details>`;
}
