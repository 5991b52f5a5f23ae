import { availableParallelism } from 'node:os';

// Node reads these certificates each time it starts, and the tests start thousands of processes. None of them leaves this
// machine; the tests of certificates set the variable themselves.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Tests that run bundles in dist/ as the runner does. */
const SCENARIOS = ['scenarios/', 'recipes/'];
/** Tests with real processes, mounts, git repositories or a browser, and long property tests. */
const SLOW = [
  'sandbox/layer/',
  'sandbox/namespace/',
  'sandbox/process',
  'sandbox/several-starts',
  'context/change-since',
  'context/gather',
  'context/git-change',
  'context/head-files',
  'context/trusted-files',
  'git/diff',
  'install/archive-caches',
  'install/install',
  'propose/poisoned-patch',
  'publish/follow-up',
  'publish/publish-review',
  'report/html-browser',
  'report/memory',
  'report/rendered-secrets',
  'report/safe-markdown',
  'report/summary',
];

/** Tests with the vendor's own executor, which `npm run test:vendor` installs. */
const VENDOR = ['vendor/'];

/** Long tests with real compilers, which `npm run test:nightly` runs. */
const NIGHTLY = ['nightly/'];

const startingWith = (paths) => `/__tests__/(${paths.join('|')}).*\\.test\\.ts$`;
const project = (displayName, tests) => ({
  displayName,
  ...tests,
  testEnvironment: '<rootDir>/scripts/test-environment.mjs',
  globalSetup: '<rootDir>/scripts/memory-disk.mjs',
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
      testPathIgnorePatterns: [startingWith([...SLOW, ...SCENARIOS, ...VENDOR, ...NIGHTLY])],
    }),
    project('slow', { testRegex: startingWith(SLOW) }),
    project('scenarios', { testRegex: startingWith(SCENARIOS) }),
    ...(process.env.NIGHTLY ? [project('nightly', { testRegex: startingWith(NIGHTLY) })] : []),
    ...(process.env.VENDOR_EXECUTOR ? [project('vendor', { testRegex: startingWith(VENDOR) })] : []),
  ],
  testSequencer: '<rootDir>/scripts/slow-first.mjs',
  // On two cores the default is one worker. One more than there are cores uses the time in which tests wait for a process or a
  // time limit. Not more, because tests that look at the whole machine (its processes and sockets) would meet those of too many
  // others.
  maxWorkers: availableParallelism() + 1,
  // Tests that start real processes take long on a busy machine. No test asserts on a clock.
  testTimeout: 60_000,
};
