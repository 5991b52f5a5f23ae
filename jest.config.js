/** Tests that run bundles in dist/ as the runner does. */
const SCENARIOS = ['scenarios/', 'recipes/'];
/** Tests with real processes, mounts, git repositories or a browser, and long property tests. */
const SLOW = [
  'isolation/',
  'workspace/',
  'agent/process',
  'context/gather',
  'context/git-change',
  'git/git-',
  'install/install',
  'propose/poisoned-patch',
  'report/answer-markdown',
  'report/html-browser',
  'report/rendered-secrets',
  'report/summary',
  'project',
];

const startingWith = (paths) => `/__tests__/(${paths.join('|')}).*\\.test\\.ts$`;
const project = (displayName, tests) => ({
  displayName,
  ...tests,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/scripts/seeded-fast-check.mjs',
    '^@actions/core/(.*)$': '<rootDir>/node_modules/@actions/core/lib/$1',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
  },
});

/** @type {import('jest').Config} */
export default {
  projects: [
    project('unit', {
      testRegex: startingWith(['']),
      testPathIgnorePatterns: [startingWith([...SLOW, ...SCENARIOS])],
    }),
    project('slow', { testRegex: startingWith(SLOW) }),
    project('scenarios', { testRegex: startingWith(SCENARIOS) }),
  ],
  testSequencer: '<rootDir>/scripts/slow-first.mjs',
  // On two cores the default is one worker.
  maxWorkers: '100%',
  // Tests that start real processes take long on a busy machine. No test asserts on a clock.
  testTimeout: 60_000,
};
