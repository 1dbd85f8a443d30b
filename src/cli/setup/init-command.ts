import { dirname, join, resolve } from 'node:path';
import { countWords } from '../../lib/text/amounts.ts';
import {
  CredentialsRefusedError,
  ServiceUnavailableError,
  errorCode,
  errorMessage,
  exitCodes,
} from '../../model/errors.ts';
import { credentialNames } from '../../config/secrets/secret-names.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { PreparedCommand } from '../prepare-command.ts';
import { terminalPrompter } from '../prompter.ts';
import type { Prompter } from '../prompter.ts';
import type { InitAnswers, InitFlags } from './init-answers.ts';
import type { Destination } from './init-files.ts';
import { prepareCommand } from '../prepare-command.ts';
import { askCredentials, initAnswers } from './init-answers.ts';
import { mayOverwrite, readIfThere, writeCredentials, writeInitFiles } from './init-files.ts';
import { hasUserManager, installUserService } from './user-service.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { documentsIn, serviceWords } from '../../daemon/preconditions/whose-ledger.ts';
import { withTokens } from '../../commands/offline/with-tokens.ts';

export async function init(context: CommandContext, flags: GlobalFlags & InitFlags): Promise<number> {
  const { env, cwd, output } = context;
  const file = resolve(cwd, flags.config ?? (env['INGESTD_CONFIG'] || 'ingestd.yaml'));
  const prompter = context.interactive && flags.yes !== true ? await terminalPrompter() : null;
  const destination = { file, prompter, force: flags.force === true, env };
  if ((await readIfThere(file, destination)) !== null) await mayOverwrite(file, destination);
  const answers = await initAnswers({ flags, env, cwd }, prompter);
  context.redactor.add(credentialNames.map((name) => answers[name]));
  for (const line of await writeInitFiles(answers, destination)) output.line(line);
  const options = { quiet: true, checkFolders: false, checkState: false, reportsWarnings: false };
  const prepared = await prepareCommand(context, { ...flags, config: file }, options);
  await tellOfLedger(context, prepared);
  const code = flags.login === false ? exitCodes.ok : await tryLogin(context, prepared, answers, destination);
  if (code !== exitCodes.ok) return code;
  if (await wantsService(context, flags, prompter)) {
    for (const line of await installUserService(destination)) output.line(line);
    return code;
  }
  const which = flags.config === undefined ? '' : ` --config ${flags.config}`;
  output.line(`Next: ingestd check${which}, then ingestd run${which}`);
  return code;
}

/** Offered where it can be had; without a person only `--user-service` installs it. */
async function wantsService(
  { env }: CommandContext,
  { userService }: InitFlags,
  prompter: Prompter | null,
): Promise<boolean> {
  if (userService !== undefined || prompter === null) return userService === true;
  if (!(await hasUserManager(env))) return false;
  return await prompter.confirm('Run ingestd now and whenever you log in (a systemd user service)?', true);
}

/** Configurations that name no state directory have one in common: a ledger that is there already may be another's. */
async function tellOfLedger({ output }: CommandContext, { settings }: PreparedCommand): Promise<void> {
  const { dir } = settings.state;
  const held = await readLedger(dir).then(
    (ledger) => {
      const documents = documentsIn(ledger);
      const service = ledger.service();
      const where = service === null ? '' : ` at ${serviceWords(service)}`;
      return documents === 0 ? null : `${countWords(documents, 'document')}${where}`;
    },
    (error: unknown) =>
      errorCode(error) === 'ledger-damaged' ? 'unreadable documents' : errorMessage(error),
  );
  if (held === null) return;
  output.line(
    `In ${dir} there is a ledger already, with ${held}. If it is another configuration's, add to ${settings.file}: state: { dir: ./state }`,
  );
}

/**
 * Tries the credentials, and asks for them again as long as the service refuses them and the person wants to. The files
 * stand, whatever the service says: a machine may be set up before its network is.
 */
async function tryLogin(
  { redactor, output, complain }: CommandContext,
  { settings, log }: PreparedCommand,
  answers: InitAnswers,
  destination: Destination,
): Promise<number> {
  const { file, prompter } = destination;
  for (let credentials = answers; ;) {
    try {
      const { expiresAt } = await withTokens({ settings, credentials, log }, (tokens) => tokens.login());
      output.line(`The service accepts the credentials (token valid until ${expiresAt}).`);
      return exitCodes.ok;
    } catch (error) {
      if (error instanceof ServiceUnavailableError) {
        const later = 'check them later with ingestd auth login';
        complain(`the credentials could not be checked: ${error.message}; ${later}`);
        return exitCodes.ok;
      }
      if (!(error instanceof CredentialsRefusedError)) throw error;
      const fix = `correct them in ${join(dirname(file), '.env')}, then run ingestd auth login`;
      complain(prompter === null ? `${error.message}; ${fix}` : error.message);
      const again = await prompter?.confirm('Enter the credentials again?', true);
      if (prompter === null || again !== true) return error.exitCode;
      credentials = await askCredentials(credentials, prompter);
    }
    redactor.add(credentialNames.map((name) => credentials[name]));
    await writeCredentials(credentials, destination);
  }
}
