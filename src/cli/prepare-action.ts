import { awaitDaemon, connectDaemon } from '../commands/daemon-client.ts';
import type { DaemonClient } from '../commands/daemon-client.ts';
import { offlineDecisions } from '../commands/offline/offline-actions.ts';
import type { DecisionPort } from '../model/ports/control-port.ts';
import type { Settings } from '../model/settings.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { fleetUser, prepareCommand } from './prepare-command.ts';
import type { PreparedCommand } from './prepare-command.ts';

type PreparedAction = PreparedCommand & { readonly daemon: DaemonClient | null };

/** What a command that acts on the running daemon begins with; `daemon` null: none runs. Throws ConfigurationError. */
export async function prepareAction(context: CommandContext, flags: GlobalFlags): Promise<PreparedAction> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { state, file, cluster } = prepared.settings;
  // In a fleet, another host may hold the state directory.
  if (cluster !== null) return { ...prepared, daemon: await connectDaemon(state.dir, file) };
  return { ...prepared, daemon: await awaitDaemon(state.dir, file) };
}

/** Who takes what a person decides: the running daemon, or the ledger for the next start. */
export async function decisionsOf({ daemon, ...prepared }: PreparedAction): Promise<DecisionPort> {
  if (daemon !== null) return daemon;
  return offlineDecisions(await offlineOptions(prepared));
}

/** What a command is run on that writes the ledger while no daemon does. Throws ConfigurationError. */
export async function offlineOptions(
  prepared: PreparedCommand,
): Promise<{ readonly settings: Settings; readonly username: string }> {
  return { settings: prepared.settings, username: await fleetUser(prepared) };
}
