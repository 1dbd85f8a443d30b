import type { Clock } from '../lib/time/clock.ts';
import { StoppedError } from '../model/errors.ts';
import type { TokenSource } from '../remote/auth/token-source.ts';

const againMs = 30_000;

/** Checks the credentials before anything has to be sent, and again while the service is unavailable. */
export function createSignIn(tokens: TokenSource, clock: Clock, onChange: () => void) {
  let isFailing = false;
  let closed = false;
  let cancel = () => {};

  /** Tries at once, instead of at the time that was planned. */
  function begin(): void {
    cancel();
    if (!closed) void attempt().finally(onChange);
  }

  async function attempt(): Promise<void> {
    try {
      await tokens.login();
      isFailing = false;
    } catch (error) {
      if (closed || error instanceof StoppedError) return;
      isFailing = true;
      cancel = clock.after(Math.max(tokens.backOffMs(), againMs), begin);
    }
  }

  return {
    begin,
    /** True while the last attempt failed: it is repeated, so what came of it is known to go on. */
    isFailing: (): boolean => isFailing,
    close: (): void => {
      closed = true;
      cancel();
    },
  };
}
