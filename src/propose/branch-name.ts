import { digest } from '../github/marker.js';

/** Why a name cannot be the name of a branch; undefined if it can. As `git check-ref-format --branch`, and stricter. */
export function branchProblem(name: string): string | undefined {
  const parts = name.split('/');
  const isMalformed =
    name.length > 200 ||
    // eslint-disable-next-line no-control-regex -- the test is for such characters
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|^-|^@$/.test(name) ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'));
  if (isMalformed) return 'is not the name of a branch';
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return 'looks like the id of a commit';
  if (/^(?:refs(?:\/|$)|HEAD$)/i.test(name)) return 'is a name that git uses itself; leave out refs/heads/';
  return undefined;
}

export interface Origin {
  /** GITHUB_WORKFLOW_REF: `owner/name/.github/workflows/file.yml@ref`. */
  workflowRef: string;
  /** GITHUB_JOB. */
  job: string;
  base: string;
}

/**
 * The branch of this job for this base, the same in every run. The last part keeps apart what the readable part would
 * not: jobs of other workflows with similar names, and other bases.
 */
export function defaultBranch({ workflowRef, job, base }: Origin): string {
  const path = workflowRef.replace(/@.*$/s, '');
  const file = (path.split('/').pop() ?? '').replace(/\.ya?ml$/i, '');
  const words = slug(file) || slug(job) || 'changes';
  return `cursor-agent/${words}-${digest('branch', path, job, base).slice(0, 8)}`;
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
