import { existsSync } from 'node:fs';

import type { OfflineView } from '../commands/offline/resting-engine.ts';
import type { Credentials } from '../model/settings.ts';
import { ConfigurationError, errorMessage } from '../model/errors.ts';
import { levelAskedFor } from './define-command.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { requireOwnState } from '../daemon/preconditions/whose-state.ts';
import { createLog } from '../log/create-log.ts';
import { findCredentials, loadCredentials } from '../config/secrets/read-secrets.ts';

/** The configuration and the log of one command. */
export type PreparedCommand = Awaited<ReturnType<typeof prepareCommand>>;

interface PrepareOptions {
  /** Only warnings and errors are logged, unless the command line asks for another level. Default true. */
  readonly quiet?: boolean;
  /** Whether the folders are separate directories is checked. Default false. */
  readonly checkFolders?: boolean;
  /** False: the configuration's warnings are not logged. */
  readonly reportsWarnings?: boolean;
  /** Takes the lines of the log. Default: standard error. */
  readonly writeLog?: ((text: string) => void) | undefined;
}

/** A job or a unit with a wrong directory would look healthy, and deliver to nowhere. */
const trialWords = 'no configuration file found; using the built-in trial configuration';

/** Reads the configuration and opens the log on standard error. Throws ConfigurationError. */
export async function prepareCommand(
  context: CommandContext,
  flags: GlobalFlags,
  {
    quiet = true,
    checkFolders = false,
    reportsWarnings = true,
    writeLog = context.writeError,
  }: PrepareOptions = {},
) {
  const { env, cwd, redactor, output } = context;
  const configuration = await loadConfiguration({ file: flags.config, env, cwd, checkFolders, redactor });
  const { missing } = configuration;
  await requireOwnState(configuration.settings, configuration.trial, env);
  // Once: from its start on, the trial says in its status what it is.
  const hasBegun = existsSync(configuration.settings.state.dir);
  if (missing.length > 0 && !hasBegun && quiet && flags.quiet !== true)
    context.complain(`${trialWords} (none of ${missing.join(', ')} exists)`);
  const asked = levelAskedFor(flags);
  const { log: configured } = configuration.settings;
  const level = asked ?? configured.level;
  const settings = { ...configuration.settings, log: { ...configured, level } };
  if (settings.cluster !== null && settings.cluster.redis.password !== null)
    redactor.add([settings.cluster.redis.password]);
  const log = await createLog({
    level: quiet && asked === undefined && level === 'info' ? 'warn' : level,
    format: settings.log.format,
    redactor,
    asTyped: output.asTyped,
    write: writeLog,
  });
  if (missing.length > 0 && !quiet) log.info({ lookedFor: missing }, trialWords);
  for (const warning of reportsWarnings ? configuration.warnings : []) log.warn({}, warning);
  return { configuration, settings, log, redactor };
}

/** The five secrets; null in embedded mode, whose service makes its own. Throws ConfigurationError. */
export async function credentialsFor({
  configuration,
  settings,
}: PreparedCommand): Promise<Credentials | null> {
  return settings.service.mode === 'embedded' ? null : loadCredentials(configuration.secretSources);
}

/** The five secrets if all are there, else which are not, and why. */
export async function presentCredentials({
  configuration,
  settings,
}: PreparedCommand): ReturnType<typeof findCredentials> {
  if (settings.service.mode === 'embedded') return { credentials: null, missing: [] };
  return findCredentials(configuration.secretSources);
}

/** Who signs in where no daemon does; null: not known. `trouble`: why nobody can; null: somebody can, or need not. */
export async function signInFrom(prepared: PreparedCommand) {
  const known = await credentialsFor(prepared).catch(errorMessage);
  if (typeof known !== 'string') return { account: known?.username ?? null, trouble: null };
  // A service may have them from its unit, or from a shell that is not this one.
  return { account: null, trouble: `started from here, ingestd would have no credentials: ${known}` };
}

/** The configuration's fleet. Throws ConfigurationError where it is for one host. */
export async function requireFleet(context: CommandContext, flags: GlobalFlags) {
  const fleet = await findFleet(await prepareCommand(context, flags));
  if (fleet !== null) return fleet;
  throw new ConfigurationError(
    'cluster is not configured, so there is no fleet; docs/fleet.md describes how to set one up',
  );
}

/** Null: the configuration is for one host. */
async function findFleet(prepared: PreparedCommand) {
  const { settings } = prepared;
  const { cluster } = settings;
  if (cluster === null) return null;
  const { askFleet } = await import('../commands/ask-fleet.ts');
  return askFleet({ ...settings, cluster, username: await fleetUser(prepared) });
}

/** What a command looks at without a daemon; a fleet that cannot be asked is said on standard error. */
export async function offlineView(
  { complain }: CommandContext,
  prepared: PreparedCommand,
): Promise<OfflineView> {
  const { settings, configuration } = prepared;
  const view = { settings, makesFolders: configuration.trial, fleet: null };
  try {
    const fleet = await findFleet(prepared);
    return fleet === null ? view : { ...view, fleet: await fleet.view(settings) };
  } catch (error) {
    complain(`whether another host sends one of the folders is not known: ${errorMessage(error)}`);
    return view;
  }
}

/** Who signs in, where that names the account of a fleet; else empty, no secret read. Throws ConfigurationError. */
export async function fleetUser(prepared: PreparedCommand): Promise<string> {
  const { cluster } = prepared.settings;
  if (cluster === null || cluster.account !== undefined) return '';
  return (await credentialsFor(prepared))?.username ?? '';
}
