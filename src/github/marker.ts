import { createHash } from 'node:crypto';

/**
 * The hidden first line of everything we write, by which a later run recognises it. Its values are hashes, so no
 * text can break out of it. It counts only at the very beginning, where text of a report never is, and only in
 * comments and pull requests that our own account wrote. In the description of a pull request it begins our part of it.
 */
type Marker =
  | { kind: 'comment'; key: string }
  | { kind: 'review'; key: string; state: string; round?: number }
  | { kind: 'finding'; key: string; place: string; what: string; facts?: FindingFacts }
  | { kind: 'closed'; key: string; place: string }
  | { kind: 'proposal'; key: string; title: string };

/** What later counts of what became of findings need. Comments of the first versions do not have it. */
export interface FindingFacts {
  severity: string;
  agreement?: { found: number; of: number } | undefined;
  validation?: string | undefined;
  /** The rule of the team that it follows from, or else its kind. */
  rule?: string | undefined;
}

export const digest = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20);

export function writeMarker({ kind, ...values }: Marker): string {
  const { facts, ...rest } = { facts: undefined, ...values };
  const pairs = Object.entries({ ...rest, ...(facts ? factValues(facts) : {}) });
  return `<!-- cursor-agent-action ${kind} ${pairs.map(([name, value]) => `${name}=${value}`).join(' ')} -->`;
}

const factValues = ({ severity, agreement, validation, rule }: FindingFacts) => ({
  v: 2,
  severity,
  agreement: agreement ? `${agreement.found}/${agreement.of}` : 'none',
  validation: validation ?? 'none',
  rule: rule ?? 'none',
});

/** The facts of this version. Those of a later one may mean something else. */
function readFacts(pairs: string): FindingFacts | undefined {
  const [, severity, found, of, validation, rule] = FACTS.exec(pairs) ?? [];
  if (severity === undefined) return undefined;
  const named = (value: string | undefined) => (value === 'none' ? undefined : value);
  return {
    severity,
    agreement: found === undefined ? undefined : { found: Number(found), of: Number(of) },
    validation: named(validation),
    rule: named(rule),
  };
}
const FACTS =
  /^ v=2 severity=([a-z]+) agreement=(?:none|([1-9])\/([1-9])) validation=([a-z]+) rule=([a-z0-9.-]+)$/;

const MARKER =
  /^<!-- cursor-agent-action (comment|review|finding|closed|proposal)((?: [a-z]+=[0-9a-f]{20}){1,4})(?: round=([1-9]\d{0,5}))?( v=[1-9]\d?(?: [a-z]+=[a-z0-9./-]{1,40}){0,8})? -->/;

export function readMarker(body: string): Marker | undefined {
  const [, kind, pairs = '', round, extra = ''] = MARKER.exec(body) ?? [];
  const named = pairs
    .trim()
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]);
  const { key, state, place, what, title } = Object.fromEntries(named);
  if (key === undefined) return undefined;
  if (kind === 'comment') return { kind, key };
  if (kind === 'review' && state !== undefined)
    return { kind, key, state, ...(round === undefined ? {} : { round: Number(round) }) };
  const facts = readFacts(extra);
  if (kind === 'finding' && place !== undefined && what !== undefined)
    return { kind, key, place, what, ...(facts ? { facts } : {}) };
  if (kind === 'closed' && place !== undefined) return { kind, key, place };
  if (kind === 'proposal' && title !== undefined) return { kind, key, title };
  return undefined;
}

/** Names the failure of CI that a proposal is to repair, by a hash. It stands directly below the marker of the proposal. */
export const triedMark = (failure: string): string => `<!-- cursor-agent-action tried failure=${failure} -->`;

const TRIED =
  /<!-- cursor-agent-action proposal(?: [a-z]+=[0-9a-f]{20}){1,4} -->\r?\n<!-- cursor-agent-action tried failure=([0-9a-f]{20}) -->/;

export const readTried = (body: string): string | undefined => TRIED.exec(body)?.[1];

/** The title of the last part of our comments, for people to copy. That part says nothing new. */
export const PROMPT_TITLE = 'Prompt for an agent';

