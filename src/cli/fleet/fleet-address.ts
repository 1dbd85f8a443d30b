import type { FleetAddress } from '../../commands/fleet/ask-fleet.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../context/command-context.ts';
import { fleetUser, prepare } from '../context/prepare.ts';

/** Where the configuration's fleet is to be asked. Throws ConfigurationError where it is for one host. */
export async function fleetAddress(context: CommandContext, flags: GlobalFlags): Promise<FleetAddress> {
  const prepared = await prepare(context, flags, { quiet: true, checkFolders: false });
  const { cluster, service } = prepared.settings;
  if (cluster === null) {
    throw new ConfigurationError(
      'cluster is not configured, so there is no fleet; docs/fleet.md describes how to set one up',
    );
  }
  return { cluster, service, username: await fleetUser(prepared, context) };
}
