import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createCipheriv, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  hashOf,
  keysFrom,
  MOST_ENTRY_BYTES,
  openEntry,
  resultKey,
  sealEntry,
  stablePrompt,
  type Ingredients,
  type ResultEntry,
} from '../../src/run/result-entry.js';

const KEY = `cursor-agent-result-${'a'.repeat(64)}`;
const ENTRY: ResultEntry = {
  version: 1,
  key: KEY,
  run: '4711',
  at: '2026-11-18T01:02:03.004Z',
  patch: '',
  stream: '{"type":"result"}\n',
};
const keys = keysFrom('key_0123456789');

function seal(entry: ResultEntry): Buffer {
  const sealed = sealEntry(entry, keys);
  if ('problem' in sealed) throw new Error(sealed.problem);
  return sealed.bytes;
}

/** What somebody who has the secret can write: any bytes at all. */
function sealAnything(packed: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keys.seal, nonce).setAAD(Buffer.from(KEY));
  const content = Buffer.concat([cipher.update(packed), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}
const sealJson = (value: unknown) => sealAnything(gzipSync(JSON.stringify(value)));

describe('an entry', () => {
  it('is read as it was written, and cannot be read without the secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), (patch, stream) => {
        const entry = { ...ENTRY, patch, stream };
        expect(openEntry(seal(entry), KEY, keys)).toEqual({ entry });
        expect(openEntry(seal(entry), KEY, keysFrom('another'))).toHaveProperty('problem');
      }),
    );
    expect(seal({ ...ENTRY, stream: 'readable '.repeat(100) }).toString('latin1')).not.toContain('readable');
  });

  it('is not read if a single byte is another, or under another name', () => {
    const bytes = seal(ENTRY);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const other = Buffer.from(bytes);
        other[at] = (other[at] ?? 0) ^ difference;
        expect(openEntry(other, KEY, keys)).toHaveProperty('problem');
      }),
    );
    expect(openEntry(bytes, `${KEY}0`, keys)).toHaveProperty('problem');
  });

  it('is refused, never thrown at, whatever the cache returns', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(openEntry(Buffer.from(bytes), KEY, keys)).toHaveProperty('problem');
        expect(openEntry(sealAnything(Buffer.from(bytes)), KEY, keys)).toHaveProperty('problem');
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(openEntry(sealJson(value), KEY, keys)).toHaveProperty('problem');
      }),
    );
  });

  it.each<[string, object]>([
    ['another version', { version: 2 }],
    ['another key', { key: `${KEY}0` }],
    ['a run that is no number', { run: '1/attempts/2' }],
    ['a run that is an address', { run: '1?x](https://evil.example)' }],
    ['a run with a line', { run: '1\n2' }],
    ['a date that is none', { at: '2026-99-99' }],
    ['a date that does not exist', { at: '2026-19-39T01:02:03.004Z' }],
    ['a date with more', { at: '2026-11-18T01:02:03.004Z<b>' }],
    ['a patch that is no text', { patch: ['x'] }],
    ['no stream', { stream: '' }],
    ['a field more', { more: 1 }],
  ])('is refused with %s', (_, change) => {
    expect(openEntry(sealJson({ ...ENTRY, ...change }), KEY, keys)).toHaveProperty('problem');
  });

  it('is neither written nor read if it is too large, also if it is only large once unpacked', () => {
    const large = { ...ENTRY, stream: 'x'.repeat(MOST_ENTRY_BYTES) };
    expect(sealEntry(large, keys)).toEqual({ problem: 'it is larger than 8 MiB' });
    expect(openEntry(sealJson(large), KEY, keys)).toHaveProperty('problem');
    expect(openEntry(Buffer.alloc(MOST_ENTRY_BYTES + 1), KEY, keys)).toHaveProperty('problem');
  });

  it('needs the id of a run', () => {
    expect(sealEntry({ ...ENTRY, run: '' }, keys)).toEqual({ problem: 'this run has no id' });
  });
});

