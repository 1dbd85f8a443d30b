import { countWords, withLocalTimes } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import { fixBeside } from '../../model/report/explanations.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { check } from '../../commands/check/check.ts';
import { prepareCommand } from '../prepare-command.ts';
import { checkOptions } from './check-options.ts';

export async function runCheck(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean; online?: boolean },
): Promise<number> {
  const prepared = await prepareCommand(context, flags, { checkFolders: true, reportsWarnings: false });
  const findings = await check({
    ...(await checkOptions(prepared)),
    online: flags.online === true,
  });
  const problems = findings.filter(({ level }) => level === 'error').length;
  if (flags.json) context.output.json({ ok: problems === 0, problems, findings });
  else {
    printFindings(findings, context.output);
    printVerdict(findings, context.output);
  }
  return problems === 0 ? exitCodes.ok : exitCodes.unfinished;
}

/** Errors first, each with its fix where the message does not say it. */
export function printFindings(findings: readonly CheckFinding[], { line, colors }: Output): void {
  const marks = { error: colors.red('✘'), warning: colors.yellow('!'), info: colors.dim('·') };
  for (const level of ['error', 'warning', 'info'] as const) {
    for (const finding of findings.filter((each) => each.level === level)) {
      line(`${marks[level]} ${colors.bold(finding.subject)}: ${withLocalTimes(finding.message)}`);
      const isTold = fixBeside(finding.code) === '';
      if (finding.fix !== '' && !isTold) line(`  ${colors.dim(finding.fix)}`);
    }
  }
}

/** The last line: how many of them there are. */
export function printVerdict(findings: readonly CheckFinding[], { line, colors }: Output): void {
  const problems = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  if (problems > 0) line(colors.red(`${countWords(problems, 'problem')} found.`));
  else if (warnings > 0) line(colors.yellow(`No problems, ${countWords(warnings, 'warning')}.`));
  else line(colors.green('No problems found.'));
}
