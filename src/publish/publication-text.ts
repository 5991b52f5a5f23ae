import { FAILURES } from '../core/failure.js';
import { explanationUrl } from '../core/this-action.js';
import {
  certaintyWords,
  countSeverities,
  dismissedText,
  isGrave,
  isLinkablePath,
  linkTo,
  placeText,
  ruleOf,
  SEVERITY_SIGNS,
  workFailure,
  type Severity,
} from '../report/findings.js';
import type { Finding } from '../report/model.js';
import { dismissCommand } from '../review/finding-id.js';
import { codeText, fenced, folded, table } from '../text/markdown.js';
import { logLine, splitIntoLines, truncate } from '../text/plain-text.js';
import { compactNumber, duration, joinParts, number, plural } from '../text/format.js';
import { answerOf, type RunFacts, type ReportShard } from '../report/read-reports.js';
import { verificationNote } from '../report/verification.js';
import { certainty, otherPlaces, placeLink } from './finding-text.js';
import { idOf, runsOf, wentWell, type PlacedFinding, type Publication } from './publication.js';
import { safeBeginning, safeLine, safeWords } from '../report/safe-markdown.js';

/** Addresses that come from the runner and not from the report. */
export interface RunLinks {
  /** `https://github.com/owner/name`. */
  repositoryUrl: string;
  /** The page of the run in which the agent worked. */
  runUrl: string;
  /** The documents of this version of the action. */
  documentsUrl?: string | undefined;
}

export interface TextDetail {
  /** Characters of all answers and summaries together. Each run gets an equal part. */
  words: number;
  /** How many findings are shown, and how many characters of each. */
  findings: number;
  each: number;
}
/** The first one that fits is taken. Each shows less than the one before it. */
const DETAILS: readonly TextDetail[] = [
  { words: 30_000, findings: 200, each: 4000 },
  { words: 20_000, findings: 100, each: 1500 },
  { words: 10_000, findings: 50, each: 500 },
  { words: 4000, findings: 25, each: 0 },
  { words: 500, findings: 5, each: 0 },
];

/** GitHub allows 65,536 characters in a comment, and what is hidden for the next run needs some of them. */
export const MAX_CHARACTERS = 50_000;

interface CommentParts {
  opening?: string;
  remark?: string;
  /** What is never left out, however long the rest is. */
  offer?: string;
  /** A hash of the input `key`, if findings can be dismissed by their ids. */
  key?: string;
}

/** A text, and the number of findings that did not fit into it. */
interface WrittenText {
  text: string;
  omitted: number;
}

/** The text of a comment or of the job summary. */
export function writeComment(
  publication: Publication,
  links: RunLinks,
  parts: CommentParts = {},
): WrittenText {
  const { findings, head } = publication;
  const findId = parts.key === undefined ? undefined : idOf(publication, parts.key);
  const link = linkTo(links.repositoryUrl, head);
  const list = (detail: TextDetail) =>
    findingItems(findings.slice(0, detail.findings), (finding) =>
      findingItem(finding, { each: detail.each, link, findId }),
    );
  return writeAround(publication, links, { ...parts, count: findings.length, list });
}

/**
 * A list of `count` findings, with what is said about the runs around it. Takes the first text that is short enough.
 */
export function writeAround(
  publication: Publication,
  links: RunLinks,
  parts: CommentParts & { count: number; list(detail: TextDetail): string },
): WrittenText {
  const { opening = '', remark = '', offer = '', count, list } = parts;
  const head = joinParts([opening, heading(publication)], '\n');
  const numbers = numbersLine(publication, links);
  for (const detail of DETAILS) {
    const omitted = Math.max(0, count - detail.findings);
    const text = joinParts(
      [
        head,
        remark,
        shortfalls(publication, links),
        answers(publication, detail.words),
        verifications(publication),
        offer,
        list(detail),
        leftOutRemark(publication, omitted),
        withheldList(publication, detail, links),
        asideList(publication, detail),
        shardTable(publication),
        numbers,
      ],
      '\n\n',
    );
    if (text.length <= MAX_CHARACTERS) return { text, omitted };
  }
  return { text: joinParts([head, offer, numbers], '\n\n'), omitted: count };
}

