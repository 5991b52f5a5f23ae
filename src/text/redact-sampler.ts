import { escapeAt } from './redact-reading.js';

/** So many letters and digits in a row are one sample. */
const SAMPLE = 6;
/** A power of two. */
const TABLE = 1 << 16;

/**
 * Tells whether a text may hold one of some words, whatever stands between their letters and digits and whatever
 * the case of those. At every few characters a sample of the text is taken and looked up among all samples of the
 * words. At least two are taken in any word, because one may begin in the middle of an escape and be misread.
 */
export function createSampler(words: readonly string[]): (text: string) => boolean {
  const long = words.filter((word) => word.length >= SAMPLE);
  if (long.length === 0) return () => false;
  const shortest = Math.min(...long.map((word) => word.length));
  const step = Math.max(1, Math.floor((shortest - SAMPLE + 1) / 2));
  const samples = new Set(long.flatMap(samplesOf));
  const table = new Uint8Array(TABLE);
  for (const sample of samples) table[sample & (TABLE - 1)] = 1;
  return (text) => {
    for (let at = step - 1; at < text.length;) {
      const { sample, first } = sampleAt(text, at);
      if (table[sample & (TABLE - 1)] === 1 && samples.has(sample)) return true;
      // Samples that begin before the first letter of this one would be the same.
      at = Math.max(at + step, first);
    }
    return false;
  };
}

const samplesOf = (word: string): number[] =>
  Array.from({ length: word.length - SAMPLE + 1 }, (_, at) => sampleAt(word, at).sample);

/** Letters in either case and digits have a value of five bits, what begins an escape has this one. */
const BEGINS_ESCAPE = 64;
const VALUES = new Uint8Array(0x10000);
Array.from('0123456789abcdefghijklmnopqrstuvwxyz', (letter, index) => {
  VALUES[letter.charCodeAt(0)] = VALUES[letter.toUpperCase().charCodeAt(0)] = 1 + (index % 31);
});
for (const mark of '\\%&\u001b\u009b') VALUES[mark.charCodeAt(0)] = BEGINS_ESCAPE;

/** The letters and digits from this place on, as a number, and where they begin; escapes are read as what they mean. */
function sampleAt(text: string, place: number): { sample: number; first: number } {
  let sample = 0;
  let count = 0;
  let first = text.length;
  for (let at = place; at < text.length && count < SAMPLE; at += 1) {
    let value = VALUES[text.charCodeAt(at)] ?? 0;
    if (value === 0) continue;
    if (value === BEGINS_ESCAPE) {
      const { end, meaning } = escapeAt(text, at);
      at = end - 1;
      value = meaning === '' ? 0 : (VALUES[meaning.charCodeAt(0)] ?? 0);
      if (value === 0 || value === BEGINS_ESCAPE) continue;
    }
    if (count === 0) first = at;
    sample = ((sample << 5) ^ value) & 0x3fffffff;
    count += 1;
  }
  return { sample, first };
}
