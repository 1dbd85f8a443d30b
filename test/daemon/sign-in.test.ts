import { expect, it } from '@jest/globals';

import { ServiceUnavailableError } from '../../src/model/errors.ts';
import { createSignIn } from '../../src/daemon/sign-in.ts';
import type { TokenSource } from '../../src/remote/auth/token-source.ts';
import { manualClock } from '../support/manual-clock.ts';

it('signing in is tried again until it succeeds, and is failing until then', async () => {
  const clock = manualClock();
  const refused = new ServiceUnavailableError('the connection was refused');
  const left = [refused, refused, null];
  const tokens: Pick<TokenSource, 'login' | 'backOffMs'> = {
    login: async () => {
      const error = left.shift() ?? null;
      if (error !== null) throw error;
      return { expiresAt: '' };
    },
    backOffMs: () => 0,
  };
  const signIn = createSignIn(tokens as TokenSource, clock, () => {});
  signIn.begin();
  const seen: boolean[] = [];
  for (let time = 0; time < 3; time += 1) {
    await clock.advance(1);
    seen.push(signIn.isFailing());
    await clock.advance(29_999);
  }
  signIn.close();
  expect([seen, left]).toEqual([[true, true, false], []]);
});
