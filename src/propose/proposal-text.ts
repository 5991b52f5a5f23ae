import { digest, readMarker, triedMark, writeMarker } from '../github/marker.js';
import { proposalKey, withTrailers } from '../github/proposals.js';
import type { CommandResult } from '../report/model.js';
import { answerOf, type RunFacts } from '../report/read-reports.js';
import { placeOf, statementsWords, unprovenOf } from '../report/statements.js';
import { safeBeginning, safeLine } from '../report/safe-markdown.js';
import {
  evidenceRows,
  failedResult,
  isPassed,
  lastRound,
  matterOf,
  resultWords,
  verificationNote,
  type EvidenceRow,
} from '../report/verification.js';
import { firstLines, joinParts, plural, shortCommit } from '../text/format.js';
import { codeText, escapeText, fenced, folded, table } from '../text/markdown.js';
import { oneLine, truncate, truncateStart } from '../text/plain-text.js';
import type { ProposeInputs } from './propose-inputs.js';

/** The texts of the workflow's author are used as they are. Merging the pull request closes the issue `fixes`. */
interface TextSource extends Pick<ProposeInputs, 'title' | 'body' | 'commitMessage' | 'fixes'> {
  /** What the agent reported. Its words are used only where the author gave none, and only made safe. */
  run: RunFacts | undefined;
  branch: string;
  files: number;
  runUrl: string;
  /** Everything since this commit is in it, if runs keep it up to date. */
  firstBase: string | undefined;
  /** Whether the token is the workflow's own. GitHub treats what it opens in a special way. */
  isWorkflowToken: boolean;
}

export interface ProposalText {
  title: string;
  /** Our part of the description, from its marker to its end. */
  body: string;
  commitMessage: string;
  /** A hash of the branch. */
  key: string;
}

const MAX_TITLE = 256;
const MAX_ANSWER = 30_000;
const END = '<!-- /cursor-agent-action -->';

export function writeProposal(source: TextSource): ProposalText {
  const key = proposalKey(source.branch);
  const defaultTitle = TITLES.get(source.run?.preset ?? '') ?? 'Change by an agent';
  const title = truncate(oneLine(source.title ?? defaultTitle), MAX_TITLE);
  const marker = writeMarker({ kind: 'proposal', key, title: titleHash(title) });
  const parts = [
    // What was proven stands before what the agent says about it.
    withoutMarkers(evidenceOf(source)),
    withoutMarkers(sourcesOf(source)),
    withoutMarkers(source.body?.trim() || safeBeginning(source.run ? answerOf(source.run) : '', MAX_ANSWER)),
    withoutMarkers(standingNotes(source)),
    source.fixes === undefined ? '' : `Fixes #${source.fixes}`,
    aboutLine(source),
  ];
  return {
    title,
    body: [
      marker,
      ...(source.run?.failureKey === undefined ? [] : [triedMark(source.run.failureKey)]),
      joinParts(parts, '\n\n---\n\n'),
      END,
    ].join('\n'),
    commitMessage: withTrailers(source.commitMessage ?? title, key, source.firstBase),
    key,
  };
}

const titleHash = (title: string): string => digest('title', title.trim());

/** Not from the words of the agent: titles are read in lists, without what is around them. */
const TITLES = new Map([
  ['docs', 'Update the documentation'],
  ['fix-ci', 'Repair CI'],
]);

/** Whether the action saw commands fail on this change. Then it must not look finished. */
export const isUnverified = (run: RunFacts | undefined): boolean =>
  ['failed', 'passed-with-changed-tests'].includes(run?.verification?.state ?? '');

const MAX_SHOWN = 20;
const MAX_OUTPUT = 3000;

/** Which commands were run, before the agent and on its change, and how they ended. */
function evidenceOf({ run }: TextSource): string {
  const note = run && verificationNote(run, escapeText);
  const verification = run?.verification;
  if (note === undefined || !verification) return '';
  const { before, rounds, originals } = verification;
  const rows = evidenceRows(verification).slice(0, MAX_SHOWN);
  const columns = [
    ...(before ? [{ head: 'Before', of: (row: EvidenceRow) => row.before }] : []),
    ...(rounds.length > 0 ? [{ head: 'After', of: (row: EvidenceRow) => row.after }] : []),
    ...(originals ? [{ head: 'With the original tests', of: (row: EvidenceRow) => row.originals }] : []),
  ];
  const cells = rows.map((row) => [codeText(row.command), ...columns.map(({ of }) => evidenceCell(of(row)))]);
  const failed = failedResult(verification) ?? originals?.round.results.find((result) => !isPassed(result));
  const shown = failed ?? lastRound(verification)?.results.at(-1);
  const parts = [
    '### Verification',
    note,
    ...(cells.length === 0 ? [] : [table(['Command', ...columns.map(({ head }) => head)], cells)]),
    ...(verification.state === 'passed-with-changed-tests' ? [changedTests(originals?.paths ?? [])] : []),
    ...(shown === undefined || shown.output.trim() === ''
      ? []
      : [
          folded(
            'The end of the output',
            fenced(truncateStart(shown.output.trim(), MAX_OUTPUT)),
            failed !== undefined,
          ),
        ]),
  ];
  return parts.join('\n\n');
}

