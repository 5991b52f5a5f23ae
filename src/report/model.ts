import * as z from 'zod/mini';
import type { Exit } from '../core/exit.js';
import { FAILURES, type FailureReason } from '../core/failure.js';
import { COMMIT_ID } from '../text/format.js';
import {
  AGENT_FAILURES,
  CONNECTION_STATES,
  TODO_STATUSES,
  TOOL_KINDS,
  UNKNOWN_WHYS,
} from '../stream/events.js';
import {
  FINDING_KINDS,
  MAX_ALSO_AT,
  MAX_PASSES,
  MAX_FINDINGS,
  MAX_LINE,
  MAX_PATH,
  PLACES,
  RULE_ID,
  SEVERITIES,
  SEVERITY_MEANINGS,
} from './findings.js';

/**
 * The one definition of a report: its types, its JSON Schema (docs/report.schema.json) and what publish accepts all
 * come from here. A run itself imports only the types, because it does not need to validate what it builds.
 *
 * Readers rely on the report file. A release may add fields; `version` changes when a field changes its meaning or
 * is removed.
 */
export const REPORT_VERSION = 1;

const about = <T extends z.ZodMiniType>(schema: T, description: string): T =>
  schema.check(z.describe(description));
const maybe = <T extends z.ZodMiniType>(schema: T, description?: string): z.ZodMiniExactOptional<T> =>
  z.exactOptional(description === undefined ? schema : about(schema, description));

const count = z.int().check(z.gte(0), z.lte(1e12));
/** By the action's own clock. */
const elapsed = z.number().check(z.gte(0), z.lte(1e15));
/** Reported by the agent, unchecked: it can be any number. */
const claimed = z.number();
const reason = z.enum(Object.keys(FAILURES) as [FailureReason, ...FailureReason[]]);
const kind = z.enum(TOOL_KINDS);

/** Whether the step succeeded, and if not, why; `detail` is specific to this run. */
const VerdictSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success') }),
  z.object({ status: z.literal('failure'), reason, detail: z.string() }),
]);
export type Verdict = z.infer<typeof VerdictSchema>;

const ToolCallSchema = z.object({
  number: about(count, 'Counted from 1 in the order in which calls began.'),
  name: about(z.string(), 'The tool’s own name.'),
  kind,
  target: about(z.string(), 'The path, command, query or address; the beginning of it if it is long.'),
  state: about(
    z.enum(['running', 'ok', 'failed', 'denied']),
    '`running` means that the call, or what it started in the background, did not end before the run did.',
  ),
  background: maybe(
    z.literal(true),
    'Set if the call returned at once and its work went on in the background.',
  ),
  message: z.string(),
  byHook: maybe(z.literal(true), 'Set if a hook of the CLI denied it, the action’s own or another.'),
  startMs: about(z.number(), 'Since the start of the agent.'),
  durationMs: maybe(claimed, 'By the call’s own timestamps if it has them; missing while it runs.'),
  timeoutMs: maybe(claimed),
  facts: z.object({
    exitCode: maybe(z.number()),
    linesAdded: maybe(z.number()),
    linesRemoved: maybe(z.number()),
    linesRead: maybe(z.number()),
    firstLine: maybe(z.number(), 'Of a read that was limited to a range of lines.'),
    lastLine: maybe(z.number()),
    matches: maybe(z.number()),
    output: maybe(z.string(), 'What it printed, found or changed; a part of it if it is long.'),
  }),
});
export type ToolCall = z.infer<typeof ToolCallSchema>;

/** Calls of one kind, counted over the whole run, including calls that are too many to list. */
const KindTotalsSchema = z.object({ calls: count, failed: count, denied: count, durationMs: claimed });
export type KindTotals = z.infer<typeof KindTotalsSchema>;

/** Something the agent was refused outside of a tool call. */
const RefusalSchema = z.object({ what: z.string(), reason: z.string() });
export type Refusal = z.infer<typeof RefusalSchema>;