/** The first line: how the runs ended. */
export function heading(publication: Publication): string {
  const { shards, missing, findings, isReview, limit } = publication;
  const [first] = runsOf(shards);
  const preset = first?.preset ? ` (${first.preset})` : '';
  const who = safeLine(`${first?.agent ?? 'Cursor'} agent${preset}`, 150);
  const found = countSeverities(findings);
  if (!shards.every(wentWell) || missing > 0) {
    const outcome = shards.length === 1 && missing === 0 ? 'failed' : 'incomplete';
    return `### ❌ ${who}: ${joinParts([outcome, found], '; ')}`;
  }
  if (limit) return `### ⏭️ ${who}: ${joinParts([`skipped: ${limit.code}`, found], '; ')}`;
  const isPartial = runsOf(shards).some(({ unread }) => unread !== undefined);
  if (isPartial)
    return `### ⚠️ ${who}: ${joinParts(['partly reviewed', isReview && found === '' ? 'no findings' : found], '; ')}`;
  if (!isReview) return `### ✅ ${who}: done`;
  const { withheld } = publication;
  if (found !== '' || withheld.length > 0) {
    const held = withheld.length === 0 ? '' : `${number(withheld.length)} withheld`;
    return `### 💬 ${who}: ${joinParts([found === '' ? 'no findings' : found, held], '; ')}`;
  }
  const below = countSeverities(publication.standing);
  return below === '' ? `### ✅ ${who}: no findings` : `### 💬 ${who}: ${below}, below minimum-severity`;
}

/** That a limit kept the newest commit from being looked at, below a text that stays; undefined if that is said there. */
export function limitLine({ limit }: Publication, { runUrl }: RunLinks, body: string): string | undefined {
  const code = limit && `skipped: ${limit.code}`;
  if (!limit || !code || body.split(/\r?\n/).some((line) => line.startsWith('### ⏭️') && line.includes(code)))
    return undefined;
  return `⏭️ <a href="${runUrl}">The newest run</a> was ${code}. ${safeLine(limit.reason, 400)}`;
}

/** What failed and what to do about it; what is missing. */
function shortfalls({ shards, missing, repeated }: Publication, links: RunLinks): string {
  const isAlone = shards.length === 1;
  const bad = shards.filter((shard) => !wentWell(shard));
  const again =
    repeated === 0
      ? ''
      : ` ${plural(repeated, 'report repeats', 'reports repeat')} a part that another report covers.`;
  const texts = [
    ...bad.slice(0, 10).flatMap((shard) => shortfall(shard, isAlone, links)),
    ...(bad.length > 10 ? [`… and ${plural(bad.length - 10, 'more run')} without success.`] : []),
    ...(missing > 0
      ? [`${plural(missing, 'report is', 'reports are')} missing, with everything those runs found.${again}`]
      : []),
  ];
  if (texts.length === 0) return unreadList(shards);
  const lines = texts.join('\n\n').split('\n');
  return joinParts(
    [['> [!CAUTION]', ...lines.map((line) => `> ${line}`.trimEnd())].join('\n'), unreadList(shards)],
    '\n\n',
  );
}

/** The part of the change that was not reviewed. */
function unreadList(shards: readonly ReportShard[]): string {
  const lines = runsOf(shards).flatMap(({ unread }) => {
    if (!unread) return [];
    const { why, files, count = files.length } = unread;
    const named = files.slice(0, MAX_UNREAD_NAMED).map((path) => codeText(path, 200));
    const more = count > named.length ? ` and ${number(count - named.length)} more` : '';
    const which = count === 0 ? 'Not all was reviewed.' : `Not reviewed: ${plural(count, 'file')}.`;
    return [`**${which}** ${safeLine(why, 1000)}${named.length === 0 ? '' : ` ${named.join(', ')}${more}`}`];
  });
  return lines.length === 0
    ? ''
    : ['> [!WARNING]', ...lines.slice(0, 10).map((line) => `> ${line}`)].join('\n');
}

const MAX_UNREAD_NAMED = 10;

