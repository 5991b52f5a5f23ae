import { nameInvisible } from './plain-text.js';

/** Escapes text for HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return nameInvisible(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** Data for a script element. Without `<`, nothing in it can close the element or open a comment. */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