const UnrecognisedSchema = z.object({
  labels: about(z.record(z.string(), count), 'How many lines, by what they call themselves.'),
  tools: about(
    z.record(z.string(), count),
    'Calls of unknown tools, by name. They are listed like all calls.',
  ),
  count,
  first: about(
    z.array(
      z.object({
        type: z.literal('unknown'),
        line: z.number(),
        why: z.enum(UNKNOWN_WHYS),
        label: z.string(),
        sample: z.string(),
      }),
    ),
    'The first few of them.',
  ),
});
export type Unrecognised = z.infer<typeof UnrecognisedSchema>;

/** Everything that the stream said, with an upper bound on every list and text. */
export const RunReportSchema = z.object({
  sessionId: maybe(z.string()),
  requestId: maybe(z.string()),
  model: maybe(z.string()),
  answer: about(
    z.string(),
    'The agent’s last message. If it proposed a plan and did not carry it out, the plan, and what it said after it.',
  ),
  messages: count,
  result: maybe(
    z.object({
      isError: z.boolean(),
      text: z.string(),
      exitStatus: maybe(z.string(), 'The agent’s own word for how it ended.'),
      failure: maybe(
        z.enum(AGENT_FAILURES),
        'The kind of failure that this word stands for, if it stands for one.',
      ),
    }),
    'How the agent itself says it ended.',
  ),
  lostInARow: maybe(
    count,
    'How often the connection was lost since the agent last wrote, thought or used a tool.',
  ),
  errors: about(z.array(z.string()), 'Errors that the agent reported apart from its result.'),
  durationMs: maybe(claimed),
  durationApiMs: maybe(claimed),
  usage: maybe(
    z.object({
      inputTokens: claimed,
      outputTokens: claimed,
      cacheReadTokens: claimed,
      cacheWriteTokens: claimed,
    }),
  ),
  costUsd: maybe(claimed),
  turns: maybe(claimed),
  tools: about(z.array(ToolCallSchema), 'The first calls, up to a limit; the totals count all of them.'),
  totals: z.partialRecord(kind, KindTotalsSchema),
  refusals: about(z.array(RefusalSchema), 'What was refused outside of a tool call, up to a limit.'),
  moreRefusals: about(count, 'How many refusals there were beyond those listed.'),
  todos: about(
    z.array(z.object({ id: z.string(), text: z.string(), status: z.enum(TODO_STATUSES) })),
    'The agent’s list of steps as it was at the end.',
  ),
  notices: z.array(
    z.object({
      level: z.enum(['info', 'warning']),
      text: z.string(),
      atMs: z.number(),
      connection: maybe(z.enum(CONNECTION_STATES), 'Set if it is about the connection to the model.'),
    }),
  ),
  unrecognised: about(UnrecognisedSchema, 'Lines of the stream that this version does not recognise.'),
});
export type RunReport = z.infer<typeof RunReportSchema>;

const line = z.int().check(z.minimum(1), z.maximum(MAX_LINE));
const words = z.string().check(z.minLength(1));

/** Another place of the same mistake, after the change. */
const OtherPlaceSchema = z.strictObject({
  path: words.check(z.maxLength(MAX_PATH)),
  startLine: line,
  endLine: line,
});
export type OtherPlace = z.infer<typeof OtherPlaceSchema>;

