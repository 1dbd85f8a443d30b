import { mkdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeDurably } from '../../lib/files/durable-file.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { pathInside } from '../../lib/files/path-inside.ts';
import { credentialVariables } from '../../config/secrets/secret-names.ts';
import { mergeEnvironmentFile } from '../../config/environment/environment-file.ts';
import { readTrustedFile } from '../../config/trusted-file.ts';
import { writeYaml } from '../../config/yaml/read-yaml.ts';
import { cannotBeRead, ConfigurationError, errorCode } from '../../model/errors.ts';
import { stateDirectory } from '../../config/find-places.ts';
import { isOfAnother } from '../../daemon/preconditions/whose-state.ts';
import { schemaFile } from '../../config/package-files.ts';
import type { Credentials } from '../../model/settings.ts';
import type { Prompter } from '../prompter.ts';
import type { InitAnswers } from './init-answers.ts';

export interface Destination {
  /** The configuration file, absolute. */
  readonly file: string;
  readonly prompter: Prompter | null;
  readonly force: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A secret in the `.env` that is `known` to become another, or not known yet, is replaced only by `force`, or if the
 * person says so; throws ConfigurationError else.
 */
export async function mayReplaceSecrets(
  known: Partial<Credentials>,
  destination: Destination,
): Promise<void> {
  const secretsFile = join(dirname(destination.file), '.env');
  const before = (await readIfThere(secretsFile, destination)) ?? '';
  const unknown = { apiKey: '', clientId: '', clientSecret: '', username: '', password: '' };
  const { replaces } = mergeEnvironmentFile(before, credentialVariables({ ...unknown, ...known }));
  if (replaces) await mayOverwrite(secretsFile, destination);
}

/**
 * Writes the configuration file (0644) and the `.env` beside it (0600), and makes the folder where only its
 * last directory is missing. Gives what was done, a line each. Throws ConfigurationError.
 */
export async function writeInitFiles(
  answers: InitAnswers,
  destination: Pick<Destination, 'file' | 'env'>,
): Promise<string[]> {
  const { file } = destination;
  const secretsFile = join(dirname(file), '.env');
  const before = (await readIfThere(secretsFile, destination)) ?? '';
  const { text } = mergeEnvironmentFile(before, credentialVariables(answers));
  await makeDirectory(dirname(file));
  await writeWhole(secretsFile, text, 0o600);
  const dir = stateDirectory(undefined, dirname(file), destination.env);
  const isTaken = await isOfAnother({ file, state: { dir }, cluster: null });
  await writeWhole(
    file,
    configurationText(answers, file, isTaken ? { dir: './ingestd-state' } : undefined),
    0o644,
  );
  return [
    `Wrote ${file}`,
    ...(isTaken
      ? [`${dir} is that of another configuration: this one keeps its state in ./ingestd-state beside it`]
      : []),
    `Wrote ${secretsFile} (mode 0600): keep it out of version control`,
    ...(await makeFolder(answers.folder)),
  ];
}

/** Throws ConfigurationError unless a file may be overwritten: by `force`, or because a person says so. */
export async function mayOverwrite(
  file: string,
  { prompter, force }: Destination,
  instead = 'name another file with --config',
): Promise<void> {
  if (force) return;
  if (prompter !== null && (await prompter.confirm(`${file} exists. Overwrite it?`))) return;
  throw new ConfigurationError(
    `${file} already exists and was not changed; use --force to overwrite it, or ${instead}`,
  );
}

/**
 * The text of a file; null: there is none. Throws ConfigurationError where it cannot be read, or another user may have
 * written it: what stands in a `.env` is kept.
 */
export async function readIfThere(file: string, { env }: Pick<Destination, 'env'>): Promise<string | null> {
  try {
    return (await readTrustedFile(file, env)).text;
  } catch (error) {
    if (errorCode(error) === 'configuration') throw error;
    if (errorCode(error) === 'ENOENT') return null;
    const message = `${cannotBeRead(file, errorCode(error))}; name another file with --config`;
    throw new ConfigurationError(message, { cause: error });
  }
}

/** Writes a file: a crash leaves the old one or the new one. Throws ConfigurationError. */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  try {
    await writeDurably(file, text, mode);
  } catch (error) {
    const message = `${file} cannot be written (${errorCode(error) ?? 'unknown'}); choose another place with --config`;
    throw new ConfigurationError(message, { cause: error });
  }
}

function configurationText(
  { authUrl, ingestUrl, folder, name, share }: InitAnswers,
  file: string,
  state: { readonly dir: string } | undefined,
): string {
  const settings = {
    service: { authUrl, ingestUrl },
    folders: [{ name, path: pathFrom(dirname(file), folder), metadata: { shareInfo: { mode: share } } }],
    ...(state && { state }),
  };
  return `# yaml-language-server: $schema=${pathToFileURL(schemaFile).href}
# All other keys have defaults: see docs/configuration.md. Secrets are in the .env beside this file.\n${writeYaml(settings)}`;
}

/** Relative where the folder lies beside the file, so that both can be moved together. */
export function pathFrom(directory: string, folder: string): string {
  const path = pathInside(directory, folder);
  return path === null || path === '' ? folder : `.${sep}${path}`;
}

async function makeFolder(folder: string): Promise<string[]> {
  try {
    await mkdir(folder);
    return [`Made ${folder}`];
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await stat(folder)).isDirectory()) return [];
    return [
      `${folder} could not be created (${errorCode(error) ?? 'unknown'}): create it before you start ingestd`,
    ];
  }
}
