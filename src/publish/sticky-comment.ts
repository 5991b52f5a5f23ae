import { GithubRefusal, type Account, type Github, type Remark } from './api.js';
import { readMarker } from './marker.js';

export interface Sticky {
  number: number;
  /** A hash of the input `key`. */
  key: string;
  /** With its marker. */
  body: string;
}
export type StickyResult = { url: string; what: 'created' | 'updated' | 'unchanged' };

/** Whether this account wrote it: a stranger can copy a marker, but not write in our name. */
export const wroteIt = (author: Account | undefined, viewer: Account): boolean =>
  author !== undefined && (viewer.id > 0 ? author.id === viewer.id : author.login === viewer.login);

/**
 * One comment for each key, however many runs there are and however they overlap.
 *
 * Of all comments of ours with this key the oldest is the one; every run finds the same one, because ids only grow.
 * A run that finds none writes one and then looks again. If another run was faster, an older one is there by now:
 * then the own one is deleted and the older one updated instead. The other run does not see ours as the oldest, and
 * leaves its own where it is. Younger ones that a run left behind which was killed in between are deleted by the
 * next. A comment that is gone when it is to be updated or deleted was somebody's decision, or another run's; it is
 * looked for anew, once.
 */
export async function publishSticky(github: Github, sticky: Sticky, viewer: Account): Promise<StickyResult> {
  const own = async (): Promise<Remark[]> => {
    const all = await github.comments(sticky.number);
    return all
      .filter(({ author, body }) => wroteIt(author, viewer) && isMarked(body, sticky.key))
      .sort(byAge);
  };
  for (let isAgain = false; ; isAgain = true) {
    const [oldest, ...younger] = await own();
    if (!oldest) return createOne(github, sticky, own);
    try {
      const result = await settle(github, sticky, oldest);
      await Promise.all(younger.map(({ id }) => remove(github, id)));
      return result;
    } catch (error) {
      if (isAgain || !isGone(error)) throw error;
    }
  }
}

const isMarked = (body: string, key: string): boolean => {
  const marker = readMarker(body);
  return marker?.kind === 'comment' && marker.key === key;
};
const byAge = (a: Remark, b: Remark): number => a.id - b.id;

async function createOne(
  github: Github,
  sticky: Sticky,
  own: () => Promise<Remark[]>,
): Promise<StickyResult> {
  const lost = async () => (await own()).find(({ body }) => plain(body) === plain(sticky.body));
  const created = await github.createComment(sticky.number, sticky.body, lost);
  const [oldest] = await own();
  if (!oldest || oldest.id >= created.id) return { url: created.url, what: 'created' };
  await remove(github, created.id);
  return settle(github, sticky, oldest);
}

async function settle(github: Github, { body }: Sticky, there: Remark): Promise<StickyResult> {
  if (plain(there.body) === plain(body)) return { url: there.url, what: 'unchanged' };
  const { url } = await github.updateComment(there.id, body);
  return { url, what: 'updated' };
}

const plain = (body: string): string => body.replace(/\r\n?/g, '\n').trim();

async function remove(github: Github, id: number): Promise<void> {
  try {
    await github.deleteComment(id);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof GithubRefusal && (error.api.status === 404 || error.api.status === 410);
