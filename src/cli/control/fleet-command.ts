import { forgetFleetHost } from '../../commands/ask-fleet.ts';
import { countWords } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { fleetAddress } from '../prepare-command.ts';

export async function forgetHost(context: CommandContext, host: string, flags: GlobalFlags): Promise<number> {
  const address = await fleetAddress(context, flags);
  const { share, folders } = await forgetFleetHost(address, host);
  const { line } = context.output;
  line(`${host} has been forgotten.`);
  if (share > 0) line(`The other hosts can now use its ${countWords(share, 'request')} a minute.`);
  if (folders > 0) {
    line(
      `It had ${countWords(folders, 'folder')}: another host that has one in its configuration sends it from now on, and uploads what its own ledger does not know.`,
    );
  }
  return exitCodes.ok;
}
