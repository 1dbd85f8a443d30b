import type { Command } from 'commander';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { credentialsAdvice, credentialsFor, daemonOf, prepareCommand, signIn } from '../prepare-command.ts';

/** `ingestd auth`: the credentials and the tokens. */
export function addAuthCommand(program: Command, context: CommandContext): void {
  const auth = program.command('auth').description('check the credentials, revoke tokens');
  withExamples(auth, [{ command: 'ingestd auth login', does: 'are the credentials right?' }]);
  const login = auth
    .command('login')
    .description('check the credentials: obtain a token and print when it expires');
  defineCommand(login, context, authLogin, [
    { command: 'ingestd auth login', does: 'exit code 0: accepted, 3: refused' },
    { command: 'ingestd auth login --config /etc/ingestd/ingestd.yaml', does: 'for the installed service' },
  ]);
  const revoke = auth
    .command('revoke')
    .description("revoke the running daemon's token; without a daemon, obtain a token and revoke it")
    .option('--all', 'also revoke every refresh token of the user')
    .option('--fleet', 'revoke the token that all hosts of the fleet share');
  defineCommand(revoke, context, authRevoke, [
    { command: 'ingestd auth revoke', does: 'the daemon obtains a new one when needed' },
    { command: 'ingestd auth revoke --all', does: 'ends every session of this user' },
  ]);
}

async function authLogin(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { settings } = prepared;
  const credentials = await credentialsFor(prepared);
  if (credentials === null) {
    throw new ConfigurationError(
      `${settings.file} uses the embedded service (service.mode), which creates its own credentials, so there is nothing to check. For a remote service, pass its configuration with --config, or create one with ingestd init`,
    );
  }
  const { expiresAt } = await signIn(prepared, credentials);
  context.output.line(
    `The service at ${settings.service.authUrl} accepts the credentials; this token is valid until ${expiresAt}.`,
  );
  return exitCodes.ok;
}

interface RevokeFlags extends GlobalFlags {
  readonly all?: boolean;
  readonly fleet?: boolean;
}

async function authRevoke(context: CommandContext, flags: RevokeFlags): Promise<number> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { settings, log } = prepared;
  const all = flags.all === true;
  if (settings.cluster !== null && flags.fleet !== true) {
    throw new ConfigurationError(
      'nothing was revoked, because all hosts of the fleet share one token; add --fleet to revoke it for all of them',
    );
  }
  const daemon = await daemonOf(settings.state.dir, settings.file);
  if (daemon === null) {
    const credentials = await credentialsFor(prepared);
    if (credentials === null) {
      throw new ConfigurationError(
        `${settings.file} uses the embedded service (service.mode) and no daemon is running, so there is no token to revoke`,
      );
    }
    const { withTokens } = await import('../../commands/offline/with-tokens.ts');
    const advice = (): Promise<string> => credentialsAdvice(prepared);
    await withTokens({ settings, credentials, advice, log }, (tokens) => tokens.revoke({ all }));
  } else await daemon.revoke({ all });
  context.output.line(
    all ? 'The token and every refresh token of the user have been revoked.' : 'The token has been revoked.',
  );
  return exitCodes.ok;
}
