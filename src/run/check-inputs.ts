import type { Expectation, SchemaSource } from '../review/expectation.js';
import { formatPermission, type PermissionToken } from '../permissions/permission-token.js';
import { findPlaces, type Places } from './input-files.js';
import { invalidInput, parseInputs, type InputProblem, type Inputs, type RawInputs } from './inputs.js';

export interface CheckedInputs {
  inputs: Inputs;
  places: Places;
  /** What the answer must be, where `output-schema` says so. */
  expectation?: Expectation | undefined;
}

/** Inputs and what they point at; every problem of either is told at once, before anything is touched. */
export async function checkInputs(raw: RawInputs, workspace: string): Promise<CheckedInputs> {
  const parsed = parseInputs(raw);
  const { places, problems } = findPlaces(raw, workspace);
  const expected = await findExpectation(places.outputSchema);
  if ('problems' in expected) problems.push(...expected.problems);
  if ('problems' in parsed) throw invalidInput([...parsed.problems, ...problems]);
  problems.push(...unknownServers(parsed.allow, Object.keys(places.mcp?.config.mcpServers ?? {})));
  if (problems.length > 0) throw invalidInput(problems);
  return { inputs: parsed, places, ...('expectation' in expected ? expected : {}) };
}

/** The validator is loaded only where there is something to validate. */
async function findExpectation(
  source: SchemaSource | undefined,
): Promise<{ expectation?: Expectation } | { problems: InputProblem[] }> {
  if (!source) return {};
  const { expectAnswer } = await import('../review/expect-answer.js');
  const expected = expectAnswer(source);
  if ('expectation' in expected) return expected;
  return { problems: expected.problems.map((message) => ({ input: 'output-schema', message })) };
}

/** An allowed tool of a server that is not configured would silently be without effect. */
function unknownServers(allow: readonly PermissionToken[], servers: readonly string[]): InputProblem[] {
  return allow
    .filter((token) => token.kind === 'Mcp' && token.server !== '*' && !servers.includes(token.server))
    .map((token) => ({
      input: 'allow',
      message: `${formatPermission(token)} names a server that mcp-config does not have; it has ${servers.join(', ') || 'none'}.`,
    }));
}
