/**
 * Who may import whom: each folder of src, and the folders it may import besides itself. There are no cycles. The
 * straight line in src/run/run-agent.ts joins the parts; the parts know as little as they can. A test fails if an
 * import listed here is not used.
 */
export const MAY_IMPORT = {
  text: [],
  stream: ['text'],
  core: ['text'],
  git: ['core', 'text'],
  github: ['core', 'text'],
  permissions: ['core', 'git', 'text'],
  sandbox: ['core', 'git', 'permissions', 'text'],
  agent: ['core', 'permissions', 'text'],
  install: ['core'],
  report: ['core', 'git', 'permissions', 'stream', 'text'],
  review: ['core', 'git', 'github', 'report', 'text'],
  trust: ['core', 'git', 'github', 'permissions', 'text'],
  context: ['core', 'git', 'github', 'permissions', 'report', 'review', 'text'],
  documents: ['core', 'git', 'report', 'review', 'text'],
  plan: ['context', 'core', 'git', 'github', 'text'],
  publish: ['core', 'git', 'github', 'report', 'review', 'text'],
  propose: ['core', 'git', 'github', 'permissions', 'report', 'text'],
  run: [
    'agent',
    'context',
    'core',
    'documents',
    'git',
    'github',
    'install',
    'permissions',
    'plan',
    'report',
    'review',
    'sandbox',
    'stream',
    'text',
    'trust',
  ],
  doctor: ['agent', 'core', 'git', 'github', 'permissions', 'report', 'run', 'sandbox', 'text', 'trust'],
  try: ['core', 'git', 'text'],
  entries: ['core', 'doctor', 'permissions', 'plan', 'propose', 'publish', 'run', 'try'],
};

/** The folders that talk to the runner or to GitHub. All others get what they need as arguments. */
const MAY_USE_ACTIONS_PACKAGES = ['core', 'git', 'github', 'install', 'plan', 'publish', 'run', 'trust'];

/** The only file that starts programs. */
const STARTS_PROGRAMS = 'src/core/programs.ts';
const bareStarts = {
  regex: '^(?:(?:node:)?(?:child_process|cluster)|@actions/(?:exec|io|tool-cache))(?:/|$)',
  message: `Programs are started by ${STARTS_PROGRAMS}: by their full path and without our environment.`,
};

/** The only file of the sandbox that other folders, their tests and benchmarks import. */
const DOOR = 'src/sandbox/index.ts';
const behindDoor = (folder) => ({
  group: [`**/${folder}/**`, `!**/${folder}/index.js`],
  message: `What is behind ${DOOR} belongs to the sandbox and its own tests.`,
});

const boundaries = Object.entries(MAY_IMPORT).flatMap(([folder, allowed]) => {
  const others = Object.keys(MAY_IMPORT).filter((other) => other !== folder && !allowed.includes(other));
  const patterns = [
    {
      regex: `^(?:\\.\\./)+(?:${others.join('|')})/`,
      message: `${folder}/ may import only: ${allowed.join(', ') || 'nothing but itself'}. See MAY_IMPORT.`,
    },
    ...(folder === 'sandbox' ? [] : [behindDoor('sandbox')]),
    ...(MAY_USE_ACTIONS_PACKAGES.includes(folder)
      ? []
      : [{ regex: '^@actions/', message: `${folder}/ does not talk to the runner or to GitHub.` }]),
  ];
  const restrict = (...all) => ({ 'no-restricted-imports': ['error', { patterns: all }] });
  const files = { files: [`src/${folder}/**`], rules: restrict(...patterns, bareStarts) };
  return folder === 'core' ? [files, { files: [STARTS_PROGRAMS], rules: restrict(...patterns) }] : [files];
});

const errors = (...names) => Object.fromEntries(names.map((name) => [name, 'error']));
const readonly = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

