import type { Command } from 'commander';
import { confirm } from '../context/prompter.ts';
import type { Settings } from '../../model/settings.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import type { DaemonClient } from '../../commands/daemon-client.ts';
import { decisionsOf, prepareAction } from '../context/prepare-command.ts';
import { defineCommand } from '../define-command.ts';
import { folderArgument } from '../context/path-arguments.ts';

/** `ingestd approve [FOLDER]`: releases held deletions. */
export function addApproveCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('approve')
    .description('release held deletions of one folder, or of all')
    .argument('[folder]', "a folder's name in the configuration")
    .option('--yes', 'do not ask');
  defineCommand(command, context, approve, [
    { command: 'ingestd status', does: 'list what is held, and why' },
    { command: 'ingestd approve inbox', does: 'then delete it at the service' },
  ]);
}

async function approve(
  context: CommandContext,
  folder: string | undefined,
  flags: GlobalFlags & { yes?: boolean },
): Promise<number> {
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const name = folderArgument(folder, settings);
  if (context.interactive && flags.yes !== true && !(await isMeant(context, { settings, daemon, name }))) {
    context.output.line('Nothing was released.');
    return 0;
  }
  const { approved } = await (await decisionsOf(prepared)).approve(name);
  context.output.line(
    approved === 0
      ? 'Nothing is held.'
      : `${countWords(approved, 'deletion')} released${daemon === null ? '; they are sent when ingestd runs' : ''}.`,
  );
  return 0;
}

/** Names the documents that would be deleted at the service, and asks. */
async function isMeant(
  context: CommandContext,
  { settings, daemon, name }: { settings: Settings; daemon: DaemonClient | null; name: string | null },
): Promise<boolean> {
  const { held } =
    daemon === null
      ? await (
          await import('../../commands/offline/offline-reports.ts')
        ).offlineStatus({
          settings,
          account: null,
          folders: null,
        })
      : await daemon.status();
  const wanted = held.filter(({ folder }) => name === null || folder === name);
  const count = wanted.reduce((total, one) => total + one.count, 0);
  if (count === 0) return true;
  const paths = wanted.flatMap(({ folder, paths }) => paths.map((path) => `${folder}/${path}`));
  for (const path of paths) context.output.line(path);
  if (count > paths.length) context.output.line(`and ${numberWords(count - paths.length)} more`);
  return confirm(context, `Delete ${countWords(count, 'document')} at the service?`);
}
