import * as z from 'zod/mini';
import type { GithubClient } from './client.js';
import { readPullDetails, type PullDetails } from './event.js';

/** Looks up the details that the event does not contain. */
export const lookUpPull = (github: GithubClient, number: number): Promise<PullDetails> =>
  github.read({
    doing: `read pull request ${number}`,
    route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    parameters: { pull_number: number },
    needs: 'pull-requests: read',
    shape: z.pipe(
      z.transform(readPullDetails),
      z.custom<PullDetails>((details: unknown) => details !== undefined),
    ),
  });
