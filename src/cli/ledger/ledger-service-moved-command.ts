import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { countWords } from '../../lib/text/words.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { prepare } from '../context/prepare.ts';

/** `ingestd ledger service-moved`: a person's word that the configured service is the one that the ledger is of. */
export function addLedgerServiceMovedCommand(ledger: Command, context: CommandContext): void {
  const command = ledger
    .command('service-moved')
    .description('say that the configured service is the one that the ledger is of, at a new address')
    .action(async (_options, command: Command) => {
      context.exitWith(await serviceMoved(context, command.optsWithGlobals()));
    });
  withExamples(command, [
    {
      command: 'ingestd ledger service-moved && ingestd plan',
      does: 'after service.ingestUrl was changed; not for another service',
    },
  ]);
}

async function serviceMoved(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const { settings, log } = await prepare(context, flags, { quiet: true, checkFolders: false });
  const { moveService } = await import('../../commands/offline/move-service.ts');
  const { documents, from, to } = await moveService({ settings, log });
  const held =
    documents === 0
      ? 'The ledger, empty so far, is'
      : `The ledger’s ${countWords(documents, 'document')} ${documents === 1 ? 'is' : 'are'}`;
  context.output.line(
    from === to
      ? `Nothing to do: the ledger is of ${to} already.`
      : `${held} of ${to} from now on${from === null ? '' : `, no longer of ${from}`}.`,
  );
  return exitCodes.ok;
}
