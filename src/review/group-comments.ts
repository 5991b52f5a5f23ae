import { compareWords } from './compare-words.js';

/** When comments of different reviewers are the same. */
export interface Likeness<T> {
  textOf(comment: T): string;
  /** Whether both can be about the same thing. Only then the words decide. */
  mayBeSame(one: T, other: T): boolean;
  /** The similarity of words from which on they are the same. */
  sameFrom: number;
}

/** What one or more reviewers said. */
export interface CommentGroup<T> {
  /** The one to show. */
  best: T;
  /** What other reviewers said about the same, at most one of each. */
  others: T[];
  /** How much speaks for it: agreement, and how early its reviewer named it among how many. */
  score: number;
}

/** Below the first similarity two comments have nothing in common; the range after it leads to full agreement. */
const UNLIKE = 0.1;
const RANGE = 0.25;
const EARLY_WEIGHT = 0.75;
const MANY_WEIGHT = 0.2;

/** More than a real review names. The rest is kept, but not compared, and neither is the rest of a long text. */
const MAX_COMPARED = 100;
const MAX_CHARACTERS = 2000;

interface Placed<T> {
  comment: T;
  index: number;
  reviewer: number;
  score: number;
  /** The best match in each other list whose best match it is in turn. */
  matches: readonly number[];
}

/**
 * Groups what several reviewers said, each list with its best first. Groups with the highest score come first. Nothing of
 * one list is ever in one group, because its reviewer thought of it as different.
 */
export function groupComments<T>(
  reviewers: readonly (readonly T[])[],
  { textOf, mayBeSame, sameFrom }: Likeness<T>,
): CommentGroup<T>[] {
  const all = reviewers.flatMap((list, reviewer) =>
    list
      .slice(0, MAX_COMPARED)
      .map((comment, position) => ({ comment, reviewer, position, among: list.length })),
  );
  const byWords = compareWords(all.map(({ comment }) => textOf(comment).slice(0, MAX_CHARACTERS)));
  const similarity = all.map((one, index) =>
    all
      .slice(0, index)
      .map((other, otherIndex) =>
        one.reviewer === other.reviewer || !mayBeSame(one.comment, other.comment)
          ? 0
          : byWords(index, otherIndex),
      ),
  );
  const likeness = (one: number, other: number) =>
    similarity[Math.max(one, other)]?.[Math.min(one, other)] ?? 0;
  /** The most similar comment of each list. */
  const nearest = all.map((_, one) => {
    const best = reviewers.map((): number | undefined => undefined);
    for (const [other, { reviewer }] of all.entries()) {
      const known = best[reviewer];
      if (likeness(one, other) > (known === undefined ? 0 : likeness(one, known))) best[reviewer] = other;
    }
    return best;
  });
  const placed = all.map(({ comment, reviewer, position, among }, index): Placed<T> => {
    const matches = (nearest[index] ?? []).filter(
      (match): match is number => match !== undefined && nearest[match]?.[reviewer] === index,
    );
    const agreement = matches.reduce(
      (sum, match) => sum + clamp((likeness(index, match) - UNLIKE) / RANGE),
      0,
    );
    const score = agreement + EARLY_WEIGHT / (1 + position) - MANY_WEIGHT * Math.log(among);
    return { comment, index, reviewer, score, matches };
  });
  const left = new Set([...placed].sort((one, other) => other.score - one.score));
  const groups: CommentGroup<T>[] = [];
  for (const one of left) {
    left.delete(one);
    const others = [...left].filter(
      ({ index }) => one.matches.includes(index) && likeness(one.index, index) >= sameFrom,
    );
    for (const other of others) left.delete(other);
    groups.push({ best: one.comment, others: others.map(({ comment }) => comment), score: one.score });
  }
  const rest = reviewers.flatMap((list) => list.slice(MAX_COMPARED));
  return [...groups, ...rest.map((best) => ({ best, others: [], score: 0 }))];
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
