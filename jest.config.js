import { availableParallelism } from 'node:os';

const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  haste: { enableSymlinks: false },
};

/** The test files whose names end like this. */
const project = (displayName, suffix, more = {}) => ({
  ...shared,
  displayName,
  testMatch: [`<rootDir>/test/**/*.${suffix}.ts`],
  ...more,
});

export default {
  projects: [
    project('fast', 'test'),
    // What starts programs many times, or a browser, and takes minutes: `npm run test:long`.
    project('long', 'long'),
    // What builds root trees, packages and images, or keeps the whole machine busy: `npm run test:packaging`.
    project('packaging', 'slow', {
      globalSetup: '<rootDir>/test/packaging/support/set-up.js',
      globalTeardown: '<rootDir>/test/packaging/support/tear-down.js',
    }),
  ],
  watchman: false,
  reporters: ['default', '<rootDir>/test/support/repository/count-reporter.js'],
  testSequencer: '<rootDir>/test/support/repository/slowest-first.js',
  testTimeout: 240_000,
  // Most tests wait for sockets, processes and disks: fewer workers would leave the cores idle. Long ones wait longer.
  maxWorkers: (process.argv.includes('long') ? 3 : 2) * availableParallelism(),
};
