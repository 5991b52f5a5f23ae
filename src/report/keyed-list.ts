/**
 * A few values by key, in the order they came, where entries come and go for as long as the stream lasts. A list
 * and not a Map: each time a Map outgrows its table the old table keeps the new one alive, so that one that is
 * filled and emptied all the time drags everything it ever held into the old generation of the heap.
 */
export interface KeyedList<T> {
  has(key: string): boolean;
  get(key: string): T | undefined;
  /** Adds the entry, or replaces the value of one that is there. Beyond the bound the oldest is let go. */
  set(key: string, value: T): void;
  /** Takes the entry out. */
  take(key: string): T | undefined;
  values(): T[];
  readonly size: number;
}

export function keyedList<T>(most: number): KeyedList<T> {
  const entries: { key: string; value: T }[] = [];
  const find = (key: string) => entries.find((entry) => entry.key === key);
  return {
    has: (key) => find(key) !== undefined,
    get: (key) => find(key)?.value,
    set(key, value) {
      const known = find(key);
      if (known) known.value = value;
      else entries.push({ key, value });
      if (entries.length > most) entries.shift();
    },
    take(key) {
      const at = entries.findIndex((entry) => entry.key === key);
      return at < 0 ? undefined : entries.splice(at, 1)[0]?.value;
    },
    values: () => entries.map(({ value }) => value),
    get size() {
      return entries.length;
    },
  };
}
