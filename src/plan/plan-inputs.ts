import * as z from 'zod/mini';
import {
  choice,
  issueProblem,
  optional,
  patterns,
  token,
  wholeNumber,
  type InputProblem,
} from '../core/input-shapes.js';
import { GENERATED_FILES } from '../git/generated-files.js';
import type { ShardLimits } from './shards.js';

export interface PlanInputs {
  limits: ShardLimits;
  excludes: string[];
  /** Replace the commits of the event. */
  base: string | undefined;
  head: string | undefined;
  /** Fetches the commits that a shallow clone lacks. */
  githubToken: string | undefined;
}

/** GitHub creates at most this many jobs from one matrix. */
export const MOST_SHARDS = 256;

const commit = z.pipe(
  optional,
  z.optional(
    z
      .string()
      .check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'use a full commit id, such as ${{ github.sha }}')),
  ),
);

/** Every input of plan/action.yml by its name. */
const PlanSchema = z.object({
  'max-shards': wholeNumber(MOST_SHARDS),
  'files-per-shard': wholeNumber(100_000),
  'lines-per-shard': wholeNumber(100_000_000),
  exclude: patterns,
  'default-excludes': choice('true', 'true', 'false'),
  base: commit,
  head: commit,
  'github-token': token,
});
type PlanInput = keyof typeof PlanSchema.shape;
export const PLAN_INPUTS = Object.keys(PlanSchema.shape) as PlanInput[];

/** Parses the raw strings. Returns the inputs, or every problem at once. */
export function parsePlanInputs(
  raw: Readonly<Record<PlanInput, string>>,
): PlanInputs | { problems: InputProblem[] } {
  const parsed = PlanSchema.safeParse(raw);
  const problems = (parsed.error?.issues ?? []).map((issue) => issueProblem(issue, raw, ['github-token']));
  if ((raw.base === '') !== (raw.head === '')) {
    const message = 'give both, or neither to use the commits of the event.';
    problems.push({ input: 'base, head', message });
  }
  if (!parsed.success || problems.length > 0) return { problems };
  const { data } = parsed;
  return {
    limits: {
      maxShards: data['max-shards'] ?? 16,
      filesPerShard: data['files-per-shard'] ?? 25,
      linesPerShard: data['lines-per-shard'] ?? 1500,
    },
    excludes: [...(data['default-excludes'] === 'true' ? GENERATED_FILES : []), ...data.exclude],
    base: data.base,
    head: data.head,
    githubToken: data['github-token'],
  };
}