export default {
  plugins: ['typescript'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist/', 'build/', 'coverage/', 'preview/'],
  // What is wrong or useless in any project. The rest is listed: what ESLint recommends and the strict set of
  // typescript-eslint, and then what we want besides.
  categories: { correctness: 'error' },
  rules: {
    ...errors(
      'no-case-declarations',
      'no-empty',
      'no-fallthrough',
      'no-prototype-builtins',
      'no-regex-spaces',
      'no-unexpected-multiline',
      'no-useless-assignment',
      'preserve-caught-error',
    ),
    'no-irregular-whitespace': ['error', { skipRegExps: false, skipTemplates: false }],
    // By default a name that begins with _ may stay unused. This pattern fits no name.
    'no-unused-vars': ['error', { varsIgnorePattern: '^$' }],
    // It also forbids to sort texts that may be undefined.
    'typescript/require-array-sort-compare': 'off',
    // There are no classes here whose methods could lose their `this`.
    'typescript/unbound-method': 'off',
  },
  overrides: [
    {
      files: ['**/*.ts'],
      rules: {
        ...errors(
          'no-array-constructor',
          'no-useless-constructor',
          'no-var',
          'prefer-const',
          'prefer-rest-params',
          'prefer-spread',
          'typescript/no-confusing-void-expression',
          'typescript/no-deprecated',
          'typescript/no-dynamic-delete',
          'typescript/no-empty-object-type',
          'typescript/no-explicit-any',
          'typescript/no-extraneous-class',
          'typescript/no-generated-empty-object-type',
          'typescript/no-invalid-void-type',
          'typescript/no-misused-promises',
          'typescript/no-mixed-enums',
          'typescript/no-namespace',
          'typescript/no-non-null-asserted-nullish-coalescing',
          'typescript/no-non-null-assertion',
          'typescript/no-require-imports',
          'typescript/no-unnecessary-boolean-literal-compare',
          'typescript/no-unnecessary-condition',
          'typescript/no-unnecessary-template-expression',
          'typescript/no-unnecessary-type-arguments',
          'typescript/no-unnecessary-type-assertion',
          'typescript/no-unnecessary-type-constraint',
          'typescript/no-unnecessary-type-conversion',
          'typescript/no-unnecessary-type-parameters',
          'typescript/no-unsafe-argument',
          'typescript/no-unsafe-assignment',
          'typescript/no-unsafe-call',
          'typescript/no-unsafe-enum-comparison',
          'typescript/no-unsafe-function-type',
          'typescript/no-unsafe-member-access',
          'typescript/no-unsafe-return',
          'typescript/only-throw-error',
          'typescript/prefer-literal-enum-member',
          'typescript/prefer-promise-reject-errors',
          'typescript/prefer-reduce-type-parameter',
          'typescript/prefer-return-this-type',
          'typescript/related-getter-setter-pairs',
          'typescript/require-await',
          'typescript/unified-signatures',
          'typescript/use-unknown-in-catch-callback-variable',
        ),
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        'typescript/consistent-type-imports': 'error',
        'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
        'no-unused-vars': ['error', { varsIgnorePattern: '^_' }],
        'max-params': ['error', 3],
        'max-lines-per-function': ['error', { max: 65, skipComments: true, skipBlankLines: true }],
      },
    },
    ...boundaries,
    {
      files: ['__tests__/**', 'bench/**', 'scripts/**'],
      rules: { 'no-restricted-imports': ['error', { patterns: [behindDoor('src/sandbox')] }] },
    },
    {
      // The benchmark of the network needs its proxy without a sandbox around it.
      files: ['__tests__/sandbox/**', 'bench/network.ts'],
      rules: { 'no-restricted-imports': 'off' },
    },
    {
      files: ['__tests__/**'],
      rules: {
        'max-lines-per-function': 'off',
        'max-params': 'off',
        'typescript/no-non-null-assertion': 'off',
      },
    },
    {
      files: ['**/*.js', '**/*.mjs'],
      rules: errors('no-redeclare', 'no-undef'),
      globals: readonly('process', 'console', 'Buffer', 'setTimeout', 'URL', 'fetch'),
    },
    {
      // What runs in the reader's browser. tsconfig.page.json checks its types, and knows what a browser has.
      files: ['src/report/page/**'],
      rules: { 'typescript/no-redundant-type-constituents': 'off' },
      globals: readonly(
        'document',
        'window',
        'Element',
        'HTMLElement',
        'HTMLInputElement',
        'HTMLScriptElement',
        'SVGElement',
        'ResizeObserver',
        'requestAnimationFrame',
        'getComputedStyle',
      ),
    },
  ],
};
