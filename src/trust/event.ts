import * as z from 'zod/mini';

/** Who GitHub says did something. */
const Account = z.looseObject({ login: z.string(), type: z.optional(z.string()) });
const Repository = z.looseObject({ id: z.optional(z.number()), full_name: z.string() });
/** The repository of a fork that was deleted is null. */
const Head = z.looseObject({ repo: z.nullish(Repository) });

/** The few fields of an event's payload that say who caused it and whose code it is about. */
export const PayloadSchema = z.looseObject({
  action: z.optional(z.string()),
  sender: z.nullish(Account),
  repository: z.nullish(Repository),
  comment: z.nullish(z.looseObject({ user: z.nullish(Account) })),
  review: z.nullish(z.looseObject({ user: z.nullish(Account) })),
  pull_request: z.nullish(z.looseObject({ head: z.nullish(Head) })),
  workflow_run: z.nullish(
    z.looseObject({
      event: z.optional(z.string()),
      head_repository: z.nullish(Repository),
      actor: z.nullish(Account),
      triggering_actor: z.nullish(Account),
    }),
  ),
});
export type Payload = z.infer<typeof PayloadSchema>;
export type Account = z.infer<typeof Account>;

/** What started the workflow. */
export interface Trigger {
  /** Empty where no workflow runs, on somebody's own machine. */
  event: string;
  /** Missing where the file is missing or not what GitHub writes. */
  payload?: Payload;
  /** github.actor and github.triggering_actor: who caused the run, and who had it run again. */
  actors: string[];
  /** `owner/name`. */
  repository: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads what the runner says about the event; `read` gives the text of a file. */
export function readTrigger(env: Variables, read: (path: string) => string): Trigger {
  const path = env['GITHUB_EVENT_PATH'] ?? '';
  const payload = path === '' ? undefined : parsePayload(() => read(path));
  const actors = [env['GITHUB_ACTOR'] ?? '', env['GITHUB_TRIGGERING_ACTOR'] ?? ''];
  return {
    event: env['GITHUB_EVENT_NAME'] ?? '',
    actors: [...new Set(actors.filter((login) => login !== ''))],
    repository: env['GITHUB_REPOSITORY'] || (payload?.repository?.full_name ?? ''),
    ...(payload ? { payload } : {}),
  };
}

function parsePayload(read: () => string): Payload | undefined {
  try {
    return PayloadSchema.safeParse(JSON.parse(read())).data;
  } catch {
    return undefined;
  }
}
