import { COMMIT_ID, joinParts, number, plural } from '../text/format.js';
import { isPlainPath } from '../text/paths.js';
import type { CheckedFinding, Finding, OtherPlace, RunRecord, Verdict } from './model.js';

/** How bad a finding is, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

interface Severe {
  severity: Severity;
}

/** 0 for the worst severity. */
export const rankOf = ({ severity }: Severe): number => SEVERITIES.indexOf(severity);
export const isAtLeast = (finding: Severe, severity: Severity): boolean =>
  rankOf(finding) <= SEVERITIES.indexOf(severity);
export const isGrave = (finding: Severe): boolean => isAtLeast(finding, 'high');

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

/** Where a finding points. `findingJudge` finds it out. */
export const PLACES = [
  'in-change',
  'removed',
  'outside-change',
  'whole-file',
  'unchecked',
  'excluded',
  'no-such-line',
  'no-such-path',
  'not-looked-up',
] as const;
export type Place = (typeof PLACES)[number];

interface PlaceRule {
  /** A comment on its lines where there can be one, an item of the body, or set aside. */
  shown: 'comment' | 'body' | 'aside';
  /** Whether it counts: in numbers, for `fail-on-severity`, for a request for changes. */
  counts: boolean;
  why: string;
}

/** What follows from the place of a finding, everywhere. */
export const PLACE_RULES: Readonly<Record<Place, PlaceRule>> = {
  'in-change': { shown: 'comment', counts: true, why: 'the change shows these lines' },
  removed: { shown: 'comment', counts: true, why: 'the change removes these lines' },
  'outside-change': { shown: 'body', counts: true, why: 'outside the change' },
  'whole-file': { shown: 'body', counts: true, why: 'about the whole file, which has no lines' },
  unchecked: { shown: 'body', counts: true, why: 'the lines exist, but the change is not known' },
  excluded: { shown: 'aside', counts: false, why: 'exclude leaves this file out' },
  'no-such-line': { shown: 'aside', counts: false, why: 'the file has no such line' },
  'no-such-path': { shown: 'aside', counts: false, why: 'there is no such file' },
  'not-looked-up': { shown: 'aside', counts: false, why: 'it could not be looked up' },
};

export const ruleOf = ({ place }: { place: Place }): PlaceRule => PLACE_RULES[place];

/** Whether a finding counts: its place is real, and the workflow does not leave it out. */
export const doesCount = ({ place }: { place: Place }): boolean => PLACE_RULES[place].counts;

/** The agent is held to these limits, so that its answer never makes a report that publish has to refuse. */
export const MAX_FINDINGS = 10_000;
export const MAX_LINE = 10_000_000;
export const MAX_PATH = 4096;
export const MAX_ALSO_AT = 20;
/** What a finding can be about, if it does not come from a rule of the team. */
export const FINDING_KINDS = [
  'logic',
  'error-handling',
  'data-loss',
  'race',
  'leak',
  'security',
  'interface',
  'other',
] as const;
/** One of these, or the id of a rule. It stands in hidden marks, so it has no other characters. */
export const RULE_ID = /^[a-z0-9][a-z0-9.-]{0,39}$/;
/** The rule of the team that a finding comes from; undefined if it comes from none. */
export const teamRuleOf = ({ rule }: { rule?: string | undefined }): string | undefined =>
  FINDING_KINDS.some((kind) => kind === rule) ? undefined : rule;
/** How many passes a review can have. */
export const MAX_PASSES = 5;

/** The words of a title. Two titles that differ only in punctuation or case say the same. */
export const titleWords = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Findings with the same key say the same about the same lines. */
export const findingKey = ({ path, startLine, endLine, side = 'head', title }: Finding): string =>
  JSON.stringify([path, startLine, endLine, side, titleWords(title)]);

/** `src/a.ts:3` or `src/a.ts:3-5`. */
export const placeText = ({ path, startLine, endLine }: OtherPlace): string =>
  `${path}:${startLine}${endLine > startLine ? `-${endLine}` : ''}`;

/** The findings that a gate does not accept: they count, and are of at least this severity. */
export const blockingFindings = (
  findings: readonly CheckedFinding[],
  threshold: Severity | undefined,
): CheckedFinding[] =>
  threshold === undefined
    ? []
    : findings.filter((finding) => doesCount(finding) && isAtLeast(finding, threshold));

/**
 * How a run failed; undefined if it did its work. A run that failed only for its findings did: they are about the code,
 * not about the agent.
 */
export const workFailure = (verdict: Verdict): Extract<Verdict, { status: 'failure' }> | undefined =>
  verdict.status === 'success' || verdict.reason === 'findings' ? undefined : verdict;

/** A finding in one line: severity, place, title. */
export const findingLine = (finding: CheckedFinding): string => {
  const remark = placeRemark(finding);
  return `${finding.severity.padEnd(8)} ${placeText(finding)} ${finding.title}${remark === '' ? '' : ` (${remark})`}`;
};

