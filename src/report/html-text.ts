import { nameInvisible } from './plain-text.js';

/** Text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return nameInvisible(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Data inside of a script element that nothing in it can close. */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, unicodeEscape);
}

const unicodeEscape = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
