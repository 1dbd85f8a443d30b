import { access, constants } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { isLoopbackHost, isOpenAddress } from '../../lib/server/host.ts';
import type { Redactor } from '../../lib/text/redactor.ts';
import { sentences } from '../../lib/text/sentences.ts';
import { ConfigurationError, errorCode, errorMessage, isMissing } from '../../model/errors.ts';
import type { Credentials, Settings } from '../../model/settings.ts';
import { machineDirectory } from '../find-places.ts';
import { readTrustedFile } from '../trusted-file.ts';
import type { EnvironmentFile } from '../environment/environment-file.ts';
import { credentialNames, secretVariables } from './secret-names.ts';
import type { SecretName } from './secret-names.ts';

/** A secret that cannot be had. */
export interface MissingSecret {
  readonly variable: string;
  /** Why, without the variable. */
  readonly message: string;
  /** Undefined: set it. */
  readonly fix?: string;
  /** What is wrong with its source; undefined: it has none. */
  readonly error?: unknown;
}

/** The five secrets; null while one cannot be had. */
export async function findCredentials(
  sources: SecretSources,
): Promise<{ readonly credentials: Credentials | null; readonly missing: readonly MissingSecret[] }> {
  const absent = await absence(sources);
  const found: Partial<Record<keyof Credentials, string | undefined>> = {};
  const missing: MissingSecret[] = [];
  for (const name of credentialNames) {
    const variable = secretVariables[name];
    try {
      found[name] = await readSecret(name, sources);
      if (found[name] === undefined) missing.push({ variable, ...absent });
    } catch (error) {
      missing.push({ variable, message: sourceFault(error).message, fix: '', error });
    }
  }
  return { credentials: missing.length === 0 ? (found as Credentials) : null, missing };
}

/** What is wrong with a secret, or a key beside it, and its name. Throws every other error. */
export function sourceFault(error: unknown): { readonly subject: string; readonly message: string } {
  if (errorCode(error) !== 'configuration') throw error;
  const words = errorMessage(error);
  const [, subject = 'configuration', message = words] = /^([\w.]+?)(?:_FILE)?: (.*)$/s.exec(words) ?? [];
  return { subject, message };
}

/** The five secrets. Throws ConfigurationError that names each missing one and the ways to give it. */
export async function loadCredentials(sources: SecretSources): Promise<Credentials> {
  const { credentials, missing } = await findCredentials(sources);
  if (credentials !== null) return credentials;
  const faulty = missing.find(({ error }) => error !== undefined);
  if (faulty !== undefined) throw faulty.error;
  const variables = missing.map(({ variable }) => variable).join(', ');
  const [first] = missing;
  if (first?.fix !== undefined)
    throw new ConfigurationError(sentences([`${variables}: ${first.message}`, first.fix]));
  throw new ConfigurationError(
    `${variables} ${missing.length === 1 ? 'is' : 'are'} missing; write ${first?.variable}=… into ${sources.environmentFile.file} (mode 0600) or set it in the environment, or name a file by ${first?.variable}_FILE, or give a systemd credential of that name`,
  );
}

/** Why secrets are missing, by the directory of credentials where there is one: it is closed, or they are not in it. */
async function absence(sources: SecretSources): Promise<Pick<MissingSecret, 'message' | 'fix'>> {
  const directory = await credentialsDirectory(sources);
  if (directory === null) return { message: 'is not set anywhere' };
  if (await isClosed(directory))
    return {
      message: `cannot be read, because the directory ${directory} is closed to this user`,
      fix: 'Let this user read the directory and what is in it, or run the command as a user who may.',
    };
  const { place, isCopy } = placeOfCredentials(directory);
  const then = isCopy ? ', then restart the service' : '';
  return {
    message: `there is no value in ${place}`,
    fix: `Write each into the file of its name there${then}.`,
  };
}

/** The directory in which the credentials of `/etc/ingestd/NAME.yaml` are, as our own units have it. */
function machineCredentials(name: string): string {
  return join(machineDirectory, name === 'ingestd' ? 'credentials' : `${name}.credentials`);
}

/**
 * The directory of a configuration's credentials, absolute; null: it has none. One in `/etc/ingestd` belongs to the
 * configuration of its name there: no other is given what is in it, whoever sets `$CREDENTIALS_DIRECTORY`.
 */
