import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { messageOf } from '../error-message.js';
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
const RETRY_MS = 1000;
const TRIES = 2;

const AnswerSchema = z.looseObject({
  permission: z.string(),
  user: z.nullish(z.looseObject({ type: z.optional(z.string()) })),
});
const ErrorSchema = z.looseObject({
  status: z.number(),
  response: z.nullish(z.looseObject({ headers: z.record(z.string(), z.unknown()) })),
});

/** Asks GitHub what a login may do. Never throws: what could not be found out is said in words. */
export async function lookUpPermission(request: PermissionRequest): Promise<Permission> {
  const [owner = '', repo = '', ...rest] = request.repository.split('/');
  if (owner === '' || repo === '' || rest.length > 0) return unknown('GITHUB_REPOSITORY is not owner/name.');
  if (!request.token)
    return unknown('github-token is empty; leave the input out, or set it to ${{ github.token }}.');
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask(request, owner, repo);
    } catch (error) {
      const status = ErrorSchema.safeParse(error).data?.status;
      const mayPass = status === undefined || status >= 500;
      if (!mayPass || tries === TRIES || request.cancel.aborted) return unknown(explain(error));
      await sleep(RETRY_MS, undefined, { signal: request.cancel }).catch(() => undefined);
    }
  }
}

async function ask(request: PermissionRequest, owner: string, repo: string): Promise<Permission> {
  // Loaded only here: most events need nobody looked up.
  const { getOctokit } = await import('@actions/github');
  const github = getOctokit(request.token ?? '', { baseUrl: request.apiUrl.replace(/\/+$/, '') });
  const signal = AbortSignal.any([request.cancel, AbortSignal.timeout(REQUEST_MS)]);
  const { data } = await github.rest.repos.getCollaboratorPermissionLevel({
    owner,
    repo,
    username: request.login,
    request: { signal },
  });
  const answer = AnswerSchema.safeParse(data).data;
  if (!answer) return unknown('the answer of GitHub is not understood.');
  const type = answer.user?.type;
  return { kind: 'known', level: answer.permission, isPerson: type === undefined || type === 'User' };
}

function explain(error: unknown): string {
  const known = ErrorSchema.safeParse(error).data;
  if (!known || known.status < 400) return `GitHub’s API did not answer (${messageOf(error)}). Run it again.`;
  const accepted = known.response?.headers['x-accepted-github-permissions'];
  // The header names what is missing; it is shown only if it looks like what it should be.
  const wanted =
    typeof accepted === 'string' && /^[a-z_=,; ]{1,200}$/.test(accepted) ? accepted : 'metadata=read';
  switch (known.status) {
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
      return `GitHub’s API answered ${known.status}. Run it again.`;
  }
}

const unknown = (why: string): Permission => ({ kind: 'unknown', why });
