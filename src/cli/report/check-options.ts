import type { CheckOptions } from '../../commands/check/check.ts';
import { loadHttpToken, loadNotifyWebhook, sourceFault } from '../../config/secrets/read-secrets.ts';
import type { MissingSecret } from '../../config/secrets/read-secrets.ts';
import { secretVariables } from '../../config/secrets/secret-names.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import { withTokens } from '../../commands/offline/with-tokens.ts';

import { presentCredentials } from '../prepare-command.ts';
import type { PreparedCommand } from '../prepare-command.ts';

/** What `check` is given: secrets that cannot be read are findings. */
export async function checkOptions(prepared: PreparedCommand): Promise<Omit<CheckOptions, 'online'>> {
  const { configuration, settings } = prepared;
  const sources = configuration.secretSources;
  const { missing, credentials } = await presentCredentials(prepared);
  const tokenFault = await loadHttpToken(settings, sources).then(() => null, sourceFault);
  const webhookFault = await loadNotifyWebhook(sources).then(() => null, sourceFault);
  return {
    settings,
    findings: [
      ...missing.map(missingCredential),
      ...(tokenFault === null
        ? []
        : [finding('error', tokenFault.subject, { code: 'http-token', ...tokenFault })]),
      ...(webhookFault === null ? [] : [webhookFinding(webhookFault.message)]),
      ...configuration.warnings.map((message) =>
        finding('warning', 'configuration', { code: 'configuration', message, fix: '' }),
      ),
    ],
    signIn:
      credentials === null
        ? null
        : () => withTokens(prepared, { credentials, sources }, (tokens) => tokens.login()),
  };
}

function missingCredential({
  variable,
  message,
  fix = `Add ${variable}=… to the .env beside the configuration file (mode 0600), set it in the environment, or set ${variable}_FILE to a file that holds it.`,
}: MissingSecret): CheckFinding {
  return finding('error', variable, { code: 'credential-missing', message, fix });
}

function webhookFinding(message: string): CheckFinding {
  const fix = 'Set it to an https:// address, or take it away.';
  return finding('error', secretVariables.notifyWebhook, { code: 'configuration', message, fix });
}
