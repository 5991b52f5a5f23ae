import * as z from 'zod/mini';
import type { GithubClient } from './client.js';

/** Somebody who has an account: a person or a bot. */
export interface Account {
  id: number;
  login: string;
}

/** Whether this account wrote it. A stranger can copy a marker, but cannot write as our account. */
export const wroteIt = (author: Account | undefined, viewer: Account): boolean =>
  author !== undefined && (viewer.id > 0 ? author.id === viewer.id : author.login === viewer.login);

const Viewer = z.object({ databaseId: z.nullish(z.int()), login: z.string() });

/** The account of the token. Only what this account wrote is ours. */
export async function readViewer(github: GithubClient, needs: string): Promise<Account> {
  const { viewer } = await github.read({
    needs,
    doing: 'ask whose token this is',
    route: 'POST /graphql',
    parameters: { query: 'query { viewer { databaseId login } }' },
    shape: z.looseObject({ viewer: Viewer }),
  });
  return { id: viewer.databaseId ?? 0, login: viewer.login };
}
