import type { BytePath } from '../git/byte-path.js';

const MOST_HOPS = 40;

/**
 * Where an absolute path ends up when every link on the way is followed, whether or not the end exists. Worked
 * out step by step, because a link to something missing has no real path and may still be filled later.
 * Nothing is answered for links that go round in circles. Paths are written with slashes.
 */
export function followLinks(
  path: BytePath,
  readLink: (path: BytePath) => BytePath | undefined,
): BytePath | undefined {
  let done = rootOf(path) ?? '/';
  let pending = path.slice(done.length).split('/');
  for (let hops = 0; pending.length > 0;) {
    const part = pending.shift() ?? '';
    if (part === '' || part === '.') continue;
    if (part === '..') {
      done = parentOf(done);
      continue;
    }
    const here = done.endsWith('/') ? `${done}${part}` : `${done}/${part}`;
    const target = readLink(here);
    if (target === undefined) {
      done = here;
      continue;
    }
    if (++hops > MOST_HOPS) return undefined;
    const root = rootOf(target);
    pending = [...target.slice(root?.length ?? 0).split('/'), ...pending];
    done = root ?? done;
  }
  return done;
}

/** Whether a path is a folder or lies in it. */
export const isWithin = (path: BytePath, folder: BytePath): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

const ROOT = process.platform === 'win32' ? /^([A-Za-z]:)?\// : /^\//;
const rootOf = (path: BytePath): BytePath | undefined => ROOT.exec(path)?.[0];

function parentOf(path: BytePath): BytePath {
  const root = rootOf(path) ?? '/';
  const cut = path.lastIndexOf('/');
  return cut < root.length ? root : path.slice(0, cut);
}
