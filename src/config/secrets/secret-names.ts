import type { Credentials } from '../../model/settings.ts';

/** A secret and the environment variable that carries it. */
export type SecretName = keyof Credentials | 'httpToken';

/** Where each secret comes from, contract section 3; each also as `…_FILE` and as a systemd credential. */
export const secretVariables: Readonly<Record<SecretName, string>> = {
  apiKey: 'INGESTD_API_KEY',
  clientId: 'INGESTD_CLIENT_ID',
  clientSecret: 'INGESTD_CLIENT_SECRET',
  username: 'INGESTD_USERNAME',
  password: 'INGESTD_PASSWORD',
  httpToken: 'INGESTD_HTTP_TOKEN',
};

/** The five that the service asks for. */
export const credentialNames = ['apiKey', 'clientId', 'clientSecret', 'username', 'password'] as const;

/** Spellings of a secret's key, without case and punctuation, and the secret that is meant. */
const spellings: Readonly<Record<string, SecretName | null>> = {
  apikey: 'apiKey',
  xapikey: 'apiKey',
  key: 'apiKey',
  clientid: 'clientId',
  client: 'clientId',
  clientsecret: 'clientSecret',
  secret: 'clientSecret',
  username: 'username',
  user: 'username',
  email: 'username',
  login: 'username',
  password: 'password',
  passwd: 'password',
  pass: 'password',
  pwd: 'password',
  passphrase: 'password',
  httptoken: 'httpToken',
  token: null,
  accesstoken: null,
  refreshtoken: null,
  bearer: null,
  bearertoken: null,
  authorization: null,
  credentials: null,
  credential: null,
  secrets: null,
  privatekey: null,
};

/** The secret that a key of that name would hold; null: some other secret; undefined: none. */
export function secretMeantBy(key: string): SecretName | null | undefined {
  const plain = key
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^ingestd/, '')
    .replace(/file$/, '');
  return Object.hasOwn(spellings, plain) ? spellings[plain] : undefined;
}
