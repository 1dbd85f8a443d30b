import { isLoopbackHost } from '../../lib/server/is-loopback.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { type SecretSources, readSecret } from './read-secret.ts';
import { secretVariables } from './secret-names.ts';

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
