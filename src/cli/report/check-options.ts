import type { Credentials } from '../../model/settings.ts';
import type { CheckOptions } from '../../commands/check/check.ts';
import { findHttpToken, sourceFault } from '../../config/secrets/read-secrets.ts';
import { secretVariables } from '../../config/secrets/secret-names.ts';
import { explain } from '../../model/report/explanations.ts';
import { withTokens } from '../../commands/offline/with-tokens.ts';

import { credentialsAdvice, notifyWebhookFor, presentCredentials } from '../prepare-command.ts';
import type { PreparedCommand } from '../prepare-command.ts';

/** What `check` is given: secrets that cannot be read are findings. */
export async function checkOptions(prepared: PreparedCommand): Promise<Omit<CheckOptions, 'online'>> {
  const { configuration, settings, redactor } = prepared;
  const { missing, credentials } = await presentCredentials(prepared);
  const { token, fault } = await findHttpToken(settings, configuration.secretSources).catch(
    (error: unknown) => ({
      token: null,
      fault: {
        subject: secretVariables.httpToken,
        message: sourceFault(error),
        fix: explain('http-token').fix,
      },
    }),
  );
  if (token !== null) redactor.add([token]);
  return {
    settings,
    missingCredentials: missing,
    httpTokenFault: fault,
    signIn: credentials === null ? null : () => signIn(prepared, credentials),
    webhookFault: await notifyWebhookFor(prepared).then(() => null, sourceFault),
    warnings: configuration.warnings,
  };
}

/** Obtains a token for one command. Gives until when it is valid. Throws CredentialsRefusedError, ServiceUnavailableError. */
export async function signIn(
  prepared: PreparedCommand,
  credentials: Credentials,
): Promise<{ readonly expiresAt: string }> {
  const { settings, log } = prepared;
  const advice = (): Promise<string> => credentialsAdvice(prepared);
  return withTokens({ settings, credentials, advice, log }, (tokens) => tokens.login());
}
