import {
  countWords,
  durationWords,
  finishWords,
  numberWords,
  withLocalTimes,
} from '../../lib/text/amounts.ts';
import { shellWord } from '../../lib/text/printable.ts';
import { directoryOf, refKey } from '../../model/document.ts';
import { inDoubtCode, resolveWords, sentAgainNow } from '../../model/doubts.ts';
import { exitCodes } from '../../model/errors.ts';
import { groupBy } from '../../lib/group-by.ts';
import { attemptsOf } from '../../model/report/failures.ts';
import { explain } from '../../model/report/explanations.ts';
import { isObstacle } from '../../model/report/health.ts';
import { pauseLine } from '../../model/report/pause-words.ts';
import type { PlannedOperation } from '../../model/report/command-reports.ts';
import type { Status } from '../../model/report/status.ts';
import type { CommandContext, CommandFlags } from '../define-command.ts';
import { leastGathered } from '../output.ts';
import type { Output } from '../output.ts';
import { connectDaemon } from '../../commands/daemon-client.ts';
import { makePlan } from '../../commands/make-plan.ts';
import type { PlanReport } from '../../commands/make-plan.ts';
import { editedSince } from '../find-daemon.ts';
import { offlineView, prepareCommand, signInFrom } from '../prepare-command.ts';

export async function plan(context: CommandContext, flags: CommandFlags & { verbose?: boolean }) {
  const prepared = await prepareCommand(context, flags, { checkFolders: true });
  const planned = await makePlan(await offlineView(context, prepared));
  // Whether the service takes anything at present only the running daemon knows.
  const daemon = await connectDaemon(prepared.settings.state.dir, prepared.settings.file);
  const edited = editedSince(prepared, daemon);
  if (edited !== null && flags.quiet !== true)
    context.complain(`${edited.message}; what follows comes from the file. ${edited.fix}`);
  const status = await daemon?.status().catch(() => null);
  const trouble = daemon === null ? (await signInFrom(prepared)).trouble : null;
  const missing = trouble === null ? [] : [{ code: 'credential-missing', message: trouble }];
  const tried = new Map(attemptsOf(status).map((one) => [refKey(one), one]));
  const operations = planned.operations.map((one) => {
    const { code, message } = (one.code === null ? tried.get(refKey(one)) : undefined) ?? one;
    return { ...one, code, message };
  });
  const report = { ...planned, operations, obstacles: status?.reasons.filter(isObstacle) ?? missing };
  const underWay = new Set(status?.inDoubt.filter(({ isSending }) => isSending).map(refKey));
  if (flags.json) context.output.json(report);
  else printPlan(report, underWay, flags.verbose === true, context.output);
  return exitCodes.ok;
}