async function credentialsDirectory({ env, cwd, configuration }: SecretSources): Promise<string | null> {
  const given = resolve(cwd, env['CREDENTIALS_DIRECTORY'] ?? '');
  const isOfMachine = dirname(given) === machineDirectory && /[/.]credentials$/.test(given);
  if (env['CREDENTIALS_DIRECTORY'] && !isOfMachine) return given;
  if (dirname(configuration) !== machineDirectory) return null;
  const own = machineCredentials(basename(configuration, '.yaml'));
  return access(own).then(
    () => own,
    (error: unknown) => (isMissing(error) ? null : own),
  );
}

/** Where a person writes what is in a directory of credentials: systemd copies them when it starts the service. */
function placeOfCredentials(directory: string): { readonly place: string; readonly isCopy: boolean } {
  const [, unit] = /^\/run\/(?:.*\/)?credentials\/([^/]+)$/.exec(directory) ?? [];
  if (unit === undefined) return { place: directory, isCopy: false };
  const [ours, instance = 'ingestd'] = /^ingestd(?:@(.+))?\.service$/.exec(unit) ?? [];
  const foreign = 'the files that the unit names with LoadCredential';
  return { place: ours === undefined ? foreign : machineCredentials(instance), isCopy: true };
}

async function isClosed(directory: string): Promise<boolean> {
  return (await access(directory, constants.X_OK).catch(errorCode)) === 'EACCES';
}

const minTokenLength = 16;

/**
 * The token that the HTTP address asks for, from `INGESTD_HTTP_TOKEN`; null: none is set and none is needed. Throws
 * ConfigurationError where it has fewer than 16 characters, or there is none and other machines reach the page.
 */
export async function loadHttpToken(
  { http }: Pick<Settings, 'http'>,
  sources: SecretSources,
): Promise<string | null> {
  const token = (await readSecret('httpToken', sources)) ?? null;
  const variable = secretVariables.httpToken;
  if (token !== null && token.length < minTokenLength)
    throw new ConfigurationError(
      `${variable}: its value is shorter than ${minTokenLength} characters; generate one with: openssl rand -hex 16`,
    );
  const open = token === null && http.port !== false ? openAddress(http) : null;
  if (open === null) return token;
  throw new ConfigurationError(
    `${open.subject}: ${open.host} is reachable from other machines, but no token is set; set ${variable} to ${minTokenLength} characters or more (openssl rand -hex 16), or ${open.instead}`,
  );
}

/** Under which name other machines reach the page, and how that is prevented; null: under none. */
function openAddress({ host, publicUrl }: Settings['http']) {
  if (isOpenAddress(host)) return { subject: 'http.host', host, instead: 'set http.host to 127.0.0.1' };
  const shown = publicUrl === undefined ? null : new URL(publicUrl).hostname;
  if (shown === null || isLoopbackHost(shown)) return null;
  return { subject: 'http.publicUrl', host: shown, instead: 'remove http.publicUrl' };
}

/** The address that notifications go to, from `INGESTD_NOTIFY_WEBHOOK`; null: none. Throws ConfigurationError. */
export async function loadNotifyWebhook(sources: SecretSources): Promise<string | null> {
  const address = (await readSecret('notifyWebhook', sources))?.trim();
  if (address === undefined) return null;
  const variable = secretVariables.notifyWebhook;
  if (!URL.canParse(address))
    throw new ConfigurationError(
      `${variable}: its value is not an address; write it like https://host.example/path`,
    );
  const url = new URL(address);
  const { protocol, hostname } = url;
  sources.redactor?.add([address, ...secretPartsOf(url)]);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return address;
  throw new ConfigurationError(
    `${variable}: its address must begin with https:// unless it is a loopback address`,
  );
}

/** What of an address may stand in an error without the rest. A short path would be cut out of ordinary words. */
function secretPartsOf({ pathname, search }: URL): readonly string[] {
  const long = 16;
  return [`${pathname}${search}`, pathname].filter((part) => part.length >= long);
}

