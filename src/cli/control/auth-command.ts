import { connectDaemon } from '../../commands/daemon-client.ts';
import { localTime } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { withTokens } from '../../commands/offline/with-tokens.ts';
import { findDaemon } from '../find-daemon.ts';
import { credentialsFor, prepareCommand } from '../prepare-command.ts';

export async function authLogin(context: CommandContext, flags: GlobalFlags) {
  const prepared = await prepareCommand(context, flags);
  const { settings } = prepared;
  const credentials = await credentialsFor(prepared);
  if (credentials === null) {
    throw new ConfigurationError(
      `${settings.file} uses the embedded service (service.mode), which creates its own credentials, so there is nothing to check. For a remote service, pass its configuration with --config`,
    );
  }
  const { expiresAt } = await withTokens(prepared, credentials, (tokens) => tokens.login());
  context.output.line(
    `The service at ${settings.service.authUrl} accepts the credentials; this token is valid until ${localTime(expiresAt)}.`,
  );
  const daemon = await connectDaemon(settings.state.dir, settings.file).catch(() => null);
  const running = await daemon?.status().catch(() => null);
  if (running?.auth.state === 'refused')
    context.output.line(
      `The running ingestd was refused before: for it to try again now, run kill -HUP ${running.pid}, or restart it where it reads them only when it starts.`,
    );
  return exitCodes.ok;
}

export async function authRevoke(context: CommandContext, flags: GlobalFlags & { all?: boolean }) {
  const all = flags.all === true;
  const { prepared, daemon } = await findDaemon(context, flags);
  if (daemon === null) {
    const credentials = await credentialsFor(prepared);
    if (credentials === null) {
      throw new ConfigurationError(
        `${prepared.settings.file} uses the embedded service (service.mode) and no daemon is running, so there is no token to revoke`,
      );
    }
    await withTokens(prepared, credentials, (tokens) => tokens.revoke({ all }));
  } else await daemon.revoke({ all });
  context.output.line(
    all ? 'The token and every refresh token of the user have been revoked.' : 'The token has been revoked.',
  );
  return exitCodes.ok;
}
