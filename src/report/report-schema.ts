import * as z from 'zod';
import { FAILURES, type FailureReason } from '../core/failure.js';
import { TOOL_KINDS } from '../stream/events.js';
import { PLACES, SEVERITIES } from './findings.js';
import { REPORT_VERSION } from './report-file.js';

const count = z.number().int().min(0);
const ms = z.number();
const reason = z.enum(Object.keys(FAILURES) as [FailureReason, ...FailureReason[]]);
const kind = z.enum(TOOL_KINDS);

const ToolCallSchema = z.looseObject({
  number: count.describe('Counted from 1 in the order of their beginning.'),
  name: z.string().describe('The tool’s own name.'),
  kind,
  target: z.string().describe('The path, command, query or address; the beginning of it if it is long.'),
  state: z
    .enum(['running', 'ok', 'failed', 'denied'])
    .describe('`running` means that it never ended within the run.'),
  message: z.string(),
  startMs: ms.describe('Since the start of the agent.'),
  durationMs: ms.optional(),
  timeoutMs: ms.optional(),
  facts: z.looseObject({
    exitCode: z.number().optional(),
    linesAdded: z.number().optional(),
    linesRemoved: z.number().optional(),
    linesRead: z.number().optional(),
    matches: z.number().optional(),
    output: z.string().optional().describe('What it printed, found or changed; a part of it if it is long.'),
  }),
});

const RunReportSchema = z.looseObject({
  sessionId: z.string().optional(),
  requestId: z.string().optional(),
  model: z.string().optional(),
  answer: z.string().describe('The agent’s last message.'),
  messages: count,
  result: z
    .looseObject({ isError: z.boolean(), text: z.string(), exitStatus: z.string().optional() })
    .optional()
    .describe('How the agent itself says it ended.'),
  errors: z.array(z.string()),
  durationMs: z.number().optional(),
  durationApiMs: z.number().optional(),
  usage: z
    .looseObject({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadTokens: z.number(),
      cacheWriteTokens: z.number(),
    })
    .optional(),
  costUsd: z.number().optional(),
  turns: z.number().optional(),
  tools: z.array(ToolCallSchema).describe('The first calls, up to a cap; the totals count all of them.'),
  totals: z.partialRecord(
    kind,
    z.looseObject({ calls: count, failed: count, denied: count, durationMs: ms }),
  ),
  refusals: z.array(z.looseObject({ what: z.string(), reason: z.string() })),
  todos: z
    .array(
      z.looseObject({
        id: z.string(),
        text: z.string(),
        status: z.enum(['pending', 'in-progress', 'done', 'cancelled']),
      }),
    )
    .describe('The agent’s plan as it stood at the end.'),
  notices: z.array(z.looseObject({ level: z.enum(['info', 'warning']), text: z.string(), atMs: ms })),
  unrecognised: z
    .looseObject({
      labels: z.record(z.string(), count),
      tools: z.record(z.string(), count).describe('Calls of tools nobody knows, by their name.'),
      count,
      first: z.array(
        z.looseObject({ line: z.number(), why: z.string(), label: z.string(), sample: z.string() }),
      ),
    })
    .describe('Lines of the stream that no reader knows.'),
});

const ChangedFileSchema = z.looseObject({
  path: z.string(),
  status: z.string(),
  added: count.optional(),
  removed: count.optional(),
});

const line = z.number().int().min(1);
const CheckedFindingSchema = z.looseObject({
  path: z.string().describe('From the root of the repository.'),
  startLine: line,
  endLine: line,
  severity: z.enum(SEVERITIES),
  title: z.string(),
  body: z.string(),
  suggestion: z.string().optional().describe('What these lines should read instead.'),
  place: z.enum(PLACES).describe('Whether these lines exist and are shown by the diff under review.'),
  count: line.describe('How many findings said the same of the same lines.'),
});

