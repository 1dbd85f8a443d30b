import type { Command } from 'commander';
import { defineCommand } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';

/** `ingestd run`: watch and deliver until stopped. The default command. */
export function addRunCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('run', { isDefault: true })
    .description('watch the folders and deliver until stopped (the default command)');
  defineCommand(command, context, loadRun, [
    { command: 'ingestd', does: 'with ./ingestd.yaml, or the trial where there is none' },
    {
      command: 'ingestd run --config /etc/ingestd/ingestd.yaml',
      does: 'with the configuration of the installed service',
    },
  ]);
}

/** The scanning thread loads beside the rest of the program. */
async function loadRun() {
  (await import('../../daemon/prepare-scan.ts')).prepareScan();
  return (await import('../delivery/run-command.ts')).run;
}

/** `ingestd sync`: one pass, then exit. */
export function addSyncCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('sync')
    .description('bring the service up to date with the folders once, then exit')
    .option('--json', 'print JSON');
  defineCommand(command, context, async () => (await import('../delivery/sync-command.ts')).sync, [
    { command: 'ingestd plan && ingestd sync', does: 'preview, then deliver' },
    { command: 'ingestd sync --json 2>sync.log', does: 'from a script' },
  ]);
}

/** `ingestd plan`: what `sync` would do. */
export function addPlanCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('plan')
    .description(
      'show what sync would do, how many requests it needs and how long they take; changes nothing',
    )
    .option('--json', 'print JSON');
  defineCommand(command, context, async () => (await import('../delivery/plan-command.ts')).plan, [
    {
      command: 'ingestd plan',
      does: 'every operation on a line; exit code 4: a folder or directory cannot be read',
    },
    { command: "ingestd plan --json | jq '.requests'", does: 'the number of requests' },
  ]);
}
