import { exitWords } from '../core/exit.js';
import { FAILURES } from '../core/failure.js';
import { compactNumber, duration, number, plural, share } from '../text/format.js';
import { truncate } from '../text/plain-text.js';
import type { ConnectionState } from '../stream/events.js';
import { outcomeWords, runningCalls, toolLabel, countCalls } from './run-report.js';
import { findDenials } from './denials.js';
import { changesNote, fileChanges, lineCounts } from './file-changes.js';
import { hasPlace, reviewTitle, type CheckedFinding } from './findings.js';
import { contextUnit } from './given-context.js';
import { lineLinks } from './line-link.js';
import type { Denial, RunRecord, Verification, WeakenedCheck } from './model.js';
import { buildGantt, timeShares } from './timeline.js';
import { commandLine, isPassed, lastRound, resultWords, verificationWords } from './verification.js';

/**
 * What is shown about a run, as data. It is built once: render-markdown.ts makes the job summary from it, and
 * render-html.ts the page. The renderers decide how much of it they show.
 */
export interface Sections {
  head: { who: string; reason: string | undefined };
  /** Where the uploaded page can be opened. */
  pageUrl: string | undefined;
  failure: { what: string; detail: string; remedy: string } | undefined;
  answer: Answer;
  numbers: NumberItem[];
  verification: Section | undefined;
  denied: Section | undefined;
  /** Hosts that were refused. */
  refusedHosts: Section | undefined;
  /** Hosts that were reached, for documents with more room. */
  reachedHosts: Section | undefined;
  files: Section | undefined;
  time: Section | undefined;
  plan: Section | undefined;
  calls: Section | undefined;
  given: Section | undefined;
  policy: Section | undefined;
  diagnostics: Section | undefined;
}

export type Answer =
  | {
      kind: 'review';
      title: string;
      summary: string;
      /** Findings that point at something, and those that do not. */
      placed: CheckedFinding[];
      apart: CheckedFinding[];
      /** The address of a finding's lines, if it is known. */
      linkTo: ReturnType<typeof lineLinks>;
    }
  /** JSON that was asked for; an answer that should have been such JSON; or Markdown. */
  | { kind: 'json' | 'unusable' | 'words'; text: string; file: string | undefined }
  | { kind: 'none'; isExpected: boolean };

/** One of the numbers at the top. */
export interface NumberItem {
  name: string;
  value: Extract<Inline, { text: string }>;
  /** The exact value, for documents with more room. */
  exact?: string;
  /** Not worth a place in a short summary. */
  isMinor?: boolean;
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
      rows: Cell[];
      /** How many rows there are, listed or not. */
      total: number;
      /** The title under which a long table is folded. */
      foldAs?: string;
    }
  | { kind: 'list'; title?: string; items: Inline[][] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'todos'; todos: RunRecord['report']['todos'] }
  | { kind: 'diagram'; mermaid: string }
  /** Text whose lines keep their shape. `keepEnd`: if it is too long, its end is shown. */
  | { kind: 'pre'; title: string; text: string; isFolded: boolean; keepEnd?: boolean; language?: 'yaml' };

/** The cells of one row. */
export type Cell = Inline[][];

/** A part of a line. All of it can be text of unknown origin. `most` limits it where room is scarce. */
export type Inline =
  | { kind: 'text'; text: string; most: number }
  | { kind: 'code'; text: string; most: number }
  /** A number or a time as the action itself writes it: it needs no escaping, and is not wrapped. */
  | { kind: 'number'; text: string }
  /** Many short pieces of code, one per line. */
  | { kind: 'names'; names: string[] }
  | { kind: 'line-counts'; added: number | undefined; removed: number | undefined };

/** No document shows more rows of a table. */
const MOST_ROWS = 1000;
/** A longer list of files is folded. */
const MOST_OPEN_FILES = 15;
const MOST_NOTES = 20;
const MOST_TOKENS = 20;
const BAR_BLOCKS = 8;

