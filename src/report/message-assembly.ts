import type { TextEvent } from '../stream/events.js';

/** Above this the beginning of a message is let go: the answer stands at the end. */
export const MESSAGE_CHARACTERS = 8_000_000;

/**
 * Puts messages together from the three ways they arrive: whole; in pieces followed by one or two repeats of
 * the whole (partial output); and in pieces only (old builds).
 */
export interface MessageAssembly {
  /** Takes a piece; gives the messages that this piece shows to be complete. */
  add(event: TextEvent): string[];
  /** Something that is not text came: the message before it is complete. */
  close(): string[];
  /** The last message with any text in it, complete or not. */
  last(): string;
}

export function assembleMessages(): MessageAssembly {
  /** The message being written, and whether it came in marked pieces, which a repeat of the whole follows. */
  let open = '';
  let inPieces = false;
  let previous = '';
  /** Whether `previous` was completed by a repeat, so that one more repeat of it may come. */
  let mayRepeat = false;

  const complete = (): string[] => {
    const text = open;
    open = '';
    inPieces = false;
    if (text.trim() === '') return [];
    previous = text;
    return [text];
  };
  const append = (text: string) => {
    const joined = open + text;
    open = joined.length > 2 * MESSAGE_CHARACTERS ? joined.slice(-MESSAGE_CHARACTERS) : joined;
  };
  const addWhole = (text: string): string[] => {
    const before = inPieces && text.trim().startsWith(open.trim()) ? [] : complete();
    open = '';
    append(text);
    mayRepeat = true;
    return [...before, ...complete()];
  };

  return {
    add({ form, text }) {
      const isSecondRepeat =
        mayRepeat && open === '' && form === 'message' && text.trim() === previous.trim();
      if (isSecondRepeat) return [];
      if (form === 'repeat' || (form === 'message' && inPieces)) return addWhole(text);
      mayRepeat = false;
      append(text);
      inPieces ||= form === 'delta';
      return [];
    },
    close() {
      mayRepeat = false;
      return complete();
    },
    last: () => (open.trim() === '' ? previous : open),
  };
}
