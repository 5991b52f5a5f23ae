import type { TextEvent } from '../stream/events.js';

/** Above this the beginning of a message is let go: the answer stands at the end. No single line holds more. */
export const MESSAGE_CHARACTERS = 8_000_000;

/**
 * Puts messages together from the three ways they arrive: whole; in pieces followed by one or two repeats of
 * the whole (partial output); and in pieces only (old builds).
 */
export interface MessageAssembly {
  /** Takes a piece; gives the messages that this piece shows to be complete. */
  add(event: TextEvent): string[];
  /**
   * Something that is not text came. A `step` (a call begins, the run ends) completes whatever was being said; an
   * `aside` leaves marked pieces open, because the repeat of the whole is still to come.
   */
  close(by: 'step' | 'aside'): string[];
  /** The last message with any text in it, complete or not. */
  last(): string;
}

interface Assembly {
  /** The message being written, in the turn it belongs to. */
  open: string;
  turn: number | undefined;
  /** Whether it came in marked pieces, which a repeat of the whole follows. */
  inPieces: boolean;
  /** Whether there is more than white in it; asked of each piece, because asking the whole would copy it. */
  hasText: boolean;
  previous: string;
  /** Whether `previous` was told whole, so that one more repeat of it may come. */
  mayRepeat: boolean;
  /** Whether marked pieces were ever seen: from then on everything new comes in pieces. */
  isPartial: boolean;
}

export function assembleMessages(most = MESSAGE_CHARACTERS): MessageAssembly {
  const state: Assembly = {
    open: '',
    turn: undefined,
    inPieces: false,
    hasText: false,
    previous: '',
    mayRepeat: false,
    isPartial: false,
  };
  const append = (text: string) => {
    const joined = state.open + text;
    state.open = joined.length > 2 * most ? lastOf(joined, most) : joined;
    state.hasText ||= /\S/.test(text);
  };
  const complete = (): string[] => {
    const { open, hasText } = state;
    Object.assign(state, { open: '', inPieces: false, hasText: false });
    if (!hasText) return [];
    state.previous = lastOf(open, most);
    return [state.previous];
  };
  const addWhole = (text: string): string[] => {
    const before = state.inPieces ? cutRepeat(state, text) : true;
    const ended = before ? complete() : [];
    Object.assign(state, { open: '', inPieces: false, hasText: false });
    append(text);
    state.mayRepeat = true;
    return [...ended, ...complete()];
  };

  return {
    add({ form, text, turn }) {
      if (isRepeat(state, form, text)) return [];
      if (form === 'repeat' || (form === 'message' && state.inPieces)) return addWhole(text);
      const before = turn !== state.turn ? complete() : [];
      state.turn = turn;
      state.mayRepeat = false;
      append(text);
      if (form === 'delta') Object.assign(state, { inPieces: true, isPartial: true });
      return before;
    },
    close(by) {
      if (by === 'aside' && state.inPieces) return [];
      if (by === 'step') state.mayRepeat = false;
      return state.open === '' ? [] : complete();
    },
    last: () => (state.hasText ? state.open : state.previous),
  };
}

/** The message before, told whole once more. In partial output nothing new comes whole, not even after a call. */
function isRepeat(state: Assembly, form: TextEvent['form'], text: string): boolean {
  if (state.open !== '' || form === 'delta') return false;
  const mayBe = state.isPartial || (state.mayRepeat && form === 'message');
  return mayBe && text.trim() === state.previous.trim();
}

/**
 * Takes out of the pieces what the whole repeats. What is left, if anything, was a message of its own that was
 * never told whole.
 */
function cutRepeat(state: Assembly, whole: string): boolean {
  const [pieces, repeated] = [state.open.trim(), whole.trim()];
  if (repeated.startsWith(pieces) || repeated.endsWith(pieces)) return false;
  if (repeated !== '' && pieces.endsWith(repeated)) {
    state.open = pieces.slice(0, pieces.length - repeated.length);
    state.hasText = state.open.trim() !== '';
  }
  return true;
}

/** The last characters, as a copy: a slice would keep the whole text it was taken from in memory. */
export function lastOf(text: string, most: number): string {
  if (text.length <= most) return text;
  return Buffer.from(text.slice(text.length - most), 'utf16le').toString('utf16le');
}
