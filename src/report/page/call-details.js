import { clock } from '../../text/format.js';
import { outcomeWords, toolLabel } from '../run-report.js';
import { durationText, element } from './model.js';
/** @import { Call } from './model.js' */

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
 * @returns {HTMLElement[]}
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

/**
 * @param {string} line
 * @returns {string}
 */
function lineKind(line) {
  if (line.startsWith('@@')) return 'hunk';
  if (/^(\+\+\+|---) /.test(line)) return 'file';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : '';
}
