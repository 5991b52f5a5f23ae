import { clock } from '../../text/format.js';
import { outcomeWords, toolLabel } from '../run-report.js';

/**
 * @import { ToolCall } from '../model.js'
 * @typedef {ToolCall & { allow?: string[] }} Call
 *
 * @typedef {object} PageData
 * @property {Call[]} calls
 * @property {number} endMs
 * @property {number} [culprit] The number of the call at which a failed run stopped.
 */

const ROW_HEIGHT = 34;
/** Extra rows above and below, so that scrolling shows no gaps. */
const SPARE_ROWS = 10;
const STATE_MARKS = { ok: '✓', failed: '✗', denied: '⊘', running: '…' };

/**
 * A list that contains only the visible rows, however many calls there are.
 * @param {HTMLElement} viewport
 * @param {{onSelect: (call: Call) => void, onEnter: () => void}} reactions
 */
export function createCallList(viewport, { onSelect, onEnter }) {
  const spacer = element('div', { class: 'spacer', role: 'presentation' });
  viewport.replaceChildren(spacer);
  /** @type {Call[]} */
  let calls = [];
  let selected = -1;
  /** @type {Map<number, HTMLElement>} */
  const rows = new Map();

  const render = () => {
    const first = Math.max(0, Math.floor(viewport.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const last = Math.min(
      calls.length,
      Math.ceil((viewport.scrollTop + viewport.clientHeight) / ROW_HEIGHT) + SPARE_ROWS,
    );
    for (const [index, row] of rows) {
      if (index >= first && index < last) continue;
      row.remove();
      rows.delete(index);
    }
    for (let index = first; index < last; index += 1) {
      const call = calls[index];
      if (!call || rows.has(index)) continue;
      const row = callRow(call, index);
      row.setAttribute('aria-setsize', String(calls.length));
      row.setAttribute('aria-selected', String(index === selected));
      rows.set(index, row);
      spacer.append(row);
    }
  };
  const select = (/** @type {number} */ index) => {
    const call = calls[index];
    if (!call) return;
    rows.get(selected)?.setAttribute('aria-selected', 'false');
    selected = index;
    const top = index * ROW_HEIGHT;
    if (top < viewport.scrollTop) viewport.scrollTop = top;
    const bottom = top + ROW_HEIGHT - viewport.clientHeight;
    if (bottom > viewport.scrollTop) viewport.scrollTop = bottom;
    render();
    rows.get(index)?.setAttribute('aria-selected', 'true');
    viewport.setAttribute('aria-activedescendant', `call-${call.number}`);
    onSelect(call);
  };

  viewport.addEventListener('scroll', render, { passive: true });
  new ResizeObserver(render).observe(viewport);
  viewport.addEventListener('click', (event) => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null;
    if (row instanceof HTMLElement) select(Number(row.dataset['index']));
  });
  viewport.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && selected >= 0) {
      event.preventDefault();
      onEnter();
      return;
    }
    const page = Math.max(1, Math.floor(viewport.clientHeight / ROW_HEIGHT) - 1);
    const target = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      PageDown: selected + page,
      PageUp: selected - page,
      Home: 0,
      End: calls.length - 1,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(Math.min(Math.max(target, 0), calls.length - 1));
  });

  return {
    /**
     * Shows these calls. The chosen call stays chosen if it is among them; otherwise the first one is chosen.
     * @param {Call[]} shown
     * @returns {boolean} whether a call is chosen
     */
    show(shown) {
      const before = calls[selected];
      calls = shown;
      selected = before ? calls.indexOf(before) : -1;
      rows.forEach((row) => row.remove());
      rows.clear();
      spacer.style.height = `${calls.length * ROW_HEIGHT}px`;
      viewport.removeAttribute('aria-activedescendant');
      viewport.scrollTop = Math.max(0, selected * ROW_HEIGHT - viewport.clientHeight / 2);
      render();
      if (calls.length > 0) select(Math.max(0, selected));
      return calls.length > 0;
    },
    /** @param {Call} call */
    selectCall(call) {
      select(calls.indexOf(call));
    },
  };
}

/**
 * @param {Call} call
 * @param {number} index
 */
function callRow(call, index) {
  const cell = (/** @type {string} */ name, /** @type {string} */ text) =>
    element('span', { class: name }, [text]);
  const kind = cell('kind', toolLabel(call));
  kind.style.borderColor = `var(--kind-${call.kind})`;
  const row = element(
    'div',
    {
      class: `row ${call.state}`,
      role: 'option',
      id: `call-${call.number}`,
      'aria-posinset': String(index + 1),
      'data-index': String(index),
    },
    [
      cell('time', clock(call.startMs)),
      element('span', { class: 'mark', role: 'img', 'aria-label': call.state }, [STATE_MARKS[call.state]]),
      kind,
      cell('target', call.target.slice(0, 300)),
      cell('outcome', outcomeWords(call).slice(0, 120)),
      cell('took', durationText(call.durationMs)),
    ],
  );
  row.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
  return row;
}

/**
 * Shows everything that is known about one call.
 * @param {HTMLElement} panel
 * @param {Call} call
 */
export function showCallDetails(panel, call) {
  const { output } = call.facts;
  const title = `${call.number}. ${toolLabel(call)}`;
  const facts = [
    call.state,
    outcomeWords(call),
    `at ${clock(call.startMs)}`,
    durationText(call.durationMs),
    call.name === call.kind ? '' : `tool ${call.name}`,
  ];
  panel.scrollTop = 0;
  panel.replaceChildren(
    element('h3', {}, [title]),
    element('p', { class: `facts ${call.state}` }, [facts.filter((fact) => fact !== '').join(' · ')]),
    ...(call.allow && call.allow.length > 0
      ? [element('p', {}, ['Allow with ', element('code', {}, [call.allow.join(' and ')])])]
      : []),
    ...(call.target === '' ? [] : block('Input', [call.target])),
    ...(call.message.length > 80 ? block('Message', [call.message]) : []),
    ...(output === undefined || output === '' ? [] : block('Output', coloured(output, call.kind === 'edit'))),
  );
}

/**
 * Says why no call is shown.
 * @param {HTMLElement} panel
 */
export function showNoCall(panel) {
  panel.replaceChildren(element('p', { class: 'facts' }, ['No call matches the search and the filters.']));
}

/**
 * @param {string} title
 * @param {(Node | string)[]} content
 */
function block(title, content) {
  return [element('h4', {}, [title]), element('pre', { tabindex: '0', 'aria-label': title }, content)];
}

/**
 * Colours the lines of a diff. Any other text stays as it is.
 * @param {string} text
 * @param {boolean} isEdit
 * @returns {(Node | string)[]}
 */
function coloured(text, isEdit) {
  if (!isEdit && !/^@@ /m.test(text)) return [text];
  return text.split('\n').map((line) => element('span', { class: `line ${lineKind(line)}` }, [`${line}\n`]));
}

/** @param {string} line */
function lineKind(line) {
  if (line.startsWith('@@')) return 'hunk';
  if (/^(\+\+\+|---) /.test(line)) return 'file';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : '';
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
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
