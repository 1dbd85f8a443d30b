import { ConfigurationError } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import { isLoopbackHost } from '../../lib/server/is-loopback.ts';
import { type SecretSources, readSecret } from './read-secret.ts';
import { secretVariables } from './secret-names.ts';

const MIN_LENGTH = 16;

/** What speaks against the token: which key or variable, why, and what to do. */
interface HttpTokenFault {
  readonly subject: string;
  readonly message: string;
  readonly fix: string;
}

/**
 * The token that the HTTP address asks for, from `INGESTD_HTTP_TOKEN`, and what is wrong with it: it has fewer than 16
 * characters, or there is none and the address is not loopback. Throws ConfigurationError where it cannot be read.
 */
export async function findHttpToken(
  { http: { host, port } }: Settings,
  sources: SecretSources,
): Promise<{ readonly token: string | null; readonly fault: HttpTokenFault | null }> {
  const token = (await readSecret('httpToken', sources)) ?? null;
  const variable = secretVariables.httpToken;
  if (token !== null && token.length < MIN_LENGTH) {
    const message = `its value is shorter than ${MIN_LENGTH} characters`;
    return { token, fault: { subject: variable, message, fix: 'Make one with: openssl rand -hex 16' } };
  }
  if (token === null && port !== false && !isLoopbackHost(host)) {
    const message = `${host} is open to other machines and no token is set`;
    const fix = `Set ${variable} to ${MIN_LENGTH} characters or more (openssl rand -hex 16), or http.host to 127.0.0.1.`;
    return { token, fault: { subject: 'http.host', message, fix } };
  }
  return { token, fault: null };
}

/**
 * The token that the HTTP address asks for; null: none is set and none is needed. Throws ConfigurationError where the
 * address is not loopback and no token of 16 characters is given.
 */
export async function loadHttpToken(settings: Settings, sources: SecretSources): Promise<string | null> {
  const { token, fault } = await findHttpToken(settings, sources);
  if (fault === null) return token;
  throw new ConfigurationError(`${fault.subject}: ${fault.message}. ${fault.fix}`);
}
