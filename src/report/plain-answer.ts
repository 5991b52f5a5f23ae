import { escapeHtml } from './html-text.js';
import { splitLiveText } from './live-text.js';
import { truncate } from './plain-text.js';

/** How the answer is written down, where its Markdown is to be seen. */
export interface AnswerWriter {
  /** As Markdown in which nothing runs, loads, pings anyone or reaches beyond its place. */
  markdown(text: string, most: number): string;
  /** The same as HTML. */
  html(text: string, most: number): string;
}

/** Sentences in which no Markdown could be need no parser; nor does nothing at all. */
export const isPlain = (source: string): boolean =>
  source === '' ||
  (source.split('\n').every((line) => /^[A-Za-z][A-Za-z0-9 ,.;'"()!?]*$/.test(line)) &&
    !splitLiveText(source).some(({ isLive }) => isLive));

/** For an answer that is plain. */
export const plainAnswer: AnswerWriter = {
  markdown: (text, most) => truncate(text.trim(), most),
  html: (text, most) => `<p>${escapeHtml(truncate(text.trim(), most))}</p>`,
};
