import { escapeHtml } from '../text/html-text.js';
import { truncate } from '../text/plain-text.js';
import { titlePieces } from './findings.js';

/** Small pieces of the page. Every text is escaped here. */
export const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

export const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;
export const pre = (text: string): string => `<pre tabindex="0">${escapeHtml(text)}</pre>`;

/** A sentence, in which text between backticks is code. */
export const sentence = (text: string, most = 4000): string =>
  titlePieces(truncate(text, most))
    .map((piece) => (piece.isCode ? code(piece.text) : escapeHtml(piece.text)))
    .join('');

/** A link to the web. `content` is HTML; without a usable address it stays without a link. */
export const link = (url: string | undefined, content: string): string =>
  url !== undefined && /^https?:\/\/[^\s"'<>\\]+$/.test(url)
    ? `<a href="${escapeHtml(url)}">${content}</a>`
    : content;

export const lineCountsHtml = (added: number, removed: number): string =>
  `<span class="plus">+${added}</span> <span class="minus">−${removed}</span>`;
