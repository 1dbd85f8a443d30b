import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigurationError, errorCode, errorMessage } from '../../model/errors.ts';
import { readTrustedFile } from '../trusted-file.ts';
import type { EnvironmentFile } from '../environment/environment-file.ts';
import { type SecretName, secretVariables } from './secret-names.ts';

/** Where secrets come from, first to last: the environment, `$CREDENTIALS_DIRECTORY`, the `.env`. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly environmentFile: EnvironmentFile;
  /** What a relative `…_FILE` of the environment is relative to, absolute. */
  readonly cwd: string;
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
  const secret = await find(variable, sources);
  if (secret === undefined) return undefined;
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

async function find(
  variable: string,
  { env, environmentFile, cwd }: SecretSources,
): Promise<string | undefined> {
  const given = await fromVariables(variable, { env, values: env, directory: cwd, where: 'the environment' });
  if (given !== undefined) return given;
  const directory = env['CREDENTIALS_DIRECTORY'];
  if (directory !== undefined && directory !== '' && (await maySearch(resolve(cwd, directory)))) {
    const file = resolve(cwd, directory, variable);
    const credential = await fromFile(file, { variable, env, optional: true });
    if (credential !== undefined) return credential;
  }
  const { file, values } = environmentFile;
  return fromVariables(variable, { env, values, directory: dirname(file), where: file });
}

/** An unreadable credentials directory counts as empty: what is needed is then reported as missing. */
async function maySearch(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.X_OK);
    return true;
  } catch (error) {
    return errorCode(error) !== 'EACCES';
  }
}

interface Variables {
  /** The process's own. */
  readonly env: SecretSources['env'];
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly where: string;
}

async function fromVariables(
  variable: string,
  { env, values, directory, where }: Variables,
): Promise<string | undefined> {
  const value = values[variable] || undefined;
  const file = values[`${variable}_FILE`] || undefined;
  if (value !== undefined && file !== undefined) {
    throw new ConfigurationError(
      `${variable} and ${variable}_FILE are both set in ${where}; keep one of them`,
    );
  }
  if (file === undefined) return value;
  return fromFile(resolve(directory, file), { variable: `${variable}_FILE`, env, optional: false });
}

async function fromFile(
  file: string,
  {
    variable,
    env,
    optional,
  }: { readonly variable: string; readonly env: SecretSources['env']; readonly optional: boolean },
): Promise<string | undefined> {
  try {
    return withoutLineEnd(await readSmall(file, { variable, env }));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'configuration') throw error;
    if (optional && code === 'ENOENT') return undefined;
    throw new ConfigurationError(
      `${variable}: ${file} cannot be read (${code ?? errorMessage(error)}); name a readable file that holds the secret`,
      { cause: error },
    );
  }
}

async function readSmall(
  file: string,
  { variable, env }: { readonly variable: string; readonly env: SecretSources['env'] },
): Promise<string> {
  const { bytes } = await readTrustedFile(file, { env, maxBytes: maxSecretBytes });
  if (bytes.length <= maxSecretBytes) return bytes.toString('utf8');
  throw new ConfigurationError(
    `${variable}: ${file} is larger than 64 KiB; name a file that holds only the secret`,
  );
}

/** Editors and `echo` end a file with a line break that is not part of the secret. */
function withoutLineEnd(text: string): string | undefined {
  return text.replace(/^\uFEFF/, '').replace(/(\r?\n)+$/, '') || undefined;
}
