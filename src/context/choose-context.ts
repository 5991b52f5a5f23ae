import type { GithubEvent } from '../github/event.js';
import type { PresetName } from '../permissions/presets.js';

export const CONTEXT_KINDS = ['diff', 'pull-request', 'thread', 'issue', 'ci-logs'] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];
/** What is given to the agent: what was chosen, and what the action adds to a review. */
export type GivenKind = ContextKind | 'changed-files' | 'earlier-review';

/** How much of a pull request a review may look at. */
export const REVIEW_SCOPES = ['full', 'new', 'auto'] as const;
export type ReviewScope = (typeof REVIEW_SCOPES)[number];

/** Which files of a change a run is about. */
export interface FileChoice {
  /** Only these; all files if missing. Another run may be about the others. */
  paths?: ReadonlySet<string>;
  /** Patterns of files that are left out, as in `.gitignore`. */
  exclude?: readonly string[];
  /** Whether generated files are reviewed like all others. A gate needs that: anybody can give code such a path. */
  withGenerated?: boolean;
}

type EventContents = Pick<GithubEvent, 'name' | 'change' | 'pull' | 'comment' | 'issue' | 'ci'>;

/** Whether an event has each kind of context, and which events have it. */
const AVAILABLE: Readonly<Record<ContextKind, { has: (event: EventContents) => boolean; events: string }>> = {
  diff: {
    has: ({ change }) => change !== undefined,
    events:
      'pull-request events, push (of a branch, or of a tag that was moved), merge_group, issue_comment on a pull ' +
      'request, and workflow_run, check_suite or check_run of a pull request',
  },
  'pull-request': {
    has: ({ pull }) => pull !== undefined,
    events:
      'pull-request events, issue_comment on a pull request, and workflow_run, check_suite or check_run of one',
  },
  thread: {
    has: ({ comment }) => comment?.thread !== undefined,
    events: 'pull_request_review_comment',
  },
  issue: {
    has: ({ issue }) => issue !== undefined,
    events: 'issues, and issue_comment on an issue that is not a pull request',
  },
  'ci-logs': {
    has: ({ ci }) => ci !== undefined,
    events: 'workflow_run, check_suite and check_run',
  },
};

/** What `context: auto` gathers by preset and event, if the event has it. */
const CHANGE: readonly ContextKind[] = ['diff', 'pull-request'];
/** The event has either the issue or the change. */
const COMMENTED: readonly ContextKind[] = ['issue', ...CHANGE];
const FAILURE: readonly ContextKind[] = ['ci-logs', ...CHANGE];
const REVIEWING: Readonly<Record<string, readonly ContextKind[]>> = {
  pull_request: CHANGE,
  pull_request_target: CHANGE,
  pull_request_review: CHANGE,
  pull_request_review_comment: ['thread', ...CHANGE],
  issues: ['issue'],
  issue_comment: COMMENTED,
  push: ['diff'],
  merge_group: ['diff'],
  workflow_run: CHANGE,
  check_suite: CHANGE,
  check_run: CHANGE,
};
const FIXING = { ...REVIEWING, workflow_run: FAILURE, check_suite: FAILURE, check_run: FAILURE };
export const AUTO_CONTEXT: Readonly<Record<PresetName, Readonly<Record<string, readonly ContextKind[]>>>> = {
  review: REVIEWING,
  docs: REVIEWING,
  edit: FIXING,
  'fix-ci': FIXING,
  custom: FIXING,
};

export type ContextChoice = { kind: 'auto' } | { kind: 'list'; kinds: readonly ContextKind[] };

/** What to gather, or the problems if something was requested by name that the event does not have. */
export function chooseContext(
  choice: ContextChoice,
  preset: PresetName,
  event: EventContents,
): { kinds: ContextKind[] } | { problems: string[] } {
  if (choice.kind === 'auto') {
    const table = AUTO_CONTEXT[preset];
    const usual = Object.hasOwn(table, event.name) ? (table[event.name] ?? []) : [];
    return { kinds: usual.filter((kind) => AVAILABLE[kind].has(event)) };
  }
  const kinds = [...new Set(choice.kinds)];
  const missing = kinds.filter((kind) => !AVAILABLE[kind].has(event));
  if (missing.length === 0) return { kinds };
  const what = event.name === '' ? 'a run without an event' : `this ${event.name} event`;
  return {
    problems: missing.map(
      (kind) =>
        `"${kind}" is requested, but ${what} has none; it comes with ${AVAILABLE[kind].events}. Leave it out, or use auto.`,
    ),
  };
}
