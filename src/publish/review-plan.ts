import { SEVERITY_SIGNS, type Finding } from '../report/findings.js';
import { plural } from '../text/format.js';
import {
  answers,
  findingItem,
  findingItems,
  firstThatFits,
  heading,
  joinParts,
  linkTo,
  MOST_CHARACTERS,
  numbersLine,
  shardTable,
  shortfalls,
  suggestionWords,
  type Detail,
  type Surroundings,
} from './layout.js';
import { digest, writeMarker } from './marker.js';
import { placeFinding, suggestionBlock, type ChangedFiles, type Placed } from './placement.js';
import { isGrave, type Publication } from './publication.js';
import type { InlineComment } from './pull-request-api.js';
import { safeLine, safeWords } from './safe-words.js';

/** A comment on lines that an earlier run of ours left. */
export interface EarlierComment {
  nodeId: string;
  url: string;
  key: string;
  place: string;
  what: string;
  /** GitHub no longer shows its lines. */
  isOutdated: boolean;
}

export interface ReviewRequest {
  publication: Publication;
  surroundings: Surroundings;
  /** A hash of the input `key`. */
  key: string;
  event: 'COMMENT' | 'auto';
  files: ChangedFiles;
  /** The commit the review is put on; without one nothing is put on lines. */
  commit: string | undefined;
  earlier: readonly EarlierComment[];
  /** Why nothing is on lines, if so; and other remarks. */
  remark: string;
}

export interface ReviewPlan {
  event: 'COMMENT' | 'REQUEST_CHANGES';
  body: string;
  comments: InlineComment[];
  /** The same review with every finding in its body, for when GitHub will not have a line; its state says so. */
  withoutLines: { body: string; left: number; state: string };
  /** Says the same as an earlier review if this is the same, however it is worded. */
  state: string;
  /** Findings that did not fit. */
  left: number;
}

/** GitHub becomes slow, and readers tired, beyond this many comments in one review. */
export const MOST_INLINE = 30;
/** Of a finding's text, and less if that becomes too long. */
const INLINE_CHARACTERS = [8000, 2000, 100];

/**
 * One review: what can be on lines is on lines, unless it is there already; the rest is in the body.
 *
 * A finding was said before if we have a comment on the same lines, which are known by their text. Agents find new
 * words for the same thing in every run, so other words on those lines are not put there again; the body names them
 * with a link to the comment. Whether that comment was resolved does not matter: while its lines are the same, so is
 * what there is to say of them. Lines that changed are other lines.
 */
export function planReview(request: ReviewRequest): ReviewPlan {
  const { publication, key, earlier, commit } = request;
  const files: ChangedFiles = commit === undefined ? new Map() : request.files;
  const placed = publication.findings.map((finding) => placeFinding(finding, files));
  const before = new Map(earlier.filter((comment) => comment.key === key).map((each) => [each.place, each]));
  const onLines = placed.filter((each) => each.kind === 'lines');
  const fresh = onLines.filter(({ place }) => !before.has(place));
  const inline = fresh.slice(0, MOST_INLINE);
  const said = onLines.flatMap(({ finding, place }) => {
    const comment = before.get(place);
    return comment ? [{ finding, url: comment.url }] : [];
  });
  const inWords = [...placed.filter((each) => each.kind === 'words'), ...fresh.slice(MOST_INLINE)];
  const state = stateOf(publication, placed);
  const whole = writeBody({ request, state, said, inline: inline.length, inWords });
  const wordsState = digest('without lines', state);
  const words = writeBody({ request, state: wordsState, said, inline: 0, inWords: [...inline, ...inWords] });
  return {
    event: request.event === 'auto' && publication.findings.some(isGrave) ? 'REQUEST_CHANGES' : 'COMMENT',
    comments: inline.map((each) => inlineComment(each, key)),
    body: whole.text,
    left: whole.left,
    withoutLines: { body: words.text, left: words.left, state: wordsState },
    state,
  };
}

