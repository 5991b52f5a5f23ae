import { doesCount, rankOf } from '../report/findings.js';
import type { CheckedFinding } from '../report/model.js';
import { groupComments, type CommentGroup } from './group-comments.js';

/** From this similarity on, two findings about the same lines say the same. Below it, both are kept. */
const SAME_FROM = 0.25;

/** The findings of several passes as one list, the best first. Each says how many of the passes found it. */
export function mergePasses(passes: readonly (readonly CheckedFinding[])[]): CheckedFinding[] {
  return merge(passes).map((found) => ({ ...joined(found), agreement: agreementOf(found, passes.length) }));
}

/** The findings of several parts of a change as one list. What two parts say about the same lines is one finding. */
export function mergeParts(parts: readonly (readonly CheckedFinding[])[]): CheckedFinding[] {
  const [only, ...others] = parts;
  return only && others.length === 0 ? [...only] : merge(parts).map(joined);
}

const agreementOf = ({ others }: FindingGroup, of: number) => ({ found: 1 + others.length, of });

type FindingGroup = Pick<CommentGroup<CheckedFinding>, 'best' | 'others'>;

/** One that does not count never stands for one that does: the gate would not see it. */
function joined({ best, others }: FindingGroup): CheckedFinding {
  const shown = [best, ...others].find(doesCount) ?? best;
  return { ...shown, ...inherited(shown, [best, ...others]) };
}

function merge(lists: readonly (readonly CheckedFinding[])[]): FindingGroup[] {
  const quotes = new Map(lists.flat().map((finding) => [finding, quotedCode(finding.body)]));
  const quotesOf = (finding: CheckedFinding) => quotes.get(finding) ?? [];
  return groupComments(lists, {
    textOf: ({ title, body }) => `${title}\n${body}`,
    mayBeSame: (one, other) =>
      isSameFile(one, other) &&
      (overlap(one, other) || quotesOf(one).some((code) => quotesOf(other).includes(code))),
    sameFrom: SAME_FROM,
  });
}

/** The highest severity wins. A suggestion replaces exactly its lines, so that only one for the same lines can be taken. */
function inherited(best: CheckedFinding, all: readonly CheckedFinding[]): Partial<CheckedFinding> {
  const [{ severity }] = [...all].sort((one, other) => rankOf(one) - rankOf(other)) as [CheckedFinding];
  const suggestion = all.find(
    (finding) =>
      finding.suggestion !== undefined &&
      finding.startLine === best.startLine &&
      finding.endLine === best.endLine,
  )?.suggestion;
  const alsoAt = all.find((finding) => finding.alsoAt)?.alsoAt;
  const rule = all.find((finding) => finding.rule !== undefined)?.rule;
  return {
    severity,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(alsoAt === undefined ? {} : { alsoAt }),
    ...(rule === undefined ? {} : { rule }),
    count: all.reduce((sum, { count }) => sum + count, 0),
  };
}

const isSameFile = (one: CheckedFinding, other: CheckedFinding): boolean =>
  one.path === other.path && (one.side ?? 'head') === (other.side ?? 'head');

const overlap = (one: CheckedFinding, other: CheckedFinding): boolean =>
  one.startLine <= other.endLine && other.startLine <= one.endLine;

/** A shorter piece, such as a name, is in many places. */
const MIN_QUOTE = 16;
const MAX_QUOTING_CHARACTERS = 10_000;

/** The code that a text quotes, line by line, without the blanks that do not matter. */
function quotedCode(whole: string): string[] {
  const body = whole.slice(0, MAX_QUOTING_CHARACTERS);
  const fenced = [...body.matchAll(/^[ \t]*(`{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1/gm)].map(
    ([, , code = '']) => code,
  );
  const inline = [...body.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const lines = [...fenced.flatMap((code) => code.split('\n')), ...inline];
  return lines.map((line) => line.replace(/\s+/g, ' ').trim()).filter(({ length }) => length >= MIN_QUOTE);
}
