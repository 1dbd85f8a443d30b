import type { Command } from 'commander';
import { exitCodes } from '../../model/errors.ts';
import { countWords } from '../../lib/text/amounts.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { decisionsOf, prepareAction } from '../context/prepare-command.ts';
import { defineCommand } from '../define-command.ts';
import { insideWorkingDirectory } from '../context/path-arguments.ts';

/** `ingestd retry [PATH…]`: puts failed documents back in the queue. */
export function addRetryCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('retry')
    .description('send failed documents again; without a path, all except uploads in doubt')
    .argument('[paths...]', 'files, or FOLDER/PATH as in status');
  defineCommand(command, context, retry, [
    { command: 'ingestd retry', does: 'all that failed' },
    { command: 'ingestd retry inbox/report.pdf', does: 'one document, even if its upload is in doubt' },
  ]);
}

async function retry(context: CommandContext, paths: readonly string[], flags: GlobalFlags): Promise<number> {
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const wanted = paths.map((path) =>
    insideWorkingDirectory(path, { cwd: context.cwd, folders: settings.folders }),
  );
  const { retried, unknown } = await (await decisionsOf(prepared)).retry(wanted);
  const when = daemon === null ? 'when ingestd runs' : 'now';
  if (retried > 0) context.output.line(`Retrying ${countWords(retried, 'document')} ${when}.`);
  if (retried + unknown.length === 0) context.output.line('Nothing has failed.');
  for (const path of unknown) {
    context.complain(`${path} has not failed; name a file that ingestd status lists as failed or in doubt`);
  }
  return unknown.length === 0 ? exitCodes.ok : exitCodes.usage;
}
