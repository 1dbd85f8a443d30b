import { groupBy } from '../../lib/group-by.ts';
import { countWords, numberWords, withLocalTimes } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { check } from '../../commands/check/check.ts';
import { connectDaemon } from '../../commands/daemon-client.ts';
import { editedSince } from '../find-daemon.ts';
import { prepareCommand, presentCredentials } from '../prepare-command.ts';
import type { CheckOptions } from '../../commands/check/check.ts';
import { loadHttpToken, loadNotifyWebhook, sourceFault } from '../../config/secrets/read-secrets.ts';
import { finding } from '../../model/report/command-reports.ts';
import { withTokens } from '../../commands/offline/with-tokens.ts';
import type { PreparedCommand } from '../prepare-command.ts';

export async function runCheck(context: CommandContext, flags: CommandFlags & { online?: boolean }) {
  const prepared = await prepareCommand(context, flags, { checkFolders: true, reportsWarnings: false });
  const findings = await check({
    ...(await checkOptions(prepared)),
    online: flags.online === true,
  });
  const problems = findings.filter(({ level }) => level === 'error').length;
  if (flags.json) context.output.json({ ok: problems === 0, problems, findings });
  else printFindings(findings, context.output);
  return problems === 0 ? exitCodes.ok : exitCodes.unfinished;
}

/** So many are named of which the same is said. */
const mostAlike = 5;

/**
 * Errors first, each with its fix where the message does not say it, and last how many there are; that an address answers
 * is no news below one.
 */
export function printFindings(findings: readonly CheckFinding[], { line, colors }: Output): void {
  const marks = { error: colors.red('✘'), warning: colors.yellow('!'), info: colors.dim('·') };
  const faulty = new Set(findings.filter(({ level }) => level === 'error').map(({ subject }) => subject));
  const told = findings.filter(({ code, subject }) => code !== 'service-reachable' || !faulty.has(subject));
  for (const level of ['error', 'warning', 'info'] as const) {
    const found = told.filter((each) => each.level === level);
    for (const same of groupBy(found, ({ message, fix }) => JSON.stringify([message, fix])).values()) {
      for (const { subject, message } of same.slice(0, mostAlike))
        line(`${marks[level]} ${colors.bold(subject)}: ${withLocalTimes(message)}`);
      const more = same.length - mostAlike;
      if (more > 0) line(colors.dim(`  and ${numberWords(more)} more, which ingestd check --json lists`));
      const fix = same[0]?.fix ?? '';
      if (fix !== '') line(`  ${colors.dim(fix)}`);
    }
  }
  const problems = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  if (problems > 0) line(colors.red(`${countWords(problems, 'problem')} found.`));
  else if (warnings > 0) line(colors.yellow(`No problems, ${countWords(warnings, 'warning')}.`));
  else line(colors.green('No problems found.'));
}

/** What `check` is given: secrets that cannot be read are findings. */
export async function checkOptions(prepared: PreparedCommand): Promise<Omit<CheckOptions, 'online'>> {
  const { configuration, settings } = prepared;
  const sources = configuration.secretSources;
  const { missing, credentials } = await presentCredentials(prepared);
  const daemon = connectDaemon(settings.state.dir, settings.file);
  const edited = editedSince(prepared, await daemon.catch(() => null));
  // What is missing for one cause, with one fix for all, is one finding.
  const causes = groupBy(missing, ({ variable, message, fix }) => (fix ? message : variable));
  return {
    settings,
    daemon,
    findings: [
      ...[...causes.values()].map((each) => {
        const names = each.map(({ variable }) => variable).join(', ');
        return finding('error', names, { code: 'credential-missing', message: '', ...each[0] });
      }),
      ...(await faultOf(loadHttpToken(settings, sources), 'http-token')),
      ...(await faultOf(loadNotifyWebhook(sources), 'configuration', webhookFix)),
      ...(edited === null
        ? []
        : [finding('warning', 'configuration', { code: 'configuration-changed', ...edited })]),
      ...configuration.warnings.map((message) =>
        finding('warning', 'configuration', { code: 'configuration', message, fix: '' }),
      ),
    ],
    signIn: credentials === null ? null : () => withTokens(prepared, credentials, (tokens) => tokens.login()),
  };
}

const webhookFix = 'Set it to an https:// address, or take it away.';

/** What is wrong with a secret that is read. */
async function faultOf(read: Promise<unknown>, code: string, fix?: string): Promise<readonly CheckFinding[]> {
  const fault = await read.then(() => null, sourceFault);
  return fault === null ? [] : [finding('error', fault.subject, { code, message: fault.message, fix })];
}
