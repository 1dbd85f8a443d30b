import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { findDaemon } from '../context/prepare-command.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { defineCommand } from '../define-command.ts';

/** `ingestd health`: exit 0 while the running daemon is healthy. */
export function addHealthCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('health')
    .description("exit with 0 while the daemon is making progress (for Docker's HEALTHCHECK)");
  defineCommand(command, context, health, [
    { command: 'ingestd health && echo well', does: 'prints nothing when healthy' },
  ]);
}

async function health(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const { stateDir, daemon } = await findDaemon(context, flags, { reports: false });
  if (daemon === null) {
    context.complain(`no daemon is running with the state directory ${stateDir}`);
    return exitCodes.unforeseen;
  }
  if (await daemon.healthy()) return exitCodes.ok;
  context.complain('the daemon is not making progress; see its log, or restart it');
  return exitCodes.unforeseen;
}