/** Which commands verified the changes. A run that failed because of them is among the shortfalls. */
function verifications({ shards }: Publication): string {
  const lines = shards.flatMap((shard) => {
    if (shard.kind === 'unread' || !wentWell(shard)) return [];
    const note = verificationNote(shard.run, (words) => safeLine(words, 400));
    const name = shards.length === 1 ? '' : `${codeText(shard.name)} `;
    return note === undefined ? [] : [`${name}${note}`];
  });
  return lines.slice(0, 10).join('\n\n');
}

function shortfall(shard: ReportShard, isAlone: boolean, { documentsUrl }: RunLinks): string[] {
  const name = isAlone ? '' : `${codeText(shard.name)} `;
  if (shard.kind === 'unread') return [`**${name}No report:** ${safeLine(shard.why, 400)}`];
  const failure = workFailure(shard.run.verdict);
  if (!failure) return [];
  const { what, remedy } = FAILURES[failure.reason];
  const detail = truncate(failure.detail.trim(), 1000);
  const shown = detail.includes('\n') ? fenced(detail) : safeLine(detail, 1000);
  const more = documentsUrl ? ` [More about this](${explanationUrl(documentsUrl, failure.reason)})` : '';
  return [
    `**${name}What happened:** ${what} (<code>${failure.reason}</code>)`,
    ...(detail === '' ? [] : [shown]),
    `**What to do:** ${remedy}${more}`,
  ];
}

const MIN_WORDS = 100;

/** The summary of the review, or the answer. With several runs, each is below its name. */
function answers({ shards }: Publication, maxLength: number): string {
  const texts = shards.flatMap((shard) => {
    if (shard.kind === 'unread') return [];
    const text = answerOf(shard.run);
    return text === '' ? [] : [{ name: shard.name, text }];
  });
  const room = Math.floor(maxLength / Math.max(1, texts.length));
  // The first words of very many answers say nothing, and would leave no room for the findings.
  if (texts.length > 1 && room < MIN_WORDS)
    return `*What ${plural(texts.length, 'run')} answered is in their reports.*`;
  const written = texts.map(({ name, text }) => ({ name, words: safeBeginning(text, room) }));
  const [only] = written;
  if (shards.length === 1 && only) {
    if (runsOf(shards).some(({ skipped }) => skipped !== undefined)) return only.words;
    const isFolded = !shards.every(wentWell);
    return isFolded ? folded('The agent said', only.words) : `**The agent said**\n\n${only.words}`;
  }
  return written.map(({ name, words }) => folded(codeText(name), words, written.length <= 3)).join('\n\n');
}

export function findingItem(finding: PlacedFinding, { each, link, findId, note = '' }: ItemDetail): string {
  const { severity, title, body, suggestion } = finding;
  const id = findId?.(finding);
  const sureWords = certaintyWords(finding);
  const head = `${SEVERITY_SIGNS[severity]} <b>${severity}</b> ${placeLink(finding, link(finding))} — ${safeLine(title, 300)}${sureWords === '' ? '' : ` <sub>(${sureWords})</sub>`}${note}`;
  const sure = certainty(finding);
  const dismissal = id === undefined ? '' : `<sub>To dismiss it: <code>${dismissCommand(id)}</code></sub>`;
  const more =
    each === 0
      ? ''
      : joinParts(
          [
            sure === '' ? '' : `<sub>${sure}</sub>`,
            safeWords(body, each),
            suggestionWords(suggestion, each),
            otherPlaces(finding, link),
            dismissal,
          ],
          '\n\n',
        );
  return more === '' ? `- ${joinParts([head, dismissal], ' ')}` : folded(head, more, isGrave(finding));
}

interface ItemDetail {
  each: number;
  link: (finding: Finding) => string | undefined;
  /** If it can be dismissed by its id. */
  findId?: ((finding: Finding) => string | undefined) | undefined;
  note?: string;
}

/** A suggestion that cannot be applied with a click. */
export function suggestionWords(suggestion: string | undefined, maxLength: number): string {
  if (suggestion === undefined) return '';
  if (suggestion === '') return 'Suggestion: delete these lines.';
  return `Suggestion:\n\n${safeWords(fenced(truncate(suggestion, maxLength)), maxLength * 2 + 100)}`;
}

