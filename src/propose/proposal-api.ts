import * as z from 'zod/mini';
import { readViewer } from '../github/accounts.js';
import { withPermission, type GithubClient, type RepositoryName } from '../github/client.js';
import {
  ObjectShape,
  PullShape,
  readBranches,
  readOpenPulls,
  type PullRequest,
} from '../github/proposals.js';

/** Every request that propose may send, and no other. */

interface NewPull {
  title: string;
  body: string;
  branch: string;
  base: string;
  draft: boolean;
}

/** A file of a new tree: with its text, stored before as a blob, or removed. */
export type TreeEntry = { path: string; mode: string } & (
  { kind: 'text'; content: string } | { kind: 'blob'; id: string } | { kind: 'gone' }
);

export type ProposalApi = ReturnType<typeof openProposals>;
export function openProposals(github: GithubClient, repository: RepositoryName) {
  const contents = withPermission(github, 'contents: write');
  const pulls = withPermission(github, 'pull-requests: write');
  return {
    viewer: () => readViewer(github, 'contents: write'),
    ...readHistory(contents),
    ...writeObjects(contents),
    ...writeBranches(contents),
    ...pullRequests(pulls, repository),
    ...people(pulls),
  };
}

const readHistory = (github: GithubClient) => ({
  ...readBranches(github),
  async repository(): Promise<{ id: string; defaultBranch: string }> {
    const { node_id, default_branch } = await github.read({
      doing: 'read the repository',
      route: 'GET /repos/{owner}/{repo}',
      shape: z.looseObject({ node_id: z.string(), default_branch: z.string() }),
    });
    return { id: node_id, defaultBranch: default_branch };
  },
  async commit(id: string): Promise<{ tree: string; parents: string[] }> {
    const { tree, parents } = await github.read({
      doing: 'read the last commit of the branch',
      route: 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
      parameters: { commit_sha: id },
      shape: z.looseObject({ tree: ObjectShape, parents: z.array(ObjectShape) }),
    });
    return { tree: tree.sha, parents: parents.map(({ sha }) => sha) };
  },
});

/** Objects that nothing refers to change nothing, so each of these can be sent twice. */
const writeObjects = (github: GithubClient) => {
  const store = async (
    doing: string,
    route: string,
    parameters: Record<string, unknown>,
  ): Promise<string> => {
    const request = { doing, route, parameters, shape: ObjectShape };
    return (await github.write({ ...request, find: 'same-result' })).sha;
  };
  return {
    createBlob: (content: Buffer): Promise<string> =>
      store('store a file', 'POST /repos/{owner}/{repo}/git/blobs', {
        content: content.toString('base64'),
        encoding: 'base64',
      }),
    createTree(base: string, entries: readonly TreeEntry[]): Promise<string> {
      const tree = entries.map(({ path, mode, ...file }) => ({
        path,
        mode,
        type: 'blob',
        ...(file.kind === 'text'
          ? { content: file.content }
          : { sha: file.kind === 'blob' ? file.id : null }),
      }));
      const parameters = { base_tree: base, tree };
      return store('store the changed files', 'POST /repos/{owner}/{repo}/git/trees', parameters);
    },
    /** GitHub signs a commit of a bot only if author, committer and dates are left to it. */
    createCommit: (message: string, tree: string, parent: string): Promise<string> =>
      store('create the commit', 'POST /repos/{owner}/{repo}/git/commits', {
        message,
        tree,
        parents: [parent],
      }),
  };
};

const updateRefs = (force: boolean): string =>
  'mutation ($repository: ID!, $name: GitRefname!, $before: GitObjectID!, $after: GitObjectID!) ' +
  '{ updateRefs(input: { repositoryId: $repository, refUpdates: ' +
  `[{ name: $name, beforeOid: $before, afterOid: $after, force: ${String(force)} }] }) { clientMutationId } }`;

interface Move {
  /** The node id of the repository. */
  repository: string;
  branch: string;
  from: string;
  to: string;
  /** Whether the branch may lose `from`. */
  force: boolean;
}

