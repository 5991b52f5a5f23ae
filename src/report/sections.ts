import { exitWords } from '../core/exit.js';
import { FAILURES } from '../core/failure.js';
import { explanationUrl } from '../core/this-action.js';
import type { ConnectionState } from '../stream/events.js';
import { compactNumber, duration, joinParts, number, plural, share } from '../text/format.js';
import { truncate } from '../text/plain-text.js';
import { findDenials } from './denials.js';
import {
  countSeverities,
  dismissedText,
  doesCount,
  lineLinks,
  reviewedCommit,
  workFailure,
} from './findings.js';
import type {
  ChangedFile,
  Changes,
  CheckedFinding,
  CommandResult,
  Denial,
  FileChanges,
  ReportFile,
  RunRecord,
  ToolCall,
  Verification,
} from './model.js';
import { contextUnit, countCalls, lineCounts, outcomeWords, runningCalls, toolLabel } from './run-report.js';
import { placeOf, statementsWords, unprovenOf } from './statements.js';
import { timeShares } from './timeline.js';
import {
  baselineWords,
  commandLine,
  evidenceRows,
  isPassed,
  lastRound,
  matterOf,
  resultWords,
  verificationWords,
  type EvidenceRow,
} from './verification.js';

export type Sections = ReturnType<typeof buildSections>;

/** `look`: as code, or as a point in time. */
interface Fact {
  name: string;
  text: string;
  url?: string | undefined;
  look?: 'code' | { iso: string };
}

export type Answer =
  | {
      kind: 'review';
      summary: string;
      /** Findings that count, of them those that are withheld, and those that do not count. */
      placed: CheckedFinding[];
      withheld: CheckedFinding[];
      aside: CheckedFinding[];
      /** The address of a finding's lines, if they exist and it is known. */
      linkTo: (finding: CheckedFinding) => string | undefined;
      words: Words;
    }
  /** JSON that was asked for, as data and as text. `file`: the output that names the file with the whole answer. */
  | { kind: 'json'; data: unknown; text: string; file: string | undefined }
  /** An answer that should have been such JSON, or Markdown. */
  | { kind: 'unusable' | 'words'; text: string; file: string | undefined; words: Words }
  | { kind: 'none'; isExpected: boolean };

/** Whose words they are. The agent's own are folded when the run failed; without an agent they are the action's. */
export type Words = 'agent' | 'agent-folded' | 'action';

/** About the findings that are set aside. */
export const SET_ASIDE_HINT = 'These do not count. Each one says why.';

/** About the findings that are withheld. */
export const WITHHELD_HINT = 'These get no comment, but they count for `fail-on-severity`.';

/** One of the numbers at the top. */
interface NumberItem {
  name: string;
  value: Extract<Inline, { text: string }>;
  /** The exact value, for documents with more room. */
  exact?: string;
}

export interface Section {
  icon: string;
  title: string;
  /** Whether a short document shows it folded. */
  fold: 'never' | 'closed' | 'open';
  blocks: Block[];
}

export type Block =
  | {
      kind: 'table';
      heads: string[];
      rows: Cell[][];
      /** How many rows there are, listed or not. */
      total: number;
      /** The title under which a long table is folded. */
      foldAs?: string;
    }
  | { kind: 'list'; title?: string; items: Inline[][] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'todos'; todos: RunRecord['report']['todos'] }
  /** Permission rules. A short document names only the number of a long list, and links the page that has it. */
  | { kind: 'rules'; title: string; rules: readonly string[]; pageUrl: string | undefined }
  /** Text whose lines keep their shape. `keepEnd`: if it is too long, its end is shown. */
  | { kind: 'pre'; title: string; text: string; isFolded?: boolean; keepEnd?: true; language?: 'yaml' };

type Cell = Inline[];

/**
 * A part of a line. All of it can be text of unknown origin; what stands between backticks in a text is shown as code.
 * `maxLength` limits it where room is scarce.
 */
export type Inline =
  | { kind: 'text'; text: string; maxLength: number }
  | { kind: 'code'; text: string; maxLength: number }
  /** A number or a time as the action itself writes it: it needs no escaping, and is not wrapped. */
  | { kind: 'number'; text: string }
  /** Many short pieces of code, one per line. */
  | { kind: 'names'; names: string[] }
  | { kind: 'line-counts'; added: number | undefined; removed: number | undefined };

/** No document shows more rows of a table. */
const MAX_ROWS = 1000;
/** A longer list of files is folded. */
const MAX_OPEN_FILES = 15;
const MAX_NOTES = 20;
const MAX_TOKENS = 20;
const BAR_BLOCKS = 8;

