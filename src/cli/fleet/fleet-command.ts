import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { printable } from '../../lib/text/printable.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { fleetAddress } from './fleet-address.ts';
import { countWords } from '../../lib/text/words.ts';

/** `ingestd fleet`: the hosts that share an account. */
export function addFleetCommand(program: Command, context: CommandContext): void {
  const fleet = program.command('fleet').description('the hosts that share one account on Redis (cluster)');
  const forget = fleet
    .command('forget')
    .description('say that a host is gone for good: what was kept for it is free for the others')
    .argument('<host>', 'its name in the fleet')
    .action(async (host: string, _options, command: Command) => {
      context.exitWith(await forgetHost(context, host, command.optsWithGlobals()));
    });
  withExamples(fleet, [
    {
      command: 'ingestd fleet forget scanner-2',
      does: 'its cluster.aloneShare is free at once, not after a day',
    },
  ]);
  withExamples(forget, [
    { command: 'ingestd fleet forget scanner-2', does: 'once that machine is off for good' },
  ]);
}

async function forgetHost(context: CommandContext, host: string, flags: GlobalFlags): Promise<number> {
  const address = await fleetAddress(context, flags);
  const { forgetFleetHost } = await import('../../commands/fleet/ask-fleet.ts');
  const { share } = await forgetFleetHost(address, host);
  context.output.line(
    printable(
      share === 0
        ? `${host} is forgotten.`
        : `${host} is forgotten. The other hosts share its ${countWords(share, 'request')} a minute.`,
    ),
  );
  return exitCodes.ok;
}
