import { clock } from '../../text/format.js';

/**
 * @import { ToolCall } from '../model.js'
 * @typedef {ToolCall & { allow?: string[] }} Call
 *
 * @typedef {object} PageData
 * @property {Call[]} calls
 * @property {number} endMs
 * @property {number} [culprit] The number of the call at which a failed run stopped.
 *
 * @typedef {object} Filter
 * @property {string} text
 * @property {ReadonlySet<string>} kinds
 * @property {ReadonlySet<string>} states
 */

/**
 * The calls that pass a filter. An empty set of kinds or states means all of them.
 * @param {readonly Call[]} calls
 * @param {Filter} filter
 * @returns {Call[]}
 */
export function filterCalls(calls, { text, kinds, states }) {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return calls.filter((call) => {
    if (kinds.size > 0 && !kinds.has(call.kind)) return false;
    if (states.size > 0 && !states.has(call.state)) return false;
    if (words.length === 0) return true;
    const whole = searchText(call);
    return words.every((word) => whole.includes(word));
  });
}

/** @type {WeakMap<Call, string>} */
const searchTexts = new WeakMap();

/**
 * @param {Call} call
 * @returns {string}
 */
function searchText(call) {
  const known = searchTexts.get(call);
  if (known !== undefined) return known;
  const { kind, name, target, state, message, facts } = call;
  const text = [kind, name, target, state, message, facts.output ?? ''].join('\n').toLowerCase();
  searchTexts.set(call, text);
  return text;
}

/**
 * @param {number | undefined} ms
 * @returns {string} `3.2 s`
 */
export function durationText(ms) {
  if (ms === undefined) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${clock(ms)} min`;
}

/**
 * An element with attributes and children. Text is always set as text, never as HTML.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
