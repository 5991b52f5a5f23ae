export const id = 958;
export const ids = [958];
export const modules = {

/***/ 2958:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  expectAnswer: () => (/* binding */ expectAnswer)
});

// EXTERNAL MODULE: ./node_modules/zod/v4/mini/schemas.js + 2 modules
var schemas = __webpack_require__(5395);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/api.js
var api = __webpack_require__(3759);
// EXTERNAL MODULE: ./node_modules/zod/v4/core/json-schema-processors.js + 1 modules
var json_schema_processors = __webpack_require__(1939);
// EXTERNAL MODULE: ./src/report/findings.ts
var findings = __webpack_require__(9334);
;// CONCATENATED MODULE: ./src/report/findings-schema.ts



const line = (words) => schemas/* number */.aig().check(api/* _multipleOf */.Hi(1), api/* _gte */.qm(1), api/* _lte */.Zm(findings/* MOST_LINE */.Jc), schemas/* describe */.q0y(words));
const words = (description) => schemas/* string */.YjP().check(api/* _minLength */.m9(1), schemas/* describe */.q0y(description));
/** One finding as the agent must answer it. What of it is forgiven is in answer/forgive-findings.ts. */
const FindingSchema = schemas/* strictObject */.rej({
    path: words('The file, from the root of the repository, with forward slashes.').check(api/* _maxLength */.Eb(findings/* MOST_PATH */.iS)),
    startLine: line('The first line it is about, counted from 1, in the file as it is now.'),
    endLine: line('The last line it is about; the same as startLine for a single line.'),
    severity: schemas/* enum */.k5n(findings/* SEVERITIES */.oC)
        .check(schemas/* describe */.q0y('critical: must not be merged; high: a bug that users will meet; medium: a bug in rare cases; low: worth changing; info: worth knowing.')),
    title: words('What is wrong, in one short sentence.'),
    body: schemas/* string */.YjP().check(schemas/* describe */.q0y('Why it is wrong and how to see it, as Markdown.')),
    suggestion: schemas/* optional */.lqM(schemas/* string */.YjP()
        .check(schemas/* describe */.q0y('What the lines from startLine to endLine should read instead, whole lines with their indentation; empty to delete them. Leave it out where no exact replacement is known.'))),
});
/** A review as the agent must answer it: what `output-schema: findings` asks for. */
const FindingsSchema = schemas/* strictObject */.rej({
    summary: schemas/* string */.YjP().check(schemas/* describe */.q0y('The review in a few sentences, as Markdown.')),
    findings: schemas/* array */.YOg(FindingSchema)
        .check(api/* _maxLength */.Eb(findings/* MOST_FINDINGS */.V8), schemas/* describe */.q0y('Each separate problem once, the worst first; empty if there is none.')),
});
/** The same as JSON Schema: for the prompt, for validating the answer, and for readers in any language. */
function findingsJsonSchema() {
    const { $schema, ...rest } = (0,json_schema_processors/* toJSONSchema */.bl)(FindingsSchema, {
        target: 'draft-2020-12',
        override: ({ jsonSchema }) => {
            // A whole number is called so where there is a word for it.
            if (jsonSchema.multipleOf === 1) {
                jsonSchema.type = 'integer';
                delete jsonSchema.multipleOf;
            }
        },
    });
    return { $schema, title: 'Findings of a review', ...rest };
}
/** What an answer looks like, for the prompt and the documentation. */
const FINDINGS_EXAMPLE = {
    summary: 'One bug in how the cache is read; the rest of the change looks right.',
    findings: [
        {
            path: 'src/cache.ts',
            startLine: 41,
            endLine: 42,
            severity: 'high',
            title: 'An expired entry is returned once more',
            body: 'The age is compared after the entry was handed out, so the first read after its end still gets it.',
            suggestion: '  const entry = entries.get(key);\n  if (!entry || entry.expires <= now) return undefined;',
        },
    ],
};

