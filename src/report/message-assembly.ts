import type { TextEvent } from '../stream/events.js';

/** The beginning of a longer message is dropped, because the answer is at the end. No single line is longer. */
export const MESSAGE_CHARACTERS = 8_000_000;

/**
 * Assembles messages, which arrive in three ways: whole; in pieces that are followed by one or two repeats of the
 * whole (partial output); or in pieces only (old builds).
 */
export interface MessageAssembly {
  /** Takes a piece. Returns the messages that are complete now. */
  add(event: TextEvent): string[];
  /**
   * Something other than text arrived. A `step` (a call begins, the run ends) completes the open message. An `aside`
   * leaves marked pieces open, because the repeat of the whole is still to come.
   */
  close(by: 'step' | 'aside'): string[];
  /** The last message with any text in it, complete or not. */
  last(): string;
}

interface Assembly {
  /** The message that is being written, and the turn it belongs to. */
  open: string;
  turn: number | undefined;
  /** Whether it came in marked pieces, which are followed by a repeat of the whole. */
  inPieces: boolean;
  /** Whether it contains more than white space. It is updated with each piece, because a check of the whole would copy it. */
  hasText: boolean;
  previous: string;
  /** Whether `previous` arrived whole, so that one more repeat of it may come. */
  mayRepeat: boolean;
  /** Whether marked pieces were seen. From then on everything new comes in pieces. */
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

/** Whether this repeats the previous message. In partial output nothing new comes whole, not even after a call. */
function isRepeat(state: Assembly, form: TextEvent['form'], text: string): boolean {
  if (state.open !== '' || form === 'delta') return false;
  const mayBe = state.isPartial || (state.mayRepeat && form === 'message');
  return mayBe && text.trim() === state.previous.trim();
}

/**
 * Removes from the pieces what the whole repeats. Returns whether something is left: that was a message of its own
 * that never arrived whole.
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

/** The last characters, as a copy, because a slice would keep the whole text in memory. */
export function lastOf(text: string, most: number): string {
  if (text.length <= most) return text;
  return Buffer.from(text.slice(text.length - most), 'utf16le').toString('utf16le');
}
