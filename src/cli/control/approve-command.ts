import type { Command } from 'commander';
import { closest } from '../../lib/closest.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';
import { countWords } from '../../lib/words.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { connectDaemon } from '../../commands/connect/daemon-client.ts';
import { withExamples } from '../examples.ts';
import { prepare } from '../context/prepare.ts';
import { approvedSchema } from '../../commands/connect/status-schema.ts';

/** `ingestd approve [FOLDER]`: releases held deletions. */
export function addApproveCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('approve')
    .description('release held deletions of one folder, or of all')
    .argument('[folder]', "a folder's name in the configuration")
    .action(async (folder: string | undefined, _options, command: Command) => {
      context.exitWith(await approve(context, folder, command.optsWithGlobals()));
    });
  withExamples(command, [
    { command: 'ingestd status', does: 'look at what is held, and why' },
    { command: 'ingestd approve inbox', does: 'then let it be deleted at the service' },
  ]);
}

async function approve(
  context: CommandContext,
  folder: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  const { settings } = await prepare(context, flags, { quiet: true, checkFolders: false });
  if (folder !== undefined) requireFolder(folder, settings);
  const name = folder ?? null;
  const daemon = await connectDaemon(settings.state.dir);
  const { approved } =
    daemon === null
      ? await (await import('../../commands/offline/offline-actions.ts')).approveOffline(settings, name)
      : approvedSchema.parse(await daemon.post('/api/approve', { folder: name }));
  context.output.line(
    approved === 0
      ? 'Nothing is held.'
      : `${countWords(approved, 'deletion')} released${daemon === null ? '; they go out when ingestd runs' : ''}.`,
  );
  return 0;
}

function requireFolder(folder: string, { folders }: Settings): void {
  const names = folders.map(({ name }) => name);
  if (names.includes(folder)) return;
  const near = closest(folder, names);
  throw new ConfigurationError(
    `FOLDER: "${folder}" is not configured; ${near === undefined ? `the folders are ${names.join(', ')}` : `did you mean ${near}?`}`,
  );
}
