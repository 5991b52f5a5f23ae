import { safeMarkdown } from './safe-markdown.js';
import { escapeText } from '../text/markdown.js';
import { truncate } from '../text/plain-text.js';

/**
 * Makes text of a report safe for a comment. The functions of the job summary remove everything that loads, mentions
 * somebody, hides or links in disguise. But comments are also read by other bots, which obey lines such as `/merge`,
 * no matter who wrote them.
 */

/** Markdown from outside, as Markdown that only shows text. */
export const safeWords = (text: string, most: number): string => breakSlashCommands(safeMarkdown(text, most));

/** A short text from outside, on one line. */
export const safeLine = (text: string, most: number): string =>
  breakSlashCommands(escapeText(truncate(text.trim(), most)));

/** A command may follow blanks and the markers of quotations and lists. */
const COMMAND = /^([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)\/(?=[A-Za-z])/;
/** The beginning of a hidden comment, such as our own marker. */
const MARK = /^[ \t]*<!--/;
const FENCE = /^([ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})/;

/**
 * No line of the result begins with a slash and a letter. In text the slash becomes an entity. In a code block there
 * are no entities, so a block with such a line, or with a hidden comment, is put into a quotation.
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

/** Quotes a block. A block that is in a quotation already stays as it is. */
function quoteBlock(block: readonly string[], before: string): readonly string[] {
  if (before.includes('>')) return block;
  const indent = ' '.repeat(before.length);
  return block.map((line, index) => {
    const rest = line.slice(before.length);
    return `${index === 0 ? before : indent}> ${rest}`.trimEnd();
  });
}