/** Time, model, calls, tokens and cost, with a link to the run. */
function numbersLine(publication: Publication, { repositoryUrl, runUrl }: RunLinks): string {
  const runs = runsOf(publication.shards);
  const sum = (of: (run: RunFacts) => number) => runs.reduce((all, run) => all + of(run), 0);
  const [failed, denied] = [sum((run) => run.failed), sum((run) => run.denied)];
  const unsuccessful = joinParts(
    [failed > 0 ? `${number(failed)} failed` : '', denied > 0 ? `${number(denied)} denied` : ''],
    ', ',
  );
  const calls = `${number(sum((run) => run.calls))}${unsuccessful === '' ? '' : ` (${unsuccessful})`}`;
  const cost = sum(({ costUsd }) => costUsd ?? 0);
  const tokens = sum((run) => (run.tokens ? run.tokens.input + run.tokens.output : 0));
  const files = sum((run) => run.files);
  const names = new Set(runs.map(({ model }) => model).filter((model) => model !== ''));
  const models = joinParts(
    [...names].slice(0, 3).map((model) => safeLine(model, 80)),
    ', ',
  );
  const [page, ...otherPages] = runs.flatMap((run) => run.page ?? []);
  const items = [
    runs.length === 0 ? '' : `Time ${duration(Math.max(...runs.map(({ durationMs }) => durationMs)))}`,
    models === '' ? '' : `Model ${models}`,
    runs.length === 0 ? '' : `Tool calls ${calls}`,
    files === 0 ? '' : `Files changed ${number(files)}`,
    tokens === 0 ? '' : `Tokens ${compactNumber(tokens)}`,
    cost === 0 ? '' : `Cost $${cost.toFixed(cost < 1 ? 4 : 2)}`,
    `<a href="${runUrl}">the run, with log and report</a>`,
    // The pages of a matrix are linked from their jobs.
    page && otherPages.length === 0
      ? `<a href="${repositoryUrl}/actions/runs/${page.run}/artifacts/${page.artifact}">every tool call</a>`
      : '',
  ];
  return `<sub>${joinParts(items, ' · ')}</sub>`;
}

function shardTable({ shards, counting }: Publication): string {
  if (shards.length < 2) return '';
  const rows = shards.slice(0, 50).map((shard) => {
    if (shard.kind === 'unread') return [codeText(shard.name), '❌ no report', ''];
    const { review } = shard.run;
    const failure = workFailure(shard.run.verdict);
    const outcome = failure ? `❌ failed (<code>${failure.reason}</code>)` : '✅ done';
    return [
      codeText(shard.name),
      outcome,
      review ? number(review.findings.filter((one) => counting.has(one)).length) : '',
    ];
  });
  return folded(plural(shards.length, 'run'), table(['run', 'outcome', 'findings'], rows));
}

/** One finding per line. Stops when there is more text than can fit. */
export function findingItems<T>(findings: readonly T[], write: (finding: T) => string): string {
  const items: string[] = [];
  let length = 0;
  for (const finding of findings) {
    if (length > MAX_CHARACTERS) break;
    const item = write(finding);
    items.push(item);
    length += item.length;
  }
  return items.join('\n');
}

/** What gets no comment although it counts. The title is the one line that says so; the list has the reasons. */
function withheldList({ withheld, head }: Publication, detail: TextDetail, links: RunLinks): string {
  if (withheld.length === 0) return '';
  const link = linkTo(links.repositoryUrl, head);
  const items = findingItems(withheld.slice(0, detail.findings), ({ finding, reason }) =>
    findingItem(finding, { each: detail.each, link, note: ` <i>(${safeLine(reason, 300)})</i>` }),
  );
  const more = withheld.length - detail.findings;
  const severities = countSeverities(withheld.map(({ finding }) => finding));
  return folded(
    `${plural(withheld.length, 'finding')} withheld: ${severities}`,
    joinParts([items, more > 0 ? `- … and ${number(more)} more` : ''], '\n'),
  );
}

