import { escapeHtml } from '../text/html-text.js';
import { splitLiveText } from '../text/live-text.js';
import { truncate } from '../text/plain-text.js';
import type { Redaction } from '../text/redact.js';

/** How the answer is written down, where its Markdown is to be seen. */
export interface AnswerWriter {
  /** As Markdown in which nothing runs, loads, pings anyone or reaches beyond its place. */
  markdown(text: string, most: number, redaction?: Redaction): string;
  /** The same as HTML. */
  html(text: string, most: number, redaction?: Redaction): string;
}

/** A writer that takes secrets out of all it writes. */
export const redacting = (writer: AnswerWriter, redaction: Redaction | undefined): AnswerWriter => ({
  markdown: (text, most) => writer.markdown(text, most, redaction),
  html: (text, most) => writer.html(text, most, redaction),
});

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
