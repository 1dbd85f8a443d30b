import type { Command } from 'commander';
import { countWords } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { fleetAddress } from '../prepare-command.ts';

/** `ingestd fleet`: the hosts that share an account. */
export function addFleetCommand(program: Command, context: CommandContext): void {
  const fleet = program.command('fleet').description('manage the hosts that share one account (cluster)');
  const forget = fleet
    .command('forget')
    .description('forget a host that is gone for good, and free its folders and the requests reserved for it')
    .argument('<host>', 'its name, as in ingestd status --fleet');
  withExamples(fleet, [
    {
      command: 'ingestd fleet forget scanner-2',
      does: 'another host may have its folders; its cluster.aloneShare is free at once, not after a day',
    },
  ]);
  defineCommand(forget, context, forgetHost, [
    { command: 'ingestd fleet forget scanner-2', does: 'after that machine was switched off for good' },
  ]);
}

async function forgetHost(context: CommandContext, host: string, flags: GlobalFlags): Promise<number> {
  const address = await fleetAddress(context, flags);
  const { forgetFleetHost } = await import('../../commands/ask-fleet.ts');
  const { share, folders } = await forgetFleetHost(address, host);
  const { line } = context.output;
  line(`${host} has been forgotten.`);
  if (share > 0) line(`The other hosts can now use its ${countWords(share, 'request')} a minute.`);
  if (folders > 0) {
    line(
      `It had ${countWords(folders, 'folder')}: another host that has one in its configuration sends it from now on, and uploads what its own ledger does not know.`,
    );
  }
  return exitCodes.ok;
}
