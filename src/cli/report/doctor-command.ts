import type { Command } from 'commander';

import { durationWords, numberWords, sizeWords } from '../../lib/text/amounts.ts';
import { cleanData } from '../../log/clean-data.ts';
import type { DoctorReport } from '../../commands/doctor/doctor.ts';
import { errorCode, errorMessage, exitCodes } from '../../model/errors.ts';
import { defineCommand } from '../define-command.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import { checkOptions, prepareCommand } from '../prepare-command.ts';
import type { Output } from '../output.ts';
import { printFindings, printVerdict } from './check-command.ts';

/** `ingestd doctor`: one report about this machine, to be read or to go with a bug report. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description(
      'check --online without signing in, plus this machine and the connection to the service, as one report without secrets',
    )
    .option('--json', 'print JSON');
  defineCommand(command, context, doctor, [
    {
      command: 'ingestd doctor > report.txt',
      does: 'for a bug report; it contains names of folders and files',
    },
  ]);
}

async function doctor(context: CommandContext, flags: GlobalFlags & { json?: boolean }): Promise<number> {
  const { report, exitCode } = await examineAll(context, flags);
  const { output, redactor } = context;
  // Any text may contain a secret: the name of a file, an answer from the network.
  if (flags.json === true) output.json(cleanData(report, { redactor, show: (text) => text }));
  else printReport(report, { ...output, line: (text?: string) => output.line(redactor.redact(text ?? '')) });
  return exitCode;
}

/** An invalid configuration is a finding like any other: the machine is described all the same. */
async function examineAll(
  context: CommandContext,
  flags: GlobalFlags,
): Promise<{ readonly report: DoctorReport; readonly exitCode: number }> {
  const { examine, examineWithout } = await import('../../commands/doctor/doctor.ts');
  try {
    const prepared = await prepareCommand(context, flags, {
      quiet: true,
      checkFolders: false,
      reportsWarnings: false,
    });
    const options = await checkOptions(prepared);
    const report = await examine(options, context.env);
    return { report, exitCode: report.ok ? exitCodes.ok : exitCodes.unfinished };
  } catch (error) {
    if (errorCode(error) !== 'configuration') throw error;
    const report = await examineWithout(errorMessage(error), context.env);
    return { report, exitCode: exitCodes.usage };
  }
}

/** A report is pasted by a person; `check` lists the rest. */
const mostFindings = 100;

function printReport(report: DoctorReport, output: Output): void {
  const { line, colors } = output;
  const width = 14;
  const section = (title: string, rows: readonly (readonly [name: string, text: string])[]): void => {
    line(colors.bold(title));
    for (const [name, text] of rows) line(`  ${name.padEnd(width)} ${text}`);
    line();
  };
  section('ingestd', ingestdRows(report));
  section('Machine', machineRows(report));
  if (report.places.length > 0) section('Places', placeRows(report));
  for (const address of report.addresses) section(address.subject, addressRows(address));
  section('Environment', [
    ...Object.entries(report.environment),
    ['set', report.variables.join(', ') || 'no INGESTD_ variable'],
  ]);
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
  const { memoryLimitBytes, openFilesLimit, container } = system;
  const limit = memoryLimitBytes === null ? '' : `, limit ${sizeWords(memoryLimitBytes)}`;
  const { used } = inotify;
  const inUse = (count: number | undefined): string => (count === undefined ? '?' : numberWords(count));
  const allowed = (count: number | null): string => (count === null ? '?' : numberWords(count));
  return [
    ['system', `${system.name}, ${system.kernel}, ${system.architecture}`],
    ...(container === null ? [] : [['container', container] as const]),
    ['processors', String(system.processors)],
    ['memory', `${sizeWords(system.freeMemoryBytes)} free of ${sizeWords(system.memoryBytes)}${limit}`],
    [
      'user',
      `uid ${system.uid ?? '?'}, at most ${openFilesLimit === null ? '?' : numberWords(openFilesLimit)} open files`,
    ],
    ['clock', `${system.time}, time zone ${system.timeZone}`],
    [
      'inotify',
      `${inUse(used?.watches)} of ${allowed(inotify.watchLimit)} watches in use, ${inUse(used?.instances)} of ${allowed(inotify.instanceLimit)} instances; events queued ${numberWords(inotify.queueLength)}`,
    ],
  ];
}

function placeRows({ places }: DoctorReport): readonly Row[] {
  return places.map(({ what, path, mount, freeBytes, sizeBytes, freeInodes, eventless }) => {
    const on = mount === null ? '' : `${mount.type} on ${mount.path}, `;
    const room =
      freeBytes === null || sizeBytes === null
        ? 'room not known'
        : `${sizeWords(freeBytes)} free of ${sizeWords(sizeBytes)}`;
    const inodes = freeInodes === null ? '' : `, ${numberWords(freeInodes)} inodes free`;
    const events = eventless === null ? '' : ', reports no events of other machines';
    return [what, `${path}: ${on}${room}${inodes}${events}`];
  });
}

function addressRows(address: DoctorReport['addresses'][number]): readonly Row[] {
  const { names, tls, connectedMs, firstByteMs, status, clockAheadMs, error } = address;
  const ms = (value: number | null): string => (value === null ? '-' : `${numberWords(value)} ms`);
  return [
    ['address', address.address],
    ['proxy', address.proxy ?? 'none'],
    ...(names === null
      ? []
      : [['DNS', names.error ?? `${names.addresses.join(', ')} in ${ms(names.tookMs)}`] as const]),
    [
      'answer',
      error ??
        `status ${status} to HEAD /: connected after ${ms(connectedMs)}, first byte after ${ms(firstByteMs)}`,
    ],
    ...(clockAheadMs === null ? [] : [['clock', clockWords(clockAheadMs)] as const]),
    ...(tls === null
      ? []
      : [['TLS', `${tls.protocol ?? '?'}, ${tls.cipher ?? '?'}: ${tls.distrust ?? 'trusted'}`] as const]),
    ...(tls?.chain ?? []).map(({ subject, issuer, validFrom, validTo, names: for_ }) => {
      const until = `${validFrom.slice(0, 10)} to ${validTo.slice(0, 10)}`;
      return [
        'certificate',
        `${subject}, issued by ${issuer}, ${until}${for_ === null ? '' : `, for ${for_}`}`,
      ] as const;
    }),
  ];
}

/** The service's Date header has whole seconds. */
function clockWords(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1_000;
  if (seconds < 2) return 'as the service’s';
  return `${durationWords(seconds)} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service’s`;
}