/** What others than its author found out about a finding, each in a sentence of plain text. */
export function findingRemarks(finding: CheckedFinding): string[] {
  const { agreement, validation, withheld, alsoAt = [] } = finding;
  const rule = teamRuleOf(finding);
  const proof = validation?.quote ? ` (${placeText(validation.quote)})` : '';
  return [
    ...(alsoAt.length > 0 ? [`Also at ${alsoAt.map(placeText).join(', ')}.`] : []),
    ...(rule === undefined ? [] : [`A rule of the team: \`${rule}\`.`]),
    ...(agreement && agreement.of > 1 ? [`Found by ${agreement.found} of ${agreement.of} passes.`] : []),
    ...(validation?.verdict === 'confirmed' ? [`Checked: ${validation.reason}${proof}`] : []),
    ...(withheld ? [`Withheld. ${withheld.reason}${proof}`] : []),
    ...(validation?.verdict === 'refuted' && !withheld ? [`Disputed: ${validation.reason}${proof}`] : []),
  ];
}

/** How sure a review is of a finding, in a few words for a list; empty if nothing is known. */
export function certaintyWords({
  agreement,
  validation,
}: Pick<CheckedFinding, 'agreement' | 'validation'>): string {
  const { verdict } = validation ?? {};
  return joinParts(
    [
      agreement ? `${agreement.found} of ${agreement.of}` : '',
      verdict === 'confirmed' ? 'checked' : verdict === 'refuted' ? 'disputed' : '',
    ],
    ', ',
  );
}

/** What is unusual about the place of a finding; empty if nothing is. */
export const placeRemark = ({ place }: CheckedFinding): string =>
  place === 'in-change' || place === 'unchecked' ? '' : PLACE_RULES[place].why;

/** `1 high, 2 low`; empty if there are none. */
export const countSeverities = (findings: readonly Severe[]): string =>
  SEVERITIES.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${number(count)} ${severity}`];
  }).join(', ');

/** `3 findings: 1 high, 2 low; and 1 set aside`: the title of a review, wherever it is shown. */
export function reviewTitle(findings: readonly CheckedFinding[]): string {
  const counting = findings.filter(doesCount);
  const posted = counting.filter(({ withheld }) => !withheld);
  const [held, aside] = [counting.length - posted.length, findings.length - counting.length];
  const others = [
    ...(held > 0 ? [`${number(held)} withheld`] : []),
    ...(aside > 0 ? [`${number(aside)} set aside`] : []),
  ];
  if (others.length === 0) return countFindings(posted);
  return `${posted.length === 0 ? 'No findings' : countFindings(posted)}; and ${others.join(', ')}`;
}

/** `3 findings: 1 high, 2 low`; a sentence if there are none. */
export const countFindings = (findings: readonly Severe[]): string =>
  findings.length === 0
    ? 'No findings.'
    : `${plural(findings.length, 'finding')}: ${countSeverities(findings)}`;

/** Why findings are not shown, although they were reported. */
export const dismissedText = (count: number): string =>
  `${plural(count, 'finding')} on lines where a user with write access dismissed one.`;

const EARLIER = 'From an earlier review: ';

/** The text of a finding that is carried over, with the address of where it was. */
export const withOrigin = (body: string, url: string): string =>
  `${withoutOrigin(body)}\n\n${EARLIER}${url}`.trim();

/** The same text as it was before it was carried over. */
export const withoutOrigin = (body: string): string => {
  const at = body.lastIndexOf(EARLIER);
  const isLast = at !== -1 && !/\s/.test(body.slice(at + EARLIER.length).trim());
  return (isLast ? body.slice(0, at) : body).trim();
};

/** Whether a path can be put into a link or an annotation: there it can only mean a file of the repository. */
export const isLinkablePath = (path: string): boolean =>
  isPlainPath(path) &&
  path.length <= 1000 &&
  // eslint-disable-next-line no-control-regex -- the test is for such characters
  !/[\u0000-\u001f\u007f\\]|^[A-Za-z]:/.test(path);

/** Links to the lines of findings in the reviewed commit. There are none if the commit is not known. */
export const linkTo =
  (repositoryUrl: string, commit: string | undefined) =>
  ({ path, startLine, endLine, side }: Finding): string | undefined => {
    // The commit no longer has what the change removed.
    if (side === 'base' || commit === undefined || !isLinkablePath(path) || /\p{Surrogate}/u.test(path))
      return undefined;
    const file = path
      .split('/')
      .map((part) =>
        encodeURIComponent(part).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`),
      )
      .join('/');
    const lines = endLine > startLine ? `L${startLine}-L${endLine}` : `L${startLine}`;
    return `${repositoryUrl}/blob/${commit}/${file}#${lines}`;
  };

/** The commit that the run was about, if it is known by its full hash. */
export function reviewedCommit({ change, origin }: RunRecord): string | undefined {
  const commit = change?.head ?? origin?.commit ?? '';
  return COMMIT_ID.test(commit) ? commit : undefined;
}

/** Links to the lines of a run's findings. None if the address is not known, or could be more than an address. */
export function lineLinks(record: RunRecord): ReturnType<typeof linkTo> {
  const { repositoryUrl = '' } = record.origin ?? {};
  const isPlain = /^https?:\/\/[\w.:/-]+$/.test(repositoryUrl);
  return linkTo(repositoryUrl, isPlain ? reviewedCommit(record) : undefined);
}
