import { createSyncProgress } from './sync-progress.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { countWords } from '../../lib/text/amounts.ts';
import type { SyncReport } from '../../daemon/run-sync.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { exitCodes } from '../../model/errors.ts';
import { fleetPaused, pauseWords } from '../../model/report/fleet-pause.ts';
import { reasonWords } from '../../model/report/headline.ts';
import type { CommandContext, GlobalFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { runSync } from '../../daemon/run-sync.ts';
import { credentialsAdvice, credentialsFor, prepareCommand } from '../prepare-command.ts';

export async function sync(
  context: CommandContext,
  flags: GlobalFlags & { json?: boolean },
): Promise<number> {
  const progress =
    context.progress === null || flags.quiet === true ? null : createSyncProgress(context.progress);
  const prepared = await prepareCommand(context, flags, {
    quiet: progress !== null,
    checkFolders: true,
    writeLog: progress?.above,
  });
  const credentials = await credentialsFor(prepared);
  const { settings, log, configuration } = prepared;
  try {
    const report = await runSync({
      settings,
      credentials,
      credentialsAdvice: () => credentialsAdvice(prepared),
      log,
      makesFolders: configuration.trial,
      onProgress: (now) => progress?.update(now),
    });
    progress?.close();
    if (flags.json) context.output.json(report);
    // For a job that runs every night: mail comes only when something is left to do.
    else if (flags.quiet !== true || report.exitCode !== exitCodes.ok) printReport(report, context.output);
    return report.exitCode;
  } finally {
    progress?.close();
  }
}

const MAX_FAILURES = 20;

function printReport(report: SyncReport, { line, colors }: Output): void {
  const parts = [
    countWords(report.uploaded, 'upload'),
    countWords(report.modified, 'change'),
    countWords(report.moved, 'move'),
    countWords(report.deleted, 'deletion'),
  ];
  const done = report.uploaded + report.modified + report.moved + report.deleted;
  const nothing = report.exitCode === exitCodes.ok ? 'Nothing to send.' : 'Nothing was sent.';
  line(done + report.inDoubt === 0 ? nothing : `${parts.join(', ')}.`);
  if (report.gaveUp !== null) line(colors.red(sentence(reasonWords(report.gaveUp))));
  if (report.held > 0) {
    line(
      colors.yellow(
        `${countWords(report.held, 'deletion')} held: list with ingestd status, release with ingestd approve`,
      ),
    );
  }
  for (const { folder, message } of report.unavailable)
    line(colors.red(`${folder} cannot be read: ${message}`));
  for (const { folder, message } of report.unreadable) line(colors.red(`${folder}: ${message}`));
  if (report.waitingTotal > 0)
    line(colors.yellow(`${countWords(report.waitingTotal, 'document')} not ready:`));
  for (const { folder, path, message } of report.waiting.slice(0, MAX_FAILURES))
    line(`  ${folder}/${path}: ${message}`);
  if (report.waitingTotal > MAX_FAILURES) line(`  and ${report.waitingTotal - MAX_FAILURES} more`);
  if (report.skipped > 0)
    line(colors.dim(`${countWords(report.skipped, 'file')} skipped: ingestd check says why.`));
  if (report.paused.length > 0 && report.gaveUp?.code !== fleetPaused.code)
    line(colors.yellow(pauseWords(report)));
  if (report.unsent > 0)
    line(colors.yellow(`${countWords(report.unsent, 'document')} left for the next pass.`));
  const named = report.failures.filter(({ code }) => code === inDoubtCode).length;
  if (report.inDoubt > named) {
    const uploads = countWords(report.inDoubt - named, 'upload');
    line(colors.yellow(`${uploads} in doubt: list with ingestd status`));
  }
  if (report.possibleDuplicates > 0) {
    const copies = countWords(report.possibleDuplicates, 'possible duplicate');
    line(colors.yellow(`${copies} at the service: list with ingestd status`));
  }
  if (report.failed > 0) line(colors.red(`${countWords(report.failed, 'document')} failed:`));
  for (const failure of report.failures.slice(0, MAX_FAILURES)) {
    const doubt = failure.code === inDoubtCode ? 'its upload is in doubt: ' : '';
    line(`  ${failure.folder}/${failure.path}: ${doubt}${failure.message}`);
  }
  const more = report.failures.length - MAX_FAILURES;
  if (more > 0) line(`  and ${more} more: ingestd status --json`);
}
