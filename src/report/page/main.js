import { createCallList, element, showCallDetails, showNoCall } from './calls.js';
import { createTimeline } from './timeline.js';
/** @import { Call, PageData } from './calls.js' */

/**
 * The calls that pass a filter. An empty set of kinds or states means all of them.
 * @param {readonly Call[]} calls
 * @param {{text: string, kinds: ReadonlySet<string>, states: ReadonlySet<string>}} filter
 */
function filterCalls(calls, { text, kinds, states }) {
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

/** @param {Call} call */
function searchText(call) {
  const known = searchTexts.get(call);
  if (known !== undefined) return known;
  const { kind, name, target, state, message, facts } = call;
  const text = [kind, name, target, state, message, facts.output ?? ''].join('\n').toLowerCase();
  searchTexts.set(call, text);
  return text;
}

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
 * @returns {{on: Set<string>, clear: () => void}}
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
  return {
    on,
    clear() {
      on.clear();
      for (const button of bar.children) button.setAttribute('aria-pressed', 'false');
    },
  };
}

function start() {
  /** @type {PageData} */
  const data = JSON.parse(part('data', HTMLScriptElement).textContent ?? '');
  if (data.calls.length === 0) return;
  part('app', HTMLElement).hidden = false;
  const search = part('search', HTMLInputElement);
  const count = part('count', HTMLElement);
  const calls = part('calls', HTMLElement);
  const details = part('details', HTMLElement);

  const list = createCallList(calls, {
    onSelect(call) {
      showCallDetails(details, call);
      timeline.choose(call);
    },
    onEnter: () => details.focus(),
  });
  const timeline = createTimeline({
    picture: part('timeline', SVGElement),
    lanes: part('lanes', HTMLElement),
    axis: part('axis', HTMLElement),
    endMs: data.endMs,
    onSelect: (call) => list.selectCall(call),
  });
  const update = () => {
    const shown = filterCalls(data.calls, { text: search.value, kinds: kinds.on, states: states.on });
    timeline.show(shown);
    if (!list.show(shown)) {
      showNoCall(details);
      timeline.choose(undefined);
    }
    const all = data.calls.length.toLocaleString('en-US');
    const words = data.calls.length === 1 ? '1 call' : `${all} calls`;
    count.textContent =
      shown.length === data.calls.length ? words : `${shown.length.toLocaleString('en-US')} of ${words}`;
  };
  const clear = () => {
    search.value = '';
    kinds.clear();
    states.clear();
    update();
  };
  const values = (/** @type {'kind' | 'state'} */ name) => [...new Set(data.calls.map((call) => call[name]))];
  const kinds = toggles(part('kinds', HTMLElement), values('kind'), update);
  const states = toggles(part('states', HTMLElement), values('state'), update);
  search.addEventListener('input', update);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/' && event.target !== search) {
      event.preventDefault();
      search.focus();
    } else if (event.key === 'Escape' && event.target instanceof Element && details.contains(event.target)) {
      calls.focus();
    } else if (event.key === 'Escape') {
      // The browser would clear the search as well, and report it a second time.
      event.preventDefault();
      clear();
    }
  });

  /** Chooses the call that the address names. @returns {boolean} */
  const follow = () => {
    const [, named] = /^#call-(\d+)$/.exec(window.location.hash) ?? [];
    const call = data.calls.find(({ number }) => number === Number(named));
    if (!call) return false;
    clear();
    list.selectCall(call);
    calls.scrollIntoView({ block: 'nearest' });
    return true;
  };
  window.addEventListener('hashchange', follow);
  update();
  if (follow()) return;
  const culprit = data.calls.find(({ number }) => number === data.culprit);
  const first = culprit ?? data.calls.find(({ state }) => state === 'failed' || state === 'denied');
  if (first) list.selectCall(first);
  if (culprit) calls.scrollIntoView({ block: 'nearest' });
}

start();
