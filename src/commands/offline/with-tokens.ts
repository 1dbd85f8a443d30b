import { systemClock } from '../../lib/time/clock.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Credentials, Settings } from '../../model/settings.ts';
import { createTokenSource } from '../../remote/auth/token-source.ts';
import type { TokenSource } from '../../remote/auth/token-source.ts';

interface SignInOptions {
  readonly settings: Settings;
  readonly credentials: Credentials;
  /** As of the token source. */
  readonly advice?: () => Promise<string>;
  readonly log: LogPort;
}

/**
 * Signs in for one command, without a daemon. Throws what `act` does: CredentialsRefusedError, ServiceUnavailableError.
 */
export async function withTokens<T>(
  { settings, credentials, advice, log }: SignInOptions,
  act: (tokens: TokenSource) => Promise<T>,
): Promise<T> {
  const tokens = createTokenSource({
    authUrl: settings.service.authUrl,
    credentials: () => credentials,
    advice,
    clock: systemClock,
    settings: settings.service,
    // Nothing is tried again here: what went wrong is the command's answer, once.
    log: { ...log, warn: () => {} },
  });
  try {
    return await act(tokens);
  } finally {
    tokens.close();
  }
}
