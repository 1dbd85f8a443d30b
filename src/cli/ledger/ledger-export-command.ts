import type { Command } from 'commander';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { prepare } from '../context/prepare.ts';

/** `ingestd ledger export`: the ledger as one JSON object, contract section 5. */
export function addLedgerExportCommand(ledger: Command, context: CommandContext): void {
  const command = ledger
    .command('export')
    .description('print the ledger as a JSON object')
    .option('--json', 'print it on one line')
    .action(async (_options, command: Command) => {
      context.exitWith(await ledgerExport(context, command.optsWithGlobals()));
    });
  withExamples(command, [
    { command: 'ingestd ledger export > ledger.json', does: 'also while the daemon is running' },
    { command: "ingestd ledger export --json | jq -r '.documents[].docId'", does: 'every docId' },
  ]);
}

async function ledgerExport(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const { settings } = await prepare(context, flags, { quiet: true, checkFolders: false });
  const { readLedger } = await import('../../ledger/read-ledger.ts');
  const { exportLedger } = await import('../../ledger/transfer/export-ledger.ts');
  const ledger = exportLedger(await readLedger(settings.state.dir));
  context.output.json(ledger, flags.json ? 'compact' : 'indented');
  return 0;
}
