import config from './jest.config.js';

/** What builds root trees, packages and images, or needs the machine for itself: `npm run test:packaging`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/**/*.slow.ts'],
  globalSetup: '<rootDir>/test/packaging/support/set-up.js',
  globalTeardown: '<rootDir>/test/packaging/support/tear-down.js',
};
