/**
 * Every call of GitHub's API that this project may ever make, by who makes it. The servers of the tests answer
 * nothing else, so a new call fails a test until it is written down here (`npm run github-api` then cuts it out of
 * GitHub's description).
 */
export const OPERATIONS = {
  /** The agent step: who triggered it, and what it gathers for the agent. It only ever reads. */
  run: [
    'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    'GET /repos/{owner}/{repo}/activity',
    'GET /repos/{owner}/{repo}/pulls',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    'GET /repos/{owner}/{repo}/issues/{issue_number}/events',
    'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls',
    'GET /repos/{owner}/{repo}/compare/{basehead}',
    'GET /repos/{owner}/{repo}/issues/{issue_number}',
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    'GET /repos/{owner}/{repo}/actions/runs',
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}',
    'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
    'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
    'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
    'POST /graphql',
  ],
  /** The publish step. What it writes are comments, reviews and check runs, nothing else. */
  publish: [
    'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
    'PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}',
    'DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}',
    'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
    'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}',
    'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals',
    'GET /repos/{owner}/{repo}/compare/{basehead}',
    'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
    'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
    'GET /repos/{owner}/{repo}/issues/{issue_number}/comments',
    'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}',
    'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}',
    'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
    'POST /repos/{owner}/{repo}/check-runs',
    'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
    'POST /graphql',
  ],
  /** The propose step: one commit, one branch, one pull request. */
  propose: [
    'GET /repos/{owner}/{repo}',
    'GET /repos/{owner}/{repo}/branches/{branch}',
    'GET /repos/{owner}/{repo}/compare/{basehead}',
    'GET /repos/{owner}/{repo}/git/commits/{commit_sha}',
    'POST /repos/{owner}/{repo}/git/blobs',
    'POST /repos/{owner}/{repo}/git/trees',
    'POST /repos/{owner}/{repo}/git/commits',
    'POST /repos/{owner}/{repo}/git/refs',
    'GET /repos/{owner}/{repo}/pulls',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    'POST /repos/{owner}/{repo}/pulls',
    'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
    'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
    'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers',
    'POST /repos/{owner}/{repo}/issues/{issue_number}/assignees',
    'POST /graphql',
  ],
  /** The `gh` commands in the plain steps of the recipes. */
  recipes: [
    'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}',
    'GET /repos/{owner}/{repo}/pulls',
    'GET /repos/{owner}/{repo}/activity',
    'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
  ],
} as const;

export const ALL_OPERATIONS: readonly string[] = [
  ...new Set<string>(Object.values(OPERATIONS).flat()),
].sort();

/** Says whether a variable that is not a text is right. */
type JsonCheck = (value: unknown) => boolean;

const ID = /^[A-Za-z0-9_=-]{4,100}$/;
const ACCOUNT = 'login ... on User { databaseId } ... on Bot { databaseId }';
const ON_PULL = {
  owner: /^[\w.-]+$/,
  repo: /^[\w.-]+$/,
  number: (value: unknown) => Number.isInteger(value),
  after: (value: unknown) => value === null || typeof value === 'string',
};
const listOfPull = (name: string, fields: string): string =>
  'query ($owner: String!, $repo: String!, $number: Int!, $after: String) { ' +
  'repository(owner: $owner, name: $repo) { pullRequest(number: $number) { ' +
  `${name}(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${fields} } } } } }`;

/**
 * The GraphQL texts, blanks aside. They are checked against GitHub's schema. The variables of each, by name, must look like this.
 */
export const GRAPHQL: readonly { query: string; variables: Readonly<Record<string, RegExp | JsonCheck>> }[] =
  [
    { query: 'query { viewer { databaseId login } }', variables: {} },
    {
      query:
        'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) ' +
        '{ minimizedComment { isMinimized } } }',
      variables: { id: ID },
    },
    {
      query:
        'mutation ($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }',
      variables: { id: ID },
    },
    ...['comments', 'reviews'].map((name) => ({
      query: listOfPull(name, `body url createdAt lastEditedAt author { ${ACCOUNT} }`),
      variables: ON_PULL,
    })),
    {
      query: listOfPull(
        'reviewThreads',
        'id isResolved isOutdated diffSide path line startLine originalLine originalStartLine ' +
          'resolvedBy { login databaseId } comments(first: 1) { totalCount nodes { id fullDatabaseId url body isMinimized ' +
          `author { ${ACCOUNT} } originalCommit { oid } ` +
          'reactions(first: 50, content: THUMBS_DOWN) { nodes { user { login databaseId } } } } }',
      ),
      variables: ON_PULL,
    },
    {
      query:
        'query ($ids: [ID!]!, $before: String) { nodes(ids: $ids) { ... on PullRequestReviewThread { id ' +
        'comments(last: 50, before: $before) { pageInfo { hasPreviousPage startCursor } ' +
        `nodes { id body authorAssociation author { ${ACCOUNT} } } } } } }`,
      variables: {
        ids: (value: unknown) =>
          Array.isArray(value) &&
          value.length <= 100 &&
          value.every((each) => typeof each === 'string' && ID.test(each)),
        before: ON_PULL.after,
      },
    },
    ...['true', 'false'].map((force) => ({
      query:
        'mutation ($repository: ID!, $name: GitRefname!, $before: GitObjectID!, $after: GitObjectID!) ' +
        '{ updateRefs(input: { repositoryId: $repository, refUpdates: ' +
        `[{ name: $name, beforeOid: $before, afterOid: $after, force: ${force} }] }) { clientMutationId } }`,
      variables: {
        repository: ID,
        name: /^refs\/heads\/\S+$/,
        before: /^[0-9a-f]{40}$/,
        after: /^[0-9a-f]{40}$/,
      },
    })),
  ];
