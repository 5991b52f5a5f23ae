import { escapeHtml } from '../text/html-text.js';
import { truncate } from '../text/plain-text.js';

/** Deeper or longer data is not for reading; it is shown as JSON alone. */
const MOST_DEPTH = 6;
const MOST_VALUES = 1000;
const TEXT_CHARACTERS = 4000;

/** JSON as names and values, lists and texts; undefined if there is too much of it. */
export function renderData(data: unknown): string | undefined {
  let room = MOST_VALUES;
  const render = (value: unknown, depth: number): string => {
    room -= 1;
    if (room < 0 || depth > MOST_DEPTH) throw new RangeError('There is too much data.');
    if (Array.isArray(value)) {
      if (value.length === 0) return '<span class="small">none</span>';
      return `<ul>${value.map((item: unknown) => `<li>${render(item, depth + 1)}</li>`).join('')}</ul>`;
    }
    if (typeof value === 'object' && value !== null) {
      const items = Object.entries(value).map(
        ([name, item]) =>
          `<div><dt>${escapeHtml(truncate(name, 200))}</dt><dd>${render(item, depth + 1)}</dd></div>`,
      );
      return items.length === 0
        ? '<span class="small">none</span>'
        : `<dl class="data">${items.join('')}</dl>`;
    }
    return escapeHtml(truncate(String(value), TEXT_CHARACTERS));
  };
  try {
    return render(data, 0);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
