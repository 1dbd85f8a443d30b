import { describe, expect, it } from '@jest/globals';

import { CredentialsRefusedError, ServiceUnavailableError } from '../../src/model/errors.ts';
import { createSignIn } from '../../src/daemon/sign-in.ts';
import type { TokenSource } from '../../src/remote/auth/token-source.ts';
import { manualClock } from '../support/manual-clock.ts';
import { recordedLog } from '../support/recorded-log.ts';

/** What the log says after so many attempts, each with its error or none. */
async function told(outcomes: readonly (Error | null)[]): Promise<readonly string[]> {
  const clock = manualClock();
  const log = recordedLog();
  const left = [...outcomes];
  const tokens: Pick<TokenSource, 'login' | 'backOffMs' | 'status'> = {
    login: async () => {
      const error = left.shift() ?? null;
      if (error !== null) throw error;
      return { expiresAt: '' };
    },
    backOffMs: () => 0,
    status: () => ({ state: 'none', expiresAt: null }),
  };
  const signIn = createSignIn(tokens as TokenSource, clock, log, () => {});
  signIn.begin();
  while (left.length > 0) await clock.advance(1_000);
  await clock.advance(0);
  signIn.close();
  return log.lines.map(({ level, data, message }) => `${level} ${message} ${JSON.stringify(data)}`);
}

describe('signing in', () => {
  const refused = new ServiceUnavailableError('the connection was refused');

  it('tells of a failure once, of another one again, and that it is over', async () => {
    const other = new ServiceUnavailableError('the host name is unknown');
    expect(await told([refused, refused, refused, other, other, null])).toEqual([
      'warn sign-in failed {"reason":"the connection was refused","againInSeconds":30}',
      'warn sign-in failed {"reason":"the host name is unknown","againInSeconds":30}',
      'info signed in again {}',
    ]);
  });

  it('says nothing where it succeeds, and leaves refused credentials to who tells of them', async () => {
    expect(await told([null])).toEqual([]);
    expect(await told([new CredentialsRefusedError('no'), null])).toEqual(['info signed in again {}']);
  });
});
