/**
 * What comments of several reviewers have in common, by their words alone. Words that many comments of this review have
 * say little, so they weigh little; what is usual elsewhere is not known and does not matter.
 */

const STOP_WORDS = new Set(
  (
    'a an the this that these those it its they them their there here and or but nor not no so if then else than as at by ' +
    'for from in into of off on onto out over to up with without within is are was were be been being am do does did done ' +
    'has have had having can could may might must shall should will would when where which who whose what why how while ' +
    'because since until also only just very more most much many such same other another each every any all some both few ' +
    'you your we our i he she his her one two use used using make makes made get gets still even instead rather before ' +
    'after again between through during about against'
  ).split(' '),
);

const SUFFIXES = [
  'ations',
  'ation',
  'ments',
  'ment',
  'ings',
  'ing',
  'edly',
  'ed',
  'ies',
  'es',
  's',
  'ly',
  'e',
];
const MIN_STEM = 3;

const stem = (word: string): string => {
  const suffix = SUFFIXES.find((end) => word.endsWith(end) && word.length - end.length >= MIN_STEM);
  return suffix === undefined ? word : word.slice(0, word.length - suffix.length);
};

/** The stems of a text. Identifiers are split into their words. */
export function stemsOf(text: string): string[] {
  const words = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem);
}

/** A review with fewer comments says little about how usual a word is. */
const MIN_COMMENTS = 20;

/** How similar two of these texts are, by their places in the list: 0 for nothing in common, 1 for the same words. */
export function compareWords(texts: readonly string[]): (one: number, other: number) => number {
  const counts = texts.map((text) => {
    const count = new Map<string, number>();
    for (const word of stemsOf(text)) count.set(word, (count.get(word) ?? 0) + 1);
    return count;
  });
  const documents = new Map<string, number>();
  for (const word of counts.flatMap((count) => [...count.keys()]))
    documents.set(word, (documents.get(word) ?? 0) + 1);
  const total = Math.max(texts.length, MIN_COMMENTS);
  const vectors = counts.map((count) => {
    const weights = [...count].map(([word, times]): [string, number] => [
      word,
      (1 + Math.log(times)) * Math.log((total + 0.5) / (documents.get(word) ?? 1)),
    ]);
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(weights.map(([word, weight]) => [word, length === 0 ? 0 : weight / length]));
  });
  return (one, other) => {
    const [left = new Map<string, number>(), right = new Map<string, number>()] = [
      vectors[one],
      vectors[other],
    ];
    let sum = 0;
    for (const [word, weight] of left) sum += weight * (right.get(word) ?? 0);
    return sum;
  };
}
