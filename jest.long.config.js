import { availableParallelism } from 'node:os';
import config from './jest.config.js';

/** What starts programs many times, or a browser, and takes minutes: `npm run test:long`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/**/*.long.ts'],
  // They wait for leases, graces and programs longer than the others wait.
  maxWorkers: 3 * availableParallelism(),
};
