import type { Command } from 'commander';
import type { CommandContext } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { addLedgerExportCommand } from './ledger-export-command.ts';
import { addLedgerImportCommand } from './ledger-import-command.ts';
import { addLedgerServiceMovedCommand } from './ledger-service-moved-command.ts';
import { addLedgerVerifyCommand } from './ledger-verify-command.ts';

/** `ingestd ledger`: the durable record. */
export function addLedgerCommand(program: Command, context: CommandContext): void {
  const command = program.command('ledger').description('the durable record of what the service holds');
  withExamples(command, [
    { command: 'ingestd ledger export > ledger.json', does: 'which path is which docId' },
  ]);
  addLedgerExportCommand(command, context);
  addLedgerVerifyCommand(command, context);
  addLedgerImportCommand(command, context);
  addLedgerServiceMovedCommand(command, context);
}
