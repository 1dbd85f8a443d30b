import { errorCode, errorMessage } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from './command-context.ts';
import { type DaemonClient, connectDaemon } from '../../commands/daemon-client.ts';
import { type PreparedCommand, prepareCommand } from './prepare-command.ts';

/** What a command that only reports on the running daemon begins with. */
export type FoundDaemon = { readonly stateDir: string } &
  /** None runs. */
  (
    | { readonly prepared: PreparedCommand; readonly daemon: null }
    /** `prepared` null: the configuration on disk cannot be used; the daemon runs on what the file said before. */
    | { readonly prepared: PreparedCommand | null; readonly daemon: DaemonClient }
  );

/** What a command that acts on the running daemon begins with; `daemon` null: none runs. Throws ConfigurationError. */
export async function prepareAction(
  context: CommandContext,
  flags: GlobalFlags,
): Promise<PreparedCommand & { readonly daemon: DaemonClient | null }> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { state, file } = prepared.settings;
  return { ...prepared, daemon: await connectDaemon(state.dir, file) };
}

interface FindOptions {
  /** False for a command whose exit code says everything. */
  readonly reports?: boolean;
}

/**
 * Reads the configuration and finds its daemon. A configuration that cannot be used does not hide a daemon that runs on
 * the one before: it is found, and the fault is printed on standard error. Throws ConfigurationError where none runs.
 */
export async function findDaemon(
  context: CommandContext,
  flags: GlobalFlags,
  { reports = true }: FindOptions = {},
): Promise<FoundDaemon> {
  try {
    const prepared = await prepareCommand(context, flags, {
      quiet: true,
      checkFolders: false,
      reportsWarnings: reports,
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

/** Only the daemon of this very file: where the state directory is not known, the usual one may be another's. */
async function daemonOfTheOneBefore(
  { env, cwd }: CommandContext,
  flags: GlobalFlags,
): Promise<{ readonly stateDir: string; readonly daemon: DaemonClient } | null> {
  const { likelyStateDirectory } = await import('../../config/find-places.ts');
  const { file, dir } = await likelyStateDirectory({ file: flags.config, env, cwd });
  const daemon = await connectDaemon(dir, file);
  return daemon !== null && daemon.configuration === file ? { stateDir: dir, daemon } : null;
}
