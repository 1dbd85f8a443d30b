import { register } from 'node:module';

// Node 20 cannot run TypeScript by itself, and the soak shares its support with the tests.
register('./typescript-loader.mjs', import.meta.url);
