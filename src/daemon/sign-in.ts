import type { Clock } from '../lib/time/clock.ts';
import { StoppedError } from '../model/errors.ts';
import type { TokenSource } from '../remote/auth/token-source.ts';

const againMs = 30_000;

/**
 * Checks the credentials before anything has to be sent, and again while the service is unavailable; calls `onBack` when
 * they are accepted after that had failed.
 */
export function createSignIn(
  tokens: TokenSource,
  clock: Clock,
  { onChange, onBack }: { readonly onChange: () => void; readonly onBack: () => void },
) {
  let isFailing = false;
  let closed = false;
  let cancel = () => {};

  /** Tries at once, instead of at the time that was planned. */
  function begin(): void {
    cancel();
    if (!closed) void attempt(tokens.login);
  }

  async function attempt(signIn: () => Promise<unknown>): Promise<void> {
    try {
      await signIn();
      if (isFailing && !closed) onBack();
      isFailing = false;
    } catch (error) {
      if (closed || error instanceof StoppedError) return;
      isFailing = true;
      // Not by `login`, which forgets what was refused: an account could be locked.
      cancel = clock.after(Math.max(tokens.backOffMs(), againMs), () => void attempt(tokens.access));
    } finally {
      onChange();
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
