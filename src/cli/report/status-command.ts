import { connectDaemon } from '../../commands/daemon-client.ts';
import { setTimeout as delay } from 'node:timers/promises';

import { ConfigurationError, errorMessage, exitCodes } from '../../model/errors.ts';
import { fleetHeadline, statusLine } from '../../model/report/headline.ts';
import { statusSchema } from '../../model/report/status.ts';
import type { Status } from '../../model/report/status.ts';
import type { DaemonClient } from '../../commands/daemon-client.ts';
import type { PreparedCommand } from '../prepare-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { renderFleet, renderStatus } from './render-status.ts';
import { offlineStatus } from '../../commands/offline/offline-reports.ts';
import { findDaemon } from '../find-daemon.ts';
import { fleetAddress, fleetView, presentCredentials } from '../prepare-command.ts';

interface StatusFlags extends GlobalFlags {
  readonly json?: boolean;
  readonly check?: boolean;
  readonly fleet?: boolean;
  readonly watch?: number;
}

export async function status(context: CommandContext, flags: StatusFlags): Promise<number> {
  if (flags.fleet === true) return fleet(context, flags);
  return flags.check === true ? check(context, flags) : show(context, flags);
}

const checkCodes = { ok: 0, attention: 1, error: 2 } as const;

/** All hosts of the account, as each describes itself in Redis; with `--check` in one line. */
async function fleet(context: CommandContext, flags: StatusFlags): Promise<number> {
  const { output } = context;
  try {
    const { fleetStatus } = await import('../../commands/ask-fleet.ts');
    const found = await fleetStatus(await fleetAddress(context, flags));
    if (flags.json) output.json(found);
    else if (flags.check === true) output.line(`${found.health}: ${fleetHeadline(found)}`);
    else for (const line of renderFleet(found, output.colors)) output.line(line);
    return flags.check === true ? checkCodes[found.health] : exitCodes.ok;
  } catch (error) {
    if (flags.check !== true) throw error;
    context.complain(errorMessage(error));
    return checkCodes.error;
  }
}

/** One line and an exit code that follow the health. What cannot be asked is an error. */
async function check(context: CommandContext, flags: StatusFlags): Promise<number> {
  try {
    const { prepared, daemon } = await findDaemon(context, flags);
    const { status, raw } = await statusOf(daemon, () => offline(context, prepared));
    if (flags.json) context.output.json(raw);
    else context.output.line(`${status.health}: ${statusLine(status)}`);
    return checkCodes[status.health];
  } catch (error) {
    context.complain(errorMessage(error));
    return checkCodes.error;
  }
}

/** What is known without a daemon. Throws ConfigurationError where the configuration is invalid too. */
async function offline(context: CommandContext, prepared: PreparedCommand | null): Promise<Status> {
  // It was there a moment ago.
  if (prepared === null)
    throw new ConfigurationError(
      'the daemon has stopped and the configuration file is invalid; run ingestd check',
    );
  const { settings, configuration } = prepared;
  const known = await presentCredentials(prepared).catch(() => null);
  return offlineStatus({
    settings,
    account: known?.credentials?.username ?? null,
    makesFolders: configuration.trial,
    fleet: await fleetView(context, prepared),
  });
}

async function show(context: CommandContext, flags: StatusFlags): Promise<number> {
  const { stateDir, prepared } = await findDaemon(context, flags);
  const { output } = context;
  const showNow = async (): Promise<void> => {
    const daemon = await connectDaemon(stateDir, prepared?.settings.file);
    const now = await statusOf(daemon, () => offline(context, prepared));
    if (flags.json) output.json(now.raw);
    else draw(renderStatus(now.status, { colors: output.colors, page: daemon?.http ?? null }));
  };
  const redraws = flags.watch !== undefined && output.terminal && !flags.json;
  const draw = (lines: readonly string[]): void => {
    if (redraws) output.screen(lines);
    else for (const line of lines) output.line(line);
  };
  await showNow();
  if (flags.watch === undefined) return exitCodes.ok;
  const everyMs = flags.watch * 1000;
  while (!output.closed()) {
    await delay(everyMs);
    if (!redraws && !flags.json) output.line();
    await showNow();
  }
  return exitCodes.ok;
}

/** The daemon's own words for `--json`, and what could be read of them. */
async function statusOf(
  daemon: DaemonClient | null,
  offline: () => Promise<Status>,
): Promise<{ readonly status: Status; readonly raw: unknown }> {
  if (daemon === null) {
    const status = await offline();
    return { status, raw: status };
  }
  const raw = await daemon.rawStatus();
  return { status: statusSchema.parse(raw), raw };
}
