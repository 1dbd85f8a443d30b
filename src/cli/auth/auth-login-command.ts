import type { Command } from 'commander';
import { ConfigurationError } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { credentialsFor, prepare } from '../context/prepare.ts';

/** `ingestd auth login`: obtains a token and says until when it is valid. */
export function addAuthLoginCommand(auth: Command, context: CommandContext): void {
  const command = auth
    .command('login')
    .description('check the credentials: obtain a token and say until when it is valid')
    .action(async (_options, command: Command) => {
      context.exitWith(await authLogin(context, command.optsWithGlobals()));
    });
  withExamples(command, [
    { command: 'ingestd auth login', does: 'exit code 0: accepted, 3: refused' },
    { command: 'ingestd auth login --config /etc/ingestd/ingestd.yaml', does: "a service's own" },
  ]);
}

async function authLogin(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const prepared = await prepare(context, flags, { quiet: true, checkFolders: false });
  const { settings, log } = prepared;
  const credentials = await credentialsFor(prepared, context);
  if (credentials === null) {
    throw new ConfigurationError(
      `${settings.file} runs the embedded service (service.mode), which makes its own credentials: there are none to check. For a service elsewhere name its configuration with --config, or write one with: ingestd init`,
    );
  }
  const { login } = await import('../../commands/offline/auth-offline.ts');
  const { expiresAt } = await login({ settings, credentials, log });
  context.output.line(
    `The service at ${settings.service.authUrl} accepts the credentials; this token is valid until ${expiresAt}.`,
  );
  return 0;
}
