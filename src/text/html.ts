import { joinParts } from './format.js';
import { codePieces, nameInvisible, truncate } from './plain-text.js';

/** HTML around text of unknown origin. Every function here that takes text escapes it. */

/** Escapes text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return nameInvisible(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Data for a script element. Without `<`, nothing in it can close the element or open a comment. */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

export const joined = (parts: readonly string[]): string => joinParts(parts, '\n');

export const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
export const pre = (text: string): string => `<pre tabindex="0">${escapeHtml(text)}</pre>`;

/** A sentence, in which text between backticks is code. */
export const sentence = (text: string, maxLength = 4000): string =>
  codePieces(truncate(text, maxLength))
    .map((piece) => (piece.isCode ? code(piece.text) : escapeHtml(piece.text)))
    .join('');

/** A link to the web. `content` is HTML; without a usable address it stays without a link. */
export const link = (url: string | undefined, content: string): string =>
  url !== undefined && /^https?:\/\/[^\s"'<>\\]+$/.test(url)
    ? `<a href="${escapeHtml(url)}">${content}</a>`
    : content;

export const lineCountsHtml = (added: number, removed: number): string =>
  `<span class="plus">+${added}</span> <span class="minus">−${removed}</span>`;