/** What the runs reported and does not count, with the reason for each. There are no links, because most lead nowhere. */
function asideList({ aside, whyUnknown }: Publication, detail: TextDetail): string {
  if (aside.length === 0) return '';
  const items = aside
    .slice(0, detail.findings)
    .map(
      (finding) =>
        `- ${codeText(placeText(finding), 200)}: ${ruleOf(finding).why} — ${safeLine(finding.title, 300)}`,
    );
  const more = aside.length - items.length;
  const unknown = aside.some(({ place }) => place === 'not-looked-up') ? safeLine(whyUnknown ?? '', 400) : '';
  const title = `${plural(aside.length, 'finding')} set aside, which ${aside.length === 1 ? 'does' : 'do'} not count`;
  const list = items.join('\n') + (more > 0 ? `\n- … and ${number(more)} more` : '');
  return folded(title, joinParts([unknown, list], '\n\n'));
}

/** What is not shown of the findings, and why. `omitted` did not fit. */
function leftOutRemark({ belowMinimum, dismissed }: Publication, omitted: number): string {
  const remarks = joinParts(
    [
      omitted > 0 ? `${plural(omitted, 'more finding')} did not fit.` : '',
      belowMinimum > 0 ? `${plural(belowMinimum, 'finding')} below the minimum severity.` : '',
      dismissed > 0 ? dismissedText(dismissed) : '',
    ],
    ' ',
  );
  return remarks === '' ? '' : `*${remarks}*`;
}

interface LineAnnotation {
  level: 'error' | 'warning' | 'notice';
  title: string;
  text: string;
  place?: { file: string; startLine: number; endLine: number };
}

/** GitHub shows ten annotations per level and step, and cuts each after 4,096 characters. */
export const MAX_PER_LEVEL = 10;
const MAX_ANNOTATION = 3500;
export const LEVELS: Readonly<Record<Severity, LineAnnotation['level']>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'notice',
  info: 'notice',
};

/** Annotations for failed runs and the most severe findings. */
export function lineAnnotations({ shards, missing, findings }: Publication): LineAnnotation[] {
  const gap = `${plural(missing, 'report is', 'reports are')} missing.`;
  const all = [
    ...shards.flatMap(failureAnnotation),
    ...(missing > 0 ? [annotation('error', 'Cursor Agent', gap)] : []),
    ...findings.map(findingAnnotation),
  ];
  const room = { error: MAX_PER_LEVEL, warning: MAX_PER_LEVEL, notice: MAX_PER_LEVEL };
  return all.filter(({ level }) => {
    room[level] -= 1;
    return room[level] >= 0;
  });
}

/** Whether an annotation can be put on the lines. Those that the change removed are not in the commit. */
export const hasLinesAtHead = ({ path, place }: PlacedFinding): boolean =>
  place !== 'removed' && isLinkablePath(path);

/** A text without characters that could change how it is shown. */
export const safeLines = (text: string): string =>
  splitIntoLines(text.trim())
    .map((line) => logLine(line))
    .join('\n');

/** The description of a finding, or its title if it has none. */
export const descriptionOf = ({ title, body }: Finding): string => (body.trim() === '' ? title : body);

const annotation = (level: LineAnnotation['level'], title: string, text: string): LineAnnotation => ({
  level,
  title: logLine(title, 200),
  text: truncate(safeLines(text), MAX_ANNOTATION),
});

function failureAnnotation(shard: ReportShard): LineAnnotation[] {
  if (shard.kind === 'unread')
    return [annotation('error', `Cursor Agent: no report of ${shard.name}`, shard.why)];
  const failure = workFailure(shard.run.verdict);
  if (!failure) return [];
  const { what, remedy } = FAILURES[failure.reason];
  return [annotation('error', `Cursor Agent: ${failure.reason}`, [what, failure.detail, remedy].join('\n'))];
}

function findingAnnotation(finding: PlacedFinding): LineAnnotation {
  const { path, startLine, endLine, severity, title } = finding;
  const isNamed = hasLinesAtHead(finding);
  const where = isNamed ? '' : `${path}:${startLine}\n`;
  return {
    ...annotation(LEVELS[severity], `${severity}: ${title}`, `${where}${descriptionOf(finding)}`),
    ...(isNamed ? { place: { file: path, startLine, endLine } } : {}),
  };
}
