import * as z from 'zod';

/** Who GitHub says did something. */
const Account = z.looseObject({ login: z.string(), type: z.string().optional() });
const Repository = z.looseObject({ id: z.number().optional(), full_name: z.string() });
/** The repository of a fork that was deleted is null. */
const Head = z.looseObject({ repo: Repository.nullish() });

/** The few fields of an event's payload that say who caused it and whose code it is about. */
export const PayloadSchema = z.looseObject({
  action: z.string().optional(),
  sender: Account.nullish(),
  repository: Repository.nullish(),
  comment: z.looseObject({ user: Account.nullish() }).nullish(),
  review: z.looseObject({ user: Account.nullish() }).nullish(),
  pull_request: z.looseObject({ head: Head.nullish() }).nullish(),
  workflow_run: z
    .looseObject({
      event: z.string().optional(),
      head_repository: Repository.nullish(),
      actor: Account.nullish(),
      triggering_actor: Account.nullish(),
    })
    .nullish(),
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