export const ReportSchema = z.looseObject({
  version: z.literal(REPORT_VERSION),
  verdict: z.discriminatedUnion('status', [
    z.looseObject({ status: z.literal('success') }),
    z.looseObject({ status: z.literal('failure'), reason, detail: z.string() }),
  ]),
  report: RunReportSchema.describe('Everything the stream told, bounded.'),
  denials: z
    .array(
      z.looseObject({
        tool: z.string(),
        what: z.string(),
        why: z.string(),
        count,
        allow: z.array(z.string()).describe('Permission tokens that would have allowed it.'),
      }),
    )
    .describe('What was refused, alike things together.'),
  files: z.looseObject({
    result: z.string().optional(),
    transcript: z.string().optional(),
    report: z.string().optional(),
    html: z.string().optional(),
    sarif: z.string().optional(),
    rdjson: z.string().optional(),
  }),
  changedFiles: z.looseObject({
    source: z.enum(['git', 'agent']).describe('`agent` where only the agent’s own edits are known.'),
    files: z.array(ChangedFileSchema),
    added: count,
    removed: count,
  }),
  changes: z
    .discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('unknown'), note: z.string(), violations: z.array(z.string()) }),
      z.looseObject({
        kind: z.literal('known'),
        files: z.array(ChangedFileSchema),
        applied: z
          .enum(['all', 'allowed', 'none'])
          .describe(
            'Whether the changes were written to the checkout: all, those that were allowed, or none.',
          ),
        paths: z.array(z.string()).describe('Every path that was written to the checkout.'),
        ignored: count.describe('How many files changed that git ignores. They are never applied.'),
        patchFile: z.string().optional().describe('What was applied.'),
        rejectedPatchFile: z.string().optional().describe('What was not applied.'),
        omitted: z.array(z.string()).describe('Changed files that are in neither patch, and why.'),
        violations: z.array(z.string()),
      }),
    ])
    .optional()
    .describe('What the agent changed, and what became of it.'),
  instruction: z.string().optional().describe('What the preset told the agent before the prompt.'),
  context: z
    .array(
      z.looseObject({
        kind: z.string(),
        description: z.string(),
        file: z.string(),
        bytes: count,
        items: count.describe('How many files or jobs it is about.'),
        outOf: count.optional().describe('How many there are in all, where only some were asked for.'),
        leftOut: z.array(z.string()).describe('What of it is not in there.'),
        inlined: z.boolean().describe('Whether it stands in the prompt too.'),
      }),
    )
    .optional()
    .describe('What the action gathered for the agent to read.'),
  change: z
    .looseObject({ base: z.string(), head: z.string(), pullRequest: line.optional() })
    .optional()
    .describe('The change the run was about: commits of the repository, and its pull request.'),
  structuredOutput: z.unknown().optional().describe('The JSON that satisfied `output-schema`.'),
  review: z
    .looseObject({ summary: z.string(), findings: z.array(CheckedFindingSchema) })
    .optional()
    .describe('With `output-schema: findings`.'),
  timeShares: z
    .array(z.looseObject({ what: z.string(), calls: count.optional(), ms, share: z.number() }))
    .describe('Where the time went, by kind of tool.'),
  wallMs: ms,
  agentMs: ms.optional(),
  exit: z.looseObject({ kind: z.string() }).optional().describe('How the process ended.'),
  stderr: z.string(),
  setup: z
    .looseObject({
      agent: z.string(),
      preset: z.string(),
      mode: z.string(),
      force: z.boolean(),
      allow: z.array(z.string()),
      deny: z.array(z.string()),
      cliVersion: z.string().optional(),
      isolation: z.string(),
    })
    .optional()
    .describe('How the run was set up, with the effective policy.'),
  tries: z.array(z.looseObject({ reason, detail: z.string(), waitMs: ms })),
  corrections: z
    .array(z.looseObject({ problem: z.string() }))
    .optional()
    .describe('Answers that did not satisfy `output-schema`, and what was wrong with them.'),
  notes: z.array(z.string()),
});
export type Report = z.output<typeof ReportSchema>;

/** The schema as JSON Schema, for readers in any language. */
export function reportJsonSchema(): unknown {
  return {
    title: 'Report of a Cursor Agent Action run',
    ...z.toJSONSchema(ReportSchema, { target: 'draft-2020-12' }),
  };
}