const text = (words: string, most = Infinity) => ({ kind: 'text' as const, text: words, most });
const code = (words: string, most = 120) => ({ kind: 'code' as const, text: words, most });
const figure = (words: string) => ({ kind: 'number' as const, text: words });

export function buildSections(record: RunRecord): Sections {
  const { verdict, setup } = record;
  return {
    head: {
      who: setup ? `${setup.agent} agent (${setup.preset})` : 'Cursor agent',
      reason: verdict.status === 'success' ? undefined : verdict.reason,
    },
    pageUrl: record.pageUrl,
    failure:
      verdict.status === 'success'
        ? undefined
        : { ...FAILURES[verdict.reason], detail: verdict.detail.trim() },
    answer: answerOf(record),
    numbers: numbersOf(record),
    verification: verification(record),
    denied: denied(record),
    refusedHosts: refusedHosts(record),
    reachedHosts: reachedHosts(record),
    files: files(record),
    time: time(record),
    plan: plan(record),
    calls: calls(record),
    given: given(record),
    policy: policy(record),
    diagnostics: diagnostics(record),
  };
}

function answerOf(record: RunRecord): Answer {
  const { review, structuredOutput, report, verdict, files: paths } = record;
  if (review) {
    const { findings } = review;
    return {
      kind: 'review',
      title: reviewTitle(findings),
      summary: review.summary.trim(),
      placed: findings.filter(hasPlace),
      apart: findings.filter((finding) => !hasPlace(finding)),
      linkTo: lineLinks(record),
    };
  }
  if (structuredOutput !== undefined) {
    return { kind: 'json', text: JSON.stringify(structuredOutput, undefined, 2), file: paths.report };
  }
  const words = report.answer.trim();
  if (words === '') return { kind: 'none', isExpected: verdict.status === 'failure' };
  const isUnusable = verdict.status === 'failure' && verdict.reason === 'bad-output';
  return { kind: isUnusable ? 'unusable' : 'words', text: words, file: paths.result };
}

