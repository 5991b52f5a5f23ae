import { findPlaces, type Places } from './input-files.js';
import { invalidInput, parseInputs, type Inputs, type RawInputs } from './inputs.js';

/** Inputs and what they point at; every problem of either is told at once, before anything is touched. */
export function checkInputs(raw: RawInputs, workspace: string): { inputs: Inputs; places: Places } {
  const parsed = parseInputs(raw);
  const { places, problems } = findPlaces(raw, workspace);
  if ('problems' in parsed) throw invalidInput([...parsed.problems, ...problems]);
  if (problems.length > 0) throw invalidInput(problems);
  return { inputs: parsed, places };
}
