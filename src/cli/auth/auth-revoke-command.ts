import type { Command } from 'commander';
import { ConfigurationError } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { connectDaemon } from '../../commands/connect/daemon-client.ts';
import { withExamples } from '../examples.ts';
import { credentialsFor, prepare } from '../context/prepare.ts';

interface RevokeFlags extends GlobalFlags {
  readonly all?: boolean;
}

/** `ingestd auth revoke [--all]`: revokes the daemon's token, or one obtained for this. */
export function addAuthRevokeCommand(auth: Command, context: CommandContext): void {
  const command = auth
    .command('revoke')
    .description("have the running daemon's token revoked, or, without a daemon, one obtained for this")
    .option('--all', 'every refresh token of the user too')
    .action(async (_options, command: Command) => {
      context.exitWith(await authRevoke(context, command.optsWithGlobals()));
    });
  withExamples(command, [
    { command: 'ingestd auth revoke', does: 'the daemon obtains another when it needs one' },
    { command: 'ingestd auth revoke --all', does: 'ends every session of this user' },
  ]);
}

async function authRevoke(context: CommandContext, flags: RevokeFlags): Promise<number> {
  const prepared = await prepare(context, flags, { quiet: true, checkFolders: false });
  const { settings, log } = prepared;
  const all = flags.all === true;
  const daemon = await connectDaemon(settings.state.dir);
  if (daemon === null) {
    const credentials = await credentialsFor(prepared, context);
    if (credentials === null) {
      throw new ConfigurationError(
        `service.mode is embedded in ${settings.file} and no daemon runs: there is no token to revoke`,
      );
    }
    const { revoke } = await import('../../commands/offline/auth-offline.ts');
    await revoke({ settings, credentials, log }, { all });
  } else await daemon.post('/api/revoke', { all });
  context.output.line(
    all ? 'The token and every refresh token of the user are revoked.' : 'The token is revoked.',
  );
  return 0;
}
