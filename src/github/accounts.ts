import * as z from 'zod/mini';
import type { GithubClient } from './client.js';
import { ifRefused } from './github-error.js';

/** An account of a person or a bot. */
export interface Account {
  id: number;
  login: string;
}

/** Whether this account wrote it. A stranger can copy a marker, but cannot write as our account. */
export const wroteIt = (author: Account | undefined, viewer: Account): boolean =>
  author !== undefined && (viewer.id > 0 ? author.id === viewer.id : author.login === viewer.login);

/** The account of the token. Only what this account wrote is ours. */
export async function readViewer(github: GithubClient, needs: string): Promise<Account> {
  const { viewer } = await github.read({
    needs,
    doing: 'ask whose token this is',
    route: 'POST /graphql',
    parameters: { query: 'query { viewer { databaseId login } }' },
    shape: z.looseObject({
      viewer: z.object({ databaseId: z.nullish(z.int()), login: z.string() }),
    }),
  });
  return { id: viewer.databaseId ?? 0, login: viewer.login };
}

/** Whether a permission of this level includes pushing to the repository. */
export const includesWriting = (level: string): boolean => ['write', 'maintain', 'admin'].includes(level);

const AnswerSchema = z.looseObject({
  permission: z.string(),
  user: z.nullish(z.looseObject({ type: z.optional(z.string()) })),
});

/** What a login may do in the repository, and whether it is a person and not a bot. */
export async function readPermission(
  github: GithubClient,
  login: string,
): Promise<{ level: string; isPerson: boolean }> {
  const { permission: level, user } = await github.read({
    doing: 'look up the permission',
    route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    parameters: { username: login },
    remedy: 'The token needs metadata=read for this repository, which the job’s own token has.',
    shape: AnswerSchema,
  });
  const type = user?.type;
  return { level, isPerson: type === undefined || type === 'User' };
}

/** More than the maintainers who look at one pull request. */
const MAX_PEOPLE = 100;

/**
 * Which of these people have write access. Each is asked about once. An account whose permission GitHub does not tell
 * has none.
 */
export async function findWriters(
  github: GithubClient,
  logins: readonly string[],
): Promise<ReadonlySet<string>> {
  const writers = new Set<string>();
  for (const login of [...new Set(logins)].slice(0, MAX_PEOPLE)) {
    const permission = await readPermission(github, login).catch(ifRefused(undefined));
    if (permission?.isPerson && includesWriting(permission.level)) writers.add(login);
  }
  return writers;
}
