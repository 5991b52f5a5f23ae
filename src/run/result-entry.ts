import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { attempt } from '../core/errors.js';
import { isObject } from '../text/json.js';

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
    isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
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

/** The largest entry that is kept, before it is compressed. Compressed it is smaller, so the same holds for a download. */
export const MOST_ENTRY_BYTES = 8 * 1024 * 1024;

/** What a successful run leaves for an identical one. */
const EntrySchema = z.strictObject({
  version: z.literal(ENTRY_VERSION),
  /** The name under which it was stored. */
  key: z.string(),
  /** The workflow run that it comes from. */
  run: z.string().check(z.regex(/^[1-9]\d{0,19}$/)),
  /** When it was stored. */
  at: z.string().check(
    z.regex(/^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/),
    z.refine((text) => !Number.isNaN(Date.parse(text))),
  ),
  /** What was applied to the checkout; empty if nothing was. */
  patch: z.string(),
  /** What the agent printed, without secrets. */
  stream: z.string().check(z.minLength(1)),
});
export type ResultEntry = z.infer<typeof EntrySchema>;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The bytes of an entry. They are encrypted, because more people can read a cache than the log of a run, and
 * authenticated, so that only a run with the same secret can write one. Nothing that follows relies on either.
 */
export function sealEntry(
  entry: ResultEntry,
  { seal }: Pick<ResultKeys, 'seal'>,
): { bytes: Buffer } | { problem: string } {
  if (!EntrySchema.safeParse(entry).success) return { problem: 'this run has no id' };
  const text = JSON.stringify(entry);
  if (Buffer.byteLength(text) > MOST_ENTRY_BYTES) return { problem: TOO_LARGE };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, seal, nonce).setAAD(Buffer.from(entry.key));
  const content = Buffer.concat([cipher.update(gzipSync(text)), cipher.final()]);
  const bytes = Buffer.concat([nonce, cipher.getAuthTag(), content]);
  return bytes.length > MOST_ENTRY_BYTES ? { problem: TOO_LARGE } : { bytes };
}

const TOO_LARGE = `it is larger than ${MOST_ENTRY_BYTES / 1024 / 1024} MiB`;

/** Reads what a cache returned under this name. Says what is wrong with it if it is no entry. */
export function openEntry(
  bytes: Buffer,
  key: string,
  keys: Pick<ResultKeys, 'seal'>,
): { entry: ResultEntry } | { problem: string } {
  if (bytes.length > MOST_ENTRY_BYTES) return { problem: TOO_LARGE };
  const packed = unseal(bytes, key, keys);
  if (!packed) return { problem: 'it was not written with the credential of this run, or it is damaged' };
  const parsed = EntrySchema.safeParse(unpack(packed));
  if (!parsed.success) return { problem: 'it does not have the form of an entry' };
  return parsed.data.key === key ? { entry: parsed.data } : { problem: 'it belongs to another run' };
}

function unseal(bytes: Buffer, key: string, { seal }: Pick<ResultKeys, 'seal'>): Buffer | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, seal, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(key))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return attempt(() =>
    Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]),
  );
}

/** Undefined if it is no JSON, or if it would become too large. */
const unpack = (packed: Buffer): unknown =>
  attempt(
    () => JSON.parse(gunzipSync(packed, { maxOutputLength: MOST_ENTRY_BYTES }).toString('utf8')) as unknown,
  );