const INGREDIENTS: Ingredients = {
  action: 'a',
  agent: 'cursor',
  build: { version: '2026.10.01-e373342', platform: 'linux/x64', sha256: 'b' },
  model: 'auto',
  prompt: 'Do it.',
  files: { 'diff.patch': 'c' },
  policy: { preset: 'docs', mode: 'agent', force: true, allow: ['Read(**)'], deny: [], onlyAllowed: [] },
  rules: { choice: 'head', base: '' },
  mcp: '',
  schema: '',
  extraArgs: [],
  verify: [],
  reach: { isolation: 'auto', network: 'auto', allowedHosts: [] },
  passEnv: { REGION: 'eu' },
  place: { checkout: '/work', directory: '', tree: 'd' },
};
const keyOf = (ingredients: Ingredients) => resultKey(ingredients, keys);

/** Every value in the ingredients, by the way to it. */
function leaves(value: unknown, way: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [way];
  return Object.entries(value).flatMap(([name, item]) => leaves(item, [...way, name]));
}

function changed(value: unknown, [name, ...way]: readonly string[]): unknown {
  if (name !== undefined)
    return {
      ...(value as object),
      [name]: changed((value as Record<string, unknown>)[name], way),
    };
  if (Array.isArray(value)) return [...(value as unknown[]), 'another'];
  return typeof value === 'boolean' ? !value : `${String(value)}-another`;
}

describe('the key of a result', () => {
  it('is a name without commas that is short enough for a cache', () => {
    expect(keyOf(INGREDIENTS)).toMatch(/^cursor-agent-result-[0-9a-f]{64}$/);
  });

  it.each(leaves(INGREDIENTS).map((way) => [way.join('.'), way] as const))('changes with %s', (_, way) => {
    expect(keyOf(changed(INGREDIENTS, way) as Ingredients)).not.toBe(keyOf(INGREDIENTS));
  });

  it('does not depend on the order of names', () => {
    const names = Object.keys(INGREDIENTS) as (keyof Ingredients)[];
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: names.length }), (order) => {
        const shuffled = Object.fromEntries(order.map((name) => [name, INGREDIENTS[name]]));
        expect(keyOf(shuffled as unknown as Ingredients)).toBe(keyOf(INGREDIENTS));
      }),
    );
  });

  it('is different for different texts, wherever one ends and the next begins', () => {
    const texts = fc.tuple(fc.string(), fc.string());
    fc.assert(
      fc.property(texts, texts, ([prompt, model], [otherPrompt, otherModel]) => {
        const one = keyOf({ ...INGREDIENTS, prompt, model });
        const other = keyOf({ ...INGREDIENTS, prompt: otherPrompt, model: otherModel });
        expect(one === other).toBe(prompt === otherPrompt && model === otherModel);
      }),
    );
  });

  it('depends on the secret, and does not contain it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string({ minLength: 8 }), (secret, value) => {
        const name = resultKey({ ...INGREDIENTS, passEnv: { VALUE: value } }, keysFrom(secret));
        expect(name).not.toBe(
          resultKey({ ...INGREDIENTS, passEnv: { VALUE: value } }, keysFrom(`${secret}x`)),
        );
        // The value alone is not enough to find it again.
        expect(name).not.toContain(hashOf(value));
      }),
    );
  });
});

describe('a prompt', () => {
  it('is the same whatever the folder and the boundaries of a run are', () => {
    const promptOf = (folder: string, boundary: string) =>
      `Read ${folder}/diff.patch\n----- begin ${boundary} -----\nx\n----- end ${boundary} -----`;
    const stable = (folder: string, boundary: string) =>
      stablePrompt(promptOf(folder, boundary), { folder, boundaries: [boundary] });
    expect(stable('/tmp/run-1/context', 'data-1')).toBe(stable('/tmp/run-2/context', 'data-2'));
    expect(stable('/tmp/run-1/context', 'data-1')).toContain('diff.patch');
  });
});
