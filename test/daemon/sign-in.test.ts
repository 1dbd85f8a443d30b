import { expect, it } from '@jest/globals';

import { CredentialsRefusedError } from '../../src/model/errors.ts';
import { createSignIn } from '../../src/daemon/sign-in.ts';
import type { TokenSource } from '../../src/remote/auth/token-source.ts';
import { manualClock } from '../support/manual-clock.ts';

it('signing in is tried again until it succeeds, which is told, and is failing until then; what was refused stays counted', async () => {
  const clock = manualClock();
  const asked: string[] = [];
  const ask = (how: string) => () => {
    asked.push(`${how} at ${clock.monotonic() / 1000}`);
    if (asked.length < 4) throw new CredentialsRefusedError('wrong password');
    return Promise.resolve();
  };
  const tokens = {
    login: ask('login'),
    access: ask('access'),
    backOffMs: () => (asked.length === 2 ? 60_000 : 0),
  };
  let back = 0;
  const onBack = () => (back += 1);
  const signIn = createSignIn(tokens as unknown as TokenSource, clock, { onChange: () => {}, onBack });
  const began = clock.monotonic() / 1000;
  signIn.begin();
  const seen: boolean[] = [];
  for (let time = 0; time < 5; time += 1) {
    await clock.advance(1);
    seen.push(signIn.isFailing());
    expect(back).toBe(time < 4 ? 0 : 1);
    await clock.advance(29_999);
  }
  signIn.close();
  expect(asked).toEqual([
    `login at ${began}`,
    `access at ${began + 30}`,
    `access at ${began + 90}`,
    `access at ${began + 120}`,
  ]);
  expect(seen).toEqual([true, true, true, true, false]);
});