/** Where secrets come from, first to last: the environment, the directory of credentials, the `.env`. */
export interface SecretSources {
  /** The file whose secrets they are, absolute; empty: there is none. */
  readonly configuration: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly environmentFile: EnvironmentFile;
  /** What a relative `…_FILE` of the environment is relative to, absolute. */
  readonly cwd: string;
  /** Learns each that is read. */
  readonly redactor?: Redactor | undefined;
}

const maxSecretBytes = 64 * 1024;

/** Secrets that travel in an HTTP header. */
const inHeaders = new Set<SecretName>(['apiKey', 'clientId', 'httpToken']);

/**
 * The secret, or undefined where no source has it; an empty value counts as none. Throws ConfigurationError
 * that names the variable and the fix, never the value.
 */
export async function readSecret(name: SecretName, sources: SecretSources): Promise<string | undefined> {
  const variable = secretVariables[name];
  const secret = (await findSecret(variable, sources))?.secret;
  if (secret === undefined) return undefined;
  sources.redactor?.add([secret]);
  const fault = secretFault(name, secret);
  if (fault !== null) throw new ConfigurationError(`${variable}: its value ${fault}; copy it again`);
  return secret;
}

/** What makes a secret unusable, in words that do not show it; null: nothing. */
export function secretFault(name: SecretName, secret: string): string | null {
  if (secret === '') return 'is empty';
  if (!inHeaders.has(name) || /^[\x21-\x7e]+$/.test(secret)) return null;
  return 'contains a space, a line break or a non-ASCII character, which an HTTP header does not allow';
}

/** A secret, and where it stands. */
export interface FoundSecret {
  readonly secret: string;
  /** A file or a directory of files, or `the environment`. */
  readonly place: string;
  /** True: a process sees a change of it only when it is started again. */
  readonly isReadOnce: boolean;
}

/** The first source of a variable; undefined: none has it. Throws ConfigurationError. */
export async function findSecret(variable: string, sources: SecretSources): Promise<FoundSecret | undefined> {
  const { env, environmentFile, cwd } = sources;
  const { file, values } = environmentFile;
  return (
    (await fromVariables(env, cwd, { place: 'the environment', isReadOnce: true })) ??
    (await fromCredentials(await credentialsDirectory(sources))) ??
    fromVariables(values, dirname(file), { place: file, isReadOnce: false })
  );

  async function fromVariables(
    from: SecretSources['env'],
    directory: string,
    where: Omit<FoundSecret, 'secret'>,
  ): Promise<FoundSecret | undefined> {
    const value = from[variable] || undefined;
    const file = from[`${variable}_FILE`] || undefined;
    if (value !== undefined && file !== undefined) {
      throw new ConfigurationError(
        `${variable} and ${variable}_FILE are both set in ${where.place}; keep one of them`,
      );
    }
    if (file === undefined) return value === undefined ? undefined : { secret: value, ...where };
    const named = `${variable}_FILE`;
    const path = resolve(directory, file);
    const secret = await fromFile(path, named);
    return secret === undefined ? undefined : { secret, place: `${path} (${named})`, isReadOnce: false };
  }

  /** A directory that cannot be searched counts as empty: not every command needs what is in it. */
  async function fromCredentials(directory: string | null): Promise<FoundSecret | undefined> {
    if (directory === null || (await isClosed(directory))) return undefined;
    const secret = await fromFile(resolve(directory, variable));
    if (secret === undefined) return undefined;
    return { secret, place: placeOfCredentials(directory).place, isReadOnce: true };
  }

  async function fromFile(file: string, named = variable): Promise<string | undefined> {
    try {
      const { text } = await readTrustedFile(file, env, maxSecretBytes);
      // Editors and `echo` end a file with a line break that is not part of the secret.
      const secret = text.replace(/(\r?\n)+$/, '');
      if (secret === '' && named !== variable)
        throw new ConfigurationError(`${named}: ${file} is empty; put the secret into it`);
      return secret || undefined;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'configuration') throw error;
      // A credential need not be there; a file that a variable names has to.
      if (named === variable && code === 'ENOENT') return undefined;
      throw new ConfigurationError(
        `${named}: ${file} cannot be read (${code ?? errorMessage(error)}); name a readable file that holds the secret`,
        { cause: error },
      );
    }
  }
}
