import { exitWords } from '../core/exit.js';
import { FAILURES } from '../core/failure.js';
import { compactNumber, duration, number, plural, share } from '../text/format.js';
import { truncate } from '../text/plain-text.js';
import type { ConnectionState } from '../stream/events.js';
import { outcomeWords, runningCalls, toolLabel, countCalls } from './run-report.js';
import { findDenials } from './denials.js';
import { changesNote, fileChanges, lineCounts } from './file-changes.js';
import { countFindings, hasPlace, type CheckedFinding } from './findings.js';
import type { RunRecord } from './model.js';
import { buildGantt, timeShares } from './timeline.js';

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
  denied: Section | undefined;
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
  | { kind: 'quote'; text: string }
  | { kind: 'diagram'; mermaid: string }
  /** Text whose lines keep their shape. `keepEnd`: if it is too long, its end is shown. */
  | { kind: 'pre'; title: string; text: string; isFolded: boolean; keepEnd?: boolean };

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
    denied: denied(record),
    files: files(record),
    time: time(record),
    plan: plan(record),
    calls: calls(record),
    given: given(record),
    policy: policy(record),
    diagnostics: diagnostics(record),
  };
}

function answerOf({ review, structuredOutput, report, verdict, files: paths }: RunRecord): Answer {
  if (review) {
    const placed = review.findings.filter(hasPlace);
    const apart = review.findings.filter((finding) => !hasPlace(finding));
    return { kind: 'review', title: countFindings(placed), summary: review.summary.trim(), placed, apart };
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
  const calls = `${number(count.calls)}${shortfalls.length > 0 ? ` (${shortfalls.join(', ')})` : ''}`;
  const files = `${number(changed.files.length)} (${lineCounts(changed)})`;
  const items: NumberItem[] = [
    { name: 'Time', value: figure(duration(report.durationMs ?? agentMs ?? wallMs)) },
    { name: 'Model', value: text(report.model ?? '', 80) },
    { name: 'Tool calls', value: figure(calls) },
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

/** What was refused, why, and the exact token that would allow it. */
function denied({ report, setup }: RunRecord): Section | undefined {
  const denials = findDenials(report, setup);
  if (denials.length === 0) return undefined;
  const rows = denials
    .slice(0, MOST_ROWS)
    .map(({ tool, what, why, count, allow }): Cell => [
      [text(`${tool} `), code(what), ...(count > 1 ? [text(` × ${number(count)}`)] : [])],
      [{ kind: 'names', names: allow }],
      [text(why, 200)],
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
  const hint: Block[] =
    setup && setup.mode !== 'agent'
      ? [
          {
            kind: 'paragraph',
            content: [
              text('Mode '),
              code(setup.mode),
              text(' only reads: to write files or run commands, the agent needs '),
              code('mode: agent'),
              text(' too.'),
            ],
          },
        ]
      : [];
  const table: Block = {
    kind: 'table',
    heads: ['Refused', 'Allow with', 'Why'],
    rows,
    total: denials.length,
  };
  return { icon: '🚫', title: 'Denied', fold: 'never', blocks: [table, ...hookHint, ...hint] };
}

/** The files that changed, and which changes were not allowed. */
function files(record: RunRecord): Section | undefined {
  const { files: changed, source } = fileChanges(record);
  const violations = record.changes?.violations ?? [];
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
  const rows = timeShares(report, total).map(({ what, calls: count, ms, share: part }): Cell => {
    const bar = '█'.repeat(Math.round(Math.min(part, 1) * BAR_BLOCKS));
    return [
      [text(what)],
      [text(count === undefined ? '' : number(count))],
      [figure(duration(ms))],
      [text(bar === '' ? '' : `${bar} `), figure(`${Math.round(part * 100)} %`)],
    ];
  });
  return {
    icon: '⏱️',
    title: 'Where the time went',
    fold: 'never',
    blocks: [
      ...(mermaid === '' ? [] : [{ kind: 'diagram' as const, mermaid }]),
      { kind: 'table', heads: ['Tool', 'Calls', 'Time', 'Share'], rows, total: rows.length },
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
      [figure(call.durationMs === undefined ? '' : duration(call.durationMs))],
    ]);
  return {
    icon: '',
    title: `${plural(total, 'tool call')}: ${kinds.join(', ')}`,
    fold: 'closed',
    blocks: [{ kind: 'table', heads: ['#', 'Tool', 'What', 'Outcome', 'Time'], rows, total }],
  };
}

/** What was gathered for the agent, and what its preset told it, its task included if the workflow gave none. */
function given({ context = [], instruction, task }: RunRecord): Section | undefined {
  if (context.length === 0 && instruction === undefined && task === undefined) return undefined;
  const rows = context.map(({ kind, description, bytes, leftOut, inlined, items, outOf }): Cell => {
    const unit = kind === 'ci-logs' ? 'failed job' : 'changed file';
    return [
      [code(kind), text(` ${description}`, 200)],
      [text(`${number(bytes)} bytes${inlined ? ', also in the prompt' : ''}`)],
      [text(share({ items, outOf }, unit))],
      [{ kind: 'names', names: leftOut }],
    ];
  });
  const kinds = context.map(({ kind }) => kind).join(', ');
  return {
    icon: '',
    title: kinds === '' ? 'What the agent was told' : `What the agent was given: ${kinds}`,
    fold: 'closed',
    blocks: [
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
  const items = remarks(record);
  const unrecognised = unrecognisedLines(report.unrecognised);
  const blocks: Block[] = [
    ...(items.length === 0 ? [] : [{ kind: 'list' as const, items }]),
    ...unrecognised.map((words): Block => ({ kind: 'paragraph', content: [text(words)] })),
    ...report.unrecognised.first.map(({ line, sample }): Block => ({
      kind: 'quote',
      text: `line ${line}: ${truncate(sample, 200)}`,
    })),
    ...(stderr.trim() === ''
      ? []
      : [
          {
            kind: 'pre' as const,
            title: 'The end of what the agent wrote outside of its stream',
            text: stderr.trim(),
            isFolded: false,
            keepEnd: true,
          },
        ]),
    ...(exit && verdict.status === 'failure'
      ? [{ kind: 'paragraph' as const, content: [text(exitWords(exit), 300)] }]
      : []),
  ];
  if (blocks.length === 0) return undefined;
  return { icon: '', title: 'Diagnostics', fold: verdict.status === 'failure' ? 'open' : 'closed', blocks };
}

function remarks({ report, notes, tries, corrections = [], exit, hook }: RunRecord): Inline[][] {
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
      ? [[text('This build of the CLI did not ask our hook, so only its own permission rules held.')]]
      : []),
    ...notes.slice(0, MOST_NOTES).map((note) => [text(note, 500)]),
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

function unrecognisedLines({ count, labels, tools }: RunRecord['report']['unrecognised']): string[] {
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .slice(0, MOST_NOTES)
      .map(([label, some]) => `${truncate(label, 80)} × ${number(some)}`)
      .join(', ');
  const names = listed(tools);
  return [
    count === 0 ? '' : `${plural(count, 'line')} not recognised: ${listed(labels)}`,
    names === '' ? '' : `Tools that this version does not know: ${names}`,
  ].filter((line) => line !== '');
}
