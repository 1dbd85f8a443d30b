import { withLocalTimes } from '../../lib/text/amounts.ts';
import { errorMessage, exitCodes } from '../../model/errors.ts';
import { fleetHeadline } from '../../model/report/fleet-headline.ts';
import { headline, statusLine } from '../../model/report/headline.ts';
import { statusSchema } from '../../model/report/status.ts';
import type { Status } from '../../model/report/status.ts';
import type { PreparedCommand } from '../prepare-command.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import { renderFleet, renderStatus } from './render-status.ts';
import { offlineStatus } from '../../commands/offline/offline-reports.ts';
import { findDaemon } from '../find-daemon.ts';
import { offlineView, requireFleet, signInFrom } from '../prepare-command.ts';

interface StatusFlags extends CommandFlags {
  readonly check?: boolean;
  readonly fleet?: boolean;
}

const checkCodes = { ok: 0, attention: 1, error: 2 } as const;

/** `ingestd status`; with `--check`, one line and an exit code that follows the health: what cannot be asked is an error. */
export async function status(context: CommandContext, flags: StatusFlags) {
  const tell = flags.fleet === true ? tellOfFleet : tellOfHost;
  if (flags.check !== true) {
    await tell(context, flags);
    return exitCodes.ok;
  }
  try {
    return checkCodes[await tell(context, flags)];
  } catch (error) {
    context.complain(errorMessage(error));
    return checkCodes.error;
  }
}

/** All hosts of the account, as each describes itself in Redis. */
async function tellOfFleet(context: CommandContext, flags: StatusFlags): Promise<Status['health']> {
  const { output } = context;
  const fleet = await (await requireFleet(context, flags)).status();
  if (flags.json) output.json(fleet);
  else if (flags.check) output.line(`${fleet.health}: ${fleetHeadline(fleet)}`);
  else for (const line of renderFleet(fleet, output.colors)) output.line(line);
  return fleet.health;
}

async function tellOfHost(context: CommandContext, flags: StatusFlags): Promise<Status['health']> {
  const { output } = context;
  const { prepared, daemon } = await findDaemon(context, flags);
  // `--json` has the daemon's own words: another version may say more.
  const raw = daemon === null ? await offline(context, prepared) : await daemon.rawStatus();
  const now = statusSchema.parse(raw);
  const view = { colors: output.colors, page: daemon?.http ?? null, now: Date.now() };
  if (flags.json) output.json(raw);
  else if (flags.check) output.line(`${now.health}: ${withLocalTimes(statusLine(now))}`);
  else for (const line of renderStatus(now, view)) output.line(line);
  return now.health;
}

/** What is known without a daemon, as one would send it. */
async function offline(context: CommandContext, prepared: PreparedCommand) {
  const view = await offlineView(context, prepared);
  const { account, trouble } = await signInFrom(prepared);
  const status = await offlineStatus(view, account, trouble);
  return { ...status, headline: headline(status) };
}
