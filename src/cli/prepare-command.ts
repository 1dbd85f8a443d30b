import type { Credentials, Settings } from '../model/settings.ts';
import type { CheckOptions } from '../commands/check/check.ts';
import { errorCode, errorMessage } from '../model/errors.ts';
import { levelAskedFor } from './define-command.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { createLog } from '../log/create-log.ts';
import { correctionAdvice } from '../config/secrets/correction-advice.ts';
import {
  closedDirectory,
  findCredentials,
  findHttpToken,
  loadCredentials,
  loadHttpToken,
  loadNotifyWebhook,
  missingVariables,
  plainSecrets,
  wholeCredentials,
} from '../config/secrets/read-secrets.ts';
import { secretVariables } from '../config/secrets/secret-names.ts';
import { fixFor } from '../model/report/explanations.ts';
import { withTokens } from '../commands/offline/with-tokens.ts';

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
  const credentials = await loadCredentials(configuration.secretSources);
  redactor.add(Object.values(credentials));
  return credentials;
}

/** Where the five secrets come from and how to correct them, for a message that they were refused. */
export async function credentialsAdvice({ configuration }: PreparedCommand): Promise<string> {
  return correctionAdvice(configuration.secretSources);
}

/** The five secrets if all are there, else which are not, and why. */
export async function presentCredentials({ configuration, settings, redactor }: PreparedCommand): Promise<{
  readonly credentials: Credentials | null;
  readonly missing: CheckOptions['missingCredentials'];
}> {
  if (settings.service.mode === 'embedded') return { credentials: null, missing: [] };
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
  const token = await loadHttpToken(settings, configuration.secretSources);
  if (token !== null) redactor.add([token]);
  return token;
}

/** The address that notifications go to; null: none. Throws ConfigurationError. */
export async function notifyWebhookFor({ configuration, redactor }: PreparedCommand): Promise<string | null> {
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
  const advice = (): Promise<string> => credentialsAdvice(prepared);
  return withTokens({ settings, credentials, advice, log }, (tokens) => tokens.login());
}

function quietLevel(level: Settings['log']['level']): Settings['log']['level'] {
  return level === 'info' ? 'warn' : level;
}
