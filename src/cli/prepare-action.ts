import { offlineDecisions } from '../commands/offline/offline-actions.ts';
import { insideWorkingDirectory } from '../daemon/control/resolve-path.ts';
import type { DecisionPort } from '../model/ports/control-port.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { findDaemon, foldersOf } from './find-daemon.ts';
import { fleetUser } from './prepare-command.ts';

/** What a command that acts on the running daemon begins with; `daemon` null: none runs. Throws ConfigurationError. */
export async function prepareAction(context: CommandContext, flags: GlobalFlags) {
  const found = await findDaemon(context, flags, { awaits: true });
  const folders = await foldersOf(found);
  /** Who takes what a person decides: the running daemon, or the ledger for the next start. */
  const decisions: DecisionPort =
    found.daemon ??
    offlineDecisions({ settings: found.prepared.settings, username: await fleetUser(found.prepared) });
  return {
    ...found,
    folders,
    decisions,
    /** When what is decided is carried out: it may have to wait, for a pause, the service or its own file. */
    when: async (): Promise<string> => {
      if (found.daemon === null) return 'when ingestd runs';
      const { paused } = await found.daemon.status();
      if (paused.length === 0) return 'as soon as possible';
      return paused.length === folders.length
        ? 'once sending is resumed'
        : `as soon as possible, of ${paused.join(', ')} once that is resumed`;
    },
    /** A path of the command line as the daemon takes it. */
    placeOf: (path: string) => insideWorkingDirectory(path, context.cwd, folders),
  };
}
