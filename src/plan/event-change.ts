import * as z from 'zod/mini';

/** Two commits whose difference is the change. */
export interface Change {
  base: string;
  head: string;
  /** Whether only what happened on head since both parted counts, as a pull request shows it. */
  sinceParting: boolean;
}

const Commit = z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));
const Side = z.looseObject({ sha: Commit });
const PayloadSchema = z.looseObject({
  pull_request: z.optional(z.looseObject({ base: Side, head: Side })),
  before: z.optional(Commit),
  after: z.optional(Commit),
  merge_group: z.optional(z.looseObject({ base_sha: Commit, head_sha: Commit })),
});

const isNothing = (commit: string): boolean => /^0+$/.test(commit);

/** The change an event is about; nothing where it is about none, as for a schedule or a new branch. */
export function changeOf(payload: unknown): Change | undefined {
  const event = PayloadSchema.safeParse(payload).data;
  if (event?.pull_request) {
    const { base, head } = event.pull_request;
    return { base: base.sha, head: head.sha, sinceParting: true };
  }
  if (event?.merge_group)
    return { base: event.merge_group.base_sha, head: event.merge_group.head_sha, sinceParting: true };
  const { before, after } = event ?? {};
  if (before === undefined || after === undefined || isNothing(before) || isNothing(after)) return undefined;
  return { base: before, head: after, sinceParting: false };
}
