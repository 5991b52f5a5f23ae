const FAILED_FETCH = 'git fetch failed: ';
const REMEDY = 'Set fetch-depth: 0 in the checkout step to have all commits.';

/**
 * One note for all that a failed fetch leads to. In a shallow clone the diff, the comparison of the findings with it and
 * the rules of the base fail alike.
 */
export function mergeNotes(notes: readonly string[]): string[] {
  const different = [...new Set(notes)];
  const failed = different.filter((note) => note.includes(FAILED_FETCH));
  const [first, ...others] = failed;
  if (first === undefined || others.length === 0) return different;
  const merged = [first, 'For the same reason:', ...others.map(withoutReason), REMEDY].join(' ');
  return different
    .filter((note) => note === first || !failed.includes(note))
    .map((note) => (note === first ? merged : note));
}

/** What a note says happened. The reason stands in brackets, or after a colon. */
function withoutReason(note: string): string {
  const [opening, closing] = [note.indexOf(' ('), note.lastIndexOf(')')];
  const colon = note.indexOf(': ');
  if (opening !== -1 && closing > opening && (colon === -1 || opening < colon))
    return `${note.slice(0, opening)}${note.slice(closing + 1)}`;
  return colon === -1 ? note : `${note.slice(0, colon)}.`;
}
