import { numberWords, sizeWords } from '../../lib/text/amounts.ts';
import { cleanData } from '../../log/clean-data.ts';
import type { DoctorReport } from '../../commands/doctor.ts';
import { errorCode, errorMessage, exitCodes } from '../../model/errors.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { printFindings, printVerdict } from './check-command.ts';
import { examine } from '../../commands/doctor.ts';
import { prepareCommand } from '../prepare-command.ts';
import { checkOptions } from './check-options.ts';

export async function doctor(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const { output, redactor } = context;
  const options = await optionsOrProblem(context, flags);
  const report = await examine(options);
  // Any text may contain a secret: the name of a file, an answer from the network.
  if (flags.json === true) output.json(cleanData(report, { redactor, show: (text) => text }));
  else printReport(report, { ...output, line: (text?: string) => output.line(redactor.redact(text ?? '')) });
  if (typeof options === 'string') return exitCodes.usage;
  return report.ok ? exitCodes.ok : exitCodes.unfinished;
}

/** An invalid configuration is a finding like any other: what is wrong with it. */
async function optionsOrProblem(context: CommandContext, flags: GlobalFlags) {
  try {
    const quietly = { quiet: true, checkFolders: false, reportsWarnings: false };
    return await checkOptions(await prepareCommand(context, flags, quietly));
  } catch (error) {
    if (errorCode(error) !== 'configuration') throw error;
    return errorMessage(error);
  }
}

/** A report is pasted by a person; `check` lists the rest. */
const mostFindings = 100;

function printReport(report: DoctorReport, output: Output): void {
  const { line, colors } = output;
  const section = (title: string, rows: readonly Row[]): void => {
    line(colors.bold(title));
    for (const [name, text] of rows) line(`  ${name.padEnd(14)} ${text}`);
    line();
  };
  section('ingestd', ingestdRows(report));
  section('Machine', machineRows(report));
  if (report.places.length > 0) section('Places', placeRows(report));
  line(colors.bold('Findings'));
  printFindings(report.findings.slice(0, mostFindings), output);
  const more = report.findings.length - mostFindings;
  if (more > 0) line(`and ${numberWords(more)} more: ingestd check`);
  printVerdict(report.findings, output);
}

type Row = readonly [name: string, text: string];

function ingestdRows({ ingestd }: DoctorReport): readonly Row[] {
  const { version, node, program, configuration, mode, daemon } = ingestd;
  const running =
    daemon === null
      ? 'does not run'
      : `runs: pid ${daemon.pid}, version ${daemon.version}, since ${daemon.startedAt}, ${daemon.state}, health ${daemon.health}`;
  return [
    ['version', `${version}, Node ${node}, ${program}`],
    ['configuration', configuration === null ? 'invalid' : `${configuration} (${mode})`],
    ['daemon', running],
  ];
}

function machineRows({ system, inotify }: DoctorReport): readonly Row[] {
  const { memoryBytes, freeMemoryBytes, memoryLimitBytes } = system;
  const limit = memoryLimitBytes === null ? '' : `, limit ${sizeWords(memoryLimitBytes)}`;
  const { used, watchLimit, instanceLimit, queueLength } = inotify;
  const watches = `${count(used?.watches)} of ${count(watchLimit)} watches in use`;
  const instances = `${count(used?.instances)} of ${count(instanceLimit)} instances`;
  return [
    ['system', `${system.name}, ${system.kernel}, ${system.architecture}`],
    ['processors', String(system.processors)],
    ['memory', `${sizeWords(freeMemoryBytes)} free of ${sizeWords(memoryBytes)}${limit}`],
    ['user', `uid ${system.uid ?? '?'}, at most ${count(system.openFilesLimit)} open files`],
    ['clock', system.time],
    ['inotify', `${watches}, ${instances}; events queued ${numberWords(queueLength)}`],
  ];
}

function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '?' : numberWords(value);
}

function placeRows({ places }: DoctorReport): readonly Row[] {
  return places.map(({ what, path, type, freeBytes, freeInodes, eventless }) => {
    const parts = [
      ...(type === null ? [] : [type]),
      ...(freeBytes === null ? [] : [`${sizeWords(freeBytes)} free`]),
      ...(freeInodes === null ? [] : [`${numberWords(freeInodes)} inodes free`]),
      ...(eventless === null ? [] : ['reports no events of other machines']),
    ];
    return [what, `${path}: ${parts.join(', ')}`];
  });
}
