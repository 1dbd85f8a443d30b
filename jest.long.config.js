import config from './jest.config.js';

/** What starts programs many times, or a browser, and takes minutes: `npm run test:long`. */
export default { ...config, testMatch: ['<rootDir>/test/**/*.long.ts'] };
