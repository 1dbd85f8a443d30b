import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

import { expandHome } from '../../config/find-places.ts';
import { readSecret, secretFault } from '../../config/secrets/read-secrets.ts';
import { credentialNames, secretVariables } from '../../config/secrets/secret-names.ts';
import { checkAddress } from '../../lib/server/base-address.ts';
import { ConfigurationError, errorMessage } from '../../model/errors.ts';
import { shareModes } from '../../model/metadata/metadata.ts';
import { audienceWords } from '../../model/report/activity-words.ts';
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

/** One thing that `init` has to know. */
interface Question {
  readonly message: string;
  /** Flag and variables that answer it too. */
  readonly sources: readonly string[];
  /** The answer as it is written. Throws ConfigurationError for one that cannot be right. */
  readonly read: (answer: string) => string;
  /** What Enter means. */
  readonly suggest?: (before: Answers) => string | undefined;
  /** The suggestion is the answer where nobody can be asked. */
  readonly optional?: boolean;
  readonly hidden?: boolean;
  readonly choices?: Parameters<Prompter['choose']>[1];
}

interface InitSources {
  readonly flags: InitFlags;
  readonly env: CommandContext['env'];
  readonly cwd: string;
}

/**
 * Answers every question: from flags and environment, else by the person, else as usual. `prompter` null: nobody can be
 * asked. `beforeAsking` is told which secrets are known by then. Throws ConfigurationError for an answer that cannot be
 * right, and for those that are missing.
 */
export async function initAnswers(
  sources: InitSources,
  prompter: Prompter | null,
  beforeAsking: (known: Partial<Credentials>) => Promise<void>,
): Promise<InitAnswers> {
  const { flags, env, cwd } = sources;
  const questions = Object.entries(questionsOf(sources)) as [Key, Question][];
  const none = { configuration: '', environmentFile: { file: '', values: {}, warnings: [] } };
  const given: { [key in Key]?: string | undefined } = { ...flags };
  for (const name of credentialNames) given[name] = await readSecret(name, { env, cwd, ...none });
  const answers: { [key in Key]?: string } = {};
  for (const [key, { read, sources }] of questions) {
    const [name, variable = ''] = sources;
    const answer = given[key] || env[variable];
    const fault = answer ? faultOf(answer, read) : null;
    if (fault !== null) throw new ConfigurationError(`${name}: ${fault}`);
    if (answer) answers[key] = read(answer);
  }
  const open = questions.filter(([key]) => answers[key] === undefined);
  const missing = open.filter(([, { optional }]) => optional !== true);
  if (prompter === null && missing.length > 0) {
    const names = missing.map(([, { sources }]) => `${sources[0]} (or ${sources[1]})`);
    throw new ConfigurationError(
      `init cannot ask without a terminal, and these answers are missing: ${names.join(', ')}; pass them as flags or environment variables (secrets only as environment variables)`,
    );
  }
  await beforeAsking(answers);
  for (const [key, question] of open) {
    const asking = key === 'folder' ? askFolder : ask;
    const answer = prompter ? await asking(question, answers, prompter) : question.suggest?.(answers);
    if (answer !== undefined) answers[key] = answer;
  }
  return answers as InitAnswers;
}

/** Asks for these secrets again; what may be shown is suggested as it was. */
export async function askCredentials(
  before: InitAnswers,
  names: readonly (keyof Credentials)[],
  prompter: Prompter,
): Promise<InitAnswers> {
  const answers: Record<Key, string> = { ...before };
  for (const key of names)
    answers[key] = await ask({ ...secretQuestion(key), suggest: () => before[key] }, before, prompter);
  return answers;
}

