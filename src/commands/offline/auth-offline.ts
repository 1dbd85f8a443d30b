import type { LogPort } from '../../model/ports/log-port.ts';
import type { Credentials, Settings } from '../../model/settings.ts';
import { createTokenSource } from '../../remote/auth/token-source.ts';
import { systemClock } from '../../lib/time/clock.ts';

interface SignInOptions {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly log: LogPort;
}

/** Proves the credentials. Throws CredentialsRefusedError, ServiceUnavailableError. */
export function login(options: SignInOptions): Promise<{ readonly expiresAt: string }> {
  return withTokens(options, (tokens) => tokens.login());
}

/** Revokes a token obtained for this; with `all`, every refresh token of the user too. */
export function revoke(options: SignInOptions, { all }: { readonly all: boolean }): Promise<void> {
  return withTokens(options, (tokens) => tokens.revoke({ all }));
}

async function withTokens<T>(
  { settings, credentials, log }: SignInOptions,
  act: (tokens: ReturnType<typeof createTokenSource>) => Promise<T>,
): Promise<T> {
  const tokens = createTokenSource({
    authUrl: settings.service.authUrl,
    credentials: () => credentials,
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
