import type { Command } from 'commander';
import type { CommandContext } from '../context/command-context.ts';
import { addAuthLoginCommand } from './auth-login-command.ts';
import { addAuthRevokeCommand } from './auth-revoke-command.ts';
import { withExamples } from '../examples.ts';

/** `ingestd auth`: the credentials and the tokens. */
export function addAuthCommand(program: Command, context: CommandContext): void {
  const command = program.command('auth').description('check the credentials, revoke tokens');
  withExamples(command, [{ command: 'ingestd auth login', does: 'are the credentials right?' }]);
  addAuthLoginCommand(command, context);
  addAuthRevokeCommand(command, context);
}