const text = (words: string, maxLength = Infinity) => ({ kind: 'text' as const, text: words, maxLength });
const code = (words: string, maxLength = 120) => ({ kind: 'code' as const, text: words, maxLength });
const figure = (words: string) => ({ kind: 'number' as const, text: words });

const paragraph = (...content: Inline[]): Block => ({ kind: 'paragraph', content });
const table = (heads: string[], rows: Cell[][], total = rows.length): Extract<Block, { kind: 'table' }> => ({
  kind: 'table',
  heads,
  rows: rows.slice(0, MAX_ROWS),
  total,
});
const pre = (
  title: string,
  words: string,
  look: { isFolded?: boolean; keepEnd?: true; language?: 'yaml' },
): Block => ({ kind: 'pre', title, text: words, ...look });
/** A paragraph of plain text. Nothing if there are no words. */
const remark = (words: string, maxLength?: number): Block[] =>
  words === '' ? [] : [paragraph(text(words, maxLength))];
/** Nothing if there are no items. */
const list = (title: string | undefined, items: Inline[][]): Block[] =>
  items.length === 0 ? [] : [{ kind: 'list', items, ...(title ? { title } : {}) }];
const openSection = (icon: string, title: string, blocks: Block[]): Section => ({
  icon,
  title,
  fold: 'never',
  blocks,
});
/** A section that a short document shows folded. */
const foldedSection = (title: string, blocks: Block[], isOpen = false): Section => ({
  icon: '',
  title,
  fold: isOpen ? 'open' : 'closed',
  blocks,
});

/**
 * What is shown about a run, as data. It is built once: render-markdown.ts makes the job summary from it, and
 * render-html.ts the page. The renderers decide how much of it they show: a new section also has to be named in `summaryParts` and in
 * `mainPart`.
 */
export function buildSections(record: RunRecord) {
  const { verdict, setup } = record;
  return {
    head: {
      who: setup ? `${setup.agent} agent (${setup.preset})` : 'Cursor agent',
      reason: verdict.status === 'success' ? undefined : verdict.reason,
      ...outcomeOf(record),
    },
    /** Where the uploaded page can be opened. */
    pageUrl: record.pageUrl,
    failure:
      verdict.status === 'success'
        ? undefined
        : {
            ...FAILURES[verdict.reason],
            detail: verdict.detail.trim(),
            moreUrl: record.documentsUrl && explanationUrl(record.documentsUrl, verdict.reason),
          },
    /** Where and when the run was. */
    about: aboutOf(record),
    /** The call at which a failed run stopped. */
    culprit: findCulprit(record),
    prompt: (record.prompt ?? '').trim(),
    answer: answerOf(record),
    numbers: numbersOf(record),
    unread: unreadSection(record),
    verification: verificationSection(record),
    statements: statementsSection(record),
    denied: deniedSection(record),
    refusedHosts: refusedHostsSection(record),
    /** For documents with more room. */
    reachedHosts: reachedHostsSection(record),
    files: filesSection(record),
    time: timeSection(record),
    plan: planSection(record),
    calls: callsSection(record),
    given: givenSection(record),
    policy: policySection(record),
    diagnostics: diagnosticsSection(record),
    /** For looking up this run at the provider. */
    identifiers: [
      { name: 'Session', id: record.report.sessionId ?? '' },
      { name: 'Request', id: record.report.requestId ?? '' },
    ].filter(({ id }) => id !== ''),
  };
}

export type Mark = 'good' | 'partial' | 'skipped' | 'found' | 'bad';

/** The first line: how it ended, and what was found. There is no check mark above a finding. */
function outcomeOf({ verdict, review, skipped, unread }: RunRecord): { mark: Mark; outcome: string } {
  const counting = review?.findings.filter((finding) => doesCount(finding) && !finding.withheld);
  const found = countSeverities(counting ?? []);
  const failed = workFailure(verdict) !== undefined;
  const good = skipped ? 'skipped' : unread ? 'partial' : 'good';
  const mark = verdict.status === 'failure' ? 'bad' : found === '' ? good : 'found';
  const partly = unread && !failed ? 'partly reviewed' : '';
  const ending = failed ? 'failed' : skipped ? `skipped: ${skipped.code}` : review ? '' : 'done';
  return {
    mark,
    outcome: joinParts(
      [partly, ending, review && !failed && found === '' && !skipped ? 'no findings' : found],
      '; ',
    ),
  };
}

const MAX_UNREAD_CHARACTERS = 1000;

