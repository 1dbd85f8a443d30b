import { availableParallelism } from 'node:os';

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  watchman: false,
  haste: { enableSymlinks: false },
  reporters: ['default', '<rootDir>/test/support/repository/count-reporter.js'],
  testSequencer: '<rootDir>/test/support/repository/slowest-first.js',
  testTimeout: 30_000,
  // Most tests wait for sockets, processes and disks: fewer workers would leave the cores idle.
  maxWorkers: 2 * availableParallelism(),
};