/** One finding as the agent must give it. What is corrected before it is validated is in review/expect-answer.ts. */
export const FindingSchema = z.strictObject({
  path: about(
    words.check(z.maxLength(MAX_PATH)),
    'The file, from the root of the repository, with forward slashes.',
  ),
  startLine: about(line, 'The first line it is about, counted from 1, in the file as it is now.'),
  endLine: about(line, 'The last line it is about; the same as startLine for a single line.'),
  side: maybe(
    z.enum(['head', 'base']),
    '`base` if these are lines that the change removed, counted in the file as it was before. Leave it out otherwise.',
  ),
  severity: about(z.enum(SEVERITIES), SEVERITY_MEANINGS),
  title: about(words, 'What is wrong, in one short sentence.'),
  body: about(z.string(), 'Why it is wrong and how to see it, as Markdown.'),
  suggestion: maybe(
    z.string(),
    'What the lines from startLine to endLine should read instead, whole lines with their indentation; empty to delete them. Leave it out where no exact replacement is known.',
  ),
  alsoAt: maybe(
    z.array(OtherPlaceSchema).check(z.maxLength(MAX_ALSO_AT)),
    'The other places of exactly the same mistake. Leave it out if there are none.',
  ),
  rule: maybe(
    z.string().check(z.regex(RULE_ID)),
    `The id of the team's rule that it breaks, if it breaks one; otherwise its kind: ${FINDING_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
  ),
});
export type Finding = z.infer<typeof FindingSchema>;

/** A review as the agent must answer it: what `output-schema: findings` asks for. */
export const FindingsSchema = z.strictObject({
  summary: about(z.string(), 'The review in a few sentences, as Markdown.'),
  findings: about(
    z.array(FindingSchema).check(z.maxLength(MAX_FINDINGS)),
    'Each separate problem once, the best first; empty if there is none.',
  ),
});

const passes = z.int().check(z.minimum(1), z.maximum(MAX_PASSES));

/** What a chat found out that had to refute the finding. */
const ValidationSchema = z.object({
  verdict: about(
    z.enum(['confirmed', 'refuted', 'unproven']),
    '`confirmed` and `refuted` only if the quote stands where it says and may prove it.',
  ),
  reason: z.string(),
  quote: maybe(
    z.object({ path: z.string(), startLine: line, endLine: line, text: z.string() }),
    'The lines that prove the verdict.',
  ),
});
export type Validation = z.infer<typeof ValidationSchema>;

/** A finding whose place was looked up in the checkout. */
export const CheckedFindingSchema = z.object({
  ...FindingSchema.shape,
  place: about(
    z.enum(PLACES),
    'Where it points. It says whether the finding counts; docs/findings.md has the table.',
  ),
  count: about(z.int().check(z.minimum(1)), 'How many findings said the same about the same lines.'),
  agreement: maybe(
    z.object({ found: passes, of: passes }),
    'How many passes found it, of those that answered. Missing if there was one pass.',
  ),
  validation: maybe(ValidationSchema, 'Missing if the finding was not validated.'),
  withheld: maybe(
    z.object({ reason: z.string() }),
    'Set if it is not posted as a comment, and why. It counts for `fail-on-severity` all the same.',
  ),
});
export type CheckedFinding = z.infer<typeof CheckedFindingSchema>;

/** A review as the report holds it. */
export const ReviewSchema = z.object({
  summary: z.string(),
  findings: z.array(CheckedFindingSchema).check(z.maxLength(MAX_FINDINGS)),
  dismissed: maybe(
    z.int().check(z.minimum(1), z.maximum(MAX_FINDINGS)),
    'How many findings are left out, because they are about code where a user with write access dismissed one.',
  ),
});
export type Review = z.infer<typeof ReviewSchema>;

const ChangedFileSchema = z.object({
  path: z.string(),
  status: about(z.string(), '`added`, `modified`, `deleted`, `renamed`, or git’s own word.'),
  added: maybe(count),
  removed: maybe(count),
});
export type ChangedFile = z.infer<typeof ChangedFileSchema>;

const FileChangesSchema = z.object({
  source: about(z.enum(['git', 'agent']), '`agent` if only the agent’s own edits are known.'),
  files: z.array(ChangedFileSchema),
  added: count,
  removed: count,
});
export type FileChanges = z.infer<typeof FileChangesSchema>;

const violations = about(z.array(z.string()), 'Changes that the policy does not allow.');
const ChangesSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('unknown'), note: z.string(), violations }),
  z.object({
    kind: z.literal('known'),
    files: about(z.array(ChangedFileSchema), 'Everything that changed, except what git ignores.'),
    applied: about(
      z.enum(['all', 'allowed', 'none']),
      'Which changes were written to the checkout: all, those that were allowed, or none.',
    ),
    paths: about(z.array(z.string()), 'Every path that was written to the checkout; both paths of a rename.'),
    ignored: about(count, 'How many files changed that git ignores. They are never applied.'),
    patchFile: maybe(z.string(), 'What was applied.'),
    rejectedPatchFile: maybe(z.string(), 'What was not applied.'),
    omitted: about(z.array(z.string()), 'Changed files that are in neither patch, and why.'),
    violations,
  }),
]);
export type Changes = z.infer<typeof ChangesSchema>;

const GivenContextSchema = z.object({
  kind: z.string(),
  description: z.string(),
  file: z.string(),
  bytes: count,
  items: about(count, 'How many files, jobs or comments it is about.'),
  outOf: maybe(count, 'How many there are in all, if only some were asked for.'),
  isShare: maybe(
    z.literal(true),
    'Set if `context-paths` names only some of the changed files, so that other runs are about the rest.',
  ),
  leftOut: about(
    z.array(z.string()),
    'What is missing from it, because it was too long, not available or excluded.',
  ),
  inlined: about(z.boolean(), 'Whether the prompt contains it too.'),
  files: maybe(
    z.array(z.string()),
    'For a diff: the changed files that are in it whole. Only about these can a review say that a finding is gone.',
  ),
});
export type GivenContext = z.infer<typeof GivenContextSchema>;

const TeamRulesSchema = z.object({
  path: z.string(),
  appliesTo: about(z.array(z.string()), 'The first changed files that it is about.'),
  files: maybe(count, 'How many these are in all. Missing if the changed files are not known.'),
  ids: about(z.array(z.string()), 'How findings refer to the rules in it (`rule`).'),
});
export type AppliedRules = z.infer<typeof TeamRulesSchema>;

/** The number of a pull request. */
const pullRequest = z.int().check(z.minimum(1), z.maximum(10_000_000));

const ReviewedChangeSchema = z.object({
  base: z.string(),
  head: z.string(),
  pullRequest: maybe(pullRequest),
});
export type ReviewedChange = z.infer<typeof ReviewedChangeSchema>;

const commitId = z.string().check(z.regex(COMMIT_ID));
const hash = z.string().check(z.regex(/^[0-9a-f]{20}$/));
const ReviewedSchema = z.object({
  head: commitId,
  base: commitId,
  policy: about(hash, 'A hash of the policy.'),
  prompt: about(hash, 'A hash of the prompt, without what was gathered for this run.'),
});
export type Reviewed = z.infer<typeof ReviewedSchema>;

const ScopeSchema = z.object({ kind: z.enum(['full', 'new']), why: z.string() });
export type Scope = z.infer<typeof ScopeSchema>;

/** Why no agent was started, or why it got no further, although the run is a success. */
export const SKIP_CODES = [
  'unchanged',
  'usage-limit',
  'runs-per-day',
  'not-reproduced',
  'outdated',
  'infrastructure',
  'already-tried',
  'nothing-documented',
] as const;

const SkippedSchema = z.object({
  code: z.enum(SKIP_CODES),
  reason: z.string(),
  url: maybe(z.string(), 'Where the earlier result is.'),
});
export type Skipped = z.infer<typeof SkippedSchema>;

const placeLines = { startLine: count, endLine: count };
const StatementSchema = z.object({
  document: z.string(),
  ...placeLines,
  reason: z.string(),
  source: maybe(
    z.object({ path: z.string(), ...placeLines, quote: z.string() }),
    'The place in the code that shows it. The action found the quote there.',
  ),
  problem: maybe(z.string(), 'Why nothing shows it.'),
});
export type Statement = z.infer<typeof StatementSchema>;
const StatementsSchema = z.object({
  summary: z.string(),
  changes: about(z.array(StatementSchema), 'What the agent says about its change of the documents.'),
  uncovered: about(
    z.array(
      z.object({
        document: z.string(),
        startLine: maybe(count),
        endLine: maybe(count),
        isRemoval: maybe(z.literal(true), 'Set if lines were removed there.'),
      }),
    ),
    'Changed lines that it says nothing about.',
  ),
});
export type Statements = z.infer<typeof StatementsSchema>;

const ContinuedProposalSchema = z.object({
  branch: about(z.string(), 'Where `propose` puts the change.'),
  commit: maybe(commitId, 'The commit of the open pull request that the run started from.'),
  firstBase: maybe(commitId, 'The pull request has everything since this commit.'),
  pullRequest: maybe(pullRequest, 'The open pull request that the run continued.'),
  besides: maybe(pullRequest, 'A pull request with commits of others, which is left as it is.'),
  isTaken: about(z.boolean(), 'Whether the base has all of the open pull request already.'),
  carried: about(z.array(z.string()), 'The files that the run found as the pull request has them.'),
  leftOut: about(
    z.array(z.string()),
    'Files of the pull request that could not be taken over, because the base changed the same lines.',
  ),
});
export type ContinuedProposal = z.infer<typeof ContinuedProposalSchema>;

const RunOriginSchema = z.object({
  startedAt: about(z.string(), 'When the run began, in ISO 8601.'),
  repository: maybe(z.string(), '`owner/name`.'),
  repositoryUrl: maybe(z.string()),
  pullRequest: maybe(pullRequest),
  commit: maybe(z.string(), 'The commit that the event is about. For a pull request it is the head.'),
  runUrl: maybe(z.string(), 'The attempt of the workflow run.'),
});
export type RunOrigin = z.infer<typeof RunOriginSchema>;

const SetupSchema = z.object({
  agent: z.string(),
  preset: z.string(),
  mode: z.string(),
  force: z.boolean(),
  allow: z.array(z.string()),
  deny: z.array(z.string()),
  onlyAllowed: maybe(
    z.array(z.string()),
    'Kinds of which only what `allow` names may be used, even with force. The action’s hook holds it.',
  ),
  cliVersion: maybe(z.string()),
  isolation: z.string(),
  network: maybe(z.string(), 'Whether the agent could reach allowed hosts only, and if not, why.'),
  credential: maybe(
    z.string(),
    'What the agent signed in with at its last start, and until when that is good.',
  ),
});
export type Setup = z.infer<typeof SetupSchema>;

const TrySchema = z.object({ reason, detail: z.string(), waitMs: about(elapsed, 'The wait after it.') });
export type Try = z.infer<typeof TrySchema>;

const CorrectionSchema = z.object({
  problem: about(z.string(), 'What was wrong with the answer, in the words that the agent was told.'),
});
export type Correction = z.infer<typeof CorrectionSchema>;

const ExitSchema: z.ZodMiniType<Exit> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exited'), code: z.number() }),
  z.object({ kind: z.literal('signalled'), signal: z.string() }),
  z.object({
    kind: z.literal('ended'),
    why: z.enum(['after-result', 'timeout', 'idle', 'cancelled']),
    code: maybe(z.number()),
  }),
  z.object({ kind: z.literal('not-started'), error: z.string() }),
]);

const CommandResultSchema = z.object({
  command: about(z.string(), 'The command or script; the beginning of it if it is long.'),
  exit: ExitSchema,
  durationMs: elapsed,
  output: about(z.string(), 'The end of what it printed.'),
  asBefore: maybe(z.literal(true), 'Set if it failed on the change, but in no other way than without it.'),
});
export type CommandResult = z.infer<typeof CommandResultSchema>;

const RoundSchema = z.object({ results: z.array(CommandResultSchema), notRun: count });
export type VerificationRound = z.infer<typeof RoundSchema>;

const BaselineSchema = z.object({
  state: about(
    z.enum(['reproduced', 'not-reproduced', 'not-comparable', 'baseline']),
    '`reproduced` if a failure of the CI log appeared; `not-comparable` if what happened proves nothing; `baseline` if there was no log to compare with.',
  ),
  why: about(z.string(), 'A sentence.'),
  lines: about(z.array(z.string()), 'Lines of the CI log that appeared here too.'),
  round: RoundSchema,
});
export type Baseline = z.infer<typeof BaselineSchema>;

const OriginalsSchema = z.object({
  paths: about(
    z.array(z.string()),
    'The files that were the original ones, by their path in the repository.',
  ),
  round: RoundSchema,
});

export const VERIFICATION_STATES = [
  'passed',
  'passed-with-changed-tests',
  'failed',
  'not-reproduced',
  'none',
] as const;

const VerificationSchema = z.object({
  state: about(z.enum(VERIFICATION_STATES), '`none` if nothing was run on the change as it is.'),
  why: maybe(z.string(), 'Why nothing was run.'),
  source: maybe(z.string(), 'Where the commands come from.'),
  before: maybe(
    BaselineSchema,
    'The commands on the checkout without a change, before the agent was started.',
  ),
  rounds: about(
    z.array(RoundSchema),
    'The commands on the change, in the order they ran. After a command that fails, the others are not run. There is a further round each time the agent tried again; the last one decides.',
  ),
  originals: maybe(
    OriginalsSchema,
    'The commands on the change, but with the original tests and other files that decide about checks.',
  ),
});
export type Verification = z.infer<typeof VerificationSchema>;

const HookTallySchema = z.object({
  judged: about(count, 'How many tool calls it was asked about.'),
  denied: count,
  denials: about(z.record(z.string(), count), 'Why it denied them, with how often.'),
});
export type HookTally = z.infer<typeof HookTallySchema>;

const NetworkRecordSchema = z.object({
  state: z.literal('closed'),
  refused: about(
    z.array(
      z.object({
        host: about(z.string(), 'With its port.'),
        count,
        why: z.string(),
        allow: about(
          z.string(),
          'The line of `allowed-hosts` that would allow it; empty if none is advised.',
        ),
      }),
    ),
    'Hosts that the agent asked for and did not reach, up to a limit.',
  ),
  allowed: about(
    z.array(
      z.object({
        host: z.string(),
        count: about(count, 'How many connections.'),
        failed: about(count, 'How many of them could not be made.'),
        sentBytes: elapsed,
        receivedBytes: elapsed,
      }),
    ),
    'Hosts that the agent was allowed to reach and asked for, up to a limit.',
  ),
  moreRefused: about(count, 'Requests for refused hosts beyond those listed.'),
  moreAllowed: about(count, 'Connections to allowed hosts beyond those listed.'),
  invalid: about(count, 'Requests that made no sense.'),
  overLimit: about(count, 'Connections beyond the number that may be open at once.'),
});
export type NetworkRecord = z.infer<typeof NetworkRecordSchema>;

const DenialSchema = z.object({
  tool: z.string(),
  what: z.string(),
  why: z.string(),
  count,
  allow: about(z.array(z.string()), 'Permission tokens that would have allowed it; empty if none would.'),
  instead: maybe(z.string(), 'Why it should not be allowed, and what to do instead.'),
  byForeignHook: maybe(
    z.literal(true),
    'Set if a hook refused it that is not the action’s own. No token changes that.',
  ),
});
export type Denial = z.infer<typeof DenialSchema>;

const TimeShareSchema = z.object({
  what: z.string(),
  calls: maybe(count),
  ms: z.number(),
  share: z.number(),
});
export type TimeShare = z.infer<typeof TimeShareSchema>;

/** Everything known about a run at its end. Summary, page, outputs and report file are made from it. */
const RunRecordSchema = z.object({
  verdict: VerdictSchema,
  report: about(RunReportSchema, 'Everything that the stream said, with limits.'),
  files: z.object({
    result: maybe(z.string()),
    transcript: maybe(z.string()),
    report: maybe(z.string()),
    html: maybe(z.string()),
    sarif: maybe(z.string()),
    rdjson: maybe(z.string()),
  }),
  pageUrl: maybe(z.string(), 'Where the uploaded page can be opened.'),
  documentsUrl: maybe(z.string(), 'The documents of the version of the action that ran.'),
  changes: maybe(ChangesSchema, 'What the agent changed, and what happened to the changes.'),
  verification: maybe(
    VerificationSchema,
    'What the action itself ran, before the agent was started and on its change.',
  ),
  statements: maybe(
    StatementsSchema,
    'With the preset `docs`: which code shows each changed statement of the documents.',
  ),
  proposal: maybe(
    ContinuedProposalSchema,
    'With `proposal-branch`: the pull request that this run keeps up to date.',
  ),
  failureKey: maybe(
    hash,
    'A hash of what failed in CI, by which a later run recognises that a repair of it was already proposed.',
  ),
  origin: maybe(RunOriginSchema, 'Where and when the run took place. Missing parts are not known.'),
  prompt: maybe(z.string(), 'The prompt as it was given; the beginning of it if it is long.'),
  instruction: maybe(z.string(), 'What the preset told the agent before the prompt.'),
  task: maybe(z.string(), 'The task of the preset, if the workflow gave no prompt.'),
  context: maybe(z.array(GivenContextSchema), 'What the action gathered for the agent to read.'),
  change: maybe(
    ReviewedChangeSchema,
    'The change that the run was about: two commits, and its pull request.',
  ),
  reviewed: maybe(
    ReviewedSchema,
    'What this run reviewed. Publish leaves it on the pull request, so that the next run can review what is new.',
  ),
  teamRules: maybe(
    z.array(TeamRulesSchema),
    'The rules of the team that the review followed: `REVIEW.md`, and `.cursor/BUGBOT.md` of the root and of the folders above the changed files.',
  ),
  scope: maybe(
    ScopeSchema,
    'How much of a pull request the agent was given to review, and why. Missing if nothing was to be decided.',
  ),
  skipped: maybe(
    SkippedSchema,
    'Set if there is no new result although the run is a success: no agent was started, or a limit was reached.',
  ),
  structuredOutput: maybe(z.unknown(), 'The JSON that satisfied `output-schema`.'),
  review: maybe(ReviewSchema, 'With `output-schema: findings`.'),
  failOnSeverity: maybe(z.enum(SEVERITIES), 'The input `fail-on-severity`.'),
  passes: maybe(
    z.object({
      started: count,
      answered: count,
      wanted: maybe(count, 'What `effort` asks for, if `max-starts` allowed fewer.'),
      parts: maybe(
        z.object({
          count,
          sufficient: about(count, 'Of which more than half of the wanted passes answered.'),
        }),
        'Parts of a large change, each reviewed by passes of its own.',
      ),
    }),
    'Chats that reviewed the change, each on its own, and how many of them answered.',
  ),
  unread: maybe(
    z.object({
      why: z.string(),
      files: about(z.array(z.string()), 'The first of them; none if it is unknown which.'),
      count: maybe(count, 'How many there are in all, if that is known.'),
    }),
    'The part of the change that was not reviewed. Missing if all of it was reviewed.',
  ),
  unreadGenerated: maybe(
    count,
    'How many changed files look generated and were not reviewed. With `fail-on-severity`, they are part of `unread`.',
  ),
  wallMs: about(elapsed, 'From start to end, with installation.'),
  agentMs: maybe(elapsed, 'How long the agent’s process ran; missing if it was never started.'),
  exit: maybe(ExitSchema, 'How the process ended.'),
  stderr: about(z.string(), 'The end of what the agent wrote apart from its stream.'),
  setup: maybe(SetupSchema, 'How the run was set up, with the effective policy.'),
  hook: maybe(
    HookTallySchema,
    'What our own hook reported. The agent can forge it; the calls themselves are in `report`.',
  ),
  network: maybe(NetworkRecordSchema, 'What went through the proxy. Missing if the network was open.'),
  starts: maybe(
    z.object({ used: count, max: count }),
    'How often the agent was started, and how often it could have been (`max-starts`).',
  ),
  tries: about(z.array(TrySchema), 'Earlier tries, which failed for a reason that may pass.'),
  corrections: maybe(
    z.array(CorrectionSchema),
    'Answers that did not satisfy `output-schema`, and what was wrong with them.',
  ),
  notes: about(z.array(z.string()), 'What else went wrong or is worth knowing, one sentence each.'),
});
export type RunRecord = z.infer<typeof RunRecordSchema>;

/** The report file: the record of a run, and what follows from it. */
export const ReportSchema = z.object({
  version: z.literal(REPORT_VERSION),
  ...RunRecordSchema.shape,
  denials: about(z.array(DenialSchema), 'What was refused, with repeats counted.'),
  changedFiles: FileChangesSchema,
  timeShares: about(z.array(TimeShareSchema), 'Where the time went, by kind of tool.'),
});
export type ReportFile = z.infer<typeof ReportSchema>;
