import { ConfigurationError } from '../core/errors.ts';
import type { Settings } from '../core/settings.ts';
import { isLoopback } from './is-loopback.ts';
import { type SecretSources, readSecret } from './read-secret.ts';
import { secretVariables } from './secret-names.ts';

const MIN_LENGTH = 16;

/**
 * The token that the HTTP address asks for, from `INGESTD_HTTP_TOKEN`; null: none is set and none is needed.
 * Throws ConfigurationError where the address is not loopback and no token of 16 characters is given.
 */
export async function loadHttpToken(settings: Settings, sources: SecretSources): Promise<string | null> {
  const token = (await readSecret('httpToken', sources)) ?? null;
  const { host, port } = settings.http;
  if (token !== null && token.length < MIN_LENGTH) {
    throw new ConfigurationError(
      `${secretVariables.httpToken} is shorter than ${MIN_LENGTH} characters; make one with: openssl rand -hex 16`,
    );
  }
  if (token === null && port !== false && !isLoopback(host)) {
    throw new ConfigurationError(
      `http.host: ${host} is open to other machines and no token is set; set ${secretVariables.httpToken} to 16 characters or more (openssl rand -hex 16), or http.host to 127.0.0.1`,
    );
  }
  return token;
}