/** `underWay`: the documents in doubt that are being sent again. */
function printPlan(
  report: PlanReport & { readonly obstacles: Status['reasons'] },
  underWay: ReadonlySet<string>,
  isWhole: boolean,
  output: Output,
): void {
  const { counts, requests, seconds, unavailable, unreadable, operations } = report;
  const { line, tally, colors } = output;
  for (const group of groupBy(operations, kindOf).values()) {
    const [first] = group;
    if (first === undefined || isWhole || group.length < leastGathered)
      for (const operation of group) line(operationLine(operation, placeOf(operation), output));
    else {
      const isSame = group.every(({ message }) => message === first.message);
      const one = isSame ? first : { ...first, message: explain(first.code ?? '').cause };
      line(operationLine(one, `${countWords(group.length, 'document')} in ${directoryIn(first)}`, output));
    }
  }
  for (const { folder, message } of unavailable) line(colors.red(`${folder} is left out: ${message}`));
  for (const { message } of unreadable) line(colors.red(message));
  const unread = unavailable.length + unreadable.length;
  if (operations.length + unread > 0) line();
  const changes: readonly Parameters<typeof countWords>[] = [
    [counts.upload - counts.inDoubt, 'upload'],
    [counts.inDoubt, 'upload in doubt', 'uploads in doubt'],
    [counts.modify, 'change'],
    [counts.move, 'move'],
    [counts.delete, 'deletion'],
  ];
  const words = changes.filter(([count]) => count > 0).map((change) => countWords(...change));
  if (words.length === 0) {
    const paint = counts.held + counts.failed + counts.waiting + unread === 0 ? colors.green : colors.yellow;
    line(paint(`Nothing to send: ${countWords(counts.unchanged, 'document')} unchanged.`));
  } else {
    const unchanged = `${numberWords(counts.unchanged)} unchanged.`;
    const isStopped = report.obstacles.length > 0 || report.pause !== null;
    const end = isStopped ? ' once requests go out again' : finishWords(seconds, Date.now());
    const time = `${durationWords(seconds)}${end}`;
    line(`${words.join(', ')}: ${countWords(requests, 'request')}, ${time}. ${unchanged}`);
  }
  const doubt = `the service may have been given the same before. To prevent copies, ${resolveWords()}`;
  const again = operations.filter((one) => one.inDoubt && underWay.has(refKey(one))).length;
  tally('yellow', counts.inDoubt - again, 'upload', `in doubt: ${doubt}.`);
  tally('yellow', again, 'upload', `in doubt: ${sentAgainNow}.`);
  const copies = 'at the service already: list with ingestd status';
  const tried = operations.filter(isTried).length;
  tally('yellow', tried, 'document', 'retrying: ingestd why PATH says why and when.');
  tally('yellow', counts.possibleDuplicates, 'possible duplicate', copies);
  for (const { message } of report.obstacles)
    line(colors.yellow(`Nothing is sent at present: ${withLocalTimes(message)}`));
  if (report.pause !== null) line(colors.yellow(withLocalTimes(pauseLine(report.pause, report.paused))));
  for (const { folder, count, reason } of report.held) {
    const isAway = unavailable.some((one) => one.folder === folder);
    const later = 'held, for you to approve when the folder is available again:';
    const now = `for you to approve with ingestd approve ${shellWord(folder)}:`;
    tally('yellow', count, 'deletion', isAway ? later : now);
    line(colors.yellow(`  ${folder}: ${withLocalTimes(reason)}`));
  }
  tally('yellow', counts.waiting, 'document', 'not ready: ingestd why PATH says what each waits for.');
  const undecided = operations.filter(({ code }) => code === inDoubtCode).length;
  tally('yellow', undecided, 'upload', `in doubt: ${resolveWords()}.`);
  tally('red', counts.failed - undecided, 'document', 'cannot be sent: the lines above say why.');
  tally('dim', counts.narrower, 'document', 'shared less widely than stated: ingestd why PATH says why.');
  for (const one of report.narrower) line(colors.dim(`  ${refKey(one)}: ${one.sharing} is stated now`));
  tally('dim', counts.kept, 'document', 'kept at the service, no longer sent.');
  tally('dim', counts.skipped, 'file', 'skipped: ingestd check says why.');
  const orphans = countWords(counts.orphanAttachments, 'directory', 'directories');
  if (counts.orphanAttachments > 0)
    line(colors.dim(`${orphans} of attachments without a document: ingestd check says which.`));
}

/** The same for operations of one kind in one directory, which go out with the same, or do not for one cause. */
function kindOf(operation: PlannedOperation): string {
  const { kind, from, code } = operation;
  const words = [...sentWords(operation), code ?? reasonWords(operation)];
  return JSON.stringify([kind, directoryIn(operation), from === null ? null : directoryOf(from), words]);
}

function placeOf({ folder, path, from }: PlannedOperation): string {
  return `${path === '' ? folder : `${folder}/${path}`}${from === null ? '' : ` from ${from}`}`;
}

function directoryIn(operation: PlannedOperation): string {
  return directoryOf(refKey(operation));
}

function operationLine(operation: PlannedOperation, place: string, { colors }: Output): string {
  const kind = operation.code === inDoubtCode ? 'in doubt' : operation.kind;
  const paint = paints[kind];
  const sent = sentWords(operation);
  const parts = sent.length === 0 ? '' : ` (${sent.join(', ')})`;
  return `${colors[paint](kind.padEnd(11))} ${place}${parts}${reasonWords(operation)}`;
}

/** Why deletions are held is said once for all. */
function reasonWords(operation: PlannedOperation): string {
  const { kind, message, inDoubt } = operation;
  if (inDoubt) return ': an earlier upload of it is in doubt';
  if (isTried(operation)) return ', retrying';
  return message === null || kind === 'held' ? '' : `: ${withLocalTimes(message)}`;
}

/** It is to be sent, and was tried before. */
function isTried({ kind, code, inDoubt }: PlannedOperation): boolean {
  return code !== null && !inDoubt && kind !== 'held' && kind !== 'failed' && kind !== 'waiting';
}

/** What goes out with it. */
function sentWords({ sentAs, parts, sharing, attachments }: PlannedOperation): readonly string[] {
  return [
    ...(sentAs === null ? [] : [`as ${sentAs}`]),
    ...parts.filter((part) => part !== 'shareInfo' && part !== 'attachments'),
    ...(sharing === null ? [] : [`sharing ${sharing}`]),
    ...(attachments === null || attachments.length === 0
      ? []
      : [`${attachments.length === 1 ? 'attachment' : 'attachments'} ${attachments.join(', ')}`]),
  ];
}

const paints = {
  upload: 'green',
  modify: 'cyan',
  'bulk modify': 'cyan',
  move: 'cyan',
  delete: 'red',
  'bulk delete': 'red',
  held: 'yellow',
  failed: 'red',
  'in doubt': 'yellow',
  waiting: 'dim',
} as const;