export function withoutPrompt(text: string): string {
  const at = text.lastIndexOf(`<details><summary>${PROMPT_TITLE}</summary>`);
  return at === -1 ? text : text.slice(0, at).trimEnd();
}

/**
 * What a review looked at. Publish leaves it hidden in what it writes, so that the next run can review only what is
 * new: the pull request itself is the memory.
 */
export interface ReviewedMark {
  head: string;
  base: string;
  /** Hashes of the policy and of the prompt, by which a run recognises that it would review in another way. */
  policy: string;
  prompt: string;
}

const MARK =
  /^<!-- cursor-agent-action reviewed v=1 head=([0-9a-f]{40}|[0-9a-f]{64}) base=([0-9a-f]{40}|[0-9a-f]{64}) policy=([0-9a-f]{20}) prompt=([0-9a-f]{20}) -->$/;

/** One hidden line. It stands directly below the marker of a comment or of a review. */
export const reviewedMark = ({ head, base, policy, prompt }: ReviewedMark): string =>
  `<!-- cursor-agent-action reviewed v=1 head=${head} base=${base} policy=${policy} prompt=${prompt} -->`;

/** The longest first line that can matter, and the mark: nothing beyond this is looked at. */
const MAX_LOOKED_AT = 1000;

/**
 * The mark in a comment or a review. It counts only where text of a report never is: as the first line, or directly
 * below our marker. It is only as good as who wrote the text, so the caller asks only texts of our own account. A mark
 * of another version, or one that is not exactly as we write it, is no mark.
 */
export function readReviewedMark(body: string): ReviewedMark | undefined {
  const [first = '', second = ''] = body.slice(0, MAX_LOOKED_AT).split(/\r?\n/, 2);
  const [, head, base, policy, prompt] = MARK.exec(readMarker(first) ? second : first) ?? [];
  if (head === undefined || base === undefined || policy === undefined || prompt === undefined)
    return undefined;
  return { head, base, policy, prompt };
}

/**
 * What a review leaves for the next run: the mark, and below it what it found that has no thread of its own. That is
 * text which only its writer reads (`review/left-findings.ts`); empty if there is nothing.
 */
export interface LeftReview {
  mark: ReviewedMark;
  findings: string;
}

/** Together with the text and the mark, GitHub's limit for a comment has room for it. */
export const MAX_LEFT_CHARACTERS = 12_000;
const LEFT = new RegExp(
  `^<!-- cursor-agent-action found v=1 ([A-Za-z0-9+/]{1,${MAX_LEFT_CHARACTERS}}={0,2}) -->$`,
);

/** Both hidden lines of a comment or a review; undefined without a mark. */
export function readLeftReview(body: string): LeftReview | undefined {
  const mark = readReviewedMark(body);
  if (!mark) return undefined;
  const lines = body.slice(0, 2 * MAX_LOOKED_AT + MAX_LEFT_CHARACTERS).split(/\r?\n/, 3);
  const [, findings = ''] = LEFT.exec((readMarker(body) ? lines[2] : lines[1]) ?? '') ?? [];
  return { mark, findings };
}

/** The text with these hidden lines below its marker, instead of those that are there. Without a mark nothing changes. */
export function withLeftReview(body: string, left: LeftReview | undefined): string {
  if (!left || !readMarker(body)) return body;
  const there = readLeftReview(body);
  const [marker = '', ...rest] = body.split(/\r?\n/);
  const hidden = (there ? 1 : 0) + (there && there.findings !== '' ? 1 : 0);
  const found = left.findings === '' ? [] : [`<!-- cursor-agent-action found v=1 ${left.findings} -->`];
  return [marker, reviewedMark(left.mark), ...found, ...rest.slice(hidden)].join('\n');
}

const LIMIT_MARKER = '<!-- cursor-agent-action limit -->';
const LIMIT_LINE = new RegExp(`(?:\\r?\\n){2}${LIMIT_MARKER}[^\\r\\n]*\\s*$`);

/** The text with this line at its end, instead of the one that an earlier run left there. */
export const withLimitLine = (body: string, line: string | undefined): string => {
  const plain = body.replace(LIMIT_LINE, '');
  return line === undefined ? plain : `${plain}\n\n${LIMIT_MARKER}${line}`;
};