const writeBranches = (github: GithubClient) => ({
  createBranch: (name: string, commit: string) =>
    github.write({
      doing: `create the branch ${name}`,
      route: 'POST /repos/{owner}/{repo}/git/refs',
      parameters: { ref: `refs/heads/${name}`, sha: commit },
      shape: z.looseObject({ object: ObjectShape }),
      find: async () => {
        const found = await readHistory(github).branch(name);
        return found?.commit === commit ? { object: { sha: commit } } : undefined;
      },
    }),
  /**
   * Moves a branch only if it is still where we saw it. The REST API cannot do that: it moves by force from wherever
   * the branch is by then.
   */
  moveBranch: ({ repository, branch, from, to, force }: Move) =>
    github.write({
      doing: `update the branch ${branch}`,
      route: 'POST /graphql',
      parameters: {
        query: updateRefs(force),
        repository,
        name: `refs/heads/${branch}`,
        before: from,
        after: to,
      },
      shape: z.looseObject({ updateRefs: z.nullish(z.looseObject({})) }),
      find: async () => {
        const found = await readHistory(github).branch(branch);
        return found?.commit === to ? { updateRefs: null } : undefined;
      },
    }),
});

const pullRequests = (github: GithubClient, repository: RepositoryName) => {
  const openPulls = (branch: string, base?: string): Promise<PullRequest[]> =>
    readOpenPulls(github, repository, { branch, base });
  return {
    openPulls,
    pull: (number: number) =>
      github.read({
        doing: `read pull request ${number}`,
        route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
        parameters: { pull_number: number },
        shape: PullShape,
      }),
    createPull: ({ branch, ...pull }: NewPull): Promise<PullRequest> =>
      github.write({
        doing: 'open the pull request',
        route: 'POST /repos/{owner}/{repo}/pulls',
        parameters: { ...pull, head: branch },
        shape: PullShape,
        find: async () => (await openPulls(branch, pull.base))[0],
      }),
    updatePull: (
      number: number,
      change: { title?: string; body?: string; state?: 'closed' },
    ): Promise<PullRequest> =>
      github.write({
        doing: 'update the pull request',
        route: 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
        parameters: { pull_number: number, ...change },
        shape: PullShape,
        find: 'same-result',
      }),
    comment: (number: number, body: string): Promise<unknown> => {
      const comments = {
        route: 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
        parameters: { issue_number: number },
        shape: z.array(z.looseObject({ body: z.nullish(z.string()) })),
      };
      return github.write<unknown>({
        doing: 'comment on the pull request',
        route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
        parameters: { issue_number: number, body },
        shape: z.unknown(),
        find: async () =>
          (
            await github.readPages({
              ...comments,
              doing: 'look for the comment',
              maxPages: MAX_COMMENT_PAGES,
            })
          ).find((comment) => comment.body === body),
      });
    },
  };
};

/** For the search for a comment whose request got no answer. */
const MAX_COMMENT_PAGES = 10;

/** Each of these adds what is missing, so each can be sent twice. */
const people = (github: GithubClient) => {
  const add = async (what: string, route: string, parameters: Record<string, unknown>): Promise<unknown> =>
    github.write({
      doing: `add the ${what}`,
      route,
      parameters,
      shape: z.unknown(),
      find: 'same-result',
    });
  const Assigned = z.looseObject({ assignees: z.nullish(z.array(z.looseObject({ login: z.string() }))) });
  return {
    addLabels: (number: number, labels: readonly string[]) =>
      add('labels', 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        issue_number: number,
        labels,
      }),
    requestReviewers: (number: number, asked: { reviewers: string[] } | { team_reviewers: string[] }) =>
      add('reviewers', 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', {
        pull_number: number,
        ...asked,
      }),
    /** Those who are assigned now. */
    async addAssignees(number: number, assignees: readonly string[]): Promise<string[]> {
      const answer = await add('assignees', 'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees', {
        issue_number: number,
        assignees,
      });
      return (Assigned.safeParse(answer).data?.assignees ?? []).map(({ login }) => login);
    },
  };
};