/** Files that were not reviewed come before the findings. */
function unreadSection({ unread }: RunRecord): Section | undefined {
  if (!unread) return undefined;
  const { why, files, count } = unread;
  const title = count === undefined ? 'Not all was reviewed' : `Not reviewed: ${plural(count, 'file')}`;
  return openSection('⚠️', title, [
    ...remark(why, MAX_UNREAD_CHARACTERS),
    ...(files.length === 0 ? [] : [paragraph({ kind: 'names', names: files })]),
  ]);
}

/** The report file: the record of a run, and what follows from it. */
export const buildReport = (record: RunRecord): ReportFile => ({
  version: 1,
  ...record,
  denials: findDenials(record.report, record.setup),
  changedFiles: fileChanges(record),
  timeShares: timeShares(record.report, agentTime(record)),
});

function aboutOf(record: RunRecord): Fact[] {
  const { origin, change, setup, report } = record;
  const { repository = '', repositoryUrl, runUrl = '', startedAt = '' } = origin ?? {};
  const pull = change?.pullRequest ?? origin?.pullRequest;
  const commit = reviewedCommit(record) ?? '';
  const below = (path: string) => (repositoryUrl === undefined ? undefined : `${repositoryUrl}/${path}`);
  const facts: Fact[] = [
    { name: 'Repository', text: repository, url: repositoryUrl },
    { name: 'Pull request', text: pull === undefined ? '' : `#${pull}`, url: below(`pull/${pull ?? ''}`) },
    { name: 'Commit', text: commit.slice(0, 7), url: below(`commit/${commit}`), look: 'code' },
    { name: 'Workflow run', text: runName(runUrl), url: runUrl },
    { name: 'Date', text: minuteText(startedAt), look: { iso: startedAt } },
    { name: 'Preset', text: setup?.preset ?? '', look: 'code' },
    { name: 'Model', text: truncate(report.model ?? '', 80) },
  ];
  return facts.filter((fact) => fact.text !== '');
}

/** `16001, attempt 2`. */
function runName(url: string): string {
  const [, id = 'open', attempt = '1'] = /\/runs\/(\d+)(?:\/attempts\/(\d+))?$/.exec(url) ?? [];
  if (url === '') return '';
  return attempt === '1' ? id : `${id}, attempt ${attempt}`;
}

/** `2026-11-17 12:05 UTC`. */
function minuteText(iso: string): string {
  const [, day = '', minute = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso) ?? [];
  return day === '' ? '' : `${day} ${minute} UTC`;
}

/** Failures that are about the answer or the changes. No single call explains them. */
const WITHOUT_CULPRIT: readonly string[] = ['findings', 'bad-output', 'policy-violation'];

/** The one that was still running, or the last one that went wrong. */
function findCulprit({ verdict, report }: RunRecord): ToolCall | undefined {
  if (verdict.status === 'success' || WITHOUT_CULPRIT.includes(verdict.reason)) return undefined;
  const running = runningCalls(report);
  const wanted = verdict.reason === 'denied' ? 'denied' : 'failed';
  return (
    running.findLast(({ background }) => !background) ??
    running.at(-1) ??
    report.tools.findLast(({ state }) => state === wanted)
  );
}

function answerOf(record: RunRecord): Answer {
  const { review, structuredOutput, report, verdict, files: paths } = record;
  const words = record.skipped ? 'action' : workFailure(verdict) ? 'agent-folded' : 'agent';
  if (review) {
    const { findings } = review;
    const linkTo = lineLinks(record);
    return {
      kind: 'review',
      summary: joinParts(
        [review.summary.trim(), review.dismissed ? `*${dismissedText(review.dismissed)}*` : ''],
        '\n\n',
      ),
      placed: findings.filter((finding) => doesCount(finding) && !finding.withheld),
      withheld: findings.filter((finding) => doesCount(finding) && finding.withheld),
      aside: findings.filter((finding) => !doesCount(finding)),
      linkTo: (finding) => (doesCount(finding) ? linkTo(finding) : undefined),
      words,
    };
  }
  if (record.statements)
    return { kind: 'words', text: record.statements.summary.trim(), file: undefined, words };
  if (structuredOutput !== undefined) {
    const json = JSON.stringify(structuredOutput, undefined, 2);
    return { kind: 'json', data: structuredOutput, text: json, file: paths.report && 'report-file' };
  }
  const text = report.answer.trim();
  if (text === '') return { kind: 'none', isExpected: verdict.status === 'failure' };
  const isUnusable = verdict.status === 'failure' && verdict.reason === 'bad-output';
  return {
    kind: isUnusable ? 'unusable' : 'words',
    text,
    file: paths.result && 'result-file',
    words,
  };
}

