import type { Clock } from '../lib/time/clock.ts';
import { CredentialsRefusedError, errorMessage, StoppedError } from '../model/errors.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import type { TokenSource } from '../remote/auth/token-source.ts';

const againMs = 30_000;

/** Checks the credentials before anything has to be sent, and again while the service is unavailable. */
export function createSignIn(tokens: TokenSource, clock: Clock, log: LogPort, onChange: () => void) {
  /** Why the last attempt failed; null: it did not. */
  let failure: string | null = null;
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
      if (failure !== null) log.info({}, 'signed in again');
      failure = null;
    } catch (error) {
      if (closed || error instanceof StoppedError) return;
      const restMs = Math.max(tokens.backOffMs(), againMs);
      report(error, restMs);
      cancel = clock.after(restMs, begin);
    }
  }

  /** Logs a reason once, not with each attempt. */
  function report(error: unknown, restMs: number): void {
    const reason = errorMessage(error);
    // Refused credentials are logged by the token source.
    if (reason !== failure && !(error instanceof CredentialsRefusedError)) {
      log.warn({ reason, againInSeconds: Math.ceil(restMs / 1000) }, 'sign-in failed');
    }
    failure = reason;
  }

  return {
    begin,
    /** True while the last attempt failed: it is repeated, so what came of it is known to go on. */
    isFailing: (): boolean => failure !== null,
    close: (): void => {
      closed = true;
      cancel();
    },
  };
}
