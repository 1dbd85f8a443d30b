import { ConfigurationError } from '../../model/errors.ts';
import type { Credentials, Settings } from '../../model/settings.ts';
import { readSecret } from './read-secret.ts';
import type { SecretSources } from './read-secret.ts';
import { credentialNames, secretVariables } from './secret-names.ts';
import { isLoopbackHost } from '../../lib/server/is-loopback.ts';
import { isGarbling, shortestRedacted } from '../../lib/text/redactor.ts';
import { sentences } from '../../lib/text/sentences.ts';

/** What of the five secrets is there. */
export interface FoundCredentials {
  /** Null while one is missing. */
  readonly credentials: Credentials | null;
  /** Variables that would carry what is missing. */
  readonly missing: readonly string[];
}

/** Looks for the five secrets. Throws ConfigurationError for an invalid source. */
export async function findCredentials(sources: SecretSources): Promise<FoundCredentials> {
  const found: Record<string, string> = {};
  for (const name of credentialNames) {
    const secret = await readSecret(name, sources);
    if (secret !== undefined) found[name] = secret;
  }
  const { apiKey, clientId, clientSecret, username, password } = found;
  if (
    apiKey !== undefined &&
    clientId !== undefined &&
    clientSecret !== undefined &&
    username !== undefined &&
    password !== undefined
  ) {
    return { credentials: { apiKey, clientId, clientSecret, username, password }, missing: [] };
  }
  const missing = credentialNames
    .filter((name) => found[name] === undefined)
    .map((name) => secretVariables[name]);
  return { credentials: null, missing };
}

/** The five secrets. Throws ConfigurationError that names each missing one and the ways to give it. */
export async function loadCredentials(sources: SecretSources): Promise<Credentials> {
  const { credentials, missing } = await findCredentials(sources);
  if (credentials !== null) return credentials;
  throw new ConfigurationError(missingCredentials(missing, sources));
}

/** Says what is missing and how to give it. */
function missingCredentials(missing: readonly string[], { environmentFile }: SecretSources): string {
  const [first] = missing;
  const list = missing.length === 1 ? `${first} is` : `${missing.join(', ')} are`;
  return `${list} missing; write ${first}=… into ${environmentFile.file} (mode 0600) or set it in the environment, or name a file by ${first}_FILE, or give a systemd credential of that name`;
}

const MIN_LENGTH = 16;

/** What is wrong with the token: which key or variable, why, and how to fix it. */
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
  { http: { host, port } }: Pick<Settings, 'http'>,
  sources: SecretSources,
): Promise<{ readonly token: string | null; readonly fault: HttpTokenFault | null }> {
  const token = (await readSecret('httpToken', sources)) ?? null;
  const variable = secretVariables.httpToken;
  if (token !== null && token.length < MIN_LENGTH) {
    const message = `its value is shorter than ${MIN_LENGTH} characters`;
    return { token, fault: { subject: variable, message, fix: 'Generate one with: openssl rand -hex 16' } };
  }
  if (token === null && port !== false && !isLoopbackHost(host)) {
    const message = `${host} is reachable from other machines, but no token is set`;
    const fix = `Set ${variable} to ${MIN_LENGTH} characters or more (openssl rand -hex 16), or set http.host to 127.0.0.1.`;
    return { token, fault: { subject: 'http.host', message, fix } };
  }
  return { token, fault: null };
}

/**
 * The token that the HTTP address asks for; null: none is set and none is needed. Throws ConfigurationError where the
 * address is not loopback and no token of 16 characters is given.
 */
export async function loadHttpToken(
  settings: Pick<Settings, 'http'>,
  sources: SecretSources,
): Promise<string | null> {
  const { token, fault } = await findHttpToken(settings, sources);
  if (fault === null) return token;
  throw new ConfigurationError(sentences([`${fault.subject}: ${fault.message}`, fault.fix]));
}

/** A warning about a secret that is valid but too plain. */
export interface PlainSecret {
  readonly variable: string;
  /** Never holds the secret. */
  readonly message: string;
}

/** The secrets that cannot be redacted, or not without redacting other words. */
export function plainSecrets(credentials: Credentials): readonly PlainSecret[] {
  return credentialNames.flatMap((name) => {
    const secret = credentials[name];
    const variable = secretVariables[name];
    if (secret.length < shortestRedacted) {
      const message = `its value is shorter than ${shortestRedacted} characters, so it is not redacted in the log and in messages`;
      return [{ variable, message }];
    }
    if (!isGarbling(secret)) return [];
    const message =
      'its value is so short or common that redacting it also hides parts of other words in the log and in messages';
    return [{ variable, message }];
  });
}

/** The address that notifications go to, from `INGESTD_NOTIFY_WEBHOOK`; null: none. Throws ConfigurationError. */
export async function loadNotifyWebhook(sources: SecretSources): Promise<string | null> {
  const address = (await readSecret('notifyWebhook', sources))?.trim();
  if (address === undefined) return null;
  const variable = secretVariables.notifyWebhook;
  if (!URL.canParse(address))
    throw new ConfigurationError(
      `${variable}: its value is not an address; write it like https://host.example/path`,
    );
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return address;
  throw new ConfigurationError(
    `${variable}: its address must begin with https:// unless it is a loopback address`,
  );
}
