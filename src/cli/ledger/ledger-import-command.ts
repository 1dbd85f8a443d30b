import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError, errorCode, errorMessage, exitCodes } from '../../model/errors.ts';
import { countWords, numberWords } from '../../lib/text/words.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import { offlineOptions, prepare } from '../context/prepare.ts';

/** `ingestd ledger import FILE`: adopts documents that the service already holds. */
export function addLedgerImportCommand(ledger: Command, context: CommandContext): void {
  const command = ledger
    .command('import')
    .description(
      'adopt documents that the service already has, from an export or a CSV file (folder,path,docId)',
    )
    .argument(
      '<file>',
      'output of ledger export, or CSV with the header folder,path,docId; - reads standard input',
    )
    .action(async (file: string, _options, command: Command) => {
      context.exitWith(await ledgerImport(context, file, command.optsWithGlobals()));
    });
  withExamples(command, [
    { command: 'ingestd ledger import documents.csv', does: 'ingestd plan then shows no upload for them' },
  ]);
}

async function ledgerImport(context: CommandContext, file: string, flags: GlobalFlags): Promise<number> {
  const prepared = await prepare(context, flags, { quiet: true });
  const text = await readText(file === '-' ? '/dev/stdin' : resolve(context.cwd, file));
  const { importIntoLedger } = await import('../../commands/import/import-ledger.ts');
  const options = { ...(await offlineOptions(prepared, context)), log: prepared.log };
  const { adopted, known, problems } = await importIntoLedger(options, text, file);
  context.output.line(
    `${countWords(adopted, 'document')} adopted${known > 0 ? `, ${numberWords(known)} already known` : ''}.`,
  );
  for (const problem of problems) context.complain(problem);
  return problems.length === 0 ? exitCodes.ok : exitCodes.usage;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(
      `FILE: ${file} cannot be read (${errorCode(error) ?? errorMessage(error)}); name a file written by ledger export, or a CSV file`,
      { cause: error },
    );
  }
}
