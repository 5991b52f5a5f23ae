import { hunkHolding, type ChangedFiles, type Hunk } from '../git/diff.js';
import { hashLines, hashRemoved, linesIn, oldLinesIn } from '../review/dismissed.js';
import {
  countSeverities,
  isGrave,
  linkTo,
  SEVERITY_SIGNS,
  titleWords,
  workFailure,
} from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { folded } from '../text/markdown.js';
import { joinParts, plural } from '../text/format.js';
import { nameInvisible } from '../text/plain-text.js';
import { REDACTED } from '../text/redact.js';
import { agentPrompt, certainty, otherPlaces } from './finding-text.js';
import {
  findingItem,
  findingItems,
  MAX_CHARACTERS,
  suggestionWords,
  writeAround,
  type TextDetail,
  type RunLinks,
} from './publication-text.js';
import { digest, writeMarker } from '../github/marker.js';
import { failsGate, idOf, type PlacedFinding, type Publication } from './publication.js';
import type { NewLineComment } from './pull-request-api.js';
import { safeLine, safeWords } from '../report/safe-markdown.js';

export interface ReviewSettings {
  links: RunLinks;
  /** A hash of the input `key`. */
  key: string;
  /** With `auto`, the review requests changes if a finding is severe. */
  reviewEvent: 'COMMENT' | 'auto';
  /** How many findings get a comment on their lines, without those that fail the gate. */
  maxComments: number;
  /** Whether a workflow of the repository answers `/cursor fix`. */
  hasFixCommand?: boolean;
}

export interface ReviewRequest extends ReviewSettings {
  publication: Publication;
  /** Counts the reviews of this pull request. */
  round?: number;
  files: ChangedFiles;
  /** The commit of the review. Without one, nothing is put on lines. */
  commit: string | undefined;
  /** Comments on lines that our earlier runs wrote with the same key, and did not close. */
  earlier: readonly { url: string; place: string }[];
  remark: string;
}

interface Draft {
  body: string;
  comments: NewLineComment[];
  omitted: number;
  /** Equal for two reviews that say the same, even in other words. */
  state: string;
  /** The findings that no comment on lines remembers, the most severe first. */
  unthreaded: Finding[];
}

export interface ReviewPlan extends Draft {
  /** Whether it puts something on lines that fails a gate. */
  isGating: boolean;
  event: 'COMMENT' | 'REQUEST_CHANGES';
  /**
   * The same review with the findings of these comments in its body, in case GitHub rejects their lines. Its state
   * names them, so that a later run that would only send them again knows that it has nothing new.
   */
  without(rejected: readonly NewLineComment[]): Draft;
}

/** With more comments in one review, GitHub becomes slow or refuses it. */
export const MAX_IN_REVIEW = 200;

/**
 * Plans one review. Findings go on the lines of the change, unless there is a comment already; the others go into
 * the body.
 *
 * A finding was reported before if we have a comment on the same lines, which are recognised by their text. Agents
 * describe the same problem in other words in every run, so a finding on those lines is not put there again; the
 * body links to the comment. It does not matter whether that comment was resolved: the lines are still the same.
 *
 * Only the worst findings get comments, whether these are new or not; so the next run does not post those that this one
 * folded. What fails the gate always gets one, because that is where people dismiss it.
 */
export function planReview(request: ReviewRequest): ReviewPlan {
  const { publication, earlier, commit } = request;
  const files: ChangedFiles = commit === undefined ? new Map() : request.files;
  const placed = publication.findings.map((finding) => placeFinding(finding, files));
  const urls = new Map(earlier.map(({ place, url }) => [place, url]));
  const isKnown = ({ kind, place }: ShownFinding) => kind === 'lines' && urls.has(place);
  const known = placed.filter(isKnown).map(({ finding, place }) => ({ finding, url: urls.get(place) ?? '' }));
  const fresh = placed.filter((each) => !isKnown(each));
  const worst = new Set(placed.filter(({ kind }) => kind === 'lines').slice(0, request.maxComments));
  const onLines = fresh
    .filter((each) => each.kind === 'lines')
    .filter((each) => worst.has(each) || failsGate(each.finding, publication.gate))
    .slice(0, MAX_IN_REVIEW);
  const isBeyond = (each: ShownFinding) => each.kind === 'lines' && !onLines.includes(each);
  const sorted: SortedFindings = {
    state: stateOf(publication, placed),
    shown: fresh.filter((each) => !isBeyond(each)),
    comments: new Map(onLines.map((each) => [each, writeLineComment(each, request)])),
    beyond: fresh.filter(isBeyond),
    known,
  };
  const isBlocking = request.reviewEvent === 'auto' && publication.findings.some(isGrave);
  return {
    event: isBlocking ? 'REQUEST_CHANGES' : 'COMMENT',
    isGating: onLines.some(({ finding }) => failsGate(finding, publication.gate)),
    ...writeDraft(request, sorted, []),
    without: (rejected) => writeDraft(request, sorted, rejected),
  };
}

