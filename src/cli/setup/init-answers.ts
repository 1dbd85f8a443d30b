import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

import { expandHome } from '../../config/find-places.ts';
import { checkAddress } from '../../lib/server/base-address.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import { folderNameSchema } from '../../model/settings.ts';
import type { Credentials } from '../../model/settings.ts';
import {
  findCredentials,
  missingVariables,
  secretFault,
  wholeCredentials,
} from '../../config/secrets/read-secrets.ts';
import type { SecretName } from '../../config/secrets/secret-names.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { CommandContext } from '../define-command.ts';
import type { Prompter } from '../prompter.ts';

/** The flags of `init`. */
export interface InitFlags {
  readonly authUrl?: string;
  readonly ingestUrl?: string;
  readonly folder?: string;
  readonly name?: string;
  readonly share?: string;
  readonly login?: boolean;
  /** Undefined: a person is asked. */
  readonly userService?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

/** Everything `init` writes. */
export interface InitAnswers {
  readonly authUrl: string;
  readonly ingestUrl: string;
  /** Absolute. */
  readonly folder: string;
  readonly name: string;
  readonly share: string;
  readonly credentials: Credentials;
}

/** What is known before anybody is asked. */
export type GivenAnswers = Omit<Partial<InitAnswers>, 'credentials'> & {
  readonly secrets: Partial<Credentials>;
  readonly cwd: string;
  readonly env: CommandContext['env'];
};

interface InitSources {
  readonly flags: InitFlags;
  readonly env: CommandContext['env'];
  readonly cwd: string;
  /** Where the `.env` goes, absolute. */
  readonly environmentFile: string;
}

/** The answers that flags and environment give. Throws ConfigurationError for one that cannot be right. */
export async function givenAnswers({ flags, env, cwd, environmentFile }: InitSources): Promise<GivenAnswers> {
  const sources = { env, cwd, environmentFile: { file: environmentFile, values: {}, warnings: [] } };
  const secrets = await findCredentials(sources);
  const folder = flags.folder ?? env['INGESTD_FOLDERS__0__PATH'];
  const name = flags.name ?? env['INGESTD_FOLDERS__0__NAME'];
  return {
    ...valid('authUrl', flags.authUrl ?? env['INGESTD_AUTH_URL'], '--auth-url'),
    ...valid('ingestUrl', flags.ingestUrl ?? env['INGESTD_INGEST_URL'], '--ingest-url'),
    ...(folder ? { folder: folderPath(folder, { env, cwd }) } : {}),
    ...(name ? { name: validName(name) } : {}),
    ...(flags.share === undefined ? {} : { share: flags.share }),
    secrets,
    env,
    cwd,
  };
}

function folderPath(text: string, { env, cwd }: Pick<InitSources, 'env' | 'cwd'>): string {
  return resolve(cwd, expandHome(text, { env, key: '--folder' }));
}

function valid(key: 'authUrl' | 'ingestUrl', text: string | undefined, flag: string): Partial<InitAnswers> {
  if (!text) return {};
  const address = checkAddress(text);
  if (address.kind === 'wrong') throw new ConfigurationError(`${flag}: ${address.message}`);
  return { [key]: address.url };
}

function validName(name: string): string {
  const wrong = judgeName(name);
  if (wrong !== null) throw new ConfigurationError(`--name: ${wrong}`);
  return name;
}

/**
 * Completes the answers by asking; `prompter` null: nobody can be asked. Then throws ConfigurationError that lists what
 * is missing and how to give it.
 */
export async function askAnswers(given: GivenAnswers, prompter: Prompter | null): Promise<InitAnswers> {
  if (prompter === null) return complete(given);
  const { secrets } = given;
  const authUrl = given.authUrl ?? (await askAddress(prompter, 'Base address of the token endpoints'));
  const ingestUrl =
    given.ingestUrl ?? (await askAddress(prompter, 'Base address of the ingestion operations', authUrl));
  const credentials = await askCredentials(secrets, prompter);
  const folder = given.folder ?? (await askFolder(prompter, given));
  const name =
    given.name ??
    (await prompter.text({ message: 'A name for it', suggestion: usualName(folder), judge: judgeName }));
  const share =
    given.share ??
    (await prompter.choose(
      'Who may see its documents, unless a sidecar says otherwise?',
      shareModes.map((value) => ({ value, description: audiences[value] })),
    ));
  return { authUrl, ingestUrl, folder, name, share, credentials };
}

/** One that is not there is made only after a yes: it may be mistyped, and would be watched for nothing. */
async function askFolder(prompter: Prompter, given: GivenAnswers): Promise<string> {
  for (;;) {
    const answer = await prompter.text({
      message: 'Directory to watch',
      suggestion: './inbox',
      judge: judgeText,
    });
    const folder = folderPath(answer, given);
    if (existsSync(folder) || (await prompter.confirm(`${folder} does not exist. Create it?`, true)))
      return folder;
  }
}

/** Asks for the secrets that are not given; `before` is offered for those that may be shown. */
export async function askCredentials(
  given: Partial<Credentials>,
  prompter: Prompter,
  before?: Credentials,
): Promise<Credentials> {
  const text = (name: SecretName & keyof Credentials, message: string): Promise<string> =>
    prompter.text({ message, suggestion: before?.[name], judge: judgeSecret(name) });
  const secret = (name: SecretName, message: string): Promise<string> =>
    prompter.secret({ message, judge: judgeSecret(name) });
  return {
    apiKey: given.apiKey ?? (await secret('apiKey', 'API key')),
    clientId: given.clientId ?? (await text('clientId', 'Client ID')),
    clientSecret: given.clientSecret ?? (await secret('clientSecret', 'Client secret')),
    username: given.username ?? (await text('username', 'User name (e-mail)')),
    password: given.password ?? (await secret('password', 'Password')),
  };
}

/** Private: what is shared too widely cannot be taken back. */
const usualShare: ShareMode = 'NONE';

/** Who sees what is sent with each mode. */
const audiences: Readonly<Record<ShareMode, string>> = {
  NONE: 'private, not visible to others',
  DEFAULT: "the user's default group",
  EVERYONE: "everyone in the user's organization",
};

function complete(given: GivenAnswers): InitAnswers {
  const { authUrl, ingestUrl, folder, secrets } = given;
  const missing = [
    ...(authUrl === undefined ? ['--auth-url (or INGESTD_AUTH_URL)'] : []),
    ...(ingestUrl === undefined ? ['--ingest-url (or INGESTD_INGEST_URL)'] : []),
    ...(folder === undefined ? ['--folder (or INGESTD_FOLDERS__0__PATH)'] : []),
    ...missingVariables(secrets).map((variable) => `${variable} (or ${variable}_FILE)`),
  ];
  const credentials = wholeCredentials(secrets);
  if (authUrl === undefined || ingestUrl === undefined || folder === undefined || credentials === null) {
    throw new ConfigurationError(
      `init cannot ask without a terminal, and these answers are missing: ${missing.join(', ')}; pass them as flags or environment variables (secrets only as environment variables)`,
    );
  }
  return {
    authUrl,
    ingestUrl,
    folder,
    name: given.name ?? usualName(folder),
    share: given.share ?? usualShare,
    credentials,
  };
}

function usualName(folder: string): string {
  const name = basename(folder);
  return judgeName(name) === null ? name : 'inbox';
}

async function askAddress(prompter: Prompter, message: string, suggestion?: string): Promise<string> {
  const answer = await prompter.text({ message, suggestion, judge: judgeAddress });
  const address = checkAddress(answer);
  return address.kind === 'address' ? address.url : answer;
}

function judgeSecret(name: SecretName): (answer: string) => string | null {
  return (answer) => {
    const fault = secretFault(name, answer);
    return fault === null ? null : `It ${fault}.`;
  };
}

function judgeAddress(answer: string): string | null {
  const address = checkAddress(answer);
  return address.kind === 'wrong' ? address.message : null;
}

function judgeText(answer: string): string | null {
  return answer.trim() === '' ? 'This is required.' : null;
}

function judgeName(answer: string): string | null {
  return folderNameSchema.safeParse(answer).success
    ? null
    : `"${answer}" is not a folder name; use 1 to 100 characters without "/" or control characters`;
}
