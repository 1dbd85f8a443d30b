import { CredentialsRefusedError, errorMessage, ServiceUnavailableError } from '../../model/errors.ts';
import type { Outcome } from '../../model/ports/service-port.ts';
import { MisaddressedError } from './misaddressed-error.ts';

/** What comes of a call that no token, or after a 401 no permit, could be had for. Its request did not go out. */
export function withoutToken(error: unknown): Outcome {
  const message = errorMessage(error);
  if (error instanceof CredentialsRefusedError) return { kind: 'unauthorized', message };
  if (error instanceof MisaddressedError) return { kind: 'misaddressed', code: error.reason, message };
  const retryAfterMs = error instanceof ServiceUnavailableError ? error.retryAfterMs : null;
  return { kind: 'unavailable', code: 'no-token', message, retryAfterMs, sent: 'nothing' };
}
