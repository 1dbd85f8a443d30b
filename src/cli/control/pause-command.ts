import type { Command } from 'commander';

import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import { decisionsOf, fleetAddress, prepareAction } from '../context/prepare-command.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { folderArgument } from '../context/path-arguments.ts';
import { defineCommand } from '../define-command.ts';

/** `ingestd pause [FOLDER]`: stops sending, kept over restarts. */
export function addPauseCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('pause')
    .description(
      'stop sending, for one folder or all; changes are still counted, and the pause survives a restart',
    )
    .argument('[folder]', "a folder's name in the configuration")
    .option('--fleet', 'on all hosts of the account (cluster)');
  defineCommand(command, context, change('pause'), [
    { command: 'ingestd pause', does: 'nothing is sent until ingestd resume' },
    { command: 'ingestd pause inbox', does: 'the other folders are not affected' },
    { command: 'ingestd pause --fleet', does: 'no host of the account sends anything' },
  ]);
}

/** `ingestd resume [FOLDER]`: ends a pause. */
export function addResumeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('resume')
    .description('send again, for one folder or all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--fleet', 'on all hosts of the account (cluster)');
  defineCommand(command, context, change('resume'), [
    { command: 'ingestd resume', does: 'resume everything that is paused' },
    { command: 'ingestd resume inbox', does: 'resume one folder' },
  ]);
}

interface PauseFlags extends GlobalFlags {
  readonly fleet?: boolean;
}

function change(action: 'pause' | 'resume') {
  return async (context: CommandContext, folder: string | undefined, flags: PauseFlags): Promise<number> =>
    flags.fleet === true
      ? changeFleet(context, action, folder, flags)
      : changeHost(context, action, folder, flags);
}

async function changeHost(
  context: CommandContext,
  action: 'pause' | 'resume',
  folder: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const name = folderArgument(folder, settings);
  const { paused } = await (await decisionsOf(prepared))[action](name);
  const names = paused.length === settings.folders.length ? 'all folders' : paused.join(', ');
  const start = daemon === null ? ', from the next start on' : '';
  context.output.line(
    paused.length === 0
      ? `Nothing is paused${start}.`
      : `Paused: ${names}${start}. Resume with ingestd resume.`,
  );
  return exitCodes.ok;
}

async function changeFleet(
  context: CommandContext,
  action: 'pause' | 'resume',
  folder: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  if (folder !== undefined)
    throw new ConfigurationError(`--fleet is for all folders of all hosts; leave out ${folder}`);
  const address = await fleetAddress(context, flags);
  const { setFleetPaused } = await import('../../commands/ask-fleet.ts');
  const isChanged = await setFleetPaused(address, action === 'pause');
  const words =
    action === 'pause'
      ? { done: 'All hosts of the fleet are paused. Resume with ingestd resume --fleet.', before: 'already' }
      : {
          done: 'The fleet is resumed. A host or folder that was paused by itself stays paused.',
          before: 'not',
        };
  context.output.line(isChanged ? words.done : `The fleet is ${words.before} paused.`);
  return exitCodes.ok;
}
