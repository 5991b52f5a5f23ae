import type { FailureReason } from './failure.js';

/** As in package.json; a test compares them. */
export const ACTION_VERSION = '0.1.0';

const REPOSITORY = '<owner>/cursor-agent-action';

/** The owner has no name before the first release, and its placeholder cannot be in an address as it is. */
export const ACTION_URL = encodeURI(`https://github.com/${REPOSITORY}`);

const ADDRESS_PART = /^[\w.-]+(?:\/[\w.-]+)*$/;

/**
 * The documents of the version that runs: those of the commit, tag or branch in `uses`. `v1` moves, so the tag of this
 * release replaces it, as it does where the runner names nothing (`uses: ./`). Undefined if there is no release yet.
 */
export function documentsUrl(env: NodeJS.ProcessEnv): string | undefined {
  const {
    GITHUB_ACTION_REPOSITORY: called = '',
    GITHUB_ACTION_REF: ref = '',
    GITHUB_SERVER_URL: server,
  } = env;
  const isOwn = called.toLowerCase() === REPOSITORY.toLowerCase();
  if (isOwn && !/^v\d+$/.test(ref) && ADDRESS_PART.test(ref)) return `${ACTION_URL}/blob/${ref}/docs`;
  if (!isOwn && ADDRESS_PART.test(called) && ADDRESS_PART.test(ref))
    return `${server || 'https://github.com'}/${called}/blob/${ref}/docs`;
  return REPOSITORY.includes('<') ? undefined : `${ACTION_URL}/blob/v${ACTION_VERSION}/docs`;
}

/** The paragraph of the documents about a reason. Each reason has a heading there; a test compares them. */
export const explanationUrl = (documents: string, reason: FailureReason): string =>
  `${documents}/troubleshooting.md#${reason}`;
