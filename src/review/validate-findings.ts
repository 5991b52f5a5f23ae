import * as z from 'zod/mini';
import { addedLines } from '../git/diff.js';
import { isGrave, MAX_LINE, MAX_PATH, rankOf } from '../report/findings.js';
import type { CheckedFinding, Validation } from '../report/model.js';
import { oneLine, truncate } from '../text/plain-text.js';
import { codeLines } from './code-lines.js';
import { correctPath, type CheckedChange } from './judge-finding.js';

/** More are not read with care. The worst are validated. */
export const MAX_VALIDATED = 40;

const line = z.int().check(z.minimum(1), z.maximum(MAX_LINE));
const GivenVerdictSchema = z.strictObject({
  id: z.int().check(z.describe('The id of the finding.')),
  verdict: z
    .enum(['confirmed', 'refuted', 'unproven'])
    .check(z.describe('`unproven` unless the quote proves the one or the other.')),
  reason: z.string().check(z.describe('What the quoted lines prove, in one or two sentences.')),
  quote: z.exactOptional(
    z
      .strictObject({
        path: z.string().check(z.minLength(1), z.maxLength(MAX_PATH)),
        startLine: line,
        endLine: line,
        text: z.string().check(z.describe('These lines exactly as they are in the file.')),
      })
      .check(z.describe('The lines that prove the verdict. Leave it out for `unproven`.')),
  ),
});
export type GivenVerdict = z.infer<typeof GivenVerdictSchema>;

/** What a chat answers that has to refute findings. */
export const VerdictsSchema = z.strictObject({
  verdicts: z
    .array(GivenVerdictSchema)
    .check(z.maxLength(MAX_VALIDATED), z.describe('One verdict for each finding.')),
});

export const VERDICTS_EXAMPLE: z.infer<typeof VerdictsSchema> = {
  verdicts: [
    {
      id: 1,
      verdict: 'refuted',
      reason: 'Every caller goes through this check first, so that the list is never empty here.',
      quote: {
        path: 'src/router.ts',
        startLine: 18,
        endLine: 18,
        text: '  if (routes.length === 0) throw new NoRoutes();',
      },
    },
    { id: 2, verdict: 'unproven', reason: 'It depends on what the service returns.' },
  ],
};

/** The task of that chat. It does not learn why the findings were made, so that it has to look for itself. */
export const VALIDATION_TASK = [
  'A reviewer claims that the change has the problems that are listed below. You do not know why, and the reviewer may ' +
    'be wrong. Try to refute each claim: read the code at its place, the code that leads there, and the code that uses it.',
  [
    '- `refuted`: a line of code shows that it cannot happen. Quote that line. It must be code that this change neither adds ' +
      'nor edits: new lines, comments and documentation only say what their author believes, and prove nothing.',
    '- `confirmed`: you followed the code and it happens. Quote the lines that show it.',
    '- `unproven`: anything else.',
  ].join('\n'),
  'A program compares each quote with the file: path, lines and text must be exact. Prefer one to three lines.',
].join('\n\n');

/** The findings as that chat gets them. Their ids are their places in the list, counted from 1. */
export const claimsOf = (findings: readonly CheckedFinding[]): object[] =>
  findings.map(({ path, startLine, endLine, side, title }, index) => ({
    id: index + 1,
    path,
    startLine,
    endLine,
    ...(side === undefined ? {} : { side }),
    claim: title,
  }));

/** What quotes are compared with. */
export interface QuoteGrounds {
  change: CheckedChange | undefined;
  /** The text of a file at the reviewed commit. */
  readText(path: string): string | undefined;
}

const MIN_QUOTED_CHARACTERS = 8;
const MAX_QUOTED_LINES = 20;
const REASON_CHARACTERS = 500;

