import type { Credentials } from '../../model/settings.ts';

/** What must never be shown of them: all five. */
export function secretsOf(credentials: Credentials): readonly string[] {
  const { apiKey, clientId, clientSecret, username, password } = credentials;
  return [apiKey, clientId, clientSecret, username, password];
}

/** Says whether two sets of credentials are the same. */
export function sameCredentials(a: Credentials, b: Credentials): boolean {
  const others = secretsOf(b);
  return secretsOf(a).every((secret, index) => secret === others[index]);
}
