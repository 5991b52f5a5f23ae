import { formatPermission, type Permission } from './agent/permission-token.js';
import { findPlaces, type Places } from './input-files.js';
import { invalidInput, parseInputs, type InputProblem, type Inputs, type RawInputs } from './inputs.js';

/** Inputs and what they point at; every problem of either is told at once, before anything is touched. */
export function checkInputs(raw: RawInputs, workspace: string): { inputs: Inputs; places: Places } {
  const parsed = parseInputs(raw);
  const { places, problems } = findPlaces(raw, workspace);
  if ('problems' in parsed) throw invalidInput([...parsed.problems, ...problems]);
  problems.push(...unknownServers(parsed.allow, Object.keys(places.mcp?.config.mcpServers ?? {})));
  if (problems.length > 0) throw invalidInput(problems);
  return { inputs: parsed, places };
}

/** An allowed tool of a server that is not configured would silently be without effect. */
function unknownServers(allow: readonly Permission[], servers: readonly string[]): InputProblem[] {
  return allow
    .filter((token) => token.kind === 'Mcp' && token.server !== '*' && !servers.includes(token.server))
    .map((token) => ({
      input: 'allow',
      message: `${formatPermission(token)} names a server that mcp-config does not have; it has ${servers.join(', ') || 'none'}.`,
    }));
}