// EXTERNAL MODULE: ./node_modules/ajv/dist/ajv.js
var ajv = __webpack_require__(2463);
// EXTERNAL MODULE: ./node_modules/ajv/dist/2020.js
var _2020 = __webpack_require__(2210);
// EXTERNAL MODULE: ./node_modules/ajv-formats/dist/index.js
var dist = __webpack_require__(2815);
var dist_default = /*#__PURE__*/__webpack_require__.n(dist);
// EXTERNAL MODULE: external "node:vm"
var external_node_vm_ = __webpack_require__(714);
// EXTERNAL MODULE: ./src/error-message.ts
var error_message = __webpack_require__(6587);
// EXTERNAL MODULE: ./src/report/plain-text.ts
var plain_text = __webpack_require__(6676);
;// CONCATENATED MODULE: ./src/answer/example-value.ts
/**
 * A value that shows the form a JSON Schema asks for. Small and bounded, not clever: what a schema forbids in other
 * ways than by shape (patterns, multiples, `not`) it does not see, so whoever uses it checks it first.
 */
function exampleOf(schema) {
    return build(schema, { root: schema, depth: 0, left: { values: MOST_VALUES, parts: MOST_PARTS } });
}
const MOST_VALUES = 200;
/** Schemas that are looked into to find out what a value must be. */
const MOST_PARTS = 10_000;
const MOST_DEPTH = 12;
const MOST_PROPERTIES = 30;
const MOST_ITEMS = 3;
const MOST_CHARACTERS = 200;
function build(given, walk) {
    walk.left.values -= 1;
    const schema = resolve(given, walk);
    if (walk.left.values < 0 || walk.depth > MOST_DEPTH)
        return null;
    const inner = { ...walk, depth: walk.depth + 1 };
    if ('const' in schema)
        return schema['const'];
    for (const list of [schema['examples'], schema['enum']]) {
        if (Array.isArray(list) && list.length > 0)
            return list[0];
    }
    if ('default' in schema)
        return schema['default'];
    switch (typeOf(schema)) {
        case 'object':
            return buildObject(schema, inner);
        case 'array':
            return buildArray(schema, inner);
        case 'integer':
        case 'number':
            return buildNumber(schema);
        case 'boolean':
            return true;
        case 'null':
            return null;
        default:
            return buildString(schema);
    }
}
/** The schema with what it refers to, what it must satisfy besides, and the first of what it may be. */
function resolve(given, walk, hops = 0) {
    walk.left.parts -= 1;
    if (!isSchema(given) || hops > MOST_DEPTH || walk.left.parts < 0)
        return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = given;
    const parts = [
        ...(typeof $ref === 'string' ? [target($ref, walk.root)] : []),
        ...(Array.isArray(allOf) ? allOf : []),
        ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [list[0]] : [])),
    ].map((part) => resolve(part, walk, hops + 1));
    return parts.reduce(merge, own);
}
function merge(one, other) {
    const [properties, required] = [
        { ...asSchema(other['properties']), ...asSchema(one['properties']) },
        [...asList(one['required']), ...asList(other['required'])],
    ];
    return {
        ...other,
        ...one,
        ...(Object.keys(properties).length > 0 ? { properties } : {}),
        ...(required.length > 0 ? { required } : {}),
    };
}
/** `#/$defs/name` in the schema itself; nothing is looked for elsewhere. */
function target(reference, root) {
    if (reference === '#')
        return root;
    if (!reference.startsWith('#/'))
        return findNamed(root, reference);
    return reference
        .slice(2)
        .split('/')
        .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce((at, part) => (isSchema(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
}
/** `#name` is what a definition calls itself. */
function findNamed(root, reference) {
    if (!isSchema(root))
        return undefined;
    const all = [root['$defs'], root['definitions']].flatMap((defs) => Object.values(asSchema(defs)));
    return all.find((definition) => isSchema(definition) &&
        (definition['$id'] === reference || `#${String(definition['$anchor'])}` === reference));
}
function decode(part) {
    try {
        return decodeURIComponent(part);
    }
    catch {
        return part;
    }
}
function typeOf(schema) {
    const { type } = schema;
    if (typeof type === 'string')
        return type;
    if (Array.isArray(type) && typeof type[0] === 'string')
        return type[0];
    if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema)
        return 'object';
    if ('items' in schema || 'prefixItems' in schema)
        return 'array';
    if ('minimum' in schema || 'maximum' in schema || 'multipleOf' in schema)
        return 'number';
    return 'string';
}
function buildObject(schema, walk) {
    const properties = asSchema(schema['properties']);
    const required = asList(schema['required']).filter((name) => typeof name === 'string');
    // Far down only what must be there, so that what refers to itself comes to an end.
    const optional = walk.depth > MOST_DEPTH / 2 ? [] : Object.keys(properties);
    const names = [...new Set([...required, ...optional])].slice(0, Math.max(MOST_PROPERTIES, required.length));
    return Object.fromEntries(names.map((name) => [name, build(Object.hasOwn(properties, name) ? properties[name] : {}, walk)]));
}
function buildArray(schema, walk) {
    const { prefixItems, items } = schema;
    const prefix = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
    const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
    const hasRest = !Array.isArray(items) && items !== false && most > prefix.length;
    const isDeep = walk.depth > MOST_DEPTH / 2;
    const wanted = Math.max(least - prefix.length, hasRest && !isDeep ? 1 : 0);
    const rest = Array.from({ length: Math.min(wanted, MOST_ITEMS) }, () => build(items, walk));
    return [...prefix.slice(0, 2 * MOST_ITEMS).map((item) => build(item, walk)), ...rest];
}
function buildNumber(schema) {
    const bound = (name) => (typeof schema[name] === 'number' ? schema[name] : undefined);
    const step = bound('multipleOf') ?? 1;
    const least = bound('minimum') ?? (bound('exclusiveMinimum') ?? -Infinity) + step;
    const most = bound('maximum') ?? (bound('exclusiveMaximum') ?? Infinity) - step;
    const value = Math.min(Math.max(step, least), most);
    return Number.isFinite(value) ? value : 1;
}
const FORMATS = {
    date: '2026-01-31',
    'date-time': '2026-01-31T12:00:00Z',
    time: '12:00:00Z',
    duration: 'PT1H',
    email: 'name@example.com',
    hostname: 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uri: 'https://example.com/path',
    'uri-reference': '/path',
    uuid: '123e4567-e89b-12d3-a456-426614174000',
};
function buildString(schema) {
    const { format, minLength, maxLength } = schema;
    if (typeof format === 'string' && Object.hasOwn(FORMATS, format))
        return FORMATS[format] ?? '';
    const least = typeof minLength === 'number' ? minLength : 0;
    const most = typeof maxLength === 'number' ? maxLength : MOST_CHARACTERS;
    return 'text'.padEnd(Math.min(least, MOST_CHARACTERS), 't').slice(0, most);
}
const isSchema = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const asSchema = (value) => (isSchema(value) ? value : {});
const asList = (value) => (Array.isArray(value) ? value : []);

;// CONCATENATED MODULE: ./src/answer/compile-schema.ts







/** The prompt carries the schema, and a person wrote it. */
const MOST_SCHEMA_CHARACTERS = 200_000;
/** Every error of an answer is looked for only up to this size: beyond, a list of wrong items would fill the memory. */
const MOST_EXPLAINED = 500_000;
const MOST_PROBLEMS = 20;
const PROBLEM_CHARACTERS = 300;
/** A pattern of the schema can be slow out of all proportion on a text that was made for it. */
const CHECK_MS = 3000;
const LATER_CHECK_MS = 100;
/** JSON text → what an answer is held against, or what is wrong with the schema itself. */
function compileSchemaText(text) {
    if (text.length > MOST_SCHEMA_CHARACTERS) {
        return {
            problems: [`is longer than ${MOST_SCHEMA_CHARACTERS} characters; describe the answer in less.`],
        };
    }
    try {
        return compileSchema(JSON.parse(text));
    }
    catch (error) {
        return { problems: [`is not JSON: ${(0,error_message/* messageOf */.b)(error)}.`] };
    }
}
function compileSchema(schema, example) {
    if (!isObject(schema))
        return { problems: ['is not a JSON Schema: it must be a JSON object.'] };
    const Validator = validatorFor(schema['$schema']);
    if (!Validator) {
        const given = (0,plain_text/* truncate */.xv)(JSON.stringify(schema['$schema']), 100);
        return { problems: [`has $schema ${given}; use ${DRAFTS.map(({ uri }) => uri).join(' or ')}.`] };
    }
    if ('$async' in schema)
        return { problems: ['has $async, which is not part of JSON Schema.'] };
    try {
        const first = makeValidator(Validator, false);
        // A promise where nothing is awaited: the metaschemas of both drafts are synchronous.
        if (first.validateSchema(schema) !== true)
            return { problems: wordsOf(first.errors, 'is not valid: ') };
        const isValid = first.compile(schema);
        const explain = makeValidator(Validator, true).compile(schema);
        const check = checker(isValid, explain);
        const shown = example ?? exampleOf(schema);
        return { schema, example: shown, exampleIsValid: check(shown).length === 0, check };
    }
    catch (error) {
        return { problems: [`cannot be used: ${(0,plain_text/* truncate */.xv)((0,error_message/* messageOf */.b)(error), PROBLEM_CHARACTERS)}.`] };
    }
}
const DRAFTS = [
    { uri: 'https://json-schema.org/draft/2020-12/schema', Validator: _2020.Ajv2020 },
    { uri: 'http://json-schema.org/draft-07/schema#', Validator: ajv.Ajv },
];
function validatorFor(declared) {
    if (declared === undefined)
        return _2020.Ajv2020;
    if (typeof declared !== 'string')
        return undefined;
    const plain = (uri) => uri.replace(/^https?:/, '').replace(/#$/, '');
    return DRAFTS.find(({ uri }) => plain(uri) === plain(declared))?.Validator;
}
function makeValidator(Validator, allErrors) {
    const options = {
        allErrors,
        // Keywords nobody knows are annotations. Nothing is loaded: a reference that leads elsewhere is an error.
        strict: false,
        logger: false,
        // An answer without "constructor" must not be taken for one that has it.
        ownProperties: true,
        code: { regExp: Object.assign(tolerantRegExp, { code: 'new RegExp' }) },
    };
    const validator = new Validator(options);
    dist_default()["default"](validator);
    return validator;
}
/** Patterns such as `[\w\-]` are common, and are none in the mode that knows all of Unicode. */
function tolerantRegExp(pattern, flags) {
    try {
        return new RegExp(pattern, flags);
    }
    catch {
        return new RegExp(pattern, flags.replace('u', ''));
    }
}
function checker(isValid, explain) {
    let patience = CHECK_MS;
    return (value) => {
        const first = runInTime(isValid, value, patience);
        if (first.kind === 'ended-early') {
            // An answer may hold many values that were made to be slow.
            patience = LATER_CHECK_MS;
            return [`the value could not be checked against the schema: ${first.why}.`];
        }
        if (first.isValid)
            return [];
        if (JSON.stringify(value).length > MOST_EXPLAINED)
            return wordsOf(isValid.errors);
        const all = runInTime(explain, value, patience);
        return wordsOf(all.kind === 'ended' ? explain.errors : isValid.errors);
    };
}
/** A context of its own has a time limit that even a pattern in the middle of its search obeys. */
function runInTime(validate, value, timeout) {
    try {
        const check = () => validate(value);
        return { kind: 'ended', isValid: (0,external_node_vm_.runInNewContext)('check()', { check }, { timeout }) === true };
    }
    catch (error) {
        return { kind: 'ended-early', why: (0,error_message/* messageOf */.b)(error) };
    }
}
/** The errors by the place they are at, each told once. */
function wordsOf(errors, before = '') {
    const all = [...new Set((errors ?? []).map((error) => `${before}${wordOf(error)}.`))];
    const shown = all.slice(0, MOST_PROBLEMS);
    const left = all.length - shown.length;
    return left > 0 ? [...shown, `… and ${left} more`] : shown;
}
function wordOf({ instancePath, message = 'is wrong', params, keyword }) {
    const place = instancePath === '' ? 'the value' : instancePath;
    return (0,plain_text/* truncate */.xv)(`${place} ${message}${DETAILS[keyword]?.(params) ?? ''}`, PROBLEM_CHARACTERS);
}
/** What ajv knows and does not say in its message. */
const DETAILS = {
    additionalProperties: ({ additionalProperty }) => `: ${JSON.stringify(additionalProperty)}`,
    unevaluatedProperties: ({ unevaluatedProperty }) => `: ${JSON.stringify(unevaluatedProperty)}`,
    enum: ({ allowedValues }) => `: ${JSON.stringify(allowedValues)}`,
    const: ({ allowedValue }) => `: ${JSON.stringify(allowedValue)}`,
};
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

;// CONCATENATED MODULE: ./src/answer/forgive-findings.ts


/**
 * What is forgiven in a review before it is validated, because what was meant is beyond doubt; docs/findings.md says
 * so too. `root` is the top of the checkout.
 */
function forgiveFindings(value, root) {
    if (!forgive_findings_isObject(value))
        return value;
    const { findings, ...rest } = known(value, Object.keys(FindingsSchema.shape));
    return {
        ...rest,
        ...(findings === undefined
            ? {}
            : {
                findings: Array.isArray(findings) ? findings.map((item) => forgiveFinding(item, root)) : findings,
            }),
    };
}
function forgiveFinding(value, root) {
    if (!forgive_findings_isObject(value))
        return value;
    const { path, severity, startLine, endLine, suggestion, ...rest } = known(value, Object.keys(FindingSchema.shape));
    const [start, end] = [asNumber(startLine), asNumber(endLine ?? startLine)];
    const isReversed = typeof start === 'number' && typeof end === 'number' && start > end;
    return {
        ...(path === undefined ? {} : { path: typeof path === 'string' ? forgivePath(path, root) : path }),
        ...(start === undefined ? {} : { startLine: isReversed ? end : start }),
        ...(end === undefined ? {} : { endLine: isReversed ? start : end }),
        ...(severity === undefined ? {} : { severity: forgiveSeverity(severity) }),
        ...rest,
        ...(suggestion === undefined || suggestion === null ? {} : { suggestion }),
    };
}
/** Fields nobody asked for are left out. */
const known = (value, names) => Object.fromEntries(names.flatMap((name) => (Object.hasOwn(value, name) ? [[name, value[name]]] : [])));
/** `./src\a.ts` and `/home/runner/work/r/r/src/a.ts` are both `src/a.ts`. */
function forgivePath(path, root) {
    const [slashed, top] = [path.trim().replaceAll('\\', '/'), root.replaceAll('\\', '/').replace(/\/+$/, '')];
    const inside = slashed.startsWith(`${top}/`) ? slashed.slice(top.length + 1) : slashed;
    return inside.replace(/^(?:\.\/+)+/, '').replace(/\/\/+/g, '/');
}
function forgiveSeverity(severity) {
    if (typeof severity !== 'string')
        return severity;
    const word = severity.trim().toLowerCase();
    return findings/* SEVERITIES */.oC.find((name) => name === word) ?? severity;
}
const asNumber = (value) => typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
const forgive_findings_isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

;// CONCATENATED MODULE: ./src/answer/expect-answer.ts



/**
 * What the answer must be, from the input `output-schema`, or what is wrong with that. Only a run that has this input
 * loads it: the validator is larger than most of the rest.
 */
function expectAnswer(source) {
    if (source.kind === 'text') {
        const compiled = compileSchemaText(source.text);
        return 'problems' in compiled ? compiled : { expectation: { kind: 'schema', ...compiled } };
    }
    const compiled = compileSchema(findingsJsonSchema(), FINDINGS_EXAMPLE);
    if ('problems' in compiled)
        return compiled;
    return { expectation: { kind: 'findings', ...compiled, forgive: forgiveFindings, read: readFindings } };
}
function readFindings(value) {
    const { summary, findings } = FindingsSchema.parse(value);
    return {
        summary,
        findings: findings.map(({ suggestion, ...finding }) => ({
            ...finding,
            ...(suggestion === undefined ? {} : { suggestion }),
        })),
    };
}


/***/ })

};
