import type { Clock } from '../core/clock.ts';
import { CredentialsRefusedError, StoppedError } from '../core/errors.ts';
import type { Reason } from '../core/status.ts';
import type { TokenSource } from '../remote/token-port.ts';

/** Proves the credentials before anything has to be sent, and again while the service is away. */
export interface SignIn {
  /** Tries at once, instead of at the time that was planned. */
  readonly begin: () => void;
  /** Why nothing can be sent; null: the credentials are not refused. */
  readonly reason: () => Reason | null;
  readonly close: () => void;
}

const againMs = 30_000;

export function createSignIn(tokens: TokenSource, clock: Clock, onChange: () => void): SignIn {
  let message: string | null = null;
  let closed = false;
  let cancel = () => {};

  function begin(): void {
    cancel();
    if (!closed) void attempt().finally(onChange);
  }

  async function attempt(): Promise<void> {
    try {
      await tokens.login();
      message = null;
    } catch (error) {
      if (error instanceof StoppedError) return;
      if (error instanceof CredentialsRefusedError) message = error.message;
      cancel = clock.after(Math.max(tokens.restMs(), againMs), begin);
    }
  }

  return {
    begin,
    reason: () =>
      tokens.status().state === 'refused'
        ? { code: 'credentials-refused', message: message ?? 'the service refuses the credentials' }
        : null,
    close: () => {
      closed = true;
      cancel();
    },
  };
}
