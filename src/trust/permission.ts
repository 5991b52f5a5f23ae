import * as z from 'zod/mini';
import { messageOf } from '../core/error-message.js';
import { askGitHub, permissionOf, statusOf } from '../github/ask.js';
import type { Permission } from './decide.js';

export interface PermissionRequest {
  login: string;
  /** `owner/name`. */
  repository: string;
  token: string | undefined;
  /** GITHUB_API_URL; an Enterprise server has it below a path. */
  apiUrl: string;
  cancel: AbortSignal;
}

const REQUEST_MS = 10_000;
const TRIES = 2;

const AnswerSchema = z.looseObject({
  permission: z.string(),
  user: z.nullish(z.looseObject({ type: z.optional(z.string()) })),
});

/** Asks GitHub what a login may do. Never throws: what could not be found out is said in words. */
export async function lookUpPermission(request: PermissionRequest): Promise<Permission> {
  const [owner = '', repo = '', ...rest] = request.repository.split('/');
  if (owner === '' || repo === '' || rest.length > 0) return unknown('GITHUB_REPOSITORY is not owner/name.');
  if (!request.token)
    return unknown('github-token is empty; leave the input out, or set it to ${{ github.token }}.');
  try {
    return await ask(request, owner, repo);
  } catch (error) {
    return unknown(explain(error));
  }
}

async function ask(request: PermissionRequest, owner: string, repo: string): Promise<Permission> {
  const { token = '', apiUrl, cancel, login: username } = request;
  const { data } = await askGitHub(
    { token, apiUrl, cancel, tries: TRIES, timeoutMs: REQUEST_MS },
    {
      route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      parameters: { owner, repo, username },
    },
  );
  const answer = AnswerSchema.safeParse(data).data;
  if (!answer) return unknown('the answer of GitHub is not understood.');
  const type = answer.user?.type;
  return { kind: 'known', level: answer.permission, isPerson: type === undefined || type === 'User' };
}

function explain(error: unknown): string {
  const status = statusOf(error);
  if (status === undefined || status < 400)
    return `GitHub’s API did not answer (${messageOf(error)}). Run it again.`;
  const wanted = permissionOf(error) ?? 'metadata=read';
  switch (status) {
    case 401:
      return 'github-token is not accepted (401); leave the input out to use the job’s own token.';
    case 403:
      return (
        `github-token may not ask (403); it needs the permission ${wanted}. The job’s own token has it, ` +
        'a fine-grained token needs "Metadata: read" for this repository; the rate limit answers so too.'
      );
    case 404:
      return (
        'GitHub knows no such user, or github-token cannot see this repository (404); it needs the permission ' +
        `${wanted} for this repository.`
      );
    default:
      return `GitHub’s API answered ${status}. Run it again.`;
  }
}

const unknown = (why: string): Permission => ({ kind: 'unknown', why });
