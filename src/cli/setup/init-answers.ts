import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

import { expandHome } from '../../config/find-places.ts';
import { findCredentials, secretFault } from '../../config/secrets/read-secrets.ts';
import { credentialNames, secretVariables } from '../../config/secrets/secret-names.ts';
import { checkAddress } from '../../lib/server/base-address.ts';
import { ConfigurationError, errorMessage } from '../../model/errors.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import type { ShareMode } from '../../model/metadata/metadata.ts';
import { folderNameSchema } from '../../model/settings.ts';
import type { Credentials } from '../../model/settings.ts';
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

/** Everything `init` writes: addresses, folder (absolute), its name and sharing mode, and the five secrets. */
export type InitAnswers = Readonly<Record<'authUrl' | 'ingestUrl' | 'folder' | 'name' | 'share', string>> &
  Credentials;

type Key = keyof InitAnswers;
type Answers = { readonly [key in Key]?: string | undefined };
/** By flags and environment; flags that answer no question too. */
type Given = Answers & Omit<InitFlags, Key>;

/** One thing that `init` has to know. */
interface Question {
  readonly key: Key;
  readonly message: string;
  /** Flag and variables that answer it too. */
  readonly sources: readonly string[];
  /** The answer as it is written. Throws ConfigurationError for one that cannot be right. */
  readonly read: (answer: string) => string;
  /** What Enter means; without a person the answer, where it is `optional`. */
  readonly suggest?: (before: Answers) => string | undefined;
  readonly optional?: boolean;
  readonly hidden?: boolean;
  readonly choices?: Parameters<Prompter['choose']>[1];
  /** Asks whether an answer is meant; false: it is asked for again. */
  readonly confirm?: (answer: string, prompter: Prompter) => Promise<boolean>;
}

interface InitSources {
  readonly flags: InitFlags;
  readonly env: CommandContext['env'];
  readonly cwd: string;
}

/**
 * Answers every question: from flags and environment, else by the person, else as usual. `prompter` null: nobody can be
 * asked. Throws ConfigurationError for an answer that cannot be right, and for those that are missing.
 */
export async function initAnswers(sources: InitSources, prompter: Prompter | null): Promise<InitAnswers> {
  const { flags, env, cwd } = sources;
  const questions = [...addressQuestions, ...secretQuestions, ...folderQuestions(sources)];
  const environmentFile = { file: '', values: {}, warnings: [] };
  const given: Given = {
    ...Object.fromEntries(questions.map(({ key, sources: [, variable = ''] }) => [key, env[variable]])),
    ...flags,
    ...(await findCredentials({ env, cwd, environmentFile })),
  };
  for (const { key, read, sources } of questions) {
    const fault = given[key] ? faultOf(given[key], read) : null;
    if (fault !== null) throw new ConfigurationError(`${sources[0]}: ${fault}`);
  }
  const missing = questions.filter(({ key, optional }) => !given[key] && optional !== true);
  if (prompter !== null || missing.length === 0) return answerAll(questions, given, prompter);
  const names = missing.map(({ sources }) => `${sources[0]} (or ${sources[1]})`);
  throw new ConfigurationError(
    `init cannot ask without a terminal, and these answers are missing: ${names.join(', ')}; pass them as flags or environment variables (secrets only as environment variables)`,
  );
}

/** Asks for the five secrets again; what may be shown is suggested as it was. */
export async function askCredentials(before: InitAnswers, prompter: Prompter): Promise<InitAnswers> {
  return answerAll(secretQuestions, {}, prompter, before);
}

async function answerAll(
  questions: readonly Question[],
  given: Given,
  prompter: Prompter | null,
  before: Answers = {},
): Promise<InitAnswers> {
  const answers: { [key in Key]?: string | undefined } = { ...before };
  for (const question of questions) {
    const { key, read, suggest } = question;
    if (given[key]) answers[key] = read(given[key]);
    else answers[key] = prompter === null ? suggest?.(answers) : await ask(question, answers, prompter);
  }
  return answers as InitAnswers;
}

