import type { Credentials } from '../../src/model/settings.ts';

/**
 * Secrets that must be found nowhere. All of them are `planted…4711`: by that `.ci/no-secrets` finds them in the output
 * of the whole suite.
 */
export const plantedCredentials: Credentials = {
  apiKey: 'planted-api-key-4711',
  clientId: 'planted-client-id-4711',
  clientSecret: 'planted/client+secret&4711',
  username: 'planted.user@example.com',
  password: 'planted pass?word%4711',
};

/** Credentials as the program finds them in its environment. */
export const environmentOf = ({ apiKey, clientId, clientSecret, username, password }: Credentials) => ({
  INGESTD_API_KEY: apiKey,
  INGESTD_CLIENT_ID: clientId,
  INGESTD_CLIENT_SECRET: clientSecret,
  INGESTD_USERNAME: username,
  INGESTD_PASSWORD: password,
});

export const plantedTokens = ['planted-access-token-4711', 'planted-refresh-token-4711'] as const;

/** A secret in every spelling in which it may travel. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}
