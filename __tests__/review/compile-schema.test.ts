import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileSchema, compileSchemaText, exampleOf } from '../../src/review/expect-answer.js';
import type { UsableSchema } from '../../src/review/read-answer.js';

function usable(schema: unknown): UsableSchema {
  const compiled = compileSchema(schema);
  if ('problems' in compiled) throw new Error(compiled.problems.join('\n'));
  return compiled;
}
const problemsOf = (text: string): string => {
  const compiled = compileSchemaText(text);
  return 'problems' in compiled ? compiled.problems.join('\n') : '';
};

const LABEL = {
  type: 'object',
  properties: { label: { enum: ['bug', 'feature'] }, score: { type: 'number', minimum: 0 } },
  required: ['label'],
  additionalProperties: false,
};

describe('a schema that is itself wrong', () => {
  it.each([
    ['not JSON', '{"type":', /is not JSON: /],
    ['not an object', '[1]', /must be a JSON object/],
    ['not valid', '{"type": "strin"}', /is not valid: \/type must be equal to one of the allowed values/],
    ['a reference to nowhere', '{"$ref": "#/$defs/none"}', /cannot be used: .*#\/\$defs\/none/],
    ['a reference to elsewhere', '{"$ref": "https://example.com/s.json"}', /cannot be used: .*example\.com/],
    [
      'of an unknown draft',
      '{"$schema": "http://json-schema.org/draft-04/schema#"}',
      /draft-04.*2020-12.*draft-07/,
    ],
    ['of no draft at all', '{"$schema": 7}', /has \$schema 7/],
    ['with a pattern that is none', '{"type": "string", "pattern": "("}', /pattern|regular expression/i],
    ['asynchronous', '{"$async": true}', /\$async/],
    ['too long', `{"description": "${'x'.repeat(300_000)}"}`, /longer than 200000/],
  ])('is told: %s', (_, text, words) => {
    expect(problemsOf(text)).toMatch(words);
  });
});

describe('a schema', () => {
  it('tells every error of a value with its place and what is allowed', () => {
    expect(usable(LABEL).check({ label: 'bugg', score: -1, more: 1 })).toEqual([
      'the value must NOT have additional properties: "more".',
      '/label must be equal to one of the allowed values: ["bug","feature"].',
      '/score must be >= 0.',
    ]);
    expect(usable(LABEL).check({ label: 'bug' })).toEqual([]);
  });

  it.each(['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema'])(
    'may be of draft-07: %s',
    ($schema) => {
      const { check } = usable({ $schema, items: [{ type: 'string' }], definitions: { a: {} } });
      expect(check(['a', 1])).toEqual([]);
      expect(check([1])).toHaveLength(1);
    },
  );

  it('may be of draft 2020-12, which is also what is meant where it says nothing', () => {
    const pair = { prefixItems: [{ type: 'string' }], unevaluatedItems: false };
    const $schema = 'https://json-schema.org/draft/2020-12/schema';
    for (const schema of [pair, { $schema, ...pair }]) {
      expect(usable(schema).check(['a'])).toEqual([]);
      expect(usable(schema).check(['a', 1])).toHaveLength(1);
    }
  });

  it('may have keywords and formats nobody knows, and patterns as people write them', () => {
    const { check } = usable({
      type: 'string',
      format: 'licence-plate',
      'x-note': 'ours',
      pattern: '^[\\w\\-]+$',
    });
    expect(check('a-b')).toEqual([]);
    expect(check('a b')).toHaveLength(1);
    expect(usable({ format: 'date' }).check('2026-02-30')).toHaveLength(1);
  });

  it('does not find in a value what every object has', () => {
    expect(usable({ required: ['constructor', 'toString'] }).check({})).toHaveLength(2);
    expect(usable({ required: ['__proto__'] }).check(JSON.parse('{"__proto__": 1}'))).toEqual([]);
  });

  it('ends with a pattern that would search for ever', () => {
    const { check } = usable({ type: 'string', pattern: '^(a+)+$' });
    expect(check(`${'a'.repeat(40)}!`).join()).toMatch(/could not be checked/);
    expect(check('aa')).toEqual([]);
  }, 30_000);

  it('tells some errors of a value that is wrong all over', () => {
    const many = Array.from({ length: 1000 }, () => 'x');
    const told = usable({ items: { type: 'number' } }).check(many);
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('… and 980 more');
    const tooMany = Array.from({ length: 200_000 }, () => 'x');
    expect(usable({ items: { type: 'number' } }).check(tooMany)).toEqual(['/0 must be number.']);
  });
});

describe('the example of a schema', () => {
  it.each([
    ['types', LABEL, { label: 'bug', score: 1 }],
    [
      'definitions',
      { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { type: 'integer', minimum: 5 } } } },
      [5],
    ],
    [
      'combinations',
      { allOf: [{ properties: { a: { const: 1 } } }, { properties: { b: { type: 'null' } } }] },
      { a: 1, b: null },
    ],
    ['choices', { anyOf: [{ type: 'boolean' }, { type: 'string' }] }, true],
    [
      'formats',
      { properties: { at: { type: 'string', format: 'date-time' } } },
      { at: '2026-01-31T12:00:00Z' },
    ],
    ['lengths', { type: 'string', minLength: 6, maxLength: 8 }, 'texttt'],
    ['examples', { type: 'string', pattern: '^v', examples: ['v1'] }, 'v1'],
    [
      'tuples',
      { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
      ['text', 1],
    ],
  ])('follows %s', (_, schema, example) => {
    expect(usable(schema)).toMatchObject({ example, exampleIsValid: true });
  });

  it('comes to an end for a schema that refers to itself, twice', () => {
    const tree = {
      $id: 'https://example.com/tree',
      properties: { value: { type: 'string' }, left: { $ref: '#' }, right: { $ref: '#' } },
      required: ['value'],
    };
    const { example, exampleIsValid } = usable(tree);
    expect(exampleIsValid).toBe(true);
    expect(JSON.stringify(example).length).toBeLessThan(10_000);
    expect(usable({ $ref: '#' }).example).toBeDefined();
  });

  it('comes to an end for one that must satisfy itself in many ways', () => {
    const many = { allOf: Array.from({ length: 60 }, () => ({ $ref: '#' })), type: 'object' };
    expect(exampleOf(many)).toEqual({});
  });

  it('says so when it does not satisfy the schema', () => {
    expect(usable({ type: 'string', pattern: '^v\\d+$' }).exampleIsValid).toBe(false);
  });

  it('never fails, whatever the schema', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom(
            'type',
            'items',
            '$ref',
            'enum',
            'properties',
            'allOf',
            'minItems',
            'prefixItems',
            'required',
            'const',
          ),
          fc.jsonValue({ maxDepth: 3 }),
        ),
        (schema) => {
          const compiled = compileSchema(schema);
          expect('problems' in compiled ? compiled.problems.length : 1).toBeGreaterThan(0);
        },
      ),
      { numRuns: 30 },
    );
  });
});
