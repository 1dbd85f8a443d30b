import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stdin } from 'node:process';
import { text as textOf } from 'node:stream/consumers';

import type { Command } from 'commander';

import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { exitCodes, ConfigurationError, errorCode, errorMessage } from '../../model/errors.ts';
import { serviceWords } from '../../daemon/preconditions/whose-ledger.ts';
import type { LedgerVerification } from '../../ledger/verify-ledger.ts';
import { defineCommand, withExamples } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { prepareCommand, offlineOptions } from '../prepare-command.ts';
import type { ServiceMove } from '../../commands/offline/offline-actions.ts';
import type { Output } from '../output.ts';
import { confirm } from '../prompter.ts';

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
  defineCommand(exporting, context, ledgerExport, [
    { command: 'ingestd ledger export > ledger.json', does: 'also while the daemon is running' },
    { command: "ingestd ledger export --json | jq -r '.documents[].docId'", does: 'every docId' },
  ]);
  const verify = ledger
    .command('verify')
    .description('check the ledger against its checksums; changes nothing')
    .option('--json', 'print JSON');
  defineCommand(verify, context, ledgerVerify, [
    { command: 'ingestd ledger verify', does: 'exit code 0: intact, 1: damaged' },
  ]);
  const importing = ledger
    .command('import')
    .description(
      'adopt documents that the service already has, from an export or a CSV file (folder,path,docId)',
    )
    .argument(
      '<file>',
      'output of ledger export, or CSV with the header folder,path,docId; - reads standard input',
    );
  defineCommand(importing, context, ledgerImport, [
    { command: 'ingestd ledger import documents.csv', does: 'ingestd plan then shows no upload for them' },
  ]);
  const moved = ledger
    .command('service-moved')
    .description('tell ingestd that its service has a new address')
    .option('--yes', 'do not ask');
  defineCommand(moved, context, serviceMoved, [
    {
      command: 'ingestd ledger service-moved && ingestd plan',
      does: 'after changing service.ingestUrl; not for a different service',
    },
  ]);
}

async function ledgerExport(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const { settings } = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { readLedger } = await import('../../ledger/read-ledger.ts');
  const { exportLedger } = await import('../../ledger/transfer/export-ledger.ts');
  const ledger = exportLedger(await readLedger(settings.state.dir));
  context.output.json(ledger, flags.json ? 'compact' : 'indented');
  return exitCodes.ok;
}

async function ledgerVerify(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const { settings } = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { verifyLedger } = await import('../../ledger/verify-ledger.ts');
  const report = await verifyLedger(settings.state.dir);
  if (flags.json) context.output.json(report);
  else printReport(report, context.output);
  return report.ok ? exitCodes.ok : exitCodes.unforeseen;
}

function printReport(
  { ok, documents, service, findings, fix }: LedgerVerification,
  { line, colors }: Output,
): void {
  for (const { file, state, message } of findings) {
    line(`${file}: ${state === 'good' ? colors.dim(message) : message}`);
  }
  const whose = service === null ? '' : ` of ${serviceWords(service)}`;
  const count = documents === null ? '' : ` ${countWords(documents, 'document')}${whose}.`;
  line(ok ? colors.green(`The ledger is intact.${count}`) : colors.red(`The ledger is damaged.${count}`));
  if (fix !== null) line(fix);
}

async function ledgerImport(context: CommandContext, file: string, flags: GlobalFlags): Promise<number> {
  const prepared = await prepareCommand(context, flags, { quiet: true });
  const text = await readText(context.cwd, file);
  const { importIntoLedger } = await import('../../commands/import-ledger.ts');
  const options = { ...(await offlineOptions(prepared)), log: prepared.log };
  const { adopted, known, former, problems } = await importIntoLedger(options, text, file);
  context.output.line(
    `${countWords(adopted, 'document')} adopted${known > 0 ? `, ${numberWords(known)} already known` : ''}.`,
  );
  if (former.length > 0) {
    const names = [...new Set(former.map(({ folder }) => folder))];
    context.output.line(
      `Not in the configuration, kept at the service: ${countWords(former.length, 'document')} of ${names.join(', ')}.`,
    );
  }
  for (const problem of problems) context.complain(problem);
  return problems.length === 0 ? exitCodes.ok : exitCodes.usage;
}

async function readText(cwd: string, file: string): Promise<string> {
  try {
    // A socket as standard input cannot be opened by a name such as /dev/stdin.
    return await (file === '-' ? textOf(stdin) : readFile(resolve(cwd, file), 'utf8'));
  } catch (error) {
    throw new ConfigurationError(
      `FILE: ${file} cannot be read (${errorCode(error) ?? errorMessage(error)}); name a file written by ledger export, or a CSV file`,
      { cause: error },
    );
  }
}

async function serviceMoved(
  context: CommandContext,
  flags: GlobalFlags & { yes?: boolean },
): Promise<number> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { moveService } = await import('../../commands/offline/offline-actions.ts');
  const options = { ...(await offlineOptions(prepared)), log: prepared.log };
  const moved = await moveService(
    options,
    async (move) => flags.yes === true || move.documents === 0 || confirm(context, movedQuestion(move)),
  );
  if (moved === null) {
    context.output.line('Nothing was changed.');
    return exitCodes.ok;
  }
  const { documents, from, to } = moved;
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

/** Of another service the documents would count as delivered, and never be sent to it. */
function movedQuestion({ documents, from, to }: ServiceMove): string {
  const held = from === null ? '' : ` that ${from} holds`;
  return `Does ${to} hold the ${countWords(documents, 'document')}${held}, with the same docIds?`;
}
