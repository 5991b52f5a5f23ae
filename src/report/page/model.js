/**
 * @typedef {object} Facts
 * @property {number} [exitCode]
 * @property {number} [linesAdded]
 * @property {number} [linesRemoved]
 * @property {number} [linesRead]
 * @property {number} [matches]
 * @property {string} [output]
 *
 * @typedef {object} Call
 * @property {number} number
 * @property {string} name
 * @property {string} kind
 * @property {string} target
 * @property {'running' | 'ok' | 'failed' | 'denied'} state
 * @property {string} message
 * @property {number} startMs
 * @property {number} [durationMs]
 * @property {string[]} [allow]
 * @property {Facts} facts
 *
 * @typedef {object} PageData
 * @property {Call[]} calls
 * @property {number} endMs
 *
 * @typedef {object} Filter
 * @property {string} text
 * @property {ReadonlySet<string>} kinds
 * @property {ReadonlySet<string>} states
 */

/**
 * The calls that a filter lets through; an empty set of kinds or states stands for all of them.
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
 * @param {number} ms
 * @returns {string} `0:12`
 */
export function clockText(ms) {
  const seconds = Math.floor(ms / 1000);
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * @param {number | undefined} ms
 * @returns {string} `3.2 s`
 */
export function durationText(ms) {
  if (ms === undefined) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${clockText(ms)} min`;
}

/**
 * What a call did, in a few words.
 * @param {Call} call
 * @returns {string}
 */
export function outcomeText(call) {
  const { state, message, facts } = call;
  if (state === 'running') return 'never ended';
  if (state !== 'ok') return message || state;
  if (facts.linesAdded !== undefined || facts.linesRemoved !== undefined) {
    return `+${facts.linesAdded ?? 0} −${facts.linesRemoved ?? 0}`;
  }
  if (facts.linesRead !== undefined) return `${facts.linesRead} lines`;
  if (facts.matches !== undefined) return `${facts.matches} matches`;
  return facts.exitCode === undefined ? '' : `exit ${facts.exitCode}`;
}

/**
 * An element with attributes, holding text or other elements. Text is only ever set as text.
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