/** How a command ended, and the lines that matter. */
const evidenceCell = (result: CommandResult | undefined): string =>
  result
    ? [
        `${isPassed(result) ? '✅' : '❌'} ${escapeText(resultWords(result))}`,
        ...matterOf(result).map((line) => codeText(line)),
      ].join('<br>')
    : 'not run';

/** Which code shows each changed statement of the documents. What nothing shows stands first, so that it is looked at. */
function sourcesOf({ run }: TextSource): string {
  const statements = run?.statements;
  if (!statements || statements.changes.length + statements.uncovered.length === 0) return '';
  const unproven = unprovenOf(statements);
  const proven = statements.changes.flatMap(({ source, reason, ...place }) => {
    if (!source) return [];
    const sourcePlace = codeText(placeOf({ ...source, document: source.path }));
    const quote = codeText(oneLine(truncate(source.quote, 200)));
    return [[codeText(placeOf(place)), reasonText(reason), `${sourcePlace}<br>${quote}`]];
  });
  const warnings = unproven.map(({ place, why }) => `${codeText(place)}: ${reasonText(why)}`);
  const sources = table(['Document', 'Why', 'Source'], proven.slice(0, MAX_STATEMENTS));
  return [
    '### Sources',
    statementsWords(statements),
    ...(warnings.length === 0
      ? []
      : [warningList('Look at these first:', firstLines(warnings, MAX_STATEMENTS))]),
    ...(proven.length === 0 ? [] : [folded(plural(proven.length, 'source'), sources, false)]),
  ].join('\n\n');
}

const reasonText = (reason: string): string => escapeText(oneLine(truncate(reason, 300)));

const MAX_STATEMENTS = 40;

const warningList = (title: string, items: readonly string[]): string =>
  ['> [!WARNING]', `> ${title}`, '>', ...items.map((item) => `> - ${item}`)].join('\n');

const changedTests = (paths: readonly string[]): string =>
  warningList(
    'With the originals of these files it fails. Look at them first:',
    firstLines(
      paths.map((path) => codeText(path)),
      MAX_SHOWN,
    ),
  );

/** Nothing but our own marker may look like one, not even in a code block, where escaping would be shown as it is. */
const withoutMarkers = (text: string): string =>
  text.replace(/<!--(?=\s*\/?\s*cursor-agent-action)/gi, '<!- -');

const APPROVE_RUNS =
  'Its workflow runs wait for "Approve workflows to run", because the workflow’s own token opened it; ' +
  'with the token of a GitHub App they start by themselves.';

/** What a reader of a pull request should know that runs keep up to date. */
function standingNotes({ run, firstBase }: TextSource): string {
  const proposal = run?.proposal;
  if (!proposal) return '';
  const { besides, leftOut } = proposal;
  const since = firstBase === undefined ? '' : ` It has everything since ${shortCommit(firstBase)}.`;
  return [
    `Later runs keep this pull request up to date, until a user commits to its branch.${since}`,
    ...(besides === undefined
      ? []
      : [
          `Pull request #${besides} has commits of others and stays as it is, so what came after it is here.`,
        ]),
    ...(leftOut.length === 0
      ? []
      : [
          warningList(
            'The base changed the same lines as the last version of this pull request in these files. Check that nothing is missing:',
            firstLines(
              leftOut.map((path) => codeText(path)),
              MAX_SHOWN,
            ),
          ),
        ]),
  ].join('\n\n');
}

function aboutLine({ files, runUrl, run, isWorkflowToken }: TextSource): string {
  const model = run?.model ? ` (${safeLine(run.model, 80)})` : '';
  const sentences = [
    `An agent${model} changed ${plural(files, 'file')} in <a href="${runUrl}">this run</a>. Read the change before you merge it.`,
    ...(isWorkflowToken ? [APPROVE_RUNS] : []),
  ];
  return `<sub>${sentences.join(' ')}</sub>`;
}

type PresentText = Pick<ProposalText, 'title' | 'body'>;

/**
 * What to change in a pull request that we opened, as it is now. Only our own part of the description is replaced, and the title
 * only if it is still the one that we gave it. If our marker is gone, everything stays as it is.
 */
export function updateText(present: PresentText, ours: ProposalText): Partial<PresentText> | 'not-ours' {
  const body = present.body.replace(/\r\n?/g, '\n');
  const start = body.indexOf('<!-- cursor-agent-action proposal ');
  const marker = start < 0 ? undefined : readMarker(body.slice(start));
  const end = body.indexOf(END, start);
  if (marker?.kind !== 'proposal' || marker.key !== ours.key || end < 0) return 'not-ours';
  const isOurTitle = marker.title === titleHash(present.title);
  // If a person chose another title, the marker goes on saying which one was ours.
  const kept = isOurTitle ? ours.body : ours.body.replace(/ title=[0-9a-f]{20} /, ` title=${marker.title} `);
  const merged = `${body.slice(0, start)}${kept}${body.slice(end + END.length)}`;
  return {
    ...(isOurTitle && present.title.trim() !== ours.title.trim() ? { title: ours.title } : {}),
    ...(merged.trim() === body.trim() ? {} : { body: merged }),
  };
}
