import { writeYaml } from '../../config/yaml/read-yaml.ts';
import type { Redactor } from '../../lib/text/redactor.ts';
import { cleanData } from '../../log/clean-data.ts';
import type { DoctorReport } from '../../commands/doctor.ts';
import { errorCode, errorMessage, exitCodes } from '../../model/errors.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { checkOptions, printFindings } from './check-command.ts';
import { examine } from '../../commands/doctor.ts';
import { prepareCommand } from '../prepare-command.ts';

export async function doctor(context: CommandContext, flags: CommandFlags) {
  const { output, redactor } = context;
  const options = await prepareCommand(context, flags, { reportsWarnings: false })
    .then(checkOptions)
    // An invalid configuration is a finding like any other: what is wrong with it.
    .catch((error: unknown) => {
      if (errorCode(error) !== 'configuration') throw error;
      return errorMessage(error);
    });
  const report = await examine(options);
  if (flags.json === true) output.json(cleaned(report, redactor));
  else printReport(report, redactor, output);
  if (typeof options === 'string') return exitCodes.usage;
  return report.ok ? exitCodes.ok : exitCodes.unfinished;
}

/** What is known as YAML, with its units in the names, then the findings. */
function printReport(report: DoctorReport, redactor: Redactor, output: Output): void {
  const { ingestd, system, inotify, places, findings } = report;
  const { line, colors } = output;
  for (const [title, facts] of Object.entries({ ingestd, system, inotify, places })) {
    line(colors.bold(title));
    for (const row of writeYaml(cleaned(facts, redactor)).trimEnd().split('\n')) line(`  ${row}`);
    line();
  }
  line(colors.bold('findings'));
  // One by one: of a list only the first hundred would be left.
  printFindings(
    findings.map((one) => cleaned(one, redactor)),
    output,
  );
}

/** Any text may contain a secret: the name of a file, an answer from the network. */
function cleaned<T>(value: T, redactor: Redactor): T {
  return cleanData(value, { redactor, show: (text) => text }) as T;
}
