import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { countWords } from '../../lib/text/words.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { offlineOptions, prepare } from '../context/prepare.ts';

/** `ingestd ledger service-moved`: a person's word that the configured service is the one that the ledger is of. */
export function addLedgerServiceMovedCommand(ledger: Command, context: CommandContext): void {
  const command = ledger
    .command('service-moved')
    .description('tell ingestd that its service has a new address')
    .action(async (_options, command: Command) => {
      context.exitWith(await serviceMoved(context, command.optsWithGlobals()));
    });
  withExamples(command, [
    {
      command: 'ingestd ledger service-moved && ingestd plan',
      does: 'after changing service.ingestUrl; not for a different service',
    },
  ]);
}

async function serviceMoved(context: CommandContext, flags: GlobalFlags): Promise<number> {
  const prepared = await prepare(context, flags, { quiet: true, checkFolders: false });
  const { moveService } = await import('../../commands/offline/move-service.ts');
  const { documents, from, to } = await moveService({
    ...(await offlineOptions(prepared, context)),
    log: prepared.log,
  });
  const held =
    documents === 0
      ? 'The empty ledger now belongs'
      : `The ledger’s ${countWords(documents, 'document')} now ${documents === 1 ? 'belongs' : 'belong'}`;
  context.output.line(
    from === to
      ? `Nothing to do: the ledger already belongs to ${to}.`
      : `${held} to ${to}${from === null ? '' : `, and no longer to ${from}`}.`,
  );
  return exitCodes.ok;
}
