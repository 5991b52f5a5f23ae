import { nameInvisible } from '../text/plain-text.js';

/**
 * A suggestion as text that may take the place of whole lines, whose last break is not part of them. Nothing if it
 * holds characters that cannot be seen: someone would accept it with one click.
 */
export function suggestedText(suggestion: string | undefined): string | undefined {
  const text = suggestion?.replace(/\r\n/g, '\n').replace(/\n$/, '');
  return text === undefined || nameInvisible(text) !== text ? undefined : text;
}
