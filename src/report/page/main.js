import { showCallDetails } from './call-details.js';
import { createCallList } from './call-list.js';
import { element, filterCalls } from './model.js';
import { createTimeline } from './timeline.js';
/** @import { Call, PageData } from './model.js' */

/**
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function part(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${id}.`);
  return found;
}

/**
 * Buttons for the values of a filter. A value passes while its button is pressed.
 * @param {HTMLElement} bar
 * @param {string[]} values
 * @param {() => void} onChange
 * @returns {Set<string>}
 */
function toggles(bar, values, onChange) {
  /** @type {Set<string>} */
  const on = new Set();
  for (const value of values) {
    const button = element('button', { type: 'button', 'aria-pressed': 'false' }, [value]);
    button.addEventListener('click', () => {
      if (!on.delete(value)) on.add(value);
      button.setAttribute('aria-pressed', String(on.has(value)));
      onChange();
    });
    bar.append(button);
  }
  return on;
}

function start() {
  /** @type {PageData} */
  const data = JSON.parse(part('data', HTMLScriptElement).textContent ?? '');
  if (data.calls.length === 0) return;
  part('app', HTMLElement).hidden = false;
  const search = part('search', HTMLInputElement);
  const count = part('count', HTMLElement);

  const choose = (/** @type {Call} */ call) => {
    showCallDetails(part('details', HTMLElement), call);
    timeline.choose(call);
  };
  const list = createCallList(part('calls', HTMLElement), choose);
  const timeline = createTimeline({
    canvas: part('timeline', HTMLCanvasElement),
    tip: part('tip', HTMLElement),
    endMs: data.endMs,
    onSelect: (call) => list.selectCall(call),
  });
  const update = () => {
    const shown = filterCalls(data.calls, { text: search.value, kinds, states });
    list.show(shown);
    timeline.show(shown);
    const all = data.calls.length.toLocaleString('en-US');
    count.textContent =
      shown.length === data.calls.length
        ? `${all} calls`
        : `${shown.length.toLocaleString('en-US')} of ${all}`;
  };
  const values = (/** @type {'kind' | 'state'} */ name) => [...new Set(data.calls.map((call) => call[name]))];
  const kinds = toggles(part('kinds', HTMLElement), values('kind'), update);
  const states = toggles(part('states', HTMLElement), values('state'), update);
  search.addEventListener('input', update);
  part('zoom-in', HTMLElement).addEventListener('click', timeline.zoomIn);
  part('zoom-out', HTMLElement).addEventListener('click', timeline.zoomOut);
  part('zoom-reset', HTMLElement).addEventListener('click', timeline.reset);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    search.focus();
  });
  update();
  const first = data.calls.find(({ state }) => state === 'failed' || state === 'denied') ?? data.calls[0];
  if (first) list.selectCall(first);
}

start();
