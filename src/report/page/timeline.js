import { clock } from '../../text/format.js';
import { durationText } from './calls.js';
/** @import { Call } from './calls.js' */

const LANE = 22;
const AXIS = 22;
const LABELS = 64;
const CLOSEST_MS = 50;

/**
 * Draws the run with a lane for each kind of tool. Buttons, keys, Ctrl and wheel, or a pinch zoom it.
 * @param {{canvas: HTMLCanvasElement, tip: HTMLElement, endMs: number, onSelect: (call: Call) => void}} parts
 */
export function createTimeline({ canvas, tip, endMs, onSelect }) {
  const whole = Math.max(endMs, 1);
  /** @type {Call[]} */
  let calls = [];
  /** @type {string[]} */
  let lanes = [];
  /** @type {Call | undefined} */
  let chosen;
  let view = { from: 0, to: whole };
  let isQueued = false;

  const plotWidth = () => Math.max(1, canvas.clientWidth - LABELS - 8);
  const xOf = (/** @type {number} */ ms) => LABELS + ((ms - view.from) / (view.to - view.from)) * plotWidth();
  const msAt = (/** @type {number} */ x) => view.from + ((x - LABELS) / plotWidth()) * (view.to - view.from);
  const boxOf = (/** @type {Call} */ call) => {
    const left = xOf(call.startMs);
    const right = xOf(call.startMs + (call.durationMs ?? whole - call.startMs));
    return { left, width: Math.max(2, right - left), top: AXIS + lanes.indexOf(call.kind) * LANE + 3 };
  };
  const draw = () => {
    isQueued = false;
    canvas.style.height = `${AXIS + Math.max(1, lanes.length) * LANE + 6}px`;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const pen = canvas.getContext('2d');
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(canvas);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim() || style.color;
    pen.font = `12px ${style.fontFamily}`;
    pen.textBaseline = 'middle';
    drawAxis(pen, { view, xOf, colour, height: canvas.clientHeight, width: canvas.clientWidth });
    lanes.forEach((kind, lane) => {
      pen.fillStyle = colour('muted');
      pen.fillText(kind, 4, AXIS + lane * LANE + LANE / 2);
    });
    pen.save();
    pen.beginPath();
    pen.rect(LABELS, 0, plotWidth() + 8, canvas.clientHeight);
    pen.clip();
    for (const call of calls) {
      const { left, width, top } = boxOf(call);
      if (left > canvas.clientWidth || left + width < LABELS) continue;
      const isBad = call.state === 'failed' || call.state === 'denied';
      pen.fillStyle = colour(isBad ? call.state : `kind-${call.kind}`);
      pen.fillRect(left, top, width, LANE - 6);
      if (call === chosen) {
        pen.strokeStyle = colour('text');
        pen.lineWidth = 2;
        pen.strokeRect(left - 1, top - 1, width + 2, LANE - 4);
      }
    }
    pen.restore();
  };
  const queue = () => {
    if (!isQueued) requestAnimationFrame(draw);
    isQueued = true;
  };
  const look = (/** @type {number} */ from, /** @type {number} */ to) => {
    const span = Math.min(Math.max(to - from, Math.min(CLOSEST_MS, whole)), whole);
    const start = Math.min(Math.max(from, 0), whole - span);
    view = { from: start, to: start + span };
    canvas.dataset['view'] = `${Math.round(view.from)}-${Math.round(view.to)}`;
    queue();
  };
  const zoom = (/** @type {number} */ factor, around = (view.from + view.to) / 2) => {
    look(around - (around - view.from) * factor, around + (view.to - around) * factor);
  };
  const move = (/** @type {number} */ share) => {
    const by = (view.to - view.from) * share;
    if (view.from + by < 0) look(0, view.to - view.from);
    else look(view.from + by, view.to + by);
  };
  const callAt = (/** @type {number} */ x, /** @type {number} */ y) =>
    calls.findLast((call) => {
      const { left, width, top } = boxOf(call);
      return x >= left - 2 && x <= left + width + 2 && y >= top && y <= top + LANE - 6;
    });

  watchPointer({ canvas, tip, callAt, msAt, zoom, move, onSelect, width: plotWidth });
  canvas.addEventListener('keydown', (event) => {
    const act = {
      '+': () => zoom(0.5),
      '=': () => zoom(0.5),
      '-': () => zoom(2),
      0: () => look(0, whole),
      ArrowLeft: () => move(-0.2),
      ArrowRight: () => move(0.2),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  new ResizeObserver(queue).observe(canvas);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', queue);
  look(0, whole);

  return {
    zoomIn: () => zoom(0.5),
    zoomOut: () => zoom(2),
    reset: () => look(0, whole),
    /** @param {Call[]} shown */
    show(shown) {
      calls = shown;
      lanes = [...new Set(calls.map(({ kind }) => kind))];
      queue();
    },
    /** @param {Call | undefined} call */
    choose(call) {
      chosen = call;
      if (!call) return queue();
      const end = call.startMs + (call.durationMs ?? 0);
      const span = view.to - view.from;
      if (end < view.from || call.startMs > view.to) look(call.startMs - span / 2, call.startMs + span / 2);
      queue();
    },
  };
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {{view: {from: number, to: number}, xOf: (ms: number) => number, colour: (name: string) => string,
 *   height: number, width: number}} scene
 */
function drawAxis(pen, { view, xOf, colour, height, width }) {
  const steps = [50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5];
  const wanted = ((view.to - view.from) / Math.max(1, width - LABELS)) * 80;
  const step = steps.find((candidate) => candidate >= wanted) ?? 144e5;
  pen.strokeStyle = colour('line');
  pen.fillStyle = colour('muted');
  pen.lineWidth = 1;
  for (let ms = Math.ceil(view.from / step) * step; ms <= view.to; ms += step) {
    const x = Math.round(xOf(ms)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, AXIS);
    pen.lineTo(x, height);
    pen.stroke();
    const text = step < 1000 ? `${(ms / 1000).toFixed(2)} s` : clock(ms);
    pen.fillText(text, Math.min(x + 3, width - 40), AXIS / 2);
  }
}

/**
 * @param {{canvas: HTMLCanvasElement, tip: HTMLElement, callAt: (x: number, y: number) => Call | undefined,
 *   msAt: (x: number) => number, zoom: (factor: number, around?: number) => void,
 *   move: (share: number) => void, onSelect: (call: Call) => void, width: () => number}} parts
 */
function watchPointer({ canvas, tip, callAt, msAt, zoom, move, onSelect, width }) {
  /** @type {{x: number, moved: boolean} | undefined} */
  let grip;
  canvas.addEventListener('pointerdown', (event) => {
    grip = { x: event.offsetX, moved: false };
  });
  canvas.addEventListener('pointermove', (event) => {
    if (grip && event.buttons > 0 && Math.abs(event.offsetX - grip.x) > 3) {
      move((grip.x - event.offsetX) / width());
      grip = { x: event.offsetX, moved: true };
    }
    const call = callAt(event.offsetX, event.offsetY);
    tip.hidden = !call;
    canvas.classList.toggle('over', call !== undefined);
    if (!call) return;
    tip.textContent = `${call.number}. ${call.kind} ${call.target.slice(0, 200)} (${
      call.state === 'ok' ? durationText(call.durationMs) : call.state
    })`;
    tip.style.left = `${Math.min(event.offsetX + 12, Math.max(0, canvas.clientWidth - 260))}px`;
    tip.style.top = `${event.offsetY + 18}px`;
  });
  canvas.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  canvas.addEventListener('pointerup', (event) => {
    const call = grip?.moved ? undefined : callAt(event.offsetX, event.offsetY);
    grip = undefined;
    if (call) onSelect(call);
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, msAt(event.offsetX));
    },
    { passive: false },
  );
}
