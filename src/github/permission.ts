import * as z from 'zod/mini';
import type { GithubClient } from './client.js';

const WRITES: readonly string[] = ['write', 'maintain', 'admin'];

/** Whether a permission of this level includes pushing to the repository. */
export const includesWriting = (level: string): boolean => WRITES.includes(level);

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
