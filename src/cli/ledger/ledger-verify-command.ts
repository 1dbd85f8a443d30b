import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { countWords } from '../../lib/text/words.ts';
import { serviceWords } from '../../daemon/ledger/ledger-service.ts';
import type { LedgerVerification } from '../../ledger/verify-ledger.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { withExamples } from '../examples.ts';
import type { Output } from '../output.ts';
import { prepare } from '../context/prepare.ts';

/** `ingestd ledger verify`: checks the ledger against its checksums. */
export function addLedgerVerifyCommand(ledger: Command, context: CommandContext): void {
  const command = ledger
    .command('verify')
    .description('check the ledger against its checksums; changes nothing')
    .option('--json', 'print JSON')
    .action(async (_options, command: Command) => {
      context.exitWith(await ledgerVerify(context, command.optsWithGlobals()));
    });
  withExamples(command, [{ command: 'ingestd ledger verify', does: 'exit code 0: intact, 1: damaged' }]);
}

async function ledgerVerify(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const { settings } = await prepare(context, flags, { quiet: true, checkFolders: false });
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
