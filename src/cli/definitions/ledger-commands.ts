import type { Command } from 'commander';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';

/** `ingestd ledger`: the durable record. */
export function addLedgerCommand(program: Command, context: CommandContext): void {
  const ledger = program.command('ledger').description('the durable record of what the service holds');
  withExamples(ledger, [
    { command: 'ingestd ledger export > ledger.json', does: 'which path is which docId' },
  ]);
  const exporting = ledger
    .command('export')
    .description('print the ledger as a JSON object')
    .option('--json', 'print it on one line');
  defineCommand(exporting, context, async () => (await import('../control/ledger-command.ts')).ledgerExport, [
    { command: 'ingestd ledger export > ledger.json', does: 'also while the daemon is running' },
    { command: "ingestd ledger export --json | jq -r '.documents[].docId'", does: 'every docId' },
  ]);
  const verify = ledger
    .command('verify')
    .description('check the ledger against its checksums; changes nothing')
    .option('--json', 'print JSON');
  defineCommand(verify, context, async () => (await import('../control/ledger-command.ts')).ledgerVerify, [
    { command: 'ingestd ledger verify', does: 'exit code 0: intact, 1: damaged' },
  ]);
  const importing = ledger
    .command('import')
    .description(
      'adopt documents that the service already has, from an export or a CSV file (folder,path,docId)',
    )
    .argument(
      '<file>',
      'output of ledger export, or CSV with the header folder,path,docId and, if known, mode; - reads standard input',
    );
  defineCommand(importing, context, async () => (await import('../control/ledger-command.ts')).ledgerImport, [
    { command: 'ingestd ledger import documents.csv', does: 'ingestd plan then shows no upload for them' },
  ]);
  const moved = ledger
    .command('service-moved')
    .description('tell ingestd that its service has a new address')
    .option('--yes', 'do not ask');
  defineCommand(moved, context, async () => (await import('../control/ledger-command.ts')).serviceMoved, [
    {
      command: 'ingestd ledger service-moved && ingestd plan',
      does: 'after changing service.ingestUrl; not for a different service',
    },
  ]);
}
