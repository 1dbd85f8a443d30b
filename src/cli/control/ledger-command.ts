import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stdin } from 'node:process';
import { text as textOf } from 'node:stream/consumers';

import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { exitCodes, ConfigurationError, errorCode, errorMessage } from '../../model/errors.ts';
import { moveLedger, serviceWords } from '../../daemon/preconditions/whose-ledger.ts';
import type { LedgerVerification } from '../../ledger/verify-ledger.ts';
import type { CommandContext, CommandFlags, GlobalFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { confirm } from '../prompter.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { exportLedger } from '../../ledger/transfer/export-ledger.ts';
import { verifyLedger } from '../../ledger/verify-ledger.ts';
import { importIntoLedger } from '../../commands/import-ledger.ts';
import { withLedger } from '../../commands/offline/with-ledger.ts';
import { fleetUser, prepareCommand } from '../prepare-command.ts';

export async function ledgerExport(context: CommandContext, flags: CommandFlags) {
  const { settings } = await prepareCommand(context, flags);
  const ledger = exportLedger(await readLedger(settings.state.dir));
  context.output.json(ledger, flags.json ? 'compact' : 'indented');
  return exitCodes.ok;
}

export async function ledgerVerify(context: CommandContext, flags: CommandFlags) {
  const { settings } = await prepareCommand(context, flags);
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

export async function ledgerImport(context: CommandContext, file: string, flags: GlobalFlags) {
  const prepared = await prepareCommand(context, flags, { checkFolders: true });
  const text = await readText(context.cwd, file);
  const options = { ...prepared, username: await fleetUser(prepared) };
  const report = await importIntoLedger(options, text, file);
  const { adopted, besides, unknownModes, known, former, problems } = report;
  const told = known > 0 ? [`${numberWords(known)} already known`, ...besides] : besides;
  context.output.line(`${[`${countWords(adopted, 'document')} adopted`, ...told].join(', ')}.`);
  if (former.length > 0) {
    const names = [...new Set(former.map(({ folder }) => folder))];
    context.output.line(
      `Not in the configuration, kept at the service: ${countWords(former.length, 'document')} of ${names.join(', ')}.`,
    );
  }
  if (unknownModes > 0) {
    context.complain(
      `${file} does not say the sharing mode of ${countWords(unknownModes, 'document')}. What is not known is not ` +
        'shared more widely until a sidecar of its own states a mode, or you run ingestd share PATH --as stated',
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

export async function serviceMoved(context: CommandContext, flags: CommandFlags) {
  const prepared = await prepareCommand(context, flags);
  const options = { ...prepared, username: await fleetUser(prepared) };
  const moved = await withLedger(options, (ledger) =>
    moveLedger(ledger, prepared.settings, async ({ documents, from, to }) => {
      if (flags.yes === true || documents === 0) return true;
      // Of another service the documents would count as delivered, and never be sent to it.
      const held = from === null ? '' : ` that ${from} holds`;
      const question = `Does ${to} hold the ${countWords(documents, 'document')}${held}, with the same docIds?`;
      return confirm(context, question);
    }),
  );
  if (moved === null) return exitCodes.ok;
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
