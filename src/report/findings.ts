import * as z from 'zod/mini';
import { assertNever } from '../core/errors.js';
import { number, plural } from '../text/format.js';

/** How bad a finding is, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What the agent is told about severities. */
export const SEVERITY_MEANINGS =
  'critical: must not be merged; high: a bug that users will meet; medium: a bug in rare cases; low: worth changing; info: worth knowing.';

/** How a severity is marked wherever findings are shown. */
export const SEVERITY_SIGNS: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  high: '🟠',
  medium: '🟡',
  low: '🔵',
  info: '⚪',
};

/**
 * Where a finding points, relative to the change under review. `in-change`: lines that the diff shows.
 * `outside-change`: lines that exist, elsewhere. The others point at nothing, or could not be looked up.
 */
export const PLACES = ['in-change', 'outside-change', 'no-such-line', 'no-such-path', 'unchecked'] as const;
export type Place = (typeof PLACES)[number];

/** The agent is held to these limits, so that its answer never makes a report that publish has to refuse. */
export const MOST_FINDINGS = 10_000;
export const MOST_LINE = 10_000_000;
export const MOST_PATH = 4096;

const line = (description: string) =>
  z.int().check(z.minimum(1), z.maximum(MOST_LINE), z.describe(description));
const words = (description: string) => z.string().check(z.minLength(1), z.describe(description));

/** One finding as the agent must give it. What is corrected before it is validated is in review/expect-answer.ts. */
export const FindingSchema = z.strictObject({
  path: words('The file, from the root of the repository, with forward slashes.').check(
    z.maxLength(MOST_PATH),
  ),
  startLine: line('The first line it is about, counted from 1, in the file as it is now.'),
  endLine: line('The last line it is about; the same as startLine for a single line.'),
  severity: z.enum(SEVERITIES).check(z.describe(SEVERITY_MEANINGS)),
  title: words('What is wrong, in one short sentence.'),
  body: z.string().check(z.describe('Why it is wrong and how to see it, as Markdown.')),
  suggestion: z.exactOptional(
    z
      .string()
      .check(
        z.describe(
          'What the lines from startLine to endLine should read instead, whole lines with their indentation; empty to delete them. Leave it out where no exact replacement is known.',
        ),
      ),
  ),
});
export type Finding = z.infer<typeof FindingSchema>;

/** A review as the agent must answer it: what `output-schema: findings` asks for. */
export const FindingsSchema = z.strictObject({
  summary: z.string().check(z.describe('The review in a few sentences, as Markdown.')),
  findings: z
    .array(FindingSchema)
    .check(
      z.maxLength(MOST_FINDINGS),
      z.describe('Each separate problem once, the worst first; empty if there is none.'),
    ),
});

/** A finding whose place was looked up in the checkout. */
export const CheckedFindingSchema = z.object({
  ...FindingSchema.shape,
  place: z
    .enum(PLACES)
    .check(z.describe('Whether these lines exist and are shown by the diff under review.')),
  count: z.int().check(z.minimum(1), z.describe('How many findings said the same about the same lines.')),
});
export type CheckedFinding = z.infer<typeof CheckedFindingSchema>;

/** A review as the report holds it. */
export const ReviewSchema = z.object({
  summary: z.string(),
  findings: z.array(CheckedFindingSchema).check(z.maxLength(MOST_FINDINGS)),
});
export type Review = z.infer<typeof ReviewSchema>;

/** Whether a finding points at lines that exist. */
export const hasPlace = ({ place }: CheckedFinding): boolean =>
  place !== 'no-such-path' && place !== 'no-such-line';

/** `src/a.ts:3` or `src/a.ts:3-5`. */
export const placeText = ({ path, startLine, endLine }: Finding): string =>
  `${path}:${startLine}${endLine > startLine ? `-${endLine}` : ''}`;

/**
 * The findings of at least this severity that count for a gate. A finding about a file or a line that does not exist
 * does not count, because the agent made its place up. One whose place could not be compared with the change does.
 */
export const blockingFindings = (
  findings: readonly CheckedFinding[],
  least: Severity | undefined,
): CheckedFinding[] =>
  least === undefined
    ? []
    : findings.filter(
        (finding) => hasPlace(finding) && SEVERITIES.indexOf(finding.severity) <= SEVERITIES.indexOf(least),
      );

/** A finding in one line: severity, place, title. */
export const findingLine = (finding: CheckedFinding): string => {
  const remark = placeRemark(finding);
  return `${finding.severity.padEnd(8)} ${placeText(finding)} ${finding.title}${remark === '' ? '' : ` (${remark})`}`;
};

/** What is unusual about the place of a finding; empty if nothing is. */
export function placeRemark({ place }: CheckedFinding): string {
  switch (place) {
    case 'in-change':
    case 'unchecked':
      return '';
    case 'outside-change':
      return 'outside the change';
    case 'no-such-path':
      return 'there is no such file';
    case 'no-such-line':
      return 'the file has no such line';
    default:
      return assertNever(place);
  }
}

/** A title in pieces: text between backticks is meant as code. */
export const titlePieces = (title: string): { isCode: boolean; text: string }[] =>
  title
    .split(/`([^`\n]{1,200})`/)
    .map((text, index) => ({ isCode: index % 2 === 1, text }))
    .filter(({ text }) => text !== '');

/** `1 high, 2 low`; empty if there are none. */
export const countSeverities = (findings: readonly Finding[]): string =>
  SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter((finding) => finding.severity === severity).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${number(count)} ${severity}`)
    .join(', ');

/** `3 findings: 1 high, 2 low; and 1 unverified`: the title of a review, wherever it is shown. */
export function reviewTitle(findings: readonly CheckedFinding[]): string {
  const placed = findings.filter(hasPlace);
  const apart = findings.length - placed.length;
  const counts = countFindings(placed);
  return apart === 0 ? counts : `${counts.replace(/\.$/, '')}; and ${number(apart)} unverified`;
}

/** `3 findings: 1 high, 2 low`. */
export const countFindings = (findings: readonly Finding[]): string =>
  findings.length === 0
    ? 'No findings.'
    : `${plural(findings.length, 'finding')}: ${countSeverities(findings)}`;
