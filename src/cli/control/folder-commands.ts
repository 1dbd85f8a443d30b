import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { pausedNames, readPauses } from '../../daemon/control/pauses.ts';
import { insideWorkingDirectory, requireFolder } from '../../daemon/control/resolve-path.ts';
import type { DaemonClient } from '../../commands/daemon-client.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import type { ShownDeletions } from '../../model/ports/control-port.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import type { Settings } from '../../model/settings.ts';
import { confirm } from '../prompter.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { offlineStatus } from '../../commands/offline/offline-reports.ts';
import { decisionsOf, prepareAction } from '../prepare-action.ts';
import { fleetAddress } from '../prepare-command.ts';

export async function approve(
  context: CommandContext,
  folder: string | undefined,
  flags: GlobalFlags & { yes?: boolean },
): Promise<number> {
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const name = nameOf(folder, settings);
  const shown = flags.yes === true ? undefined : await askedFor(context, { settings, daemon, name });
  if (shown === null) {
    context.output.line('Nothing was released. To keep these documents at the service, run ingestd keep.');
    return exitCodes.ok;
  }
  const { approved } = await (await decisionsOf(prepared)).approve(name, shown);
  context.output.line(
    approved === 0
      ? 'Nothing is held.'
      : `${countWords(approved, 'deletion')} released${daemon === null ? ', to be sent when ingestd runs' : ''}.`,
  );
  return exitCodes.ok;
}

/** `ingestd keep`: the documents of removed files stay at the service. */
export async function keep(
  context: CommandContext,
  place: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const isFolder = place === undefined || settings.folders.some(({ name }) => name === place);
  const wanted = isFolder
    ? (place ?? null)
    : insideWorkingDirectory(place, { cwd: context.cwd, folders: settings.folders });
  const { kept } = await (await decisionsOf(prepared)).keep(wanted);
  const words = kept === 1 ? 'stays' : 'stay';
  context.output.line(
    kept === 0
      ? 'Nothing is held.'
      : `${countWords(kept, 'document')} ${words} at the service${daemon === null ? ', from the next start on' : ''}.`,
  );
  return exitCodes.ok;
}

/**
 * Names the documents that would be deleted at the service, and asks. Gives what was shown; null: none is meant. Throws
 * ConfigurationError where nobody can be asked.
 */
async function askedFor(
  context: CommandContext,
  { settings, daemon, name }: { settings: Settings; daemon: DaemonClient | null; name: string | null },
): Promise<ShownDeletions | null> {
  const { held } = await (daemon?.status() ??
    offlineStatus({ settings, account: null, makesFolders: true, fleet: null }));
  const wanted = held.filter(({ folder }) => name === null || folder === name);
  const count = wanted.reduce((total, one) => total + one.count, 0);
  const paths = wanted.flatMap(({ folder, paths }) => paths.map((path) => `${folder}/${path}`));
  const shown = { most: count, paths };
  if (count === 0) return shown;
  for (const path of paths) context.output.line(path);
  if (count > paths.length) context.output.line(`and ${numberWords(count - paths.length)} more`);
  if (!context.interactive)
    throw new ConfigurationError(
      `approve: ${countWords(count, 'document')} would be deleted at the service; add --yes, or keep them there with ingestd keep`,
    );
  return (await confirm(context, `Delete ${countWords(count, 'document')} at the service?`)) ? shown : null;
}

interface PauseFlags extends GlobalFlags {
  readonly fleet?: boolean;
  /** How long, ms. */
  readonly for?: number;
}

/** `ingestd pause`. */
export const pause = change('pause');

/** `ingestd resume`. */
export const resume = change('resume');

function change(action: 'pause' | 'resume') {
  return async (context: CommandContext, folder: string | undefined, flags: PauseFlags): Promise<number> =>
    flags.fleet === true
      ? changeFleet(context, action, folder, flags)
      : changeHost(context, action, folder, flags);
}

