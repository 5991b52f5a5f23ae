import type { Finding } from './findings.js';

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
