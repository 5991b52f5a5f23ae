import { clock } from '../../text/format.js';
import { element } from './calls.js';
/** @import { Call } from './calls.js' */

const LANE = 22;
const WIDTH = 1000;
const THINNEST = 2;

/** @param {string} tag @param {Record<string, string | number>} [attributes] */
function shape(tag, attributes = {}) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/**
 * Draws the run with a lane for each kind of tool. The list of calls says the same in words.
 * @param {{picture: SVGElement, lanes: HTMLElement, axis: HTMLElement, endMs: number,
 *   onSelect: (call: Call) => void}} parts
 */
export function createTimeline({ picture, lanes, axis, endMs, onSelect }) {
  const whole = Math.max(endMs, 1);
  /** @type {Call[]} */
  let calls = [];
  /** @type {string[]} */
  let kinds = [];
  const mark = shape('rect', { class: 'chosen' });
  axis.replaceChildren(...[0, whole / 2, whole].map((ms) => element('span', {}, [clock(ms)])));

  const boxOf = (/** @type {Call} */ call) => {
    const width = ((call.durationMs ?? whole - call.startMs) / whole) * WIDTH;
    const x = Math.min((call.startMs / whole) * WIDTH, WIDTH - THINNEST);
    const room = { width: Math.max(THINNEST, Math.min(width, WIDTH - x)), height: LANE - 6 };
    return { x, y: kinds.indexOf(call.kind) * LANE + 3, ...room };
  };
  picture.addEventListener('click', (event) => {
    const { left, top, width } = picture.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * WIDTH;
    const kind = kinds[Math.floor((event.clientY - top) / LANE)];
    const distance = (/** @type {Call} */ call) => {
      const box = boxOf(call);
      return Math.max(box.x - at, at - box.x - box.width, 0);
    };
    let [nearest] = calls.filter((call) => call.kind === kind);
    for (const call of calls)
      if (nearest && call.kind === kind && distance(call) < distance(nearest)) nearest = call;
    if (nearest) onSelect(nearest);
  });

  return {
    /** @param {Call[]} shown */
    show(shown) {
      calls = shown;
      kinds = [...new Set(calls.map(({ kind }) => kind))];
      lanes.replaceChildren(...kinds.map((kind) => element('span', {}, [kind])));
      picture.setAttribute('viewBox', `0 0 ${WIDTH} ${Math.max(1, kinds.length) * LANE}`);
      picture.style.height = `${Math.max(1, kinds.length) * LANE}px`;
      /** One path for all calls of a colour, because there can be thousands. @type {Map<string, string>} */
      const paths = new Map();
      for (const call of calls) {
        const { x, y, width, height } = boxOf(call);
        const isBad = call.state === 'failed' || call.state === 'denied';
        const colour = `--${isBad ? call.state : `kind-${call.kind}`}`;
        const box = `M${x.toFixed(1)} ${y}h${width.toFixed(1)}v${height}H${x.toFixed(1)}z`;
        paths.set(colour, `${paths.get(colour) ?? ''}${box}`);
      }
      picture.replaceChildren(
        ...[...paths].map(([colour, d]) => {
          const path = shape('path', { d });
          path.style.fill = `var(${colour})`;
          return path;
        }),
      );
    },
    /** @param {Call | undefined} call */
    choose(call) {
      if (!call || !kinds.includes(call.kind)) return mark.remove();
      for (const [name, value] of Object.entries(boxOf(call))) mark.setAttribute(name, String(value));
      picture.append(mark);
    },
  };
}