function numbersOf(record: RunRecord): NumberItem[] {
  const { report, wallMs, agentMs, setup } = record;
  const { usage, costUsd } = report;
  const count = countCalls(report);
  const shortfalls = [
    count.failed > 0 ? `${number(count.failed)} failed` : '',
    count.denied > 0 ? `${number(count.denied)} denied` : '',
  ].filter((part) => part !== '');
  const changed = fileChanges(record);
  const tokens = (write: (value: number) => string) =>
    usage
      ? `${write(usage.inputTokens)} in, ${write(usage.outputTokens)} out` +
        (usage.cacheReadTokens > 0 ? `, ${write(usage.cacheReadTokens)} cached` : '')
      : '';
  const ms = report.durationMs ?? agentMs ?? wallMs;
  const calls = `${number(count.calls)}${shortfalls.length > 0 ? ` (${shortfalls.join(', ')})` : ''}`;
  const files = `${number(changed.files.length)} (${lineCounts(changed)})`;
  const items: NumberItem[] = [
    { name: 'Time', value: figure(timeText(ms)) },
    { name: 'Model', value: text(report.model ?? '', 80) },
    { name: 'Tool calls', value: figure(count.calls === 0 && shortfalls.length === 0 ? '' : calls) },
    { name: 'Files', value: figure(changed.files.length === 0 ? '' : files) },
    { name: 'Tokens', value: figure(tokens(compactNumber)), exact: tokens(number) },
    {
      name: 'Cost',
      value: figure(costUsd === undefined ? '' : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`),
      ...(costUsd === undefined ? {} : { exact: `$${costUsd.toFixed(4)}` }),
    },
    { name: 'Turns', value: figure(report.turns === undefined ? '' : number(report.turns)) },
    { name: 'CLI', value: code(setup?.cliVersion ?? '', 60) },
    { name: 'Session', value: text(report.sessionId ?? ''), isMinor: true },
  ];
  return items.filter(({ value }) => value.text !== '');
}

/** Nothing for a time that would be shown as zero. */
const timeText = (ms: number): string => (ms < 50 ? '' : duration(ms));

const STATE_TITLES = { passed: 'Verified', failed: 'Not verified', none: 'Verification' } as const;

/** What the action ran on the change, and where the change makes a check weaker. */
function verification({ verification: found, weakened = [], verdict }: RunRecord): Section | undefined {
  const hasRun = found !== undefined && found.rounds.length > 0;
  if (!hasRun && weakened.length === 0) return undefined;
  const state = found?.state ?? 'none';
  const isTold = verdict.status === 'failure' && verdict.reason === 'verification-failed';
  return {
    icon: state === 'passed' && weakened.length === 0 ? '🧪' : '⚠️',
    title: STATE_TITLES[state],
    fold: 'never',
    blocks: [
      ...(found ? [{ kind: 'paragraph' as const, content: [text(stateWords(found))] }] : []),
      ...(found && hasRun ? [resultTable(found)] : []),
      ...(found && hasRun && !isTold ? outputBlock(found) : []),
      ...weakenedBlock(weakened),
    ],
  };
}

const stateWords = (found: Verification): string =>
  [
    verificationWords(found),
    ...(found.state === 'failed' && !found.required
      ? ['The change was kept all the same, because `verify-required` is `false`.']
      : []),
    ...(found.source === undefined ? [] : [found.source]),
  ].join(' ');

function resultTable({ rounds }: Verification): Block {
  const rows = rounds.flatMap(({ results }, round) =>
    results.map((result): Cell => [
      [code(result.command)],
      [text(isPassed(result) ? '✅ ' : '❌ '), text(resultWords(result), 200)],
      [text(rounds.length === 1 ? '' : String(round + 1))],
    ]),
  );
  const columns = rounds.length === 1 ? 2 : 3;
  return {
    kind: 'table',
    heads: ['Command', 'Result', 'Round'].slice(0, columns),
    rows: rows.slice(0, MOST_ROWS).map((row) => row.slice(0, columns)),
    total: rows.length,
  };
}

/** The end of the output of each command of the last round that printed something. */
function outputBlock(found: Verification): Block[] {
  return (lastRound(found)?.results ?? [])
    .filter(({ output }) => output.trim() !== '')
    .map((result): Block => ({
      kind: 'pre',
      title: `The end of the output of ${commandLine(result.command, 80).replaceAll('`', '’')}`,
      text: result.output,
      isFolded: isPassed(result),
      keepEnd: true,
    }));
}

/** The rules are simple, so a person has to look. */
function weakenedBlock(weakened: readonly WeakenedCheck[]): Block[] {
  if (weakened.length === 0) return [];
  return [
    {
      kind: 'list',
      title: 'This change may make a check weaker. Look at these places:',
      items: weakened
        .slice(0, MOST_ROWS)
        .map(({ path, line, what }) => [
          code(line === undefined ? path : `${path}:${line}`),
          text(` ${what}`, 300),
        ]),
    },
  ];
}

/** What was refused, why, and what to do about it. */
function denied({ report, setup }: RunRecord): Section | undefined {
  const denials = findDenials(report, setup);
  if (denials.length === 0) return undefined;
  const rows = denials
    .slice(0, MOST_ROWS)
    .map(({ tool, what, why, count, allow, instead = '' }): Cell => [
      [text(`${tool} `), code(what), ...(count > 1 ? [text(` × ${number(count)}`)] : [])],
      [text(why, 200)],
      allow.length > 0 ? [text('Allow '), { kind: 'names', names: allow }] : [text(instead, 200)],
    ]);
  const hookHint: Block[] = denials.some(({ byForeignHook }) => byForeignHook)
    ? [
        {
          kind: 'paragraph',
          content: [
            text(
              'A hook that is not this action’s refused a call. Such hooks come from the settings of the account’s team, or from the runner, in ',
            ),
            code('/etc/cursor/hooks.json'),
            text('. No token lifts them: change the hook where it is set.'),
          ],
        },
      ]
    : [];
  const table: Block = {
    kind: 'table',
    heads: ['Refused', 'Why', 'What to do'],
    rows,
    total: denials.length,
  };
  const advice = allowBlock(denials, setup?.mode);
  return { icon: '🚫', title: 'Denied', fold: 'never', blocks: [table, ...hookHint, ...advice] };
}

/** One list that can be pasted into the workflow, for all denied calls together. */
function allowBlock(denials: readonly Denial[], mode = 'agent'): Block[] {
  const tokens = [...new Set(denials.flatMap(({ allow }) => allow))].slice(0, MOST_TOKENS);
  if (tokens.length === 0) return [];
  // In the other modes the CLI runs no command and writes no file, whatever is allowed.
  const needsAgent = mode !== 'agent' && tokens.some((token) => /^(?:Shell|Write)\(/.test(token));
  const lines = [...(needsAgent ? ['mode: agent'] : []), 'allow: |', ...tokens.map((token) => `  ${token}`)];
  return [
    {
      kind: 'pre',
      title: 'If the task needs these calls, add this to the step’s inputs, or the lines to its own `allow`',
      text: lines.join('\n'),
      isFolded: false,
      language: 'yaml',
    },
  ];
}

/** Hosts that the agent asked for and did not reach, and the lines that would allow them. */
function refusedHosts({ network }: RunRecord): Section | undefined {
  if (!network || network.refused.length === 0) return undefined;
  const { refused, moreRefused } = network;
  const lines = [...new Set(refused.map(({ allow }) => allow))]
    .filter((line) => line !== '')
    .slice(0, MOST_TOKENS);
  const table: Block = {
    kind: 'table',
    heads: ['Host', 'Requests', 'Why'],
    rows: refused.map(({ host, count, why }) => [
      [code(host)],
      [figure(number(count))],
      [text(`It ${why}`, 200)],
    ]),
    total: refused.length,
  };
  const more = `${plural(moreRefused, 'request')} for further hosts were refused too.`;
  return {
    icon: '🌐',
    title: 'Hosts that were refused',
    fold: 'never',
    blocks: [
      table,
      ...(moreRefused === 0 ? [] : [{ kind: 'paragraph' as const, content: [text(more)] }]),
      ...(lines.length === 0
        ? []
        : [
            {
              kind: 'pre' as const,
              title:
                'If the task needs these hosts, add this to the step’s inputs, or the lines to its own `allowed-hosts`',
              text: ['allowed-hosts: |', ...lines.map((line) => `  ${line}`)].join('\n'),
              isFolded: false,
              language: 'yaml' as const,
            },
          ]),
    ],
  };
}

function reachedHosts({ network }: RunRecord): Section | undefined {
  if (!network || network.allowed.length === 0) return undefined;
  const { allowed, moreAllowed } = network;
  const rows = allowed.map(({ host, count, failed, sentBytes, receivedBytes }): Cell => [
    [code(host)],
    [figure(`${number(count)}${failed > 0 ? ` (${number(failed)} failed)` : ''}`)],
    [figure(number(sentBytes))],
    [figure(number(receivedBytes))],
  ]);
  const more = `${plural(moreAllowed, 'connection')} to further hosts are not listed.`;
  return {
    icon: '',
    title: `Hosts reached through the proxy: ${allowed.length}`,
    fold: 'closed',
    blocks: [
      {
        kind: 'table',
        heads: ['Host', 'Connections', 'Bytes sent', 'Bytes received'],
        rows,
        total: rows.length,
      },
      ...(moreAllowed === 0 ? [] : [{ kind: 'paragraph' as const, content: [text(more)] }]),
    ],
  };
}

/** The files that changed, and which changes were not allowed. */
function files(record: RunRecord): Section | undefined {
  const { files: changed, source } = fileChanges(record);
  const told = record.verdict.status === 'failure' ? record.verdict.detail : '';
  const violations = (record.changes?.violations ?? []).filter((violation) => !told.includes(violation));
  const note = changesNote(record.changes);
  if (changed.length === 0 && violations.length === 0 && note === '') return undefined;
  const table: Block = {
    kind: 'table',
    heads: ['File', 'Change', 'Lines'],
    rows: changed
      .slice(0, MOST_ROWS)
      .map(({ path, status, added, removed }) => [
        [code(path)],
        [text(status)],
        [{ kind: 'line-counts', added, removed }],
      ]),
    total: changed.length,
    ...(changed.length > MOST_OPEN_FILES ? { foldAs: plural(changed.length, 'file') } : {}),
  };
  return {
    icon: '📝',
    title: source === 'git' ? 'Files changed' : 'Files edited, according to the agent',
    fold: 'never',
    blocks: [
      ...(changed.length === 0 ? [] : [table]),
      ...(violations.length === 0
        ? []
        : [
            {
              kind: 'list' as const,
              title: 'Not allowed by the policy:',
              items: violations.map((violation) => [text(violation, 300)]),
            },
          ]),
      ...(note === '' ? [] : [{ kind: 'paragraph' as const, content: [text(note, 500)] }]),
    ],
  };
}

/** A picture of the run, and the time by kind of tool. */
function time({ report, agentMs, wallMs }: RunRecord): Section | undefined {
  const total = agentMs ?? report.durationMs ?? wallMs;
  const mermaid = buildGantt(report, total);
  if (report.tools.length === 0 || (mermaid === '' && total < 1000)) return undefined;
  const shares = timeShares(report, total).filter(({ ms }) => timeText(ms) !== '');
  if (shares.length < 2 && mermaid === '') return undefined;
  const rows = shares.map(({ what, calls: count, ms, share: part }): Cell => {
    const bar = '█'.repeat(Math.round(Math.min(part, 1) * BAR_BLOCKS));
    return [
      [text(what)],
      [text(count === undefined ? '' : number(count))],
      [figure(timeText(ms))],
      [text(bar === '' ? '' : `${bar} `), figure(`${Math.round(part * 100)} %`)],
    ];
  });
  return {
    icon: '⏱️',
    title: 'Where the time went',
    fold: 'never',
    blocks: [
      ...(mermaid === '' ? [] : [{ kind: 'diagram' as const, mermaid }]),
      ...(rows.length < 2
        ? []
        : [{ kind: 'table' as const, heads: ['Tool', 'Calls', 'Time', 'Share'], rows, total: rows.length }]),
    ],
  };
}

export const TODO_MARKS = { done: '☑', 'in-progress': '▶', pending: '☐', cancelled: '☒' };

function plan({ report: { todos }, verdict }: RunRecord): Section | undefined {
  if (todos.length === 0) return undefined;
  const done = todos.filter(({ status }) => status === 'done').length;
  // The steps of a plan that was only asked for are not late.
  const isOnlyPlanned = todos.every(({ status }) => status === 'pending');
  return {
    icon: '',
    title: isOnlyPlanned ? `Plan: ${plural(todos.length, 'step')}` : `Plan: ${done} of ${todos.length} done`,
    fold: verdict.status === 'failure' && done < todos.length ? 'open' : 'closed',
    blocks: [{ kind: 'todos', todos }],
  };
}

const CALL_MARKS = { ok: '', running: '⏳ ', failed: '❌ ', denied: '🚫 ' };

function calls({ report }: RunRecord): Section | undefined {
  const { calls: total } = countCalls(report);
  if (total === 0) return undefined;
  const kinds = Object.entries(report.totals).map(([kind, { calls: count }]) => `${number(count)} ${kind}`);
  const rows = report.tools
    .slice(0, MOST_ROWS)
    .map((call): Cell => [
      [text(String(call.number))],
      [text(toolLabel(call))],
      [code(call.target)],
      [text(CALL_MARKS[call.state]), text(outcomeWords(call), 200)],
      [figure(timeText(call.durationMs ?? 0))],
    ]);
  return {
    icon: '',
    title: `${plural(total, 'tool call')}: ${kinds.join(', ')}`,
    fold: 'closed',
    blocks: [{ kind: 'table', heads: ['#', 'Tool', 'What', 'Outcome', 'Time'], rows, total }],
  };
}

/** What was gathered for the agent, and what its preset told it, its task included if the workflow gave none. */
function given({ context = [], instruction, task, scope }: RunRecord): Section | undefined {
  if (context.length === 0 && instruction === undefined && task === undefined) return undefined;
  const rows = context.map(({ kind, description, bytes, leftOut, inlined, items, outOf }): Cell => {
    return [
      [code(kind), text(` ${description}`, 200)],
      [text(`${number(bytes)} bytes${inlined ? ', also in the prompt' : ''}`)],
      [text(share({ items, outOf }, contextUnit(kind)))],
      [{ kind: 'names', names: leftOut }],
    ];
  });
  const kinds = context.map(({ kind }) => kind).join(', ');
  return {
    icon: '',
    title: kinds === '' ? 'What the agent was told' : `What the agent was given: ${kinds}`,
    fold: 'closed',
    blocks: [
      ...(scope
        ? [
            {
              kind: 'paragraph' as const,
              content: [
                text(
                  `The agent was given ${scope.kind === 'new' ? 'what is new in the change' : 'the whole change'}, because ${scope.why}.`,
                  500,
                ),
              ],
            },
          ]
        : []),
      ...(rows.length === 0
        ? []
        : [
            {
              kind: 'table' as const,
              heads: ['Gathered', 'Size', 'About', 'Left out'],
              rows,
              total: rows.length,
            },
          ]),
      ...toldBlock('The preset’s instruction, before the prompt', instruction),
      ...toldBlock('The preset’s task, because the workflow gave no prompt', task),
    ],
  };
}

const toldBlock = (title: string, words: string | undefined): Block[] =>
  words === undefined ? [] : [{ kind: 'pre', title, text: words, isFolded: true }];

function policy({ setup }: RunRecord): Section | undefined {
  if (!setup) return undefined;
  const list = (title: string, tokens: readonly string[]): Block => ({
    kind: 'pre',
    title: `${title} (${tokens.length})`,
    text: tokens.join('\n') || '(nothing)',
    isFolded: true,
  });
  return {
    icon: '',
    title: 'What the agent was allowed to do',
    fold: 'closed',
    blocks: [
      {
        kind: 'paragraph',
        content: [
          text('Preset '),
          code(setup.preset),
          text(', mode '),
          code(setup.mode),
          text(`, force ${setup.force ? 'on' : 'off'}. ${setup.isolation}`),
          ...(setup.onlyAllowed === undefined
            ? []
            : [text(` Of ${setup.onlyAllowed.join(' and ')}, only what is allowed may be used.`)]),
          ...(setup.network === undefined ? [] : [text(` ${setup.network}`)]),
          ...(setup.credential === undefined ? [] : [text(` ${setup.credential}`)]),
        ],
      },
      list('Allowed', setup.allow),
      list('Denied, even if allowed', setup.deny),
    ],
  };
}

/** What helps to find out why the run went as it did. */
function diagnostics(record: RunRecord): Section | undefined {
  const { report, stderr, exit, verdict } = record;
  // What the failure says at the top is not said again.
  const told = verdict.status === 'failure' ? verdict.detail : '';
  const items = remarks(record);
  const words = stderr.trim();
  const ending = exit && verdict.status === 'failure' ? exitWords(exit) : '';
  const blocks: Block[] = [
    ...(items.length === 0 ? [] : [{ kind: 'list' as const, items }]),
    ...unrecognisedLines(report.unrecognised).map((line): Block => ({
      kind: 'paragraph',
      content: [text(line)],
    })),
    ...(words === '' || told.includes(words)
      ? []
      : [
          {
            kind: 'pre' as const,
            title: 'The end of what the agent wrote outside of its stream',
            text: words,
            isFolded: false,
            keepEnd: true,
          },
        ]),
    ...(ending === '' || told.includes(ending)
      ? []
      : [{ kind: 'paragraph' as const, content: [text(ending, 300)] }]),
  ];
  if (blocks.length === 0) return undefined;
  return { icon: '', title: 'Diagnostics', fold: verdict.status === 'failure' ? 'open' : 'closed', blocks };
}

function remarks({
  report,
  notes,
  changes,
  tries,
  corrections = [],
  exit,
  hook,
  setup,
}: RunRecord): Inline[][] {
  return [
    ...tries.map(({ reason, detail, waitMs }, index) => [
      text(`Try ${index + 1} failed (${reason}), waited ${duration(waitMs)}: `),
      text(detail, 300),
    ]),
    ...corrections.map(({ problem }, index) => [
      text(`Answer ${index + 1} could not be used: ${problem}`, 500),
    ]),
    ...(exit?.kind === 'ended' && exit.why === 'after-result'
      ? [[text('The agent did not exit after its result and was ended; the result counts.')]]
      : []),
    ...(report.result
      ? runningCalls(report)
          .filter(({ background }) => background)
          .slice(0, MOST_NOTES)
          .map((call) => [
            text(`Still running in the background when the agent was done, and ended: ${toolLabel(call)} `),
            code(call.target),
          ])
      : []),
    ...connectionRemark(report),
    ...(hook?.judged === 0 && report.tools.length > 0
      ? [
          [
            text(
              'This build of the CLI did not ask our hook, so only its own permission rules held.' +
                (setup?.force && setup.onlyAllowed
                  ? ` Nothing limited ${setup.onlyAllowed.join(' and ')} to what is allowed.`
                  : ''),
            ),
          ],
        ]
      : []),
    ...notes
      // The list of files has those.
      .filter((note) => !changes?.violations.some((violation) => note.endsWith(violation)))
      .slice(0, MOST_NOTES)
      .map((note) => [text(note, 500)]),
    ...report.notices
      .filter(({ level, connection }) => level === 'warning' && connection === undefined)
      .slice(0, MOST_NOTES)
      .map((notice) => [text(notice.text, 500)]),
  ];
}

/** One line, because the CLI tries up to ten times and reports each try twice. */
function connectionRemark({ notices }: RunRecord['report']): Inline[][] {
  const count = (state: ConnectionState) => notices.filter(({ connection }) => connection === state).length;
  const [lost, retried] = [count('lost'), count('retry')];
  if (lost + retried === 0) return [];
  const parts = [
    lost > 0 ? `the connection was lost ${plural(lost, 'time')}` : '',
    retried > 0 ? `a request was sent again ${plural(retried, 'time')}` : '',
  ].filter((part) => part !== '');
  const last = notices.findLast(({ connection }) => connection === 'lost' || connection === 'retry');
  return [[text(`According to the CLI, ${parts.join(' and ')}. The last time: ${last?.text ?? ''}`, 500)]];
}

function unrecognisedLines({ count, labels, tools, first }: RunRecord['report']['unrecognised']): string[] {
  const place = first[0] === undefined ? '' : ` (${count === 1 ? '' : 'the first is '}line ${first[0].line})`;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .slice(0, MOST_NOTES)
      .map(([label, some]) => `${truncate(label, 80)} × ${number(some)}`)
      .join(', ');
  const names = listed(tools);
  return [
    count === 0
      ? ''
      : `${plural(count, 'line')} not recognised${place}: ${listed(labels)}. The transcript has ${count === 1 ? 'it' : 'them'}.`,
    names === '' ? '' : `Tools that this version does not know: ${names}`,
  ].filter((line) => line !== '');
}