/** What a verdict is worth: as much as its quote proves. */
export function judgeVerdict({ verdict, reason, quote }: GivenVerdict, grounds: QuoteGrounds): Validation {
  const words = truncate(oneLine(reason), REASON_CHARACTERS);
  if (verdict === 'unproven' || !quote) return { verdict: 'unproven', reason: words };
  const path = correctPath(quote.path);
  const problem = whyNoProof({ ...quote, path }, verdict, grounds);
  if (problem !== undefined) return { verdict: 'unproven', reason: `${problem} ${words}`.trim() };
  return { verdict, reason: words, quote: { ...quote, path } };
}

/** Why a quote proves nothing; undefined if it does. */
function whyNoProof(
  { path, startLine, endLine, text }: NonNullable<GivenVerdict['quote']>,
  verdict: 'confirmed' | 'refuted',
  { change, readText }: QuoteGrounds,
): string | undefined {
  const quoted = withoutBlanks(text.split('\n'));
  if (quoted.replace(/[^\p{L}\p{N}]/gu, '').length < MIN_QUOTED_CHARACTERS)
    return 'The quote is too short to prove anything.';
  const file = readText(path);
  const isQuoted = (lines: readonly string[]) =>
    withoutBlanks(lines.slice(startLine - 1, endLine)).includes(quoted);
  if (file === undefined || endLine < startLine || endLine - startLine >= MAX_QUOTED_LINES)
    return 'The quoted lines do not exist.';
  if (!isQuoted(file.split('\n'))) return 'The quoted text is not at those lines.';
  if (verdict === 'confirmed') return undefined;
  if (!isQuoted(codeLines(path, file))) return 'The quote is not only code.';
  return mayBeAuthored(path, { startLine, endLine }, change)
    ? 'The quote is from lines that the change adds or edits.'
    : undefined;
}

/** Lines are compared without indentation and with single blanks. */
const withoutBlanks = (lines: readonly string[]): string =>
  lines
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .join('\n');

/** Whether the author of the change may have written one of the lines. Without its hunks, that is unknown. */
function mayBeAuthored(
  path: string,
  { startLine, endLine }: { startLine: number; endLine: number },
  change: CheckedChange | undefined,
): boolean {
  if (!change || change.isPartial === true) return true;
  const files = change.files.filter((file) => file.path === path);
  return files.some(
    ({ binary, hunks }) =>
      binary || hunks.length === 0 || addedLines(hunks).some((at) => at >= startLine && at <= endLine),
  );
}

/** The validation of each finding that got exactly one verdict. Two verdicts about one finding say nothing. */
export function judgeVerdicts(
  findings: readonly CheckedFinding[],
  verdicts: readonly GivenVerdict[],
  grounds: QuoteGrounds,
): Map<CheckedFinding, Validation> {
  return new Map(
    findings.flatMap((finding, index): [CheckedFinding, Validation][] => {
      const [given, ...others] = verdicts.filter(({ id }) => id === index + 1);
      return given && others.length === 0 ? [[finding, judgeVerdict(given, grounds)]] : [];
    }),
  );
}

/**
 * A finding with its validation. Only a proven refutation withholds it, and never a grave one. It counts all the same: this
 * decides about comments, and not about the gate.
 */
export function withValidation(finding: CheckedFinding, validation: Validation | undefined): CheckedFinding {
  if (!validation) return finding;
  const isWithheld = validation.verdict === 'refuted' && !isGrave(finding);
  return {
    ...finding,
    validation,
    ...(isWithheld ? { withheld: { reason: `Refuted: ${validation.reason}` } } : {}),
  };
}

/** The worst come first, and of the same severity those for which most speaks. Otherwise they keep their order. */
export const byWorth = (one: CheckedFinding, other: CheckedFinding): number =>
  rankOf(one) - rankOf(other) || doubtOf(one) - doubtOf(other);

function doubtOf({ validation, agreement }: CheckedFinding): number {
  if (validation?.verdict === 'refuted') return 3;
  if (validation?.verdict === 'confirmed' || (agreement && agreement.found > 1)) return 0;
  return validation ? 2 : 1;
}
