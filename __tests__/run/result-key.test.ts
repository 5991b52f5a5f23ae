import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashOf, keysFrom, resultKey, stablePrompt, type Ingredients } from '../../src/run/result-key.js';

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
const keys = keysFrom('key_0123456789');
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
