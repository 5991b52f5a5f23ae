import type { InputProblem } from './input-shapes.js';

/** What is wrong with the names of the inputs that a step was given. */
interface UnknownInputs {
  /** Names that were meant to be an input of this action. */
  problems: InputProblem[];
  /** All others. A step can set `INPUT_*` itself, so they need not be inputs. */
  ignored: string[];
}

/**
 * Finds the inputs that this action does not have. The runner passes an input as `INPUT_` and its name in upper case,
 * with `_` for each blank. `removed` says what to do about inputs that it had once.
 */
export function findUnknownInputs(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  removed: Readonly<Record<string, string>> = {},
): UnknownInputs {
  const problems: InputProblem[] = [];
  const ignored: string[] = [];
  for (const variable of Object.keys(env).sort()) {
    const name = /^INPUT_(.+)$/s.exec(variable)?.[1]?.toLowerCase();
    if (name === undefined || names.includes(name)) continue;
    const advice = Object.hasOwn(removed, name) ? `was removed: ${removed[name]}` : suggestion(name, names);
    if (advice === undefined) ignored.push(name);
    else problems.push({ input: name, message: advice });
  }
  return { problems, ignored };
}

function suggestion(name: string, names: readonly string[]): string | undefined {
  const meant = closestName(name, names);
  return meant && `is not an input; did you mean ${meant}?`;
}

/** From this length on, the beginning of one name alone is taken for it: `timeout` for `timeout-minutes`. */
const MIN_BEGINNING = 7;

/** The name that this one is most likely a misspelling of; undefined if it is close to none. */
function closestName(given: string, names: readonly string[]): string | undefined {
  const letters = lettersOf(given);
  const distances = names.map((name) => ({ name, distance: editDistance(letters, lettersOf(name)) }));
  const [closest] = distances
    .filter(({ name, distance }) => distance <= maxDistance(Math.max(letters.length, lettersOf(name).length)))
    .sort((a, b) => a.distance - b.distance);
  if (closest) return closest.name;
  const continued = given.length >= MIN_BEGINNING ? names.filter((name) => name.startsWith(`${given}-`)) : [];
  return continued.length === 1 ? continued[0] : undefined;
}

/** `api_key`, `api key` and `apikey` all mean `api-key`. */
const lettersOf = (name: string): string => name.replace(/[-_ ]/g, '');

/** Two short names are different words even if they differ in one letter. */
const maxDistance = (length: number): number => (length < 5 ? 0 : length < 8 ? 1 : 2);

/** How many letters have to be added, removed, changed or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const [above = 0, left = 0, across = 0] = [last[j], row[j - 1], last[j - 1]];
      const changed = across + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min(above + 1, left + 1, changed, swapped));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
