import type { Command } from 'commander';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import { prepareAction } from '../context/prepare-command.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { folderArgument } from '../context/path-arguments.ts';
import { defineCommand } from '../define-command.ts';

/** `ingestd rescan [FOLDER]`: scans now. */
export function addRescanCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('rescan')
    .description('scan one folder or all of them now; the running daemon sends what has changed')
    .argument('[folder]', "a folder's name in the configuration");
  defineCommand(command, context, rescan, [
    { command: 'ingestd rescan', does: 'everything' },
    { command: 'ingestd rescan inbox', does: 'one folder, for example after a restore' },
  ]);
}

async function rescan(
  context: CommandContext,
  folder: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  const { settings, daemon } = await prepareAction(context, flags);
  const name = folderArgument(folder, settings);
  if (daemon === null) {
    throw new ConfigurationError(
      'rescan: ingestd is not running. It scans everything when it starts; ingestd sync makes one pass now',
    );
  }
  const { folders } = await daemon.rescan(name);
  context.output.line(`Scanning ${folders.join(', ')}.`);
  return exitCodes.ok;
}
