import type { LineRange } from '../git/diff.js';
import { plural } from '../text/format.js';
import type { Statements } from './model.js';

/** What a reviewer should look at first, in words: where, and why. */
export function unprovenOf({ changes, uncovered }: Statements): { place: string; why: string }[] {
  const claimed = changes.flatMap(({ problem, reason, ...place }) =>
    problem === undefined ? [] : [{ place: placeOf(place), why: `${problem}. ${reason}` }],
  );
  const others = uncovered.map(({ isRemoval, ...place }) => ({
    place: placeOf(place),
    why: isRemoval
      ? 'lines were removed here, and the agent does not say why'
      : 'the agent does not say what shows it',
  }));
  return [...claimed, ...others];
}

export const placeOf = ({
  document,
  startLine,
  endLine,
}: { document: string } & Partial<LineRange>): string =>
  startLine === undefined || endLine === undefined
    ? document
    : `${document}:${startLine === endLine ? startLine : `${startLine}–${endLine}`}`;

/** One line for the head of what is shown. */
export function statementsWords({ changes, uncovered }: Statements): string {
  const proven = changes.filter(({ source }) => source !== undefined).length;
  const open = changes.length - proven + uncovered.length;
  if (open === 0)
    return `The quoted source of each of ${plural(proven, 'changed statement')} is in the code.`;
  const rest = `${plural(open, 'place')} ${open === 1 ? 'has' : 'have'} no source that was found in the code.`;
  return proven === 0 ? rest : `${plural(proven, 'changed statement')} with a source, and ${rest}`;
}
