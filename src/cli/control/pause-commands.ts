import { withLocalTimes } from '../../lib/text/amounts.ts';
import { ConfigurationError, exitCodes } from '../../model/errors.ts';
import { isFleetPaused } from '../../model/report/fleet-pause.ts';
import { pauseDetails, resumeCommand } from '../../model/report/pause-words.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { prepareAction } from '../prepare-action.ts';
import { requireFleet } from '../prepare-command.ts';

interface PauseFlags extends GlobalFlags {
  readonly fleet?: boolean;
  /** How long, ms. */
  readonly for?: number;
}

/** `ingestd pause`. */
export async function pause(context: CommandContext, folder: string | undefined, flags: PauseFlags) {
  if (flags.fleet === true) return changeFleet(context, true, folder, flags);
  const { daemon, decisions } = await prepareAction(context, flags);
  const { paused, pauses } = await decisions.pause({ folder: folder ?? null, ms: flags.for });
  const ends = Object.fromEntries(Object.entries(pauses).map(([name, { until }]) => [name, { until }]));
  const end = pauseDetails(folder === undefined ? paused : [folder], ends);
  const start = daemon === null ? ', from the next start on' : '';
  const until = end === '' ? ',' : `${withLocalTimes(end)}, or`;
  const which = folder ?? (paused.length > 1 ? 'all folders' : paused.join());
  context.output.line(`Paused: ${which}${start}${until} until you run ${resumeCommand(folder)}.`);
  return exitCodes.ok;
}

/** `ingestd resume`. */
export async function resume(context: CommandContext, folder: string | undefined, flags: PauseFlags) {
  if (flags.fleet === true) return changeFleet(context, false, folder, flags);
  const { daemon, decisions } = await prepareAction(context, flags);
  const { paused } = await decisions.resume({ folder: folder ?? null });
  const status = await daemon?.status();
  const left = isFleetPaused(status?.reasons ?? [])
    ? 'all hosts of the fleet. Resume them with ingestd resume --fleet'
    : paused.join(', ');
  context.output.line(left === '' ? 'Nothing is paused any more.' : `Still paused: ${left}.`);
  return exitCodes.ok;
}

async function changeFleet(
  context: CommandContext,
  isPaused: boolean,
  folder: string | undefined,
  flags: PauseFlags,
) {
  if (flags.for !== undefined)
    throw new ConfigurationError('--for is for one host; leave out --fleet, or resume with --fleet later');
  if (folder !== undefined)
    throw new ConfigurationError(`--fleet is for all folders of all hosts; leave out ${folder}`);
  const { setPaused } = await requireFleet(context, flags);
  const isChanged = await setPaused(isPaused);
  const done = isPaused
    ? 'All hosts of the fleet are paused. Resume with ingestd resume --fleet.'
    : 'The fleet is resumed. A host or folder that was paused by itself stays paused.';
  context.output.line(isChanged ? done : `The fleet is ${isPaused ? 'already' : 'not'} paused.`);
  return exitCodes.ok;
}

/** `ingestd rescan`. */
export async function rescan(context: CommandContext, folder: string | undefined, flags: GlobalFlags) {
  const { daemon } = await prepareAction(context, flags);
  if (daemon === null) {
    throw new ConfigurationError(
      'rescan: ingestd is not running. It scans everything when it starts; ingestd sync makes one pass now',
    );
  }
  const { folders } = await daemon.rescan({ folder: folder ?? null });
  context.output.line(`Scanning ${folders.join(', ')}.`);
  return exitCodes.ok;
}