async function changeHost(
  context: CommandContext,
  action: 'pause' | 'resume',
  folder: string | undefined,
  flags: PauseFlags,
): Promise<number> {
  const prepared = await prepareAction(context, flags);
  const { settings, daemon } = prepared;
  const name = nameOf(folder, settings);
  const status = await daemon?.status();
  const isForAll = isFleetPaused(status?.reasons ?? []);
  // Of a paused fleet the status names all folders.
  const before =
    status === undefined || isForAll
      ? pausedNames(await readPauses(settings.state.dir), settings.folders)
      : status.paused;
  const decisions = await decisionsOf(prepared);
  const { paused } =
    action === 'pause' ? await decisions.pause(name, flags.for) : await decisions.resume(name);
  const start = daemon === null ? ', from the next start on' : '';
  const names = name === null ? 'all folders' : paused.join(', ');
  context.output.line(
    action === 'pause'
      ? `Paused: ${names}${start}${untilWords(flags.for)}. Resume with ingestd resume.`
      : resumedWords({ before, paused, isForAll, start }),
  );
  return exitCodes.ok;
}

function untilWords(ms: number | undefined): string {
  return ms === undefined ? '' : `, until ${new Date(Date.now() + ms).toLocaleString('sv-SE')}`;
}

interface Resumed {
  /** Names of the folders that were paused. */
  readonly before: readonly string[];
  /** Of those that still are. */
  readonly paused: readonly string[];
  /** The pause of the whole fleet goes on. */
  readonly isForAll: boolean;
  readonly start: string;
}

function resumedWords({ before, paused, isForAll, start }: Resumed): string {
  const resumed = before.filter((name) => !paused.includes(name));
  if (before.length === 0 && !isForAll) return 'Nothing was paused.';
  const done = resumed.length === 0 ? 'Nothing was resumed.' : `Resumed: ${resumed.join(', ')}${start}.`;
  if (isForAll)
    return `${done} Still paused: all hosts of the fleet. Resume them with ingestd resume --fleet.`;
  return paused.length === 0
    ? `${done} Nothing is paused any more.`
    : `${done} Still paused: ${paused.join(', ')}.`;
}

async function changeFleet(
  context: CommandContext,
  action: 'pause' | 'resume',
  folder: string | undefined,
  flags: PauseFlags,
): Promise<number> {
  if (flags.for !== undefined)
    throw new ConfigurationError('--for is for one host; leave out --fleet, or resume with --fleet later');
  if (folder !== undefined)
    throw new ConfigurationError(`--fleet is for all folders of all hosts; leave out ${folder}`);
  const address = await fleetAddress(context, flags);
  const { setFleetPaused } = await import('../../commands/ask-fleet.ts');
  const isChanged = await setFleetPaused(address, action === 'pause');
  const words =
    action === 'pause'
      ? { done: 'All hosts of the fleet are paused. Resume with ingestd resume --fleet.', before: 'already' }
      : {
          done: 'The fleet is resumed. A host or folder that was paused by itself stays paused.',
          before: 'not',
        };
  context.output.line(isChanged ? words.done : `The fleet is ${words.before} paused.`);
  return exitCodes.ok;
}

export async function rescan(
  context: CommandContext,
  folder: string | undefined,
  flags: GlobalFlags,
): Promise<number> {
  const { settings, daemon } = await prepareAction(context, flags);
  const name = nameOf(folder, settings);
  if (daemon === null) {
    throw new ConfigurationError(
      'rescan: ingestd is not running. It scans everything when it starts; ingestd sync makes one pass now',
    );
  }
  const { folders } = await daemon.rescan(name);
  context.output.line(`Scanning ${folders.join(', ')}.`);
  return exitCodes.ok;
}

/** The name of a configured folder; null: none was given, all are meant. Throws ConfigurationError. */
function nameOf(folder: string | undefined, settings: Settings): string | null {
  return requireFolder(settings, folder ?? null)?.name ?? null;
}
