import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom: each folder of src, and the folders it may import besides itself. There are no cycles. The
 * straight line in src/run/run-agent.ts joins the parts; the parts know as little as they can. A test fails if an
 * import listed here is not used.
 */
export const MAY_IMPORT = {
  text: [],
  stream: [],
  core: ['text'],
  git: ['core', 'text'],
  github: ['core', 'text'],
  permissions: ['text'],
  agent: ['core', 'permissions', 'text'],
  install: ['core', 'github'],
  network: ['core'],
  isolation: ['agent', 'core', 'git', 'network'],
  workspace: ['agent', 'core', 'git', 'isolation', 'permissions', 'text'],
  report: ['core', 'git', 'permissions', 'stream', 'text'],
  review: ['core', 'git', 'github', 'report', 'text'],
  trust: ['core', 'git', 'github', 'permissions'],
  context: ['core', 'git', 'github', 'permissions', 'report', 'review', 'text'],
  plan: ['context', 'core', 'git', 'github', 'text'],
  publish: ['core', 'git', 'github', 'report', 'review', 'text'],
  propose: ['core', 'git', 'github', 'permissions', 'report', 'text'],
  run: [
    'agent',
    'context',
    'core',
    'git',
    'github',
    'install',
    'isolation',
    'network',
    'permissions',
    'report',
    'review',
    'stream',
    'text',
    'trust',
    'workspace',
  ],
  doctor: ['agent', 'core', 'github', 'isolation', 'permissions', 'report', 'run', 'text', 'trust'],
  try: ['core', 'text'],
  entries: ['core', 'doctor', 'permissions', 'plan', 'propose', 'publish', 'run', 'try'],
};

/** The folders that talk to the runner or to GitHub. All others get what they need as arguments. */
const MAY_USE_ACTIONS_PACKAGES = ['core', 'git', 'github', 'install', 'plan', 'publish', 'run', 'trust'];

const boundaries = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  files: [`src/${folder}/**`],
  forbid: [
    {
      regex: `^(?:\\.\\./)+(?!\\.|(?:${[folder, ...allowed].join('|')})/)[^/]+/`,
      message: `${folder}/ may import only: ${allowed.join(', ') || 'nothing but itself'}. See MAY_IMPORT.`,
    },
    ...(MAY_USE_ACTIONS_PACKAGES.includes(folder)
      ? []
      : [{ group: ['@actions/*'], message: `${folder}/ does not talk to the runner or to GitHub.` }]),
  ],
}));

export default tseslint.config(
  { ignores: ['dist/', 'build/', 'coverage/', 'preview/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json' } },
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
  ...boundaries.map(({ files, forbid }) => ({
    files,
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
