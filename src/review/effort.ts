/** How thorough a review with findings is. */
export const EFFORTS = ['low', 'medium', 'high', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The most that `max-starts` can be. */
export const MAX_STARTS = 100;
/** A run that is no review with findings. */
const OTHER_STARTS = 8;

/** What a run starts the agent for. */
export interface PassPlan {
  /** Chats that review the change, each on its own and at the same time. */
  passes: number;
  /** How many there would be without `max-starts`. */
  wantedPasses: number;
  /** Which findings one more chat has to refute: those that only one pass has, all, or none. */
  validates: 'none' | 'single' | 'all';
  /** The bound for all starts of the agent in the run. */
  maxStarts: number;
}

const PLANS: Readonly<Record<Effort, Omit<PassPlan, 'wantedPasses'>>> = {
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

export function planPasses({ effort, maxStarts, isReview, continuesChat }: PassRequest): PassPlan {
  if (!isReview)
    return { passes: 1, wantedPasses: 1, validates: 'none', maxStarts: maxStarts ?? OTHER_STARTS };
  const plan = PLANS[effort];
  const wantedPasses = continuesChat ? 1 : plan.passes;
  const most = maxStarts ?? plan.maxStarts;
  return {
    ...plan,
    wantedPasses,
    passes: Math.min(wantedPasses, most),
    validates: wantedPasses === 1 && plan.validates === 'single' ? 'all' : plan.validates,
    maxStarts: most,
  };
}

/** The chats that are planned: each pass, and the validation. */
export const plannedChats = ({ passes, validates }: PassPlan): number =>
  passes + (validates === 'none' ? 0 : 1);

/** Whether so many answers make a review: more than half of the passes that the effort asks for. */
export const isEnough = (answered: number, { wantedPasses }: PassPlan): boolean =>
  2 * answered > wantedPasses;

/** The same list in another order for each pass, so that no pass gets tired where the others do. */
export function orderFor<T>(pass: number, passes: number, list: readonly T[]): T[] {
  const from = Math.floor((pass * list.length) / passes);
  const turned = [...list.slice(from), ...list.slice(0, from)];
  return pass % 2 === 0 ? turned : turned.reverse();
}
