import type { Credentials, Settings } from '../model/settings.ts';
import type { CheckOptions } from '../commands/check/check.ts';
import type { Folders } from '../daemon/control/resolve-path.ts';
import type { DecisionPort } from '../model/ports/control-port.ts';
import type { FleetAddress, FleetView } from '../commands/ask-fleet.ts';
import { ConfigurationError, errorCode, errorMessage } from '../model/errors.ts';
import type { DaemonClient } from '../commands/daemon-client.ts';
import { levelAskedFor } from './define-command.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';

/** The configuration and the log of one command. */
export type PreparedCommand = Awaited<ReturnType<typeof prepareCommand>>;

interface PrepareOptions {
  /** Only warnings and errors are logged, unless the command line asks for another level. */
  readonly quiet?: boolean;
  /** False: whether the folders are separate directories is not checked. Default true. */
  readonly checkFolders?: boolean;
  /** False: the configuration's warnings are not logged. */
  readonly reportsWarnings?: boolean;
  /** Where to say that there is no configuration file. Default: on standard error. */
  readonly reportsTrial?: 'on standard error' | 'in the log' | 'nowhere';
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
    quiet = false,
    checkFolders = true,
    reportsWarnings = true,
    reportsTrial = 'on standard error',
    writeLog,
  }: PrepareOptions = {},
) {
  const { env, cwd, redactor } = context;
  // One after the other, and only when needed: loaded at once they would hold the event loop, and help would be slow.
  const { loadConfiguration } = await import('../config/load-configuration.ts');
  const configuration = await loadConfiguration({ file: flags.config, env, cwd, checkFolders });
  const { missing } = configuration;
  if (missing.length > 0 && reportsTrial === 'on standard error' && flags.quiet !== true)
    context.complain(`${trialWords} (none of ${missing.join(', ')} exists)`);
  const asked = levelAskedFor(flags);
  const { log: configured } = configuration.settings;
  const level = asked ?? configured.level;
  const settings = { ...configuration.settings, log: { ...configured, level } };
  if (level === 'debug' || level === 'trace') context.showStacks();
  if (settings.cluster !== null && settings.cluster.redis.password !== null)
    redactor.add([settings.cluster.redis.password]);
  const { createLog } = await import('../log/create-log.ts');
  const log = await createLog({
    level: quiet && asked === undefined ? quietLevel(level) : level,
    format: settings.log.format,
    redactor,
    write: writeLog,
  });
  if (missing.length > 0 && reportsTrial === 'in the log') log.info({ lookedFor: missing }, trialWords);
  for (const warning of reportsWarnings ? configuration.warnings : []) log.warn({ warning }, 'configuration');
  return { configuration, settings, log, redactor };
}

/** The five secrets; null in embedded mode, whose service makes its own. Throws ConfigurationError. */
export async function credentialsFor({
  configuration,
  settings,
  redactor,
}: PreparedCommand): Promise<Credentials | null> {
  if (settings.service.mode === 'embedded') return null;
  const { loadCredentials } = await import('../config/secrets/read-secrets.ts');
  const credentials = await loadCredentials(configuration.secretSources);
  redactor.add(Object.values(credentials));
  return credentials;
}

/** Where the five secrets come from and how to correct them, for a message that they were refused. */
export async function credentialsAdvice({ configuration }: PreparedCommand): Promise<string> {
  const { correctionAdvice } = await import('../config/secrets/correction-advice.ts');
  return correctionAdvice(configuration.secretSources);
}

/**
 * Who signs in, where that names the account of a fleet; else empty: the secrets are not needed. Throws
 * ConfigurationError.
 */
async function fleetUser(prepared: PreparedCommand): Promise<string> {
  const { cluster } = prepared.settings;
  if (cluster === null || cluster.account !== undefined) return '';
  return (await credentialsFor(prepared))?.username ?? '';
}

/** What a command is run on that writes the ledger while no daemon does. Throws ConfigurationError. */
export async function offlineOptions(
  prepared: PreparedCommand,
): Promise<{ readonly settings: Settings; readonly username: string }> {
  return { settings: prepared.settings, username: await fleetUser(prepared) };
}

