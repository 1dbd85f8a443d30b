import type { Command } from 'commander';
import { countWords } from '../../lib/text/amounts.ts';
import { exitCodes } from '../../model/errors.ts';
import { fixBeside } from '../../model/report/explanations.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import { defineCommand } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { checkOptions, prepareCommand } from '../prepare-command.ts';

interface CheckFlags extends GlobalFlags {
  readonly json?: boolean;
  readonly online?: boolean;
}

/** `ingestd check`: what is wrong, and what to do about it. */
export function addCheckCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('check')
    .description(
      'check offline that the configuration is valid, the credentials are set and every file would be accepted',
    )
    .option('--json', 'print JSON')
    .option(
      '--online',
      'also ask whether the service accepts the credentials and Redis answers, and compare the clocks; no document is sent',
    );
  defineCommand(command, context, runCheck, [
    { command: 'ingestd check', does: 'exit code 0: no problems, 4: problems found' },
    {
      command: 'ingestd check --online',
      does: 'also check that the service accepts the credentials and the clock is right',
    },
  ]);
}

async function runCheck(context: CommandContext, flags: CheckFlags): Promise<number> {
  const prepared = await prepareCommand(context, flags, { quiet: true, reportsWarnings: false });
  const { check } = await import('../../commands/check/check.ts');
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
      line(`${marks[level]} ${colors.bold(finding.subject)}: ${finding.message}`);
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
