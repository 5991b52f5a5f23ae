import * as z from 'zod/mini';
import { COMMIT_ID } from '../text/format.js';
import { wroteIt, type Account } from './accounts.js';
import type { GithubClient, RepositoryName } from './client.js';
import { GithubError } from './github-error.js';
import { digest } from './marker.js';

/** What GitHub knows about branches and pull requests that `propose` made. Only reads. */

/** GitHub answers with an empty object for an author without an account. */
const Author = z.pipe(
  z.catch(z.nullish(z.looseObject({ id: z.int(), login: z.string() })), undefined),
  z.transform((account): Account | undefined => account ?? undefined),
);
const Id = z.string().check(z.regex(/^[0-9a-f]{40}$/));
export const ObjectShape = z.looseObject({ sha: Id });

const CommitShape = z.pipe(
  z.looseObject({
    sha: Id,
    author: Author,
    committer: Author,
    parents: z.array(ObjectShape),
    commit: z.looseObject({
      message: z.string(),
      tree: ObjectShape,
      verification: z.optional(z.looseObject({ verified: z.boolean() })),
    }),
  }),
  z.transform(({ sha, author, committer, parents, commit }) => ({
    id: sha,
    tree: commit.tree.sha,
    parents: parents.map((parent) => parent.sha),
    message: commit.message,
    author,
    committer,
    isVerified: commit.verification?.verified === true,
  })),
);
export type RemoteCommit = z.output<typeof CommitShape>;

/** What the head has that the base lacks, and the other way round. */
const ComparisonShape = z.pipe(
  z.looseObject({ ahead_by: z.int(), behind_by: z.int(), commits: z.array(CommitShape) }),
  z.transform(({ ahead_by: ahead, behind_by: behind, commits }) => ({
    ahead,
    behind,
    /** The oldest commit that the head has besides. */
    first: commits[0],
    /** The one commit that the head has besides, if there is exactly one. */
    only: ahead === 1 ? commits[0] : undefined,
  })),
);

export const PullShape = z.pipe(
  z.looseObject({
    number: z.int(),
    html_url: z.string(),
    title: z.string(),
    body: z.nullish(z.string()),
    state: z.string(),
    user: Author,
    head: z.looseObject({
      ref: z.string(),
      sha: Id,
      repo: z.nullish(z.looseObject({ full_name: z.string() })),
    }),
  }),
  z.transform(({ number, html_url, title, body, state, user, head }) => ({
    number,
    url: html_url,
    title,
    body: body ?? '',
    isOpen: state === 'open',
    author: user,
    /** `repository` is undefined if the fork was deleted. */
    head: { branch: head.ref, commit: head.sha, repository: head.repo?.full_name },
  })),
);
export type PullRequest = z.output<typeof PullShape>;

/** Undefined if GitHub does not have it. */
const unlessGone = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof GithubError && error.isGone) return undefined;
    throw error;
  });

export const readBranches = (github: GithubClient) => ({
  async branch(name: string): Promise<{ commit: string; isProtected: boolean } | undefined> {
    const found = await unlessGone(
      github.read({
        doing: `read the branch ${name}`,
        route: 'GET /repos/{owner}/{repo}/branches/{branch}',
        parameters: { branch: name },
        shape: z.looseObject({ name: z.string(), commit: ObjectShape, protected: z.boolean() }),
      }),
    );
    // GitHub answers for a branch that was renamed with the branch of the new name.
    return found?.name === name ? { commit: found.commit.sha, isProtected: found.protected } : undefined;
  },
  /** Undefined if GitHub does not have one of the commits, or if they have no history in common. */
  compare: (base: string, head: string) =>
    unlessGone(
      github.read({
        doing: 'compare two commits',
        route: 'GET /repos/{owner}/{repo}/compare/{basehead}',
        parameters: { basehead: `${base}...${head}`, per_page: 2 },
        shape: ComparisonShape,
      }),
    ),
});

/** The open pull requests of a branch of this repository. */
export async function readOpenPulls(
  github: GithubClient,
  { owner, repo }: RepositoryName,
  { branch, base }: { branch: string; base?: string | undefined },
): Promise<PullRequest[]> {
  const found = await github.readPages({
    doing: 'look for the pull request',
    route: 'GET /repos/{owner}/{repo}/pulls',
    parameters: { state: 'open', head: `${owner}:${branch}`, ...(base === undefined ? {} : { base }) },
    shape: z.array(PullShape),
    maxPages: 1,
  });
  const own = `${owner}/${repo}`.toLowerCase();
  return found.filter(({ head }) => head.branch === branch && (head.repository ?? '').toLowerCase() === own);
}

export const proposalKey = (branch: string): string => digest('proposal', branch);

const TRAILER = 'Cursor-Agent-Proposal';
const FIRST_BASE = 'Cursor-Agent-First-Base';

/**
 * The trailers by which a later run recognises its own commit, and finds the commit since which its pull request has
 * everything. They join the trailers that the message has.
 */
export function withTrailers(message: string, key: string, firstBase: string | undefined): string {
  const text = message.replace(/\r\n?/g, '\n').trim();
  const [, ...paragraphs] = text.split(/\n[ \t]*\n/);
  const lastLines = paragraphs.at(-1)?.split('\n');
  const hasTrailers = lastLines?.every((line) => /^[\w-]+: \S/.test(line)) ?? false;
  const trailers = [
    ...(firstBase === undefined ? [] : [`${FIRST_BASE}: ${firstBase}`]),
    `${TRAILER}: ${key}`,
  ];
  return `${text}${hasTrailers ? '\n' : '\n\n'}${trailers.join('\n')}`;
}

/** Whether the message of a commit says that we made it for this branch. Any author could write it, so it is not enough. */
export const hasTrailer = (message: string, branch: string): boolean =>
  message.trim().split('\n').at(-1) === `${TRAILER}: ${proposalKey(branch)}`;

/** The commit since which the pull request has everything, by the message of our commit. */
export function firstBaseOf(message: string): string | undefined {
  const [name, value = ''] = (message.trim().split('\n').at(-2) ?? '').split(': ');
  return name === FIRST_BASE && COMMIT_ID.test(value) ? value : undefined;
}

/** The account with which GitHub signs what is made through its pages and its API. */
const SIGNER = 'web-flow';

/**
 * Whether this account made this commit through the API. A person who amends it keeps its author and its message, but
 * becomes its committer.
 */
export function isOurs(commit: RemoteCommit, branch: string, account: Account): boolean {
  const { author, committer, message, isVerified, parents } = commit;
  const isByUs = committer
    ? wroteIt(committer, account) || (committer.login === SIGNER && isVerified)
    : isVerified;
  return parents.length === 1 && hasTrailer(message, branch) && wroteIt(author, account) && isByUs;
}
