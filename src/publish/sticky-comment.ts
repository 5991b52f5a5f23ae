import { wroteIt, type Account } from '../github/accounts.js';
import { GithubError } from '../github/github-error.js';
import { readLeftReview, readMarker, withLeftReview, type LeftReview } from '../github/marker.js';
import type { Find, PostedComment, PullRequestApi } from './pull-request-api.js';

interface Sticky {
  key: string;
  body: string;
  /** What is left for the next run. Without it, what is there stays. */
  memory?: LeftReview | undefined;
  /** The text of a comment that is there, if the report has nothing new. */
  keep?: (body: string) => string;
  /** Whether a comment that is there is about something newer than this report. It then stays as it is. */
  isNewer?: (body: string) => boolean;
}
/** Where comments are kept: below a pull request, or in a review thread. */
interface StickyPlace {
  list(): Promise<PostedComment[]>;
  create(body: string, find: Find<PostedComment>): Promise<PostedComment>;
  update(id: number, body: string, find: Find<PostedComment>): Promise<PostedComment>;
  delete(id: number): Promise<unknown>;
}

export const underPull = (api: PullRequestApi, number: number): StickyPlace => ({
  list: () => api.comments(number),
  create: (body, find) => api.createComment(number, body, find),
  update: api.updateComment,
  delete: (id) => api.deleteComment(number, id),
});

/** `thread` is its first comment. */
export const inThread = (api: PullRequestApi, number: number, thread: number): StickyPlace => ({
  list: async () => (await api.lineComments(number)).filter(({ replyTo }) => replyTo === thread),
  create: (body, find) => api.createReply(number, { thread, body }, find),
  update: api.updateLineComment,
  delete: (id) => api.deleteLineComment(number, id),
});

export type StickyResult = { url: string; what: 'created' | 'updated' | 'unchanged' };

/**
 * Keeps one comment per key, no matter how many runs there are and how they overlap.
 *
 * Of all our comments with this key, the oldest one stays. Every run finds the same one, because ids only grow. A
 * run that finds none writes one and looks again. If another run was faster, there is an older comment by then: the
 * run deletes its own and updates the older one. The other run sees its own comment as the oldest and keeps it.
 * Younger comments that a killed run left behind are deleted by the next run. If a comment is gone when it is to be
 * updated, a user or another run deleted it; the run then looks again, once.
 */
export async function publishSticky(
  place: StickyPlace,
  sticky: Sticky,
  viewer: Account,
): Promise<StickyResult> {
  const own: ListOwn = async () => {
    const all = await place.list();
    const isOurs = ({ author, body }: PostedComment) => {
      const marker = readMarker(body);
      return wroteIt(author, viewer) && marker?.kind === 'comment' && marker.key === sticky.key;
    };
    return all.filter(isOurs).sort((a, b) => a.id - b.id);
  };
  for (let isAgain = false; ; isAgain = true) {
    const [oldest, ...younger] = await own();
    if (!oldest) return createOne(place, sticky, own);
    try {
      const result = await update(place, { sticky, own }, oldest);
      await Promise.all(younger.map(({ id }) => remove(place, id)));
      return result;
    } catch (error) {
      if (isAgain || !isGone(error)) throw error;
    }
  }
}

type ListOwn = () => Promise<PostedComment[]>;

async function createOne(place: StickyPlace, sticky: Sticky, own: ListOwn): Promise<StickyResult> {
  const text = withLeftReview(sticky.body, sticky.memory);
  const find = async () => (await own()).find(({ body }) => isSame(body, text));
  const created = await place.create(text, find);
  const [oldest] = await own();
  if (!oldest || oldest.id >= created.id) return { url: created.url, what: 'created' };
  await remove(place, created.id);
  return update(place, { sticky, own }, oldest);
}

async function update(
  place: StickyPlace,
  { sticky, own }: { sticky: Sticky; own: ListOwn },
  there: PostedComment,
): Promise<StickyResult> {
  if (sticky.isNewer?.(there.body) === true) return { url: there.url, what: 'unchanged' };
  const kept = sticky.keep?.(there.body);
  const body = withLeftReview(kept ?? sticky.body, sticky.memory ?? readLeftReview(there.body));
  if (isSame(there.body, body)) return { url: there.url, what: 'unchanged' };
  const find = async () => (await own()).find((each) => each.id === there.id && isSame(each.body, body));
  const { url } = await place.update(there.id, body, find);
  return { url, what: 'updated' };
}

/** GitHub may change line ends and the blanks around a text. */
const isSame = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (body: string): string => body.replace(/\r\n?/g, '\n').trim();

async function remove(place: StickyPlace, id: number): Promise<void> {
  try {
    await place.delete(id);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean => error instanceof GithubError && error.isGone;
