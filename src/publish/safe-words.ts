import { safeMarkdown } from '../report/safe-markdown.js';
import { escapeText } from '../text/markdown.js';
import { truncate } from '../text/plain-text.js';

/**
 * Text of a report as a comment on GitHub shows it. The job summary's own functions take away everything that
 * loads, pings, links in disguise or hides; a comment is read by other bots besides, which obey lines such as
 * `/merge`, wherever they stand and whoever wrote them.
 */

/** Markdown of unknown origin as Markdown that only shows something. */
export const safeWords = (text: string, most: number): string => breakSlashCommands(safeMarkdown(text, most));

/** A short text of unknown origin on one line. */
export const safeLine = (text: string, most: number): string =>
  breakSlashCommands(escapeText(truncate(text.trim(), most)));

/** Blanks and the marks of quotations and lists may stand before a command. */
const COMMAND = /^([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)\/(?=[A-Za-z])/;
/** What begins like a hidden mark, such as our own. */
const MARK = /^[ \t]*<!--/;
const FENCE = /^([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})/;

/**
 * No line of the result begins with a slash and a letter. In sentences the slash is written as an entity; in a
 * block of code nothing can be, so a block that has such a line, or one like a hidden mark, is put into a quotation.
 */
function breakSlashCommands(markdown: string): string {
  if (!/^[ \t>*+\d.)-]*(?:\/[A-Za-z]|<!--)/m.test(markdown)) return markdown;
  const lines = markdown.split('\n');
  const done: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const fence = FENCE.exec(line);
    if (!fence) {
      done.push(line.replace(COMMAND, '$1&#47;'));
      continue;
    }
    const end = closingFence(lines, index, fence[2] ?? '');
    const block = lines.slice(index, end + 1);
    done.push(
      ...(block.some((each) => COMMAND.test(each) || MARK.test(each))
        ? quoteBlock(block, fence[1] ?? '')
        : block),
    );
    index = end;
  }
  return done.join('\n');
}

function closingFence(lines: readonly string[], start: number, fence: string): number {
  for (let index = start + 1; index < lines.length; index += 1) {
    const text = (lines[index] ?? '').replace(/^[ \t>]*/, '').trimEnd();
    if (text.startsWith(fence) && text === (fence[0] ?? '`').repeat(text.length)) return index;
  }
  return lines.length - 1;
}

/** The block where it stands, one quotation deeper; one that stands in a quotation already is left there. */
function quoteBlock(block: readonly string[], before: string): readonly string[] {
  if (before.includes('>')) return block;
  const indent = ' '.repeat(before.length);
  return block.map((line, index) => {
    const rest = line.slice(before.length);
    return `${index === 0 ? before : indent}> ${rest}`.trimEnd();
  });
}
