import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Outcome } from '../../../src/model/ports/service-port.ts';

const script = `
  import { systemClock as clock } from './build/lib/time/clock.js';
  import { createIngestionClient } from './build/remote/ingestion-client.js';
  import { createLimiter } from './build/remote/limiter.js';
  import { createTokenSource } from './build/remote/auth/token-source.js';
  const settings = { connectSeconds: 5, idleSeconds: 5, responseSeconds: 5, sendApiKey: false, concurrency: 4, documentOwner: 'configured' };
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const unwatched = { beforeSend: async () => {}, stillFollows: async () => true, onAnswer() {}, onBytes() {} };
  const secret = { apiKey: 'key', clientId: 'id', clientSecret: 'secret', username: 'me', password: 'pass' };
  const [authUrl, ...addresses] = process.argv.slice(1);
  const tokens = createTokenSource({ authUrl, credentials: () => secret, clock, settings, log });
  const limiter = createLimiter({ requestsPerMinute: 9, clock, recent: [] });
  const outcomes = [];
  for (const ingestUrl of addresses) {
    const client = createIngestionClient({ ingestUrl, tokens, limiter, settings, clock, log });
    const { outcome } = await client.remove({ docId: 'd' }, await limiter.take(), unwatched);
    outcomes.push(outcome);
  }
  process.stdout.write(JSON.stringify(outcomes));
  limiter.close();
`;

/**
 * Removes a document at each of the addresses, with the code as built, in a process of its own: Node reads some
 * variables of the environment once, when it starts. Gives what came of it.
 */
export async function removeInProcess(
  authUrl: string,
  addresses: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly Outcome[]> {
  const words = ['--input-type=module', '--eval', script, authUrl, ...addresses];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: new URL('../../../', import.meta.url),
    env: { PATH: process.env['PATH'], ...environment },
  });
  return JSON.parse(stdout) as readonly Outcome[];
}
