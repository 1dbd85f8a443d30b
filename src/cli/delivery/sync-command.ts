import { createSyncProgress } from './sync-progress.ts';
import { sentence } from '../../lib/text/sentences.ts';
import { countWords, withLocalTimes } from '../../lib/text/amounts.ts';
import type { SyncReport } from '../../daemon/run-sync.ts';
import type { DocumentRef } from '../../model/document.ts';
import { inDoubtCode } from '../../model/doubts.ts';
import { exitCodes } from '../../model/errors.ts';
import { pauseLine } from '../../model/report/pause-words.ts';
import { reasonWords } from '../../model/report/headline.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import type { Output } from '../output.ts';
import { runSync } from '../../daemon/run-sync.ts';
import { requireOwnPlace } from '../../commands/offline/with-ledger.ts';
import { correctionAdvice } from '../../config/secrets/correction-advice.ts';
import { credentialsFor, prepareCommand } from '../prepare-command.ts';

export async function sync(context: CommandContext, flags: CommandFlags) {
  const progress =
    context.progress === null || flags.quiet === true ? null : createSyncProgress(context.progress);
  const prepared = await prepareCommand(context, flags, {
    quiet: progress !== null,
    checkFolders: true,
    writeLog: progress?.above,
  });
  const credentials = await credentialsFor(prepared);
  const { settings, log, configuration } = prepared;
  await requireOwnPlace(settings, true);
  try {
    const report = await runSync({
      settings,
      credentials,
      credentialsAdvice: () => correctionAdvice(configuration.secretSources, null),
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

type Named = DocumentRef & { readonly message: string };

/** So many names are printed of each kind. */
const mostNamed = 20;

function printReport(report: SyncReport, { line, tally, colors }: Output): void {
  const parts = [
    countWords(report.uploaded, 'upload'),
    countWords(report.modified, 'change'),
    countWords(report.moved, 'move'),
    countWords(report.deleted, 'deletion'),
  ];
  const done = report.uploaded + report.modified + report.moved + report.deleted;
  const nothing = report.exitCode === exitCodes.ok ? 'Nothing to send.' : 'Nothing was sent.';
  line(done + report.inDoubt === 0 ? nothing : `${parts.join(', ')}.`);
  if (report.gaveUp !== null) line(colors.red(sentence(withLocalTimes(reasonWords(report.gaveUp)))));
  const { held, heldAway } = report;
  const approve = 'held: list with ingestd status, approve with ingestd approve';
  tally('yellow', held - heldAway, 'deletion', approve);
  tally('yellow', heldAway, 'deletion', 'held, for you to approve when the folder is available again');
  for (const { folder, message } of report.unavailable)
    line(colors.red(`${folder} cannot be read: ${withLocalTimes(message)}`));
  for (const { message } of report.unreadable) line(colors.red(message));
  tally('yellow', report.waitingTotal, 'document', 'not ready:');
  printNames(report.waiting, report.waitingTotal);
  tally('dim', report.skipped, 'file', 'skipped: ingestd check says why.');
  if (report.pause !== null && report.pause.code !== report.gaveUp?.code)
    line(colors.yellow(withLocalTimes(pauseLine(report.pause, report.paused))));
  tally('yellow', report.unsent, 'document', 'left for the next pass.');
  const failures = report.failures.filter(({ code }) => code !== inDoubtCode);
  tally('yellow', report.inDoubt, 'upload', 'in doubt: list with ingestd status');
  const copies = 'at the service: list with ingestd status';
  tally('yellow', report.possibleDuplicates, 'possible duplicate', copies);
  tally('red', report.failed - report.failures.length + failures.length, 'document', 'failed:');
  printNames(failures, failures.length);

  function printNames(documents: readonly Named[], total: number): void {
    for (const { folder, path, message } of documents.slice(0, mostNamed))
      line(`  ${folder}/${path}: ${withLocalTimes(message)}`);
    if (total > mostNamed) line(`  and ${total - mostNamed} more: ingestd status --json`);
  }
}
