import * as z from 'zod/mini';
import { GENERATED_FILES } from '../git/generated-files.js';
import type { ShardLimits } from './shards.js';

export interface PlanInputs {
  limits: ShardLimits;
  excludes: string[];
  /** What stands in for the event's own commits. */
  base: string | undefined;
  head: string | undefined;
  /** Fetches what a shallow clone lacks. */
  githubToken: string | undefined;
}

/** The most jobs GitHub makes of one matrix. */
export const MOST_SHARDS = 256;

const lines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const whole = (fallback: number, most: number) => {
  const message = `use a whole number from 1 to ${most}`;
  return z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => (text === '' ? String(fallback) : text)),
    ),
    z.pipe(
      z.string().check(z.regex(/^[1-9]\d{0,8}$/, message)),
      z.pipe(z.transform(Number), z.number().check(z.refine((value) => value <= most, message))),
    ),
  );
};
const commit = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => (text === '' ? undefined : text)),
  ),
  z.optional(
    z
      .string()
      .check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'use a full commit id, as ${{ github.sha }} is one')),
  ),
);

const PlanSchema = z.object({
  'max-shards': whole(16, MOST_SHARDS),
  'files-per-shard': whole(25, 100_000),
  'lines-per-shard': whole(1500, 100_000_000),
  exclude: z.pipe(z.string(), z.transform(lines)),
  'default-excludes': z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => (text === '' ? 'true' : text)),
    ),
    z.enum(['true', 'false'], { error: 'use one of true, false' }),
  ),
  base: commit,
  head: commit,
  'github-token': z.pipe(
    z.string(),
    z.transform((text) => (text === '' ? undefined : text)),
  ),
});
type PlanInput = keyof typeof PlanSchema.shape;
export const PLAN_INPUTS = Object.keys(PlanSchema.shape) as PlanInput[];

/** Raw strings → PlanInputs, or every problem at once. */
export function parsePlanInputs(
  raw: Readonly<Record<PlanInput, string>>,
): PlanInputs | { problems: string[] } {
  const parsed = PlanSchema.safeParse(raw);
  const problems = (parsed.error?.issues ?? []).map(({ path, message }) => {
    const input = String(path[0]) as PlanInput;
    return `${input}: ${JSON.stringify(raw[input].slice(0, 80))} given; ${message}.`;
  });
  if ((raw.base === '') !== (raw.head === ''))
    problems.push('base, head: give both of them, or neither, to use the commits of the event.');
  if (!parsed.success || problems.length > 0) return { problems };
  const { data } = parsed;
  return {
    limits: {
      maxShards: data['max-shards'],
      filesPerShard: data['files-per-shard'],
      linesPerShard: data['lines-per-shard'],
    },
    excludes: [...(data['default-excludes'] === 'true' ? GENERATED_FILES : []), ...data.exclude],
    base: data.base,
    head: data.head,
    githubToken: data['github-token'],
  };
}
