/** A point in time: `0:12`, `1:02:07`. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A duration: `0.4 s`, `3 min 12 s`. */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return joinParts([h > 0 ? `${h} h` : '', m > 0 ? `${m} min` : '', s > 0 ? `${s} s` : ''], ' ');
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** `3 files`, or `3 of 2,000 files` if there are more than were asked for. */
export const share = (
  { items, outOf }: { items: number; outOf?: number | undefined },
  one: string,
): string => (outOf === undefined ? plural(items, one) : `${number(items)} of ${plural(outOf, one)}`);

/** The full id of a commit. */
export const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The beginning of a commit's id, which is enough for people. */
export const shortCommit = (id: string): string => id.slice(0, 10);

/** `line 3`, `lines 3 to 5`. */
export const lineRange = (first: number, last: number): string =>
  first === last ? `line ${last}` : `lines ${first} to ${last}`;

/** The first of them, for a sentence. */
export const somePaths = (paths: readonly string[]): string =>
  `${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' and more' : ''}`;

/** The parts that are not empty, with this between them. */
export const joinParts = (parts: readonly string[], between: string): string =>
  parts.filter((part) => part !== '').join(between);

/** The first lines, and how many more there are. */
export const firstLines = (all: readonly string[], max: number): string[] =>
  all.length <= max ? [...all] : [...all.slice(0, max), `… and ${all.length - max} more`];

/** `12,345`, regardless of the machine's locale. */
export const number = (value: number): string =>
  String(value).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');

/** `950`, `12.3 k`, `4.5 M`: for numbers that need not be exact. */
export function compactNumber(value: number): string {
  if (value < 10_000) return number(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)} k` : `${(value / 1_000_000).toFixed(1)} M`;
}
