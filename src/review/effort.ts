/** How thorough a review with findings is. */
export const EFFORTS = ['low', 'medium', 'high', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The most that `max-starts` can be. */
export const MAX_STARTS = 100;
/** A run that is no review with findings. */
const OTHER_STARTS = 8;

/** What a run starts the agent for. */
export interface PassPlan {
  /** Into how many parts the change is split, because one chat would not read all of it well. */
  parts: number;
  /** Chats that review each part, each on its own and at the same time. */
  passes: number;
  /** How many there would be without `max-starts`. */
  wantedPasses: number;
  /** Which findings one more chat has to refute: those that only one pass has, all, or none. */
  validates: 'none' | 'single' | 'all';
  /** The bound for all starts of the agent in the run. */
  maxStarts: number;
}

/** More chats do not run at the same time, and no change is split into more parts. */
export const MAX_AT_ONCE = 5;

const PLANS: Readonly<Record<Effort, Omit<PassPlan, 'parts' | 'wantedPasses'>>> = {
  low: { passes: 1, validates: 'none', maxStarts: 4 },
  medium: { passes: 1, validates: 'all', maxStarts: 6 },
  high: { passes: 3, validates: 'single', maxStarts: 12 },
  max: { passes: 5, validates: 'single', maxStarts: 20 },
};

interface PassRequest {
  effort: Effort;
  maxStarts: number | undefined;
  /** Whether the answer is a list of findings, and the agent changes nothing. */
  isReview: boolean;
  /** Whether it continues a chat, of which there is only one. */
  continuesChat: boolean;
}

export function planPasses(request: PassRequest, parts = 1): PassPlan {
  const { effort, maxStarts, isReview, continuesChat } = request;
  if (!isReview)
    return { parts: 1, passes: 1, wantedPasses: 1, validates: 'none', maxStarts: maxStarts ?? OTHER_STARTS };
  const plan = PLANS[effort];
  const wantedPasses = continuesChat ? 1 : plan.passes;
  return {
    parts,
    wantedPasses,
    // That every part is read comes before how often.
    passes: Math.min(wantedPasses, parts === 1 ? startsOf(request) : Math.floor(startsFor(request) / parts)),
    validates: wantedPasses === 1 && plan.validates === 'single' ? 'all' : plan.validates,
    maxStarts: startsOf(request),
  };
}

/** The chats that are planned: each pass over each part, and the validation. */
export const plannedChats = ({ parts, passes, validates }: PassPlan): number =>
  parts * passes + (validates === 'none' ? 0 : 1);

const startsOf = ({ effort, maxStarts }: PassRequest): number => maxStarts ?? PLANS[effort].maxStarts;

/** The starts for the parts of a change: one is kept for the validation. */
const startsFor = (request: PassRequest): number =>
  Math.max(1, startsOf(request) - (PLANS[request.effort].validates === 'none' ? 0 : 1));

/** How many parts a change can have; undefined if one chat has to read all of it. */
export function maxPartsFor(request: PassRequest): number | undefined {
  if (!request.isReview || request.continuesChat) return undefined;
  return Math.min(MAX_AT_ONCE, startsFor(request));
}

/** Whether so many answers make a review: more than half of the passes that the effort asks for. */
export const isEnough = (answered: number, { wantedPasses }: PassPlan): boolean =>
  2 * answered > wantedPasses;

/** One chat of a review: which part of the change it reads, and for which time. Both count from 0. */
export interface ReviewChat {
  part: number;
  /** The files of each part. */
  parts: readonly (readonly string[])[];
  pass: number;
  passes: number;
}

/** All chats of a review: every part once, then every part again. */
export const chatsOf = (parts: ReviewChat['parts'], passes: number): ReviewChat[] =>
  Array.from({ length: passes }, (_, pass) =>
    parts.map((_files, part) => ({ part, parts, pass, passes })),
  ).flat();

/** The same list in another order for each pass, so that no pass gets tired where the others do. */
export function orderFor<T>(pass: number, passes: number, list: readonly T[]): T[] {
  const from = Math.floor((pass * list.length) / passes);
  const turned = [...list.slice(from), ...list.slice(0, from)];
  return pass % 2 === 0 ? turned : turned.reverse();
}
