import { nameInvisible } from './plain-text.js';

/** Text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return nameInvisible(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Data inside of a script element: without a `<` nothing in it can close that, or open a comment. */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
