import { isStartWaiting, waitsForSpace } from '../../daemon/process/waiting-start.ts';
import { exitCodes } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { findDaemon } from '../find-daemon.ts';

/** `ingestd health`: Docker asks every half minute, so it loads as little as it can. */
export async function health(context: CommandContext, flags: GlobalFlags) {
  const { stateDir, daemon } = await findDaemon(context, flags, { reports: false });
  if (daemon === null) {
    const none = `no daemon is running with the state directory ${stateDir}`;
    context.complain((await isStartWaiting(stateDir)) ? waitsForSpace : none);
    return exitCodes.unforeseen;
  }
  if (await daemon.healthy()) return exitCodes.ok;
  context.complain('the daemon is not making progress; see its log, or restart it');
  return exitCodes.unforeseen;
}