/** The findings by their places, or the answers; and how the runs went. */
function stateOf(publication: Publication, placed: readonly Placed[]): string {
  const outcomes = publication.shards.map((shard) => {
    if (shard.kind === 'silent') return 'silent';
    const { verdict, answer } = shard.run;
    const outcome = verdict.status === 'success' ? 'success' : verdict.reason;
    return publication.isReview ? outcome : [outcome, answer];
  });
  const places = placed.map(({ place, finding }) => `${place} ${finding.severity}`).sort();
  return digest('state', publication.missing, outcomes, places);
}

function inlineComment(placed: Extract<Placed, { kind: 'lines' }>, key: string): InlineComment {
  const { finding, startLine, endLine } = placed;
  // What cannot be seen is shown by its name, which can make a text many times as long.
  const [first = 0, ...less] = INLINE_CHARACTERS;
  const text = less.reduce(
    (last, most) => (last.length <= MOST_CHARACTERS ? last : inlineText(placed, key, most)),
    inlineText(placed, key, first),
  );
  return {
    path: finding.path,
    body: text,
    line: endLine,
    side: 'RIGHT',
    ...(startLine < endLine ? { start_line: startLine, start_side: 'RIGHT' as const } : {}),
  };
}

function inlineText(placed: Extract<Placed, { kind: 'lines' }>, key: string, most: number): string {
  const { finding, startLine, endLine, place, what, suggestion } = placed;
  const { severity, title, body } = finding;
  const isPart = startLine !== finding.startLine || endLine !== finding.endLine;
  const head = `${SEVERITY_SIGNS[severity]} <b>${severity}</b> — <b>${safeLine(title, 300)}</b>`;
  return joinParts([
    `${writeMarker({ kind: 'finding', key, place, what })}\n${head}`,
    isPart
      ? `<sub>About lines ${finding.startLine}–${finding.endLine}, of which the change shows these.</sub>`
      : '',
    safeWords(body, most),
    proposal(suggestion, finding.suggestion, most),
  ]);
}

function proposal(exact: string | undefined, asked: string | undefined, most: number): string {
  if (exact !== undefined) return suggestionBlock(exact);
  return asked === undefined ? '' : suggestionWords(asked, most);
}

interface BodyParts {
  request: ReviewRequest;
  state: string;
  inline: number;
  inWords: readonly Placed[];
  said: readonly { finding: Finding; url: string }[];
}

function writeBody({ request, state, inline, inWords, said }: BodyParts): { text: string; left: number } {
  const { publication, surroundings, key, remark } = request;
  const opening = `${writeMarker({ kind: 'review', key, state })}\n${heading(publication)}`;
  const link = linkTo(surroundings.repositoryUrl, publication.head ?? request.commit);
  let left = 0;
  const write = (detail: Detail) => {
    left = Math.max(0, inWords.length - detail.findings);
    const items = findingItems(inWords.slice(0, detail.findings), ({ finding }) =>
      findingItem(finding, { each: detail.each, link }),
    );
    const remarks = [
      left > 0 ? `${plural(left, 'more finding')} did not fit.` : '',
      publication.belowMinimum > 0
        ? `${plural(publication.belowMinimum, 'finding')} below the minimum severity.`
        : '',
    ].filter((part) => part !== '');
    return joinParts([
      opening,
      remark,
      shortfalls(publication),
      answers(publication, detail.words),
      inline > 0 ? `${plural(inline, 'comment')} on the changed lines.` : '',
      items === '' || inline === 0 ? items : `**Not on the changed lines**\n\n${items}`,
      saidBefore(said, detail, link),
      remarks.length === 0 ? '' : `*${remarks.join(' ')}*`,
      shardTable(publication),
      numbersLine(publication, surroundings),
    ]);
  };
  const last = joinParts([opening, numbersLine(publication, surroundings)]);
  const text = firstThatFits(write, last);
  return { text, left: text === last ? inWords.length : left };
}

function saidBefore(
  said: readonly { finding: Finding; url: string }[],
  detail: Detail,
  link: (finding: Finding) => string | undefined,
): string {
  if (said.length === 0) return '';
  const items = findingItems(said.slice(0, detail.findings), ({ finding, url }) =>
    findingItem(finding, { each: 0, link, note: ` (<a href="${url}">comment</a>)` }),
  );
  return `**Still there, on lines that have a comment already**\n\n${items}`;
}
