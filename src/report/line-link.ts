import type { Finding } from './findings.js';
import type { RunRecord } from './model.js';

/** Whether a path can only be a file of the repository. */
export const isPlainPath = (path: string): boolean =>
  path.length <= 1000 &&
  // eslint-disable-next-line no-control-regex -- the test is for such characters
  !/[\u0000-\u001f\u007f\\]|^\/|^[A-Za-z]:/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** A link to the lines in the reviewed commit. */
export const linkTo =
  (repositoryUrl: string, head: string | undefined) =>
  ({ path, startLine, endLine }: Finding): string | undefined => {
    if (head === undefined || !isPlainPath(path) || /\p{Surrogate}/u.test(path)) return undefined;
    const file = path
      .split('/')
      .map((part) =>
        encodeURIComponent(part).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`),
      )
      .join('/');
    const lines = endLine > startLine ? `L${startLine}-L${endLine}` : `L${startLine}`;
    return `${repositoryUrl}/blob/${head}/${file}#${lines}`;
  };

const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit that the run was about, if it is known by its full hash. */
export function reviewedCommit({ change, origin }: Pick<RunRecord, 'change' | 'origin'>): string | undefined {
  const commit = change?.head ?? origin?.commit ?? '';
  return FULL_HASH.test(commit) ? commit : undefined;
}

/** The same for the findings of a run. Without links if the address is not known, or could be more than an address. */
export function lineLinks(record: Pick<RunRecord, 'change' | 'origin'>): ReturnType<typeof linkTo> {
  const { repositoryUrl = '' } = record.origin ?? {};
  const isPlain = /^https?:\/\/[\w.:/-]+$/.test(repositoryUrl);
  return linkTo(repositoryUrl, isPlain ? reviewedCommit(record) : undefined);
}