function numbersOf(record: RunRecord): NumberItem[] {
  const { report, wallMs, agentMs, setup, passes, starts } = record;
  const { usage, costUsd } = report;
  const count = countCalls(report);
  const shortfalls = joinParts(
    [
      count.failed > 0 ? `${number(count.failed)} failed` : '',
      count.denied > 0 ? `${number(count.denied)} denied` : '',
    ],
    ', ',
  );
  const changed = fileChanges(record);
  const tokens = (write: (value: number) => string) =>
    usage
      ? `${write(usage.inputTokens)} in, ${write(usage.outputTokens)} out` +
        (usage.cacheReadTokens > 0 ? `, ${write(usage.cacheReadTokens)} cached` : '')
      : '';
  const ms = report.durationMs ?? agentMs ?? wallMs;
  const calls = `${number(count.calls)}${shortfalls === '' ? '' : ` (${shortfalls})`}`;
  const files = `${number(changed.files.length)} (${lineCounts(changed)})`;
  const items: NumberItem[] = [
    { name: 'Time', value: figure(timeText(ms)) },
    { name: 'Model', value: text(report.model ?? '', 80) },
    {
      name: 'Passes',
      value: figure(passes && passes.started > 1 ? `${passes.answered} of ${passes.started}` : ''),
    },
    { name: 'Starts', value: figure(starts && starts.used > 0 ? `${starts.used} of ${starts.max}` : '') },
    { name: 'Tool calls', value: figure(calls === '0' ? '' : calls) },
    { name: 'Files', value: figure(changed.files.length === 0 ? '' : files) },
    { name: 'Tokens', value: figure(tokens(compactNumber)), exact: tokens(number) },
    {
      name: 'Cost',
      value: figure(costUsd === undefined ? '' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`),
      ...(costUsd === undefined ? {} : { exact: `$${costUsd.toFixed(4)}` }),
    },
    { name: 'Turns', value: figure(report.turns === undefined ? '' : number(report.turns)) },
    { name: 'CLI', value: code(setup?.cliVersion ?? '', 60) },
  ];
  return items.filter(({ value }) => value.text !== '');
}

/** Nothing for a time that would be shown as zero. */
const timeText = (ms: number): string => (ms < 50 ? '' : duration(ms));

const STATE_TITLES = {
  passed: 'Verified',
  'passed-with-changed-tests': 'Verified only with changed tests',
  failed: 'Not verified',
  'not-reproduced': 'Not reproduced',
  none: 'Verification',
} as const;

/** What the action ran itself, before the agent was started and on its change: the evidence, in one table. */
function verificationSection({ verification, verdict }: RunRecord): Section | undefined {
  if (!verification) return undefined;
  const { state, before, originals, rounds, source = '' } = verification;
  if (rounds.length === 0 && !before) return undefined;
  const isTold = verdict.status === 'failure' && verdict.reason === 'verification-failed';
  const words = [
    ...(before && state !== 'not-reproduced' ? [baselineWords(before)] : []),
    verificationWords(verification),
  ];
  return openSection(state === 'passed' ? '🧪' : '⚠️', STATE_TITLES[state], [
    ...remark(joinParts([...words, source], ' ')),
    evidenceTable(verification),
    ...list(
      state === 'passed-with-changed-tests' ? 'With the originals of these files it fails:' : undefined,
      state === 'passed-with-changed-tests' ? (originals?.paths ?? []).map((path) => [code(path)]) : [],
    ),
    ...(isTold ? [] : outputBlocks(verification)),
  ]);
}

/** Which code shows each changed statement of the documents. What nothing shows comes first. */
function statementsSection({ statements }: RunRecord): Section | undefined {
  if (!statements || statements.changes.length + statements.uncovered.length === 0) return undefined;
  const unproven = unprovenOf(statements);
  const rows = statements.changes.flatMap(({ source, reason, ...place }): Cell[][] =>
    source
      ? [
          [
            [code(placeOf(place))],
            [text(reason, 300)],
            [code(placeOf({ ...source, document: source.path })), text(' '), code(source.quote, 200)],
          ],
        ]
      : [],
  );
  return openSection(unproven.length === 0 ? '🔎' : '⚠️', 'Sources of the changed statements', [
    ...remark(statementsWords(statements)),
    ...list(
      'Look at these first:',
      unproven.slice(0, MAX_NOTES).map(({ place, why }) => [code(place), text(`: ${why}`, 300)]),
    ),
    ...remark(unproven.length > MAX_NOTES ? `And ${number(unproven.length - MAX_NOTES)} more.` : ''),
    ...(rows.length === 0
      ? []
      : [{ ...table(['Document', 'Why', 'Source'], rows), foldAs: plural(rows.length, 'source') }]),
  ]);
}

function evidenceTable(verification: Verification): Block {
  const { before, rounds, originals } = verification;
  const columns = [
    ...(before ? [{ head: 'Before', of: (row: EvidenceRow) => row.before }] : []),
    ...(rounds.length > 0 ? [{ head: 'After', of: (row: EvidenceRow) => row.after }] : []),
    ...(originals ? [{ head: 'With the original tests', of: (row: EvidenceRow) => row.originals }] : []),
  ];
  const rows = evidenceRows(verification).map((row): Cell[] => [
    [code(row.command)],
    ...columns.map(({ of }) => evidenceCell(of(row))),
  ]);
  return table(['Command', ...columns.map(({ head }) => head)], rows);
}

/** How a command ended, and the lines that matter. */
function evidenceCell(result: CommandResult | undefined): Cell {
  if (!result) return [text('not run')];
  return [
    text(isPassed(result) ? '✅ ' : '❌ '),
    text(resultWords(result), 200),
    ...matterOf(result).flatMap((line) => [text(' '), code(line)]),
  ];
}

/** The end of the output of each command of the last round that printed something. */
const outputBlocks = (verification: Verification): Block[] =>
  [
    ...(lastRound(verification)?.results ?? []),
    ...(verification.originals?.round.results.filter((result) => !isPassed(result)) ?? []),
  ]
    .filter(({ output }) => output.trim() !== '')
    .map((result) => {
      const command = commandLine(result.command, 80).replaceAll('`', '’');
      const look = { isFolded: isPassed(result), keepEnd: true } as const;
      return pre(`The end of the output of ${command}`, result.output, look);
    });

/** What was denied, why, and what to do about it. */
function deniedSection({ report, setup }: RunRecord): Section | undefined {
  const denials = findDenials(report, setup);
  if (denials.length === 0) return undefined;
  const rows = denials.map(({ tool, what, why, count, allow, instead = '' }): Cell[] => [
    [text(`${tool} `), code(what), ...(count > 1 ? [text(` × ${number(count)}`)] : [])],
    [text(why, 200)],
    allow.length > 0 ? [text('Allow '), { kind: 'names', names: allow }] : [text(instead, 200)],
  ]);
  return openSection('🚫', 'Denied', [
    table(['Call', 'Why', 'What to do'], rows),
    ...(denials.some(({ byForeignHook }) => byForeignHook) ? [HOOK_HINT] : []),
    ...allowBlock(denials, setup?.mode),
  ]);
}

const HOOK_HINT = paragraph(
  text(
    'A hook that is not this action’s refused a call. Such hooks come from the settings of the account’s team, or from the runner, in ',
  ),
  code('/etc/cursor/hooks.json'),
  text('. No token lifts them: change the hook where it is set.'),
);

/** One list that can be pasted into the workflow, for all denied calls together. */
function allowBlock(denials: readonly Denial[], mode = 'agent'): Block[] {
  const tokens = [...new Set(denials.flatMap(({ allow }) => allow))].slice(0, MAX_TOKENS);
  // In the other modes the CLI runs no command and writes no file, whatever is allowed.
  const needsAgent = mode !== 'agent' && tokens.some((token) => /^(?:Shell|Write)\(/.test(token));
  return inputBlock(
    'If the task needs these calls, add this to the step’s inputs, or the lines to its own `allow`',
    [...(needsAgent ? ['mode: agent'] : []), 'allow: |'],
    tokens,
  );
}

/** Lines of an input, to be pasted into the workflow. */
const inputBlock = (title: string, heads: readonly string[], lines: readonly string[]): Block[] =>
  lines.length === 0
    ? []
    : [pre(title, [...heads, ...lines.map((line) => `  ${line}`)].join('\n'), { language: 'yaml' })];

/** Hosts that the agent asked for and did not reach, and the lines that would allow them. */
function refusedHostsSection({ network }: RunRecord): Section | undefined {
  if (!network || network.refused.length === 0) return undefined;
  const { refused, moreRefused } = network;
  const lines = [...new Set(refused.map(({ allow }) => allow))].filter((line) => line !== '');
  const rows = refused.map(({ host, count, why }): Cell[] => [
    [code(host)],
    [figure(number(count))],
    [text(`It ${why}`, 200)],
  ]);
  return openSection('🌐', 'Hosts that were refused', [
    table(['Host', 'Requests', 'Why'], rows),
    ...remark(
      moreRefused === 0 ? '' : `${plural(moreRefused, 'request')} for further hosts were refused too.`,
    ),
    ...inputBlock(
      'If the task needs these hosts, add this to the step’s inputs, or the lines to its own `allowed-hosts`',
      ['allowed-hosts: |'],
      lines.slice(0, MAX_TOKENS),
    ),
  ]);
}

function reachedHostsSection({ network }: RunRecord): Section | undefined {
  if (!network || network.allowed.length === 0) return undefined;
  const { allowed, moreAllowed } = network;
  const rows = allowed.map(({ host, count, failed, sentBytes, receivedBytes }) => [
    [code(host)],
    [figure(`${number(count)}${failed > 0 ? ` (${number(failed)} failed)` : ''}`)],
    [figure(number(sentBytes))],
    [figure(number(receivedBytes))],
  ]);
  return foldedSection(`Hosts reached through the proxy: ${allowed.length}`, [
    table(['Host', 'Connections', 'Bytes sent', 'Bytes received'], rows),
    ...remark(
      moreAllowed === 0 ? '' : `${plural(moreAllowed, 'connection')} to further hosts are not listed.`,
    ),
  ]);
}

/** The files that changed, and which changes were not allowed. */
function filesSection(record: RunRecord): Section | undefined {
  const { files: changed, source } = fileChanges(record);
  const violations = (record.changes?.violations ?? []).filter(
    (violation) => !detailAtTop(record).includes(violation),
  );
  const note = changesNote(record.changes);
  if (changed.length === 0 && violations.length === 0 && note === '') return undefined;
  const rows = changed.map(({ path, status, added, removed }): Cell[] => [
    [code(path)],
    [text(status)],
    [{ kind: 'line-counts', added, removed }],
  ]);
  const foldAs = rows.length > MAX_OPEN_FILES ? { foldAs: plural(rows.length, 'file') } : {};
  return openSection('📝', source === 'git' ? 'Files changed' : 'Files edited, according to the agent', [
    ...(rows.length === 0 ? [] : [{ ...table(['File', 'Change', 'Lines'], rows), ...foldAs }]),
    ...list(
      'Not allowed by the policy:',
      violations.map((violation) => [text(violation, 300)]),
    ),
    ...remark(note, 500),
  ]);
}

/** The files that a run changed: by git if it is known, otherwise by the agent's own edits. */
export function fileChanges({ changes, report }: RunRecord): FileChanges {
  const isKnown = changes?.kind === 'known';
  const files = isKnown ? changes.files : editedFiles(report);
  return {
    source: isKnown ? 'git' : 'agent',
    files,
    added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
  };
}

/** Remarks on the list: why the changes are not known, whether they were applied, and what is not in the patch. */
function changesNote(changes: Changes | undefined): string {
  if (!changes) return '';
  if (changes.kind === 'unknown') return changes.note;
  const { files, applied, ignored, omitted } = changes;
  return joinParts(
    [
      files.length === 0 ? '' : APPLIED[applied],
      ignored === 0
        ? ''
        : ignored === 1
          ? '1 more file that git ignores was changed; it was not applied.'
          : `${number(ignored)} more files that git ignores were changed; they were not applied.`,
      omitted.length === 0 ? '' : `Not in the patch: ${omitted.join('; ')}.`,
    ],
    ' ',
  );
}

const APPLIED = {
  all: '',
  allowed: 'The allowed changes were applied to the checkout; the rest is in `rejected-patch-file`.',
  none: 'Nothing was applied: the checkout is unchanged. The changes are in `rejected-patch-file`.',
} as const;

function editedFiles(report: RunRecord['report']): ChangedFile[] {
  const files = new Map<string, ChangedFile & { added: number; removed: number }>();
  for (const { kind, state, target, facts } of report.tools) {
    if (state !== 'ok' || (kind !== 'edit' && kind !== 'delete') || target === '') continue;
    const file = files.get(target) ?? { path: target, status: 'modified', added: 0, removed: 0 };
    file.status = kind === 'delete' ? 'deleted' : 'modified';
    file.added += facts.linesAdded ?? 0;
    file.removed += facts.linesRemoved ?? 0;
    files.set(target, file);
  }
  return [...files.values()];
}

/** The time by kind of tool. */
function timeSection(record: RunRecord): Section | undefined {
  const { report } = record;
  const total = agentTime(record);
  if (report.tools.length === 0 || total < 1000) return undefined;
  const shares = timeShares(report, total).filter(({ ms }) => timeText(ms) !== '');
  if (shares.length < 2) return undefined;
  const rows = shares.map(({ what, calls, ms, share: part }): Cell[] => {
    const bar = '█'.repeat(Math.round(Math.min(part, 1) * BAR_BLOCKS));
    return [
      [text(what)],
      [text(calls === undefined ? '' : number(calls))],
      [figure(timeText(ms))],
      [text(bar === '' ? '' : `${bar} `), figure(`${Math.round(part * 100)} %`)],
    ];
  });
  return openSection('⏱️', 'Where the time went', [table(['Tool', 'Calls', 'Time', 'Share'], rows)]);
}

/** How long the agent ran. */
export const agentTime = ({ agentMs, report, wallMs }: RunRecord): number =>
  agentMs ?? report.durationMs ?? wallMs;

export const TODO_MARKS = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };

function planSection({ report: { todos }, verdict }: RunRecord): Section | undefined {
  if (todos.length === 0) return undefined;
  const done = todos.filter(({ status }) => status === 'done').length;
  // The steps of a plan that was only asked for are not late.
  const isOnlyPlanned = todos.every(({ status }) => status === 'pending');
  return foldedSection(
    isOnlyPlanned ? `Plan: ${plural(todos.length, 'step')}` : `Plan: ${done} of ${todos.length} done`,
    [{ kind: 'todos', todos }],
    verdict.status === 'failure' && done < todos.length,
  );
}

const CALL_MARKS = { ok: '', running: '⏳ ', failed: '❌ ', denied: '🚫 ' };

function callsSection({ report }: RunRecord): Section | undefined {
  const { calls } = countCalls(report);
  if (calls === 0) return undefined;
  const kinds = Object.entries(report.totals).map(([kind, totals]) => `${number(totals.calls)} ${kind}`);
  const rows = report.tools
    .slice(0, MAX_ROWS)
    .map((call): Cell[] => [
      [text(String(call.number))],
      [text(toolLabel(call))],
      [code(call.target)],
      [text(CALL_MARKS[call.state]), text(outcomeWords(call), 200)],
      [figure(timeText(call.durationMs ?? 0))],
    ]);
  return foldedSection(`${plural(calls, 'tool call')}: ${kinds.join(', ')}`, [
    table(['#', 'Tool', 'What', 'Outcome', 'Time'], rows, calls),
  ]);
}

/** What was gathered for the agent, and what its preset told it, its task included if the workflow gave none. */
function givenSection({
  context = [],
  instruction,
  task,
  scope,
  teamRules = [],
}: RunRecord): Section | undefined {
  if (context.length === 0 && instruction === undefined && task === undefined) return undefined;
  const rules = teamRules.map(({ path, files, appliesTo }): Cell[] => [
    [code(path)],
    [text(files === undefined ? 'every file' : plural(files, 'changed file'))],
    [{ kind: 'names', names: appliesTo }],
  ]);
  const rows = context.map(({ kind, description, bytes, leftOut, inlined, items, outOf }): Cell[] => [
    [code(kind), text(` ${description}`, 200)],
    [text(`${number(bytes)} bytes${inlined ? ', also in the prompt' : ''}`)],
    [text(share({ items, outOf }, contextUnit(kind)))],
    [{ kind: 'names', names: leftOut }],
  ]);
  const kinds = context.map(({ kind }) => kind).join(', ');
  const folded = (title: string, words: string | undefined): Block[] =>
    words === undefined ? [] : [pre(title, words, { isFolded: true })];
  const whole = scope?.kind === 'new' ? 'what is new in the change' : 'the whole change';
  return foldedSection(kinds === '' ? 'What the agent was told' : `What the agent was given: ${kinds}`, [
    ...remark(scope ? `The agent was given ${whole}, because ${scope.why}.` : '', 500),
    ...(rows.length === 0 ? [] : [table(['Gathered', 'Size', 'About', 'Left out'], rows)]),
    ...(rules.length === 0 ? [] : [table(['Rules of the team', 'About', 'Files'], rules)]),
    ...folded('The preset’s instruction, before the prompt', instruction),
    ...folded('The preset’s task, because the workflow gave no prompt', task),
  ]);
}

function policySection({ setup, pageUrl }: RunRecord): Section | undefined {
  if (!setup) return undefined;
  const { preset, mode, force, isolation, onlyAllowed, network, credential, allow, deny } = setup;
  const list = (title: string, rules: readonly string[]): Block => ({ kind: 'rules', title, rules, pageUrl });
  return foldedSection('What the agent was allowed to do', [
    paragraph(
      ...[text('Preset '), code(preset), text(', mode '), code(mode)],
      text(`${force ? ', with `--force`' : ''}. ${isolation}`),
      ...(onlyAllowed === undefined
        ? []
        : [text(` Of ${onlyAllowed.join(' and ')}, only what is allowed may be used.`)]),
      ...(network === undefined ? [] : [text(` ${network}`)]),
      ...(credential === undefined ? [] : [text(` ${credential}`)]),
    ),
    list('Allowed', allow),
    list('Denied, even if allowed', deny),
  ]);
}

/** What the failure says at the top. It is not said again. */
const detailAtTop = ({ verdict }: RunRecord): string => (verdict.status === 'failure' ? verdict.detail : '');

/** What helps to find out why the run went as it did. */
function diagnosticsSection(record: RunRecord): Section | undefined {
  const { report, stderr, exit, verdict } = record;
  const atTop = detailAtTop(record);
  const words = stderr.trim();
  const ending = exit && verdict.status === 'failure' ? exitWords(exit) : '';
  const blocks: Block[] = [
    ...list(undefined, diagnosticItems(record)),
    ...unrecognisedLines(report.unrecognised).flatMap((line) => remark(line)),
    ...(words === '' || atTop.includes(words)
      ? []
      : [pre('The end of what the agent wrote outside of its stream', words, { keepEnd: true })]),
    ...remark(atTop.includes(ending) ? '' : ending, 300),
  ];
  return blocks.length === 0 ? undefined : foldedSection('Diagnostics', blocks, verdict.status === 'failure');
}

function diagnosticItems(record: RunRecord): Inline[][] {
  const { report, notes, changes, tries, corrections = [], exit, hook, setup } = record;
  const left = report.result ? runningCalls(report).filter(({ background }) => background) : [];
  const isUnasked = hook?.judged === 0 && report.tools.length > 0;
  const unlimited =
    setup?.force && setup.onlyAllowed
      ? ` Nothing limited ${setup.onlyAllowed.join(' and ')} to what is allowed.`
      : '';
  const unasked = `This build of the CLI did not ask our hook, so only its own permission rules held.${unlimited}`;
  return [
    ...tries.map(({ reason, detail, waitMs }, index) => [
      text(`Try ${index + 1} failed (${reason}), waited ${duration(waitMs)}: `),
      text(detail, 300),
    ]),
    ...correctionItems(corrections),
    ...(exit?.kind === 'ended' && exit.why === 'after-result'
      ? [[text('The agent did not exit after its result and was ended; the result counts.')]]
      : []),
    ...left
      .slice(0, MAX_NOTES)
      .map((call) => [
        text(`Still running in the background when the agent was done, and ended: ${toolLabel(call)} `),
        code(call.target),
      ]),
    ...connectionRemark(report),
    ...(isUnasked ? [[text(unasked)]] : []),
    ...notes
      // The list of files has those.
      .filter((note) => !changes?.violations.some((violation) => note.endsWith(violation)))
      .slice(0, MAX_NOTES)
      .map((note) => [text(note, 500)]),
    ...report.notices
      .filter(({ level, connection }) => level === 'warning' && connection === undefined)
      .slice(0, MAX_NOTES)
      .map((notice) => [text(notice.text, 500)]),
  ];
}

/** Answers with the same problem are one line. */
function correctionItems(corrections: NonNullable<RunRecord['corrections']>): Inline[][] {
  const problems = [...new Set(corrections.map(({ problem }) => problem))];
  return problems.map((problem) => {
    const numbers = corrections.flatMap((each, index) => (each.problem === problem ? [index + 1] : []));
    return [text(`Answer ${numbers.join(', ')} could not be used: ${problem}`, 500)];
  });
}

/** One line, because the CLI tries up to ten times and reports each try twice. */
function connectionRemark({ notices }: RunRecord['report']): Inline[][] {
  const count = (state: ConnectionState) => notices.filter(({ connection }) => connection === state).length;
  const [lost, retried] = [count('lost'), count('retry')];
  if (lost + retried === 0) return [];
  const what = joinParts(
    [
      lost > 0 ? `the connection was lost ${plural(lost, 'time')}` : '',
      retried > 0 ? `a request was sent again ${plural(retried, 'time')}` : '',
    ],
    ' and ',
  );
  const last = notices.findLast(({ connection }) => connection === 'lost' || connection === 'retry');
  return [[text(`According to the CLI, ${what}. The last time: ${last?.text ?? ''}`, 500)]];
}

function unrecognisedLines({ count, labels, tools, first }: RunRecord['report']['unrecognised']): string[] {
  const place = first[0] === undefined ? '' : ` (${count === 1 ? '' : 'the first is '}line ${first[0].line})`;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .slice(0, MAX_NOTES)
      .map(([label, some]) => `${truncate(label, 80)} × ${number(some)}`)
      .join(', ');
  const names = listed(tools);
  return [
    count === 0
      ? ''
      : `${plural(count, 'line')} not recognised${place}: ${listed(labels)}. The transcript has ${count === 1 ? 'it' : 'them'}.`,
    names === '' ? '' : `Tools that this version does not know: ${names}`,
  ];
}
