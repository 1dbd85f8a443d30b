import { likelyStateDirectory } from '../config/find-places.ts';
import type { FleetAddress, FleetView } from '../commands/ask-fleet.ts';
import { awaitDaemon, connectDaemon } from '../commands/daemon-client.ts';
import type { DaemonClient } from '../commands/daemon-client.ts';
import { offlineDecisions } from '../commands/offline/offline-actions.ts';
import type { Folders } from '../daemon/control/resolve-path.ts';
import { ConfigurationError, errorCode, errorMessage } from '../model/errors.ts';
import type { DecisionPort } from '../model/ports/control-port.ts';
import type { Settings } from '../model/settings.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { credentialsFor, prepareCommand } from './prepare-command.ts';
import type { PreparedCommand } from './prepare-command.ts';

/** What a command that only reports on the running daemon begins with. */
export type FoundDaemon = { readonly stateDir: string } &
  /** None runs. */
  (
    | { readonly prepared: PreparedCommand; readonly daemon: null }
    | { readonly prepared: PreparedCommand; readonly daemon: DaemonClient }
    /** The configuration on disk is invalid; the daemon runs on what the file said before. */
    | { readonly prepared: null; readonly daemon: DaemonClient }
  );

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

/**
 * Reads the configuration and finds its daemon. A configuration that cannot be used does not hide a daemon that runs on
 * the one before: it is found, and the fault is printed on standard error. `reports` false: for a command whose exit
 * code says everything. Throws ConfigurationError where none runs.
 */
export async function findDaemon(
  context: CommandContext,
  flags: GlobalFlags,
  { reports = true }: { readonly reports?: boolean } = {},
): Promise<FoundDaemon> {
  try {
    const prepared = await prepareCommand(context, flags, {
      quiet: true,
      checkFolders: false,
      reportsWarnings: reports,
      reportsTrial: reports ? 'on standard error' : 'nowhere',
    });
    const stateDir = prepared.settings.state.dir;
    const daemon = await connectDaemon(stateDir, prepared.settings.file);
    return daemon === null ? { stateDir, prepared, daemon } : { stateDir, prepared, daemon };
  } catch (error) {
    const found = errorCode(error) === 'configuration' ? await daemonOfTheOneBefore(context, flags) : null;
    if (found === null) throw error;
    if (reports) {
      context.complain(
        `${errorMessage(error)}\nthe configuration file is invalid; what follows comes from the running daemon (pid ${found.daemon.pid}), which still uses the previous configuration`,
      );
    }
    return { ...found, prepared: null };
  }
}

/** The folders of the configuration; of one that is not valid now, those that the daemon knows. */
export async function foldersOf({ prepared, daemon }: FoundDaemon): Promise<Folders> {
  return prepared === null ? (await daemon.status()).folders : prepared.settings.folders;
}

/** Only the daemon of this very file: where the state directory is not known, the usual one may be another's. */
async function daemonOfTheOneBefore(
  { env, cwd }: CommandContext,
  flags: GlobalFlags,
): Promise<{ readonly stateDir: string; readonly daemon: DaemonClient } | null> {
  const likely = await likelyStateDirectory({ file: flags.config, env, cwd }).catch(() => null);
  if (likely === null) return null;
  const { file, dir } = likely;
  const daemon = await connectDaemon(dir, file);
  return daemon !== null && daemon.configuration === file ? { stateDir: dir, daemon } : null;
}

/** What a command is run on that writes the ledger while no daemon does. Throws ConfigurationError. */
export async function offlineOptions(
  prepared: PreparedCommand,
): Promise<{ readonly settings: Settings; readonly username: string }> {
  return { settings: prepared.settings, username: await fleetUser(prepared) };
}

/** Where the configuration's fleet is to be asked. Throws ConfigurationError where it is for one host. */
export async function fleetAddress(context: CommandContext, flags: GlobalFlags): Promise<FleetAddress> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { cluster, service } = prepared.settings;
  if (cluster === null) {
    throw new ConfigurationError(
      'cluster is not configured, so there is no fleet; docs/fleet.md describes how to set one up',
    );
  }
  return { cluster, service, username: await fleetUser(prepared) };
}

/**
 * Whose the folders are in a fleet, and whether it is paused; null: there is none, or it cannot be asked, which is said on
 * standard error.
 */
export async function fleetView(
  { complain }: CommandContext,
  prepared: PreparedCommand,
): Promise<FleetView | null> {
  const { settings } = prepared;
  const { cluster, service } = settings;
  if (cluster === null) return null;
  try {
    const { viewFleet } = await import('../commands/ask-fleet.ts');
    return await viewFleet({ cluster, service, username: await fleetUser(prepared) }, settings);
  } catch (error) {
    complain(`whether another host sends one of the folders is not known: ${errorMessage(error)}`);
    return null;
  }
}

/**
 * Who signs in, where that names the account of a fleet; else empty: the secrets are not needed. Throws
 * ConfigurationError.
 */
async function fleetUser(prepared: PreparedCommand): Promise<string> {
  const { cluster } = prepared.settings;
  if (cluster === null || cluster.account !== undefined) return '';
  return (await credentialsFor(prepared))?.username ?? '';
}
