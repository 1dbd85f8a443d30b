import { ConfigurationError } from '../../model/errors.ts';
import type { Credentials } from '../../model/settings.ts';
import { type SecretSources, readSecret } from './read-secret.ts';
import { credentialNames, secretVariables } from './secret-names.ts';

/** What of the five secrets is there. */
export interface FoundCredentials {
  /** Null while one is missing. */
  readonly credentials: Credentials | null;
  /** Variables that would carry what is missing. */
  readonly missing: readonly string[];
}

/** Looks for the five secrets. Throws ConfigurationError for a source that cannot be used. */
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
