import { awaitDaemon, connectDaemon } from '../commands/daemon-client.ts';
import { offlineDecisions } from '../commands/offline/offline-actions.ts';
import { insideWorkingDirectory } from '../daemon/control/resolve-path.ts';
import type { DecisionPort } from '../model/ports/control-port.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { fleetUser, prepareCommand } from './prepare-command.ts';

/** What a command that acts on the running daemon begins with; `daemon` null: none runs. Throws ConfigurationError. */
export async function prepareAction(context: CommandContext, flags: GlobalFlags) {
  const prepared = await prepareCommand(context, flags);
  const { settings } = prepared;
  const { state, file, cluster, folders } = settings;
  // In a fleet, another host may hold the state directory.
  const daemon = await (cluster === null ? awaitDaemon : connectDaemon)(state.dir, file);
  return {
    ...prepared,
    daemon,
    /** When what is decided is carried out: it may have to wait, for a pause, the service or its own file. */
    when: async (): Promise<string> => {
      if (daemon === null) return 'when ingestd runs';
      const { paused } = await daemon.status();
      if (paused.length === 0) return 'as soon as possible';
      return paused.length === folders.length
        ? 'once sending is resumed'
        : `as soon as possible, of ${paused.join(', ')} once that is resumed`;
    },
    /** A path of the command line as the daemon takes it. */
    placeOf: (path: string) => insideWorkingDirectory(path, context.cwd, folders),
    /** Who takes what a person decides: the running daemon, or the ledger for the next start. */
    decisions: async (): Promise<DecisionPort> =>
      daemon ?? offlineDecisions({ settings, username: await fleetUser(prepared) }),
  };
}
