import config from './jest.config.js';

/** What builds root trees and takes a minute: `npm run test:packaging`. */
export default { ...config, testMatch: ['<rootDir>/test/**/*.slow.ts'] };