/** The five secrets if all are there, else which are not, and why. */
export async function presentCredentials({ configuration, settings, redactor }: PreparedCommand): Promise<{
  readonly credentials: Credentials | null;
  readonly missing: CheckOptions['missingCredentials'];
}> {
  if (settings.service.mode === 'embedded') return { credentials: null, missing: [] };
  const { closedDirectory, findCredentials, missingVariables, wholeCredentials } =
    await import('../config/secrets/read-secrets.ts');
  const faults = new Map<string, string>();
  const found = await findCredentials(configuration.secretSources, (variable, error) => {
    faults.set(variable, sourceFault(error));
  });
  const credentials = wholeCredentials(found);
  if (credentials !== null) redactor.add(Object.values(credentials));
  const closed = await closedDirectory(configuration.secretSources);
  const missing = missingVariables(found).map((variable) => ({
    variable,
    message: faults.get(variable) ?? closed?.message ?? 'is not set anywhere',
    fix: faults.has(variable) ? undefined : closed?.fix,
  }));
  return { credentials, missing };
}

/** What is wrong with the source of a secret, without its variable. Throws every other error. */
function sourceFault(error: unknown): string {
  if (errorCode(error) !== 'configuration') throw error;
  return errorMessage(error).replace(/^INGESTD_\w+: /, '');
}

/** The token of the HTTP address; null: none. Throws ConfigurationError where one is needed. */
export async function httpTokenFor({
  configuration,
  settings,
  redactor,
}: PreparedCommand): Promise<string | null> {
  const { loadHttpToken } = await import('../config/secrets/read-secrets.ts');
  const token = await loadHttpToken(settings, configuration.secretSources);
  if (token !== null) redactor.add([token]);
  return token;
}

/** The address that notifications go to; null: none. Throws ConfigurationError. */
export async function notifyWebhookFor({ configuration, redactor }: PreparedCommand): Promise<string | null> {
  const { loadNotifyWebhook } = await import('../config/secrets/read-secrets.ts');
  const address = await loadNotifyWebhook(configuration.secretSources);
  if (address !== null) redactor.add([address, ...secretPartsOf(new URL(address))]);
  return address;
}

/** What of an address may stand in an error without the rest. A short path would be cut out of ordinary words. */
function secretPartsOf({ pathname, search }: URL): readonly string[] {
  const long = 16;
  return [`${pathname}${search}`, pathname].filter((part) => part.length >= long);
}

/** What `check` is given: secrets that cannot be read are findings. */
export async function checkOptions(prepared: PreparedCommand): Promise<Omit<CheckOptions, 'online'>> {
  const { configuration, settings, log, redactor } = prepared;
  const { missing, credentials } = await presentCredentials(prepared);
  const { findHttpToken, plainSecrets } = await import('../config/secrets/read-secrets.ts');
  const { secretVariables } = await import('../config/secrets/secret-names.ts');
  const { fixFor } = await import('../model/report/explanations.ts');
  const { token, fault } = await findHttpToken(settings, configuration.secretSources).catch(
    (error: unknown) => ({
      token: null,
      fault: { subject: secretVariables.httpToken, message: sourceFault(error), fix: fixFor('http-token') },
    }),
  );
  if (token !== null) redactor.add([token]);
  return {
    settings,
    log,
    missingCredentials: missing,
    plainSecrets: credentials === null ? [] : plainSecrets(credentials),
    httpTokenFault: fault,
    signIn: credentials === null ? null : () => signIn(prepared, credentials),
    webhookFault: await notifyWebhookFor(prepared).then(() => null, sourceFault),
    warnings: configuration.warnings,
  };
}

/** Obtains a token for one command. Gives until when it is valid. Throws CredentialsRefusedError, ServiceUnavailableError. */
export async function signIn(
  prepared: PreparedCommand,
  credentials: Credentials,
): Promise<{ readonly expiresAt: string }> {
  const { settings, log } = prepared;
  const { withTokens } = await import('../commands/offline/with-tokens.ts');
  const advice = (): Promise<string> => credentialsAdvice(prepared);
  return withTokens({ settings, credentials, advice, log }, (tokens) => tokens.login());
}

function quietLevel(level: Settings['log']['level']): Settings['log']['level'] {
  return level === 'info' ? 'warn' : level;
}

/** Where the configuration's fleet is to be asked. Throws ConfigurationError where it is for one host. */
export async function fleetAddress(context: CommandContext, flags: GlobalFlags): Promise<FleetAddress> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { cluster, service } = prepared.settings;
  if (cluster === null) {
    throw new ConfigurationError(
      'cluster is not configured, so there is no fleet; docs/fleet.md describes how to set one up',
    );
  }
  return { cluster, service, username: await fleetUser(prepared) };
}