/** The findings by their places, or the answers; and how the runs ended. */
function stateOf(publication: Publication, placed: readonly ShownFinding[]): string {
  const outcomes = publication.shards.map((shard) => {
    // Comments that are there already have a hash of this word.
    if (shard.kind === 'unread') return 'silent';
    const outcome = workFailure(shard.run.verdict)?.reason ?? (shard.run.unread ? 'partial' : 'success');
    return publication.isReview ? outcome : [outcome, shard.run.answer];
  });
  const places = placed.map(({ place, finding }) => `${place} ${finding.severity}`).sort();
  return digest('state', publication.missing, outcomes, places);
}

/** Where a finding is shown: on lines of the change, or in the body. */
export type ShownFinding = OnLines | { kind: 'body'; finding: PlacedFinding; place: string };

interface OnLines {
  kind: 'lines';
  finding: PlacedFinding;
  startLine: number;
  endLine: number;
  /** A hash of the lines, by which a later run recognises them even if they moved. */
  place: string;
  /** Present if it can be applied exactly. */
  suggestion?: string;
}

/** GitHub accepts comments only on lines that its diff shows. One wrong line, and it rejects the whole review. */
export function placeFinding(finding: PlacedFinding, files: ChangedFiles): ShownFinding {
  const hunks = files.get(finding.path) ?? [];
  if (finding.side === 'base') return placeRemoved(finding, hunks);
  const whole = hunkHolding(hunks, finding);
  const hunk = whole ?? lastTouching(hunks, finding);
  if (!hunk) return inBodyOf(finding);
  const startLine = Math.max(finding.startLine, hunk.newStart);
  const endLine = Math.min(finding.endLine, hunk.newStart + hunk.newCount - 1);
  const lines = linesIn(hunk, { startLine, endLine });
  const suggestion = whole ? exactSuggestion(finding.suggestion, lines) : undefined;
  return {
    kind: 'lines',
    finding,
    startLine,
    endLine,
    place: hashLines(finding.path, lines),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

// Not 'body': hashes of earlier versions must stay valid.
const inBodyOf = (finding: PlacedFinding): ShownFinding => ({
  kind: 'body',
  finding,
  place: digest('words', finding.path, finding.startLine, finding.endLine),
});

/** On the lines as they were before the change, which GitHub shows on the left. */
function placeRemoved(finding: PlacedFinding, hunks: readonly Hunk[]): ShownFinding {
  const { path, startLine, endLine } = finding;
  const hunk = hunks.find(({ oldStart, oldCount }) => startLine >= oldStart && endLine < oldStart + oldCount);
  if (!hunk) return inBodyOf(finding);
  return { kind: 'lines', finding, startLine, endLine, place: hashRemoved(path, oldLinesIn(hunk, finding)) };
}

/** A finding about more lines than the change shows is put on the part that is shown. */
const lastTouching = (hunks: readonly Hunk[], { startLine, endLine }: Finding): Hunk | undefined =>
  hunks.findLast(
    ({ newStart, newCount }) => newCount > 0 && startLine < newStart + newCount && endLine >= newStart,
  );

/**
 * The lines that replace these; an empty text deletes them. GitHub keeps the line ends of the file, so carriage
 * returns are removed. There is no suggestion if applying it would do something invisible: hidden characters,
 * a secret that was removed from it, a line that other bots obey.
 */
export function exactSuggestion(
  suggestion: string | undefined,
  lines: readonly string[],
): string | undefined {
  if (suggestion === undefined) return undefined;
  const text = suggestion.replace(/\r\n?/g, '\n');
  const isCut = text.includes(REDACTED) && !lines.join('\n').includes(REDACTED);
  if (isCut || nameInvisible(text) !== text || SLASH_COMMAND.test(text)) return undefined;
  const wanted = text === '' ? '' : `${text.replace(/\n$/, '')}\n`;
  return wanted === lines.map((line) => `${line}\n`).join('') ? undefined : wanted;
}
const SLASH_COMMAND = /^[ \t]*\/[A-Za-z][\w-]*(?:[ \t].*)?$/m;

/** Characters of a finding's text. The smaller ones are used if the comment becomes too long. */
const INLINE_CHARACTERS = [8000, 2000, 100];

function writeLineComment(
  { finding, startLine, endLine, place, suggestion }: OnLines,
  { publication, commit, links, key, hasFixCommand }: ReviewRequest,
): NewLineComment {
  const { severity, title, agreement, validation, rule } = finding;
  const { head = commit } = publication;
  const isPart = startLine !== finding.startLine || endLine !== finding.endLine;
  const facts = { severity, agreement, validation: validation?.verdict, rule };
  const marker = writeMarker({ kind: 'finding', key, place, what: digest(titleWords(title)), facts });
  const sure = certainty(finding);
  let body = '';
  for (const maxLength of INLINE_CHARACTERS) {
    body = joinParts(
      [
        `${marker}\n${SEVERITY_SIGNS[severity]} <b>${severity}</b> — <b>${safeLine(title, 300)}</b>${sure === '' ? '' : `\n<sub>${sure}</sub>`}`,
        isPart
          ? `<sub>About lines ${finding.startLine}–${finding.endLine}; the change shows only these.</sub>`
          : '',
        safeWords(finding.body, maxLength),
        suggestion === undefined
          ? suggestionWords(finding.suggestion, maxLength)
          : suggestionBlock(suggestion),
        otherPlaces(finding, linkTo(links.repositoryUrl, head)),
        agentPrompt(finding, { head, maxLength, hasFixCommand }),
      ],
      '\n\n',
    );
    // Invisible characters are shown by their names, which can make a text many times longer.
    if (body.length <= MAX_CHARACTERS) break;
  }
  const side = finding.side === 'base' ? 'LEFT' : 'RIGHT';
  return {
    path: finding.path,
    body,
    line: endLine,
    side,
    ...(startLine < endLine ? { start_line: startLine, start_side: side } : {}),
  };
}

/** A block that GitHub offers to apply. Its fence is longer than any run of backticks in it. */
export function suggestionBlock(suggestion: string): string {
  const longest = Math.max(2, ...[...suggestion.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}suggestion\n${suggestion}${fence}`;
}

interface SortedFindings {
  state: string;
  /** What is shown, but for what is folded or has a comment already. */
  shown: readonly ShownFinding[];
  comments: ReadonlyMap<ShownFinding, NewLineComment>;
  /** Findings that could be on lines, beyond the limit. */
  beyond: readonly ShownFinding[];
  known: readonly { finding: PlacedFinding; url: string }[];
}

function writeDraft(
  request: ReviewRequest,
  sorted: SortedFindings,
  rejected: readonly NewLineComment[],
): Draft {
  const { publication, links, key, remark, round } = request;
  const { beyond, known } = sorted;
  const { standing, findings, head = request.commit } = publication;
  const sent = new Map([...sorted.comments].filter(([, comment]) => !rejected.includes(comment)));
  const comments = [...sent.values()];
  const refused = [...sorted.comments.keys()].filter((each) => !sent.has(each)).map(({ place }) => place);
  const state = refused.length === 0 ? sorted.state : digest('without lines', sorted.state, refused.sort());
  const inBody = sorted.shown.filter((each) => !sent.has(each));
  const link = linkTo(links.repositoryUrl, head);
  const findId = idOf(publication, key);
  const beyondTitle = `${plural(beyond.length, 'more finding')}: ${countSeverities(beyond.map(({ finding }) => finding))} (max-comments is ${request.maxComments})`;
  const list = (detail: TextDetail) => {
    const write = ({ finding }: ShownFinding) => findingItem(finding, { each: detail.each, link, findId });
    const items = findingItems(inBody.slice(0, detail.findings), write);
    const rest = beyond.slice(0, Math.max(0, detail.findings - inBody.length));
    const repeated = findingItems(known.slice(0, detail.findings), ({ finding, url }) =>
      findingItem(finding, { each: 0, link, note: ` (<a href="${url}">comment</a>)` }),
    );
    return joinParts(
      [
        comments.length > 0 ? `${plural(comments.length, 'comment')} on the changed lines.` : '',
        items === '' || comments.length === 0 ? items : `**Not on the changed lines**\n\n${items}`,
        rest.length === 0 ? '' : folded(beyondTitle, findingItems(rest, write)),
        repeated === '' ? '' : `**Still there, on lines that already have a comment**\n\n${repeated}`,
      ],
      '\n\n',
    );
  };
  const opening = writeMarker({ kind: 'review', key, state, ...(round === undefined ? {} : { round }) });
  const count = inBody.length + beyond.length;
  const { text, omitted } = writeAround(publication, links, { opening, remark, count, list });
  const unthreaded = [
    ...[...inBody, ...beyond].map(({ finding }) => finding),
    ...standing.filter((finding) => !findings.includes(finding)),
  ];
  return { body: text, comments, state, unthreaded, omitted };
}
