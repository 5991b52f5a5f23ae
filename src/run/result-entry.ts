import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { ENTRY_VERSION, type ResultKeys } from './result-key.js';

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

export type Sealed = { bytes: Buffer } | { problem: string };

/**
 * The bytes of an entry. They are encrypted, because more people can read a cache than the log of a run, and
 * authenticated, so that only who has the secret can write one. Nothing that follows relies on either.
 */
export function sealEntry(entry: ResultEntry, { seal }: Pick<ResultKeys, 'seal'>): Sealed {
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
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Undefined if it is no JSON, or if it would become too large. */
function unpack(packed: Buffer): unknown {
  try {
    return JSON.parse(gunzipSync(packed, { maxOutputLength: MOST_ENTRY_BYTES }).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