/**
 * Whose the folders are in a fleet, and whether it is paused; null: there is none, or it cannot be asked, which is said on
 * standard error.
 */
export async function fleetView(
  { complain }: CommandContext,
  prepared: PreparedCommand,
): Promise<FleetView | null> {
  const { settings } = prepared;
  const { cluster, service } = settings;
  if (cluster === null) return null;
  try {
    const { viewFleet } = await import('../commands/ask-fleet.ts');
    return await viewFleet({ cluster, service, username: await fleetUser(prepared) }, settings);
  } catch (error) {
    complain(`whether another host sends one of the folders is not known: ${errorMessage(error)}`);
    return null;
  }
}

/** The daemon of a state directory, and of a configuration file where that is known; null: none runs. */
export async function daemonOf(stateDir: string, file: string | undefined): Promise<DaemonClient | null> {
  // The daemon itself does without: it would scan that much later.
  const { connectDaemon } = await import('../commands/daemon-client.ts');
  return connectDaemon(stateDir, file);
}

/** What a command that only reports on the running daemon begins with. */
export type FoundDaemon = { readonly stateDir: string } &
  /** None runs. */
  (
    | { readonly prepared: PreparedCommand; readonly daemon: null }
    | { readonly prepared: PreparedCommand; readonly daemon: DaemonClient }
    /** The configuration on disk is invalid; the daemon runs on what the file said before. */
    | { readonly prepared: null; readonly daemon: DaemonClient }
  );

type PreparedAction = PreparedCommand & { readonly daemon: DaemonClient | null };

/** What a command that acts on the running daemon begins with; `daemon` null: none runs. Throws ConfigurationError. */
export async function prepareAction(context: CommandContext, flags: GlobalFlags): Promise<PreparedAction> {
  const prepared = await prepareCommand(context, flags, { quiet: true, checkFolders: false });
  const { state, file, cluster } = prepared.settings;
  // In a fleet, another host may hold the state directory.
  if (cluster !== null) return { ...prepared, daemon: await daemonOf(state.dir, file) };
  const { awaitDaemon } = await import('../commands/daemon-client.ts');
  return { ...prepared, daemon: await awaitDaemon(state.dir, file) };
}

/** Who takes what a person decides: the running daemon, or the ledger for the next start. */
export async function decisionsOf({ daemon, ...prepared }: PreparedAction): Promise<DecisionPort> {
  if (daemon !== null) return daemon;
  const { offlineDecisions } = await import('../commands/offline/offline-actions.ts');
  return offlineDecisions(await offlineOptions(prepared));
}

/**
 * Reads the configuration and finds its daemon. A configuration that cannot be used does not hide a daemon that runs on
 * the one before: it is found, and the fault is printed on standard error. `reports` false: for a command whose exit
 * code says everything. Throws ConfigurationError where none runs.
 */
export async function findDaemon(
  context: CommandContext,
  flags: GlobalFlags,
  { reports = true }: { readonly reports?: boolean } = {},
): Promise<FoundDaemon> {
  try {
    const prepared = await prepareCommand(context, flags, {
      quiet: true,
      checkFolders: false,
      reportsWarnings: reports,
      reportsTrial: reports ? 'on standard error' : 'nowhere',
    });
    const stateDir = prepared.settings.state.dir;
    const daemon = await daemonOf(stateDir, prepared.settings.file);
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

/** The folders of the configuration; of one that is not valid now, those that the daemon knows. */
export async function foldersOf({ prepared, daemon }: FoundDaemon): Promise<Folders> {
  return prepared === null ? (await daemon.status()).folders : prepared.settings.folders;
}

/** Only the daemon of this very file: where the state directory is not known, the usual one may be another's. */
async function daemonOfTheOneBefore(
  { env, cwd }: CommandContext,
  flags: GlobalFlags,
): Promise<{ readonly stateDir: string; readonly daemon: DaemonClient } | null> {
  const { likelyStateDirectory } = await import('../config/find-places.ts');
  const likely = await likelyStateDirectory({ file: flags.config, env, cwd }).catch(() => null);
  if (likely === null) return null;
  const { file, dir } = likely;
  const daemon = await daemonOf(dir, file);
  return daemon !== null && daemon.configuration === file ? { stateDir: dir, daemon } : null;
}
