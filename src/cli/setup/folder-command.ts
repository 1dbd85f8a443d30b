import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { awaitDaemon } from '../../commands/daemon-client.ts';
import type { DaemonClient } from '../../commands/daemon-client.ts';
import { expandHome } from '../../config/find-places.ts';
import { loadConfiguration } from '../../config/load-configuration.ts';
import { readTrustedFile } from '../../config/trusted-file.ts';
import { editFolders } from '../../config/yaml/edit-folders.ts';
import { requireFolder } from '../../daemon/control/resolve-path.ts';
import { stateHolder } from '../../ledger/lock-state-directory.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { ConfigurationError, errorCode, errorMessage, exitCodes } from '../../model/errors.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { prepareCommand } from '../prepare-command.ts';
import { pathFrom } from './init-files.ts';

/** `ingestd folder add PATH`. */
export async function folderAdd(
  context: CommandContext,
  given: string,
  flags: GlobalFlags & { readonly name?: string; readonly share?: ShareMode },
) {
  const { settings, daemon } = await prepareEdit(context, flags);
  const { file, folders } = settings;
  const path = resolve(context.cwd, expandHome(given, context.env, 'PATH'));
  const fault = await stat(path).then(
    (stats) => (stats.isDirectory() ? null : 'is not a directory'),
    (error: unknown) => (errorCode(error) === 'ENOENT' ? 'does not exist' : errorMessage(error)),
  );
  if (fault !== null) throw new ConfigurationError(`${path} ${fault}; name a directory that is there`);
  const reals = await Promise.all(folders.map((one) => realPath(one.path)));
  const same = folders[reals.indexOf(await realPath(path))];
  if (same !== undefined) {
    throw new ConfigurationError(
      `${path} is in ${file} already, as the folder "${same.name}"; nothing was changed`,
    );
  }
  const name = (flags.name ?? basename(path)).normalize('NFC');
  const other = folders.find((folder) => folder.name.normalize('NFC') === name);
  if (other !== undefined) {
    throw new ConfigurationError(
      `another folder "${name}" is in ${file} already (${other.path}); give this one another name with --name`,
    );
  }
  // Without a statement it would be DEFAULT, and what is shared too widely cannot be taken back.
  const mode = flags.share ?? 'NONE';
  const add = { name, path: pathFrom(dirname(file), path), metadata: { shareInfo: { mode } } };
  await writeEdit(context, settings, { add }, (after) => {
    const [added, ...more] = after.slice(folders.length);
    return (
      more.length === 0 &&
      added?.name === name &&
      added.path === path &&
      added.metadata.shareInfo?.mode === mode &&
      isDeepStrictEqual(after.slice(0, folders.length), folders)
    );
  });
  context.output.line(`Added the folder ${name} (${path}; sharing ${mode}) to ${file}.`);
  context.output.line(await reload(settings, daemon));
  return exitCodes.ok;
}

/** `ingestd folder remove NAME`. */
export async function folderRemove(context: CommandContext, name: string, flags: GlobalFlags) {
  const { settings, daemon } = await prepareEdit(context, flags);
  const { file, folders } = settings;
  const folder = requireFolder(settings, name);
  const rest = folders.filter((one) => one !== folder);
  if (rest.length === 0) {
    throw new ConfigurationError(
      `"${name}" is the only folder in ${file}, and ingestd needs one; add another first with ingestd folder add PATH`,
    );
  }
  const held = await readLedger(settings.state.dir).then(
    (ledger) => ledger.hold(name)?.documents,
    () => 0,
  );
  const remove = folders.findIndex((one) => one === folder);
  await writeEdit(context, settings, { remove }, (after) => isDeepStrictEqual(after, rest));
  const too = held ? `, with ${countWords(held, 'document')} whose deletion was held` : '';
  context.output.line(`Removed the folder ${name} from ${file}. Its documents stay at the service${too}.`);
  context.output.line(await reload(settings, daemon));
  return exitCodes.ok;
}

async function prepareEdit(context: CommandContext, flags: GlobalFlags) {
  const { configuration, settings } = await prepareCommand(context, flags);
  if (!configuration.trial) return { settings, daemon: await awaitDaemon(settings) };
  throw new ConfigurationError(
    `${settings.file} is the trial configuration, which ships with ingestd and is not edited; create one of your own with ingestd init, or name another with --config`,
  );
}

/** Writes the file where the result is valid and its folders are what `isMeant` expects. Throws ConfigurationError else. */
async function writeEdit(
  { env, cwd }: CommandContext,
  { file }: Settings,
  edit: Parameters<typeof editFolders>[1],
  isMeant: (folders: readonly FolderSettings[]) => boolean,
): Promise<void> {
  const { text: before, stats } = await readTrustedFile(file, env);
  const text = editFolders(before, edit);
  const after = text === null ? null : await loadConfiguration({ file, env, cwd, text }).catch(invalid);
  if (text === null || after === null || !isMeant(after.settings.folders)) {
    throw new ConfigurationError(
      `folders: ${file} was not changed, because the folders are not all written out in it as a list, or INGESTD_FOLDERS__… variables change them by their position; edit it by hand`,
    );
  }
  try {
    // A link stays one.
    await writeDurably(await realpath(file), text, stats.mode & 0o7777, stats);
  } catch (error) {
    throw new ConfigurationError(
      `${file} cannot be written (${errorCode(error) ?? 'unknown'}), and was not changed; run the command as a user who may replace it, or edit it by hand`,
      { cause: error },
    );
  }
}

function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function invalid(error: unknown): never {
  if (errorCode(error) !== 'configuration') throw error;
  // The places are those of a text that nobody has.
  const faults = errorMessage(error).replaceAll(/:\d+:\d+: /g, ': ');
  const message = `nothing was changed, because of this fault:\n${faults}`;
  throw new ConfigurationError(message, { cause: error });
}

/** Has the daemon of this configuration read it again; gives what was done. */
async function reload({ file, state }: Settings, daemon: DaemonClient | null): Promise<string> {
  if (daemon?.configuration !== file) return 'ingestd is not running with it: it counts from the next start.';
  const { pid } = daemon;
  const byHand = `The running daemon (process ${pid}) could not be told; send it SIGHUP`;
  // In a container it has another number.
  if ((await stateHolder(state.dir)) !== pid) return `${byHand} where it runs, or restart it.`;
  try {
    process.kill(pid, 'SIGHUP');
    return `The running daemon (process ${pid}) was sent SIGHUP: it reads the configuration again.`;
  } catch (error) {
    return `${byHand} as its user, or restart it (${errorMessage(error)}).`;
  }
}