async function ask(question: Question, before: Answers, prompter: Prompter): Promise<string> {
  const { key, message, read, suggest, hidden, choices, confirm } = question;
  const judge = (answer: string) => faultOf(answer, read);
  const suggestion = before[key] ?? suggest?.(before);
  for (;;) {
    const typed = choices
      ? prompter.choose(message, choices)
      : prompter[hidden === true ? 'secret' : 'text']({ message, suggestion, judge });
    const answer = read(await typed);
    if (confirm === undefined || (await confirm(answer, prompter))) return answer;
  }
}

function faultOf(answer: string, read: Question['read']): string | null {
  try {
    read(answer);
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

const addressQuestions: readonly Question[] = [
  {
    key: 'authUrl',
    message: 'Base address of the token endpoints',
    sources: ['--auth-url', 'INGESTD_AUTH_URL'],
    read: readAddress,
  },
  {
    key: 'ingestUrl',
    message: 'Base address of the ingestion operations',
    sources: ['--ingest-url', 'INGESTD_INGEST_URL'],
    read: readAddress,
    suggest: ({ authUrl }) => authUrl,
  },
];

const secretMessages: Readonly<Record<keyof Credentials, string>> = {
  apiKey: 'API key',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  username: 'User name (e-mail)',
  password: 'Password',
};

const secretQuestions = credentialNames.map((key): Question => {
  const variable = secretVariables[key];
  const read = (answer: string): string => refuse(secretFault(key, answer), answer);
  const hidden = key !== 'clientId' && key !== 'username';
  return { key, message: secretMessages[key], sources: [variable, `${variable}_FILE`], read, hidden };
});

function folderQuestions({ env, cwd }: InitSources): readonly Question[] {
  return [
    {
      key: 'folder',
      message: 'Directory to watch',
      sources: ['--folder', 'INGESTD_FOLDERS__0__PATH'],
      read: (answer) =>
        refuse(
          answer.trim() === '' ? 'is empty' : null,
          resolve(cwd, expandHome(answer, { env, key: '--folder' })),
        ),
      suggest: () => './inbox',
      // It may be mistyped, and would be watched for nothing.
      confirm: async (folder, prompter) =>
        existsSync(folder) || (await prompter.confirm(`${folder} does not exist. Create it?`, true)),
    },
    {
      key: 'name',
      message: 'A name for it',
      sources: ['--name', 'INGESTD_FOLDERS__0__NAME'],
      read: readName,
      suggest: ({ folder = '' }) =>
        faultOf(basename(folder), readName) === null ? basename(folder) : 'inbox',
      optional: true,
    },
    {
      key: 'share',
      message: 'Who may see its documents, unless a sidecar says otherwise?',
      sources: ['--share'],
      read: (answer) => answer,
      choices: shareModes.map((value) => ({ value, description: audiences[value] })),
      // What is shared too widely cannot be taken back.
      suggest: () => 'NONE',
      optional: true,
    },
  ];
}

/** Who sees what is sent with each mode. */
const audiences: Readonly<Record<ShareMode, string>> = {
  NONE: 'private, not visible to others',
  DEFAULT: "the user's default group",
  EVERYONE: "everyone in the user's organization",
};

function readName(answer: string): string {
  const isName = folderNameSchema.safeParse(answer).success;
  const words = `"${answer}" is not a folder name; use 1 to 100 characters without "/" or control characters`;
  return refuse(isName ? null : words, answer);
}

/** People leave `https://` out. */
function readAddress(answer: string): string {
  const address = checkAddress(answer.includes('://') ? answer : `https://${answer.trim()}`);
  return address.kind === 'address' ? address.url : refuse(address.message, answer);
}

function refuse(fault: string | null, answer: string): string {
  if (fault === null) return answer;
  throw new ConfigurationError(fault);
}
