import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom. Each row: a folder (or file) of src, and what it must not import. The straight line
 * in src/run-agent.ts is the only place that knows every part; the parts know as little as they can.
 */
const actionsPackages = {
  group: ['@actions/*'],
  message: 'Only entries, run-agent, inputs, outputs, publish and the IO files talk to the runner.',
};
const streamAndReport = {
  group: ['**/stream/**', '**/report/**'],
  message: 'agent/ starts the CLI; it does not read its stream.',
};
const boundaries = [
  {
    files: ['src/stream/**'],
    forbid: [
      {
        regex: '^(?!zod$|node:|\\./|\\.\\./events\\.js$|\\.\\./(record|tool-words)\\.js$)',
        message: 'stream/ knows zod, Node and itself.',
      },
    ],
  },
  {
    files: ['src/report/**'],
    forbid: [
      actionsPackages,
      {
        group: ['**/agent/**', '**/answer/**', '**/workspace/**', '**/context/**', '**/publish/**'],
        message: 'report/ knows events.',
      },
      {
        regex: '/stream/(?!events\\.js$)',
        message: 'report/ knows the event types of stream/, not how they were read.',
      },
    ],
  },
  { files: ['src/agent/**'], ignores: ['src/agent/install/**'], forbid: [actionsPackages, streamAndReport] },
  { files: ['src/agent/install/**'], forbid: [streamAndReport] },
  {
    files: ['src/git/**'],
    forbid: [{ regex: '^(?!\\./|node:)', message: 'git/ knows Node and itself.' }],
  },
  {
    files: ['src/workspace/**'],
    forbid: [
      actionsPackages,
      {
        group: ['**/stream/**', '**/report/**', '**/context/**', '**/publish/**'],
        message: 'workspace/ knows files, git, the policy and the isolation.',
      },
    ],
  },
  {
    files: ['src/answer/**'],
    forbid: [
      actionsPackages,
      {
        group: ['**/agent/**', '**/stream/**', '**/workspace/**', '**/context/**', '**/publish/**'],
        message: 'answer/ knows what was asked for, what was said and the checkout.',
      },
    ],
  },
  {
    files: ['src/diff/**'],
    forbid: [{ regex: '^(?!\\./|node:)', message: 'diff/ knows nothing but text.' }],
  },
  {
    files: ['src/trust/**'],
    forbid: [
      {
        group: ['**/stream/**', '**/report/**', '**/workspace/**', '**/publish/**'],
        message: 'trust/ knows the event, GitHub’s API and the policy.',
      },
    ],
  },
  {
    files: ['src/context/**'],
    forbid: [
      actionsPackages,
      {
        group: ['**/stream/**', '**/publish/**', '**/trust/**'],
        message: 'context/ knows the event, git, GitHub’s API and diffs.',
      },
    ],
  },
  {
    files: ['src/github/**'],
    forbid: [
      {
        group: [
          '**/stream/**',
          '**/report/**',
          '**/workspace/**',
          '**/context/**',
          '**/publish/**',
          '**/trust/**',
        ],
        message: 'github/ asks, and knows nothing of what the answers are for.',
      },
    ],
  },
  {
    files: ['src/plan/**'],
    forbid: [
      actionsPackages,
      {
        group: [
          '**/agent/**',
          '**/workspace/**',
          '**/stream/**',
          '**/report/**',
          '**/publish/**',
          '**/trust/**',
        ],
        message: 'plan/ knows the event, its commits and file names.',
      },
      {
        regex: '/context/(?!(subject|git-change)\\.js$)',
        message: 'plan/ knows of context/ what an event is about and how its change is had.',
      },
    ],
  },
  {
    files: ['src/publish/**'],
    forbid: [
      {
        group: ['**/agent/**', '**/stream/**', '**/workspace/**'],
        message: 'publish/ knows only report types.',
      },
    ],
  },
];

export default tseslint.config(
  { ignores: ['dist/', 'build/', 'coverage/', 'preview/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.test.json' } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // There are no classes here whose methods could lose their `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_' }],
      'max-params': ['error', 3],
      'max-lines-per-function': ['error', { max: 65, skipComments: true, skipBlankLines: true }],
    },
  },
  ...boundaries.map(({ files, ignores, forbid }) => ({
    files,
    ...(ignores ? { ignores } : {}),
    rules: { 'no-restricted-imports': ['error', { patterns: forbid }] },
  })),
  {
    files: ['__tests__/**'],
    rules: {
      'max-lines-per-function': 'off',
      'max-params': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // What runs in the reader's browser.
    files: ['src/report/page/**'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'document',
          'window',
          'Element',
          'HTMLElement',
          'HTMLInputElement',
          'HTMLScriptElement',
          'HTMLCanvasElement',
          'ResizeObserver',
          'requestAnimationFrame',
          'getComputedStyle',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', 'fixtures/**/cursor-agent'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
      },
    },
  },
);
