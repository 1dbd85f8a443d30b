import { dirname, join, resolve } from 'node:path';
import { localTime } from '../../lib/text/amounts.ts';
import { CredentialsRefusedError, ServiceUnavailableError, exitCodes } from '../../model/errors.ts';
import { credentialNames } from '../../config/secrets/secret-names.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { PreparedCommand } from '../prepare-command.ts';
import { terminalPrompter } from '../prompter.ts';
import type { InitAnswers, InitFlags } from './init-answers.ts';
import type { Destination } from './init-files.ts';
import { prepareCommand } from '../prepare-command.ts';
import { askCredentials, initAnswers } from './init-answers.ts';
import { mayOverwrite, mayReplaceSecrets, readIfThere, writeInitFiles } from './init-files.ts';
import { hasUserManager, installUserService, userUnit } from './user-service.ts';
import { withTokens } from '../../commands/offline/with-tokens.ts';

/** `ingestd init`: asks, then writes a configuration file and a `.env`. */
export async function init(context: CommandContext, flags: GlobalFlags & InitFlags) {
  const { env, cwd, output } = context;
  const file = resolve(cwd, flags.config ?? (env['INGESTD_CONFIG'] || 'ingestd.yaml'));
  const prompter = context.interactive && flags.yes !== true ? await terminalPrompter() : null;
  const destination = { file, prompter, force: flags.force === true, env };
  if ((await readIfThere(file, destination)) !== null) await mayOverwrite(file, destination);
  const unit = flags.userService === true ? await userUnit(destination) : null;
  if (unit?.replaces) await mayOverwrite(unit.file, destination, 'leave out --user-service');
  const answers = await initAnswers({ flags, env, cwd }, prompter, (known) =>
    mayReplaceSecrets(known, destination),
  );
  context.redactor.add(credentialNames.map((name) => answers[name]));
  for (const line of await writeInitFiles(answers, destination)) output.line(line);
  const prepared = await prepareCommand(context, { ...flags, config: file }, { reportsWarnings: false });
  const code = flags.login === false ? exitCodes.ok : await tryLogin(context, prepared, answers, destination);
  if (code !== exitCodes.ok) return code;
  const service = unit ?? (await acceptedUnit(flags, destination));
  const refused = service === null ? null : await installUserService(service, context);
  if (refused !== null) context.complain(refused);
  if (service === null || refused !== null) output.line('Next: ingestd check, then ingestd run');
  return refused === null ? exitCodes.ok : exitCodes.unforeseen;
}

/** Offered where it can be had; null: it is not wanted. */
async function acceptedUnit({ userService }: InitFlags, destination: Destination) {
  const { prompter, env } = destination;
  if (userService === false || prompter === null || !(await hasUserManager(env))) return null;
  const unit = await userUnit(destination);
  const former = unit.replaces ? `, which replaces ${unit.file}` : '';
  const question = `Run ingestd now and whenever you log in (a systemd user service${former})?`;
  return (await prompter.confirm(question, !unit.replaces)) ? unit : null;
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
) {
  const { file, prompter } = destination;
  for (let credentials = answers; ;) {
    try {
      const { expiresAt } = await withTokens({ settings, log }, credentials, (tokens) => tokens.login());
      output.line(`The service accepts the credentials (token valid until ${localTime(expiresAt)}).`);
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
      const isKnown = error.which.length > 0;
      const which = isKnown ? 'Enter what it refused' : 'Enter all five, as the service does not say which,';
      if (prompter === null || !(await prompter.confirm(`${which} again?`, true))) return error.exitCode;
      credentials = await askCredentials(credentials, isKnown ? error.which : credentialNames, prompter);
    }
    redactor.add(credentialNames.map((name) => credentials[name]));
    await writeInitFiles(credentials, destination);
  }
}
