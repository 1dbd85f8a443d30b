import { systemClock } from '../../lib/time/clock.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Credentials, Settings } from '../../model/settings.ts';
import { correctionAdvice } from '../../config/secrets/correction-advice.ts';
import type { SecretSources } from '../../config/secrets/read-secrets.ts';
import { connectDaemon } from '../daemon-client.ts';
import { createTokenSource } from '../../remote/auth/token-source.ts';
import type { TokenSource } from '../../remote/auth/token-source.ts';

/** What a command signs in with. `secretSources`: where the credentials come from, for a message that they were refused. */
interface SignIn {
  readonly settings: Settings;
  readonly log: LogPort;
  readonly configuration?: { readonly secretSources: SecretSources };
}

/** Signs in for one command, without a daemon. Throws what `act` does: CredentialsRefusedError, ServiceUnavailableError. */
export async function withTokens<T>(
  { settings, log, configuration }: SignIn,
  credentials: Credentials,
  act: (tokens: TokenSource) => Promise<T>,
): Promise<T> {
  const { state, file } = settings;
  const daemonPid = async () => (await connectDaemon(state.dir, file).catch(() => null))?.pid ?? null;
  const tokens = createTokenSource({
    authUrl: settings.service.authUrl,
    credentials: () => credentials,
    advice: configuration && (async () => correctionAdvice(configuration.secretSources, await daemonPid())),
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
