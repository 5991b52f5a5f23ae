import { createHash, createHmac, hkdfSync } from 'node:crypto';

/**
 * Everything that decides what an agent is asked and what it works on. A run with the same ingredients has the same
 * task, so its result can be reused. What is checked again on every result is not among them, such as
 * `fail-on-severity` and `on-violation`.
 */
export interface Ingredients {
  /** A hash of the action's own program. */
  action: string;
  agent: string;
  /** The build of the CLI: its version, its platform and the hash of its archive. */
  build: { version: string; platform: string; sha256: string };
  model: string;
  /** The whole prompt, as `stablePrompt` writes it. */
  prompt: string;
  /** A hash of each file that was gathered for the agent, by its name. */
  files: Readonly<Record<string, string>>;
  policy: {
    preset: string;
    mode: string;
    force: boolean;
    allow: readonly string[];
    deny: readonly string[];
    onlyAllowed: readonly string[];
  };
  /** Which project rules the agent sees, and a hash of those that are not in the checkout. */
  rules: { choice: string; base: string };
  /** A hash of the MCP configuration. */
  mcp: string;
  /** A hash of the schema that the answer must match. */
  schema: string;
  extraArgs: readonly string[];
  /** The commands that verify the change. */
  verify: unknown;
  /** What the agent may reach. */
  reach: { isolation: string; network: string; allowedHosts: unknown };
  /** The variables that the agent sees, with their values. */
  passEnv: Readonly<Record<string, string>>;
  /** Where the agent works, and the git tree that is checked out there. */
  place: { checkout: string; directory: string; tree: string };
}

/** The form of an entry. An entry of another form has another key. */
export const ENTRY_VERSION = 1;

/** The two keys that come from a secret: one to name entries with, one to seal them with. */
export interface ResultKeys {
  name: Buffer;
  seal: Buffer;
}

export function keysFrom(secret: string): ResultKeys {
  const derive = (use: string) =>
    Buffer.from(hkdfSync('sha256', secret, '', `cursor-agent-action result ${ENTRY_VERSION} ${use}`, 32));
  return { name: derive('name'), seal: derive('seal') };
}

/**
 * The name of an entry. It is a keyed hash: others can list the names of a cache, and must not be able to test guesses
 * of a short secret, such as the value of a variable, against it.
 */
export const resultKey = (ingredients: Ingredients, { name }: Pick<ResultKeys, 'name'>): string =>
  `cursor-agent-result-${createHmac('sha256', name).update(canonical(ingredients)).digest('hex')}`;

/** JSON in which the order of names says nothing. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

/** The hash of a text or of bytes; empty if there is none. */
export const hashOf = (content: string | Buffer | undefined): string =>
  content === undefined ? '' : createHash('sha256').update(content).digest('hex');

/** The prompt without what differs in every run: the folder of the gathered files, and the random boundaries. */
export function stablePrompt(
  prompt: string,
  { folder, boundaries }: { folder: string; boundaries: readonly string[] },
): string {
  return boundaries.reduce(
    (text, boundary, index) => text.replaceAll(boundary, `<boundary ${index}>`),
    withoutFolder(prompt, folder),
  );
}

export const withoutFolder = (text: string, folder: string): string => text.replaceAll(folder, '<context>');