async function ask(question: Question, before: Answers, prompter: Prompter): Promise<string> {
  const { message, read, suggest, hidden, choices } = question;
  const suggestion = suggest?.(before);
  const readOr = (answer: string) => read(answer || (suggestion ?? ''));
  const judge = (answer: string) => faultOf(answer, readOr);
  if (choices) return prompter.choose(message, choices);
  if (hidden !== true) return readOr(await prompter.text({ message, suggestion, judge }));
  const keeps = suggestion === undefined ? '' : ' (Enter keeps it)';
  return readOr(await prompter.secret({ message: `${message}${keeps}`, judge }));
}

/** One that is not there may be a slip: it is made where the person says so, or took it as it was suggested. */
async function askFolder(question: Question, before: Answers, prompter: Prompter): Promise<string> {
  const answer = await ask(question, before, prompter);
  const isMeant =
    existsSync(answer) ||
    answer === question.read(question.suggest?.(before) ?? '') ||
    (await prompter.confirm(`${answer} does not exist. Make it?`));
  return isMeant ? answer : askFolder(question, before, prompter);
}

function faultOf(answer: string, read: Question['read']): string | null {
  try {
    read(answer);
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

/** In the order in which they are asked. */
function questionsOf({ env, cwd }: InitSources): Readonly<Record<Key, Question>> {
  return {
    authUrl: {
      message: 'Base address of the token endpoints',
      sources: ['--auth-url', 'INGESTD_AUTH_URL'],
      read: readAddress,
    },
    ingestUrl: {
      message: 'Base address of the ingestion operations',
      sources: ['--ingest-url', 'INGESTD_INGEST_URL'],
      read: readAddress,
      suggest: ({ authUrl }) => authUrl,
    },
    apiKey: secretQuestion('apiKey'),
    clientId: secretQuestion('clientId'),
    clientSecret: secretQuestion('clientSecret'),
    username: secretQuestion('username'),
    password: secretQuestion('password'),
    folder: {
      message: 'Directory to watch',
      sources: ['--folder', 'INGESTD_FOLDERS__0__PATH'],
      read: (answer) =>
        refuse(answer.trim() === '' ? 'is empty' : null, resolve(cwd, expandHome(answer, env, '--folder'))),
      suggest: () => './inbox',
    },
    name: {
      message: 'A name for it',
      sources: ['--name', 'INGESTD_FOLDERS__0__NAME'],
      read: readName,
      suggest: ({ folder = '' }) =>
        faultOf(basename(folder), readName) === null ? basename(folder) : 'inbox',
      optional: true,
    },
    share: {
      message: 'Who may see its documents, unless a sidecar says otherwise?',
      sources: ['--share'],
      read: (answer) => answer,
      choices: shareModes.map((value) => ({ value, description: audienceWords(value) })),
      // What is shared too widely cannot be taken back.
      suggest: () => 'NONE',
      optional: true,
    },
  };
}

const secretMessages: Readonly<Record<keyof Credentials, string>> = {
  apiKey: 'API key',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  username: 'User name (e-mail)',
  password: 'Password',
};

function secretQuestion(key: keyof Credentials): Question {
  const variable = secretVariables[key];
  return {
    message: secretMessages[key],
    sources: [variable, `${variable}_FILE`],
    read: (answer) => refuse(secretFault(key, answer), answer),
    hidden: key !== 'clientId' && key !== 'username',
  };
}

function readName(answer: string): string {
  const issue = folderNameSchema.safeParse(answer).error?.issues[0];
  return refuse(issue === undefined ? null : `"${answer}": ${issue.message}`, answer);
}

/** People leave the scheme out: https, and http for a service on this machine. */
function readAddress(answer: string): string {
  const isBare = !answer.includes('://');
  const local = isBare ? checkAddress(`http://${answer.trim()}`) : null;
  if (local !== null && 'url' in local) return local.url;
  const address = checkAddress(isBare ? `https://${answer.trim()}` : answer);
  return 'url' in address ? address.url : refuse(address.fault, answer);
}

function refuse(fault: string | null, answer: string): string {
  if (fault === null) return answer;
  throw new ConfigurationError(fault);
}
