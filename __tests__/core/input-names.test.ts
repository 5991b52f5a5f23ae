import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findUnknownInputs } from '../../src/core/input-names.js';
import { INPUT_NAMES, REMOVED_INPUTS } from '../../src/run/inputs.js';

/** The name of each variable, as the runner writes it. */
const found = (...given: string[]) =>
  findUnknownInputs(
    INPUT_NAMES,
    Object.fromEntries(given.map((name) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, 'x'])),
    REMOVED_INPUTS,
  );

describe('an input that the action does not have', () => {
  it.each([
    ['modle', 'model'],
    ['models', 'model'],
    ['Model-', 'model'],
    ['api_key', 'api-key'],
    ['api key', 'api-key'],
    ['apikey', 'api-key'],
    ['promt', 'prompt'],
    ['timeout', 'timeout-minutes'],
    ['timeout-minute', 'timeout-minutes'],
    ['fail-on-serverity', 'fail-on-severity'],
    ['ouput-schema', 'output-schema'],
  ])('is an error if it is close to one: %s, %s', (given, meant) => {
    const { problems, ignored } = found(given);
    expect(problems).toEqual([
      { input: given.replaceAll(' ', '_').toLowerCase(), message: `is not an input; did you mean ${meant}?` },
    ]);
    expect(ignored).toEqual([]);
  });

  it.each(Object.keys(REMOVED_INPUTS))('is an error if it was removed, and says what to do: %s', (name) => {
    const [problem, ...others] = found(name).problems;
    expect(problem).toMatchObject({ input: name, message: expect.stringMatching(/^was removed: .+\.$/) });
    expect(others).toEqual([]);
    expect(INPUT_NAMES).not.toContain(name);
  });

  it.each(['foo', 'node', 'path', 'version', 'who-to-greet', 'repository', 'token', 'constructor'])(
    'is ignored if it is close to none: %s',
    (name) => {
      expect(found(name)).toEqual({ problems: [], ignored: [name] });
    },
  );

  it('is none of those that it has, nor another variable', () => {
    expect(found(...INPUT_NAMES)).toEqual({ problems: [], ignored: [] });
    expect(findUnknownInputs(INPUT_NAMES, { INPUT: 'x', INPUT_: 'x', MODLE: 'x', input_modle: 'x' })).toEqual(
      {
        problems: [],
        ignored: [],
      },
    );
  });

  it('is found behind one mistake in any long name', () => {
    const long = INPUT_NAMES.filter((name) => name.length > 7);
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.nat(), fc.constantFrom('', 'x', 'xx'), (name, seed, put) => {
        const at = seed % name.length;
        const wrong = name.slice(0, at) + put + name.slice(at + 1);
        fc.pre(!INPUT_NAMES.includes(wrong as (typeof INPUT_NAMES)[number]));
        expect(found(wrong).problems).toHaveLength(1);
      }),
    );
  });
});
