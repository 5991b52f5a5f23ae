import { splitLiveText } from './live-text.js';
import { showUnseen, splitIntoLines, truncate } from './plain-text.js';

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
export function codeText(text: string, most = 120): string {
  const line = truncate(showUnseen(splitIntoLines(text.trim()).join(' ⏎ ')), most);
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

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

export function folded(title: string, body: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${title}</summary>\n\n${body}\n\n</details>`;
}
