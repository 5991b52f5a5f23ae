import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { isObject, type JsonObject } from '../text/json.js';
import { looksSecret } from './environment.js';

// The small build of zod has no error messages of its own.
z.config(en());

const Command = z.strictObject({
  type: z.optional(z.literal('stdio')),
  command: z.string().check(z.minLength(1)),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.string())),
});
const Remote = z.strictObject({
  type: z.optional(z.enum(['http', 'sse', 'streamable-http'])),
  url: z.string().check(z.refine(isWebAddress, 'is not an http(s) address')),
  headers: z.optional(z.record(z.string(), z.string())),
});

type McpServer = z.infer<typeof Command> | z.infer<typeof Remote>;
/** The servers by name, as the CLI reads them. */
export interface McpConfig {
  mcpServers: Record<string, McpServer>;
}

/** Not copied by zod, because a copy would silently lose a name such as __proto__. */
const Servers = z.custom<JsonObject>(isObject, 'expected an object of servers');

/** A name must fit into a permission token, in which `:`, `*` and brackets have a meaning. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_. -]{0,99}$/;

/** JSON → servers, or every problem with its place in the JSON. Values are never shown. */
export function parseMcpConfig(text: string): { config: McpConfig } | { problems: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problems: [`not valid JSON${placeOf(error, text)}.`] };
  }
  const whole = z.strictObject({ mcpServers: Servers }).safeParse(value);
  if (!whole.success) {
    const example = 'write {"mcpServers": {"name": {"command": "…"}}} or {"url": "…"} in its place';
    return { problems: whole.error.issues.map((issue) => `${placed([], issue)}; ${example}.`) };
  }
  const servers: [string, McpServer][] = [];
  const problems: string[] = [];
  for (const [name, given] of Object.entries(whole.data.mcpServers)) {
    const read = readServer(name, given);
    if ('problems' in read) problems.push(...read.problems);
    else servers.push([name, read.server]);
  }
  return problems.length > 0 ? { problems } : { config: { mcpServers: Object.fromEntries(servers) } };
}

function readServer(name: string, value: unknown): { server: McpServer } | { problems: string[] } {
  const place = `mcpServers.${name.slice(0, 100)}`;
  if (!NAME.test(name))
    return {
      problems: [
        `${place}: a name has letters, digits, "_", "-", "." and spaces, and begins with a letter or digit.`,
      ],
    };
  const fields = z.looseObject({}).safeParse(value).data;
  if (!fields) return { problems: [`${place}: expected an object with "command" or "url".`] };
  const [isCommand, isRemote] = ['command' in fields, 'url' in fields];
  if (isCommand === isRemote)
    return {
      problems: [
        `${place}: give either "command" (a program to start) or "url" (a server to call)${isCommand ? ', not both' : ''}.`,
      ],
    };
  const parsed = isCommand ? Command.safeParse(value) : Remote.safeParse(value);
  if (parsed.success) return { server: parsed.data };
  return { problems: parsed.error.issues.map((issue) => `${placed(['mcpServers', name], issue)}.`) };
}

function placed(before: readonly string[], issue: z.core.$ZodIssue): string {
  const path = [...before, ...issue.path.map(String)].join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** The line of the mistake, if the parser says it. Its message is not shown, because it can quote a secret. */
function placeOf(error: unknown, text: string): string {
  const position = error instanceof SyntaxError ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** What must never be shown: values of env and headers, and secrets in addresses and arguments. */
export function mcpSecrets({ mcpServers }: McpConfig): string[] {
  return Object.values(mcpServers)
    .flatMap((server) =>
      'command' in server
        ? [...Object.values(server.env ?? {}), ...secretArguments(server.args ?? [])]
        : [...Object.values(server.headers ?? {}).flatMap(headerSecrets), ...addressSecrets(server.url)],
    )
    .filter((value) => !/^\$\{env:\w+\}$/.test(value));
}

/** The value of a header, and the credential in it without the scheme: `Bearer abc`. */
const headerSecrets = (value: string): string[] => [value, ...value.split(/\s+/).slice(1)];

/** `--api-key abc` and `--token=abc`. */
function secretArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, index) => {
    const [, name = '', value] = /^-{1,2}([\w-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (!looksSecret(name.replaceAll('-', '_'))) return [];
    return [value ?? args[index + 1] ?? ''];
  });
}

function addressSecrets(address: string): string[] {
  const { password, searchParams } = new URL(address);
  const values = [...searchParams].filter(([name]) => looksSecret(name)).map(([, value]) => value);
  return [decodeURIComponent(password), ...values].filter((value) => value !== '');
}
