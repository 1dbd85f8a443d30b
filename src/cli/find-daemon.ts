import { likelyStateDirectory } from '../config/find-places.ts';
import { awaitDaemon, connectDaemon } from '../commands/daemon-client.ts';
import type { DaemonClient } from '../commands/daemon-client.ts';
import type { Folders } from '../daemon/control/resolve-path.ts';
import { runningState } from '../daemon/preconditions/whose-state.ts';
import { errorCode, errorMessage } from '../model/errors.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { prepareCommand } from './prepare-command.ts';
import type { PreparedCommand } from './prepare-command.ts';

/** What a command that is about the running daemon begins with. */
export type FoundDaemon = { readonly stateDir: string } &
  /** None runs. */
  (
    | { readonly prepared: PreparedCommand; readonly daemon: null }
    | { readonly prepared: PreparedCommand; readonly daemon: DaemonClient }
    /** The configuration on disk is invalid; the daemon runs on what the file said before. */
    | { readonly prepared: null; readonly daemon: DaemonClient }
  );

/**
 * Reads the configuration and finds its daemon. A configuration that cannot be used does not hide a daemon that runs on
 * the one before: it is found, and the fault is printed on standard error. `reports` false: for a command whose exit
 * code says everything. `awaits`: one that starts is waited for. Throws ConfigurationError where none runs.
 */
export async function findDaemon(
  context: CommandContext,
  flags: GlobalFlags,
  { reports = true, awaits = false }: { readonly reports?: boolean; readonly awaits?: boolean } = {},
): Promise<FoundDaemon> {
  try {
    const asked = reports ? flags : { ...flags, quiet: true };
    const prepared = await prepareCommand(context, asked);
    const { settings } = prepared;
    const stateDir = settings.state.dir;
    const daemon = await (awaits ? awaitDaemon(settings) : connectDaemon(stateDir, settings.file));
    const edited = editedSince(prepared, daemon);
    if (edited !== null && asked.quiet !== true)
      context.complain(`${edited.message}; what follows comes from the daemon. ${edited.fix}`);
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

/** That the configuration says something else than when its daemon read it; null: it does not. */
export function editedSince({ settings, configuration }: PreparedCommand, daemon: DaemonClient | null) {
  const { file } = settings;
  if (daemon?.configuration !== file || [null, configuration.digest].includes(daemon.digest)) return null;
  const message = `${file} or the .env beside it was changed after the daemon (pid ${daemon.pid}) read it`;
  return { message, fix: `For the change to take effect, run kill -HUP ${daemon.pid}.` };
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
  const { file } = likely;
  const stateDir = (await runningState(file, env))?.dir ?? likely.dir;
  const daemon = await connectDaemon(stateDir, file);
  return daemon?.configuration === file ? { stateDir, daemon } : null;
}
