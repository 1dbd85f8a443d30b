import { countWords, localTime, numberWords, withLocalTimes } from '../../lib/text/amounts.ts';
import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { resolveWords } from '../../model/doubts.ts';
import {
  explain,
  fixAt,
  groupByCause,
  mayHelpToRetry,
  mayHelpToShare,
} from '../../model/report/explanations.ts';
import {
  asidesOf,
  copiesWords,
  duplicatesApart,
  isAway,
  partsOf,
  sortFailures,
} from '../../model/report/failures.ts';
import { fleetHeadline, hostWords } from '../../model/report/fleet-headline.ts';
import type { FleetHost, FleetStatus } from '../../model/report/fleet.ts';
import { placedMessage, statusLine } from '../../model/report/headline.ts';
import { pauseLine } from '../../model/report/pause-words.ts';
import type { FailureStatus, Reason, Status } from '../../model/report/status.ts';
import type { Output } from '../output.ts';

interface StatusView {
  readonly colors: Output['colors'];
  /** Address of the page; null: none. */
  readonly page: string | null;
  /** Wall clock, ms: of this moment. */
  readonly now: number;
}

/** So many rows of a section are shown. */
const mostRows = 10;
/** Most answers are there sooner. */
const silentMs = 10_000;
/** So many documents of one cause. */
const mostOfCause = 3;
/** So many names of one folder's held deletions. */
const mostNames = 5;
const details = 'for details run ingestd why PATH';
const allNamed = ': ingestd approve FOLDER names them before it asks, and so does the page';
const skippedHint = 'ingestd check lists all of them with their fixes';

/** A few lines, the headline first: what a person reads in two seconds. In the order of the page. */
export function renderStatus(status: Status, view: StatusView): string[] {
  const { colors } = view;
  const { reasons, waiting, waitingTotal, inDoubt, inDoubtTotal, narrower, skipped, skippedTotal } = status;
  const total = (of: 'kept' | 'narrower') => status.folders.reduce((sum, one) => sum + one[of], 0);
  const { failed, failedTotal, retried } = sortFailures(status);
  // A reason that is said above is not said again.
  const isSaid = (one: FailureStatus) => reasons.some(({ message }) => message === one.message);
  const barrierOf = (code: string) => (mayHelpToShare(code) ? '' : ` (${explain(code).cause})`);
  const mayShare = narrower.some((one) => mayHelpToShare(one.code));
  const mayRetry = failed.some(({ code }) => mayHelpToRetry(code));
  const whyFailed = `ingestd why PATH explains one${mayRetry ? ', ingestd retry sends again what the service refused' : ''}`;
  return [
    colors.bold(colors[healthColors[status.health]](withLocalTimes(statusLine(status, view.now)))),
    '',
    ...folderRows(status, view),
    ...(status.unconfigured ?? []).map(({ name, documents }) =>
      colors.dim(`${name}  ${numberWords(documents)} kept at the service, not in the configuration`),
    ),
    ...daemonRows(status, view),
    ...section(
      colors.yellow('No answer from the service'),
      silentRows(status, view.now),
      'ingestd waits as long as service.responseSeconds says',
    ),
    // Without what stands under the uploads in doubt, and apart from what is retried, which the headline counts as waiting.
    ...groupedRows(colors.red('Failed'), failed, Math.max(failed.length, failedTotal), whyFailed, colors),
    ...heldRows(status, view),
    ...section(colors.yellow('In doubt'), inDoubt.map(rowOf), doubtHint(status), inDoubtTotal),
    ...section(
      colors.yellow('Documents with possible duplicates'),
      duplicatesApart(status).map((one) => `${refKey(one)}: ${copiesWords(one.copies)}`),
      'delete extra copies at the service, then run ingestd resolve PATH --dismiss',
    ),
    ...section(
      colors.dim('Shared less widely than stated'),
      narrower.map((one) => rowOf({ ...one, message: `${one.sharing} is stated now${barrierOf(one.code)}` })),
      `ingestd why PATH says why${mayShare ? '; to share one run ingestd share PATH --as stated' : ''}`,
      total('narrower'),
    ),
    ...section(
      colors.yellow('Retrying'),
      retried.map((one) => (isSaid(one) ? refKey(one) : rowOf(one))),
      retried.some(isSaid) ? details : `nothing to do; ${details}`,
    ),
    // Those that still change say nothing.
    ...groupedRows(colors.dim('Waiting'), waiting, waitingTotal, details, colors, reasons),
    ...section(colors.dim('Kept at the service'), status.kept.map(refKey), details, total('kept')),
    ...groupedRows(colors.dim('Skipped'), skipped, skippedTotal, skippedHint, colors, reasons),
  ];
}

/** False: what a daemon would find is shown. */
function isRunning({ state }: Pick<Status, 'state'>): boolean {
  return state !== 'stopped';
}

/** Their own words say what to do, and where. */
const saidInFull: ReadonlySet<string> = new Set(['not-running', 'credential-missing']);

const healthColors = { ok: 'green', attention: 'yellow', error: 'red' } as const;

function folderRows(status: Status, { colors }: StatusView): string[] {
  const { folders } = sortFailures(status);
  const width = Math.max(0, ...folders.map(({ name }) => name.length));
  const { red, yellow, dim } = colors;
  const tint = { moving: String, waiting: String, failed: red, doubt: yellow, held: yellow, skipped: dim };
  return folders.map((folder) => {
    const documents = folder.synced + folder.pending + folder.waiting + folder.failed + folder.inDoubt;
    const parts = [`${numberWords(folder.synced)} of ${numberWords(documents)}`];
    for (const { key, count, words } of partsOf([folder]))
      if (key !== 'synced' && count > 0) parts.push(tint[key](`${numberWords(count)} ${words}`));
    parts.push(...asidesOf(folder).map(colors.dim));
    const usual = isRunning(status) && status.paused.includes(folder.name) ? 'paused' : folder.state;
    const state = folder.state === 'unavailable' ? colors.red('unavailable') : usual;
    return `${folder.name.padEnd(width)}  ${parts.join(', ')}  ${colors.dim(`${state}  ${folder.path}`)}`;
  });
}

/** Requests that the service leaves without an answer: until they are given up, nothing else tells of them. */
function silentRows({ transfers }: Status, now: number): string[] {
  return transfers.flatMap(({ since, operation, ...one }) =>
    since === undefined || now - Date.parse(since) < silentMs
      ? []
      : [`${one.path === '' ? one.folder : refKey(one)}: ${operation}, since ${localTime(since)}`],
  );
}

function daemonRows(status: Status, { colors, page }: StatusView): string[] {
  const { rate, auth, reasons, account } = status;
  const first = statusLine(status).toLowerCase();
  // What the headline says is not said again, but for its times; what is held has a section of its own.
  const reasonRow = (reason: Reason) => {
    const { code, since, until } = reason;
    const message = code === 'paused' ? pauseLine(reason, status.paused) : placedMessage(reason);
    const known = [since && `since ${localTime(since)}`, until && `next attempt at ${localTime(until)}`];
    const times = known.filter(Boolean).join(', ');
    if (code === 'held' || code === 'not-running') return [];
    const words = first.includes(message.toLowerCase()) ? '' : colors.yellow(withLocalTimes(message));
    if (times === '') return words === '' ? [] : [words];
    return [
      words === '' ? colors.dim(`${explain(code).cause} ${times}`) : `${words} ${colors.dim(`(${times})`)}`,
    ];
  };
  const fixes = reasons
    .map(({ code }) => ({ code, ...explain(code), here: fixAt(code, status) }))
    .filter(({ code, isTold, here }) => here !== '' && isTold !== false && !saidInFull.has(code))
    .map(({ cause, here }) => `${cause}: ${here}`);
  const token = {
    none: 'no token yet',
    ok: 'credentials accepted',
    refused: colors.red('credentials refused'),
  };
  const service =
    status.service === '' ? [] : [`Service ${status.service}${account === null ? '' : ` as ${account}`}`];
  const used = `${numberWords(rate.used)} of ${countWords(rate.limit, 'request')} used in ${numberWords(rate.windowSeconds)} s, ${token[auth.state]}`;
  const process = [
    `pid ${status.pid}`,
    `since ${localTime(status.startedAt)}`,
    ...(page === null ? [] : [page]),
  ];
  return [
    '',
    ...(status.trial ? [colors.yellow('Trial: documents go to the embedded service on this machine.')] : []),
    ...service,
    ...(isRunning(status) ? [used] : []),
    ...reasons.flatMap(reasonRow),
    ...Array.from(new Set(fixes), colors.dim),
    ...(isRunning(status) ? [colors.dim(process.join(', '))] : []),
    colors.dim(`configuration ${status.configuration}`),
  ];
}

/** Grouped by cause, each with its fix; a message that all of a group have is said once. */
function groupedRows(
  title: string,
  listed: readonly Pick<FailureStatus, 'folder' | 'path' | 'code' | 'message'>[],
  total: number,
  hint: string,
  { dim }: Output['colors'],
  /** Their fixes stand above. */
  told: readonly Pick<Reason, 'code'>[] = [],
): readonly string[] {
  if (listed.length === 0) return [];
  const groups = groupByCause(listed).map(({ code, items }) => {
    const isSame = items.length > 1 && new Set(items.map(({ message }) => message)).size === 1;
    const { cause, fix } = explain(code);
    const isTold = fix === '' || told.some((reason) => reason.code === code);
    const heading = isSame ? items[0]?.message : cause;
    const rows = items.slice(0, mostOfCause).map((one) => (isSame ? refKey(one) : rowOf(one)));
    const more = items.length - rows.length;
    return [
      `  ${heading} (${numberWords(items.length)})${isTold ? '' : dim(`: ${fix}`)}`,
      ...rows.map((row) => `    ${row}`),
      ...(more > 0 ? [`    and ${numberWords(more)} more`] : []),
    ];
  });
  const unlisted = total - listed.length;
  return [
    '',
    `${title} (${numberWords(total)})`,
    ...groups.flat(),
    ...(unlisted > 0 ? [`  and ${numberWords(unlisted)} more`] : []),
    `  (${hint})`,
  ];
}

function rowOf({ folder, path, message }: DocumentRef & { readonly message: string }): string {
  return `${folder}/${path}: ${withLocalTimes(message)}`;
}

function heldRows(status: Status, { colors }: StatusView): string[] {
  const rows = status.held.flatMap((hold) => {
    const { folder, count, reason, since, paths } = hold;
    const when = isRunning(status) || since < status.startedAt ? `since ${localTime(since)}` : 'will be held';
    const more = count - Math.min(paths.length, mostNames);
    return [
      `  ${folder}: ${count > 0 ? `${countWords(count, 'deletion')} ` : ''}${when}: ${withLocalTimes(reason)}`,
      ...paths.slice(0, mostNames).map((path) => `    ${folder}/${path}`),
      ...(more > 0 && paths.length > 0
        ? [`    and ${numberWords(more)} more${isAway(hold, status) ? '' : allNamed}`]
        : []),
      ...(isAway(hold, status) ? ['    for you to approve when the folder is available again'] : []),
    ];
  });
  // Nobody can approve what is held while its folder is away.
  const choices = status.held.every((hold) => isAway(hold, status))
    ? []
    : ['approve with ingestd approve FOLDER'];
  const hint = `  (${[...choices, 'keep at the service with ingestd keep FOLDER'].join(', ')})`;
  return rows.length === 0 ? [] : ['', colors.yellow('Held deletions'), ...rows, hint];
}

function doubtHint({ inDoubt: all, state }: Status): string {
  const inDoubt = all.filter(({ isSending }) => isSending !== true);
  if (inDoubt.length === 0) return details;
  const loose = inDoubt.filter(({ holds }) => holds === false).length;
  if (loose === 0) return resolveWords();
  const which = loose === inDoubt.length ? 'them' : 'those that are not held';
  const when = isRunning({ state }) ? '' : ' when it runs';
  return `${resolveWords()}; else ingestd sends ${which} again${when}, and the service may then have copies`;
}

/** Nothing where there are no rows; `total`: of those too that are not among them. */
function section(title: string, rows: readonly string[], hint: string, total = rows.length): string[] {
  if (rows.length === 0) return [];
  const more = total - Math.min(rows.length, mostRows);
  return [
    '',
    `${title} (${numberWords(total)})`,
    ...rows.slice(0, mostRows).map((row) => `  ${row}`),
    ...(more > 0 ? [`  and ${numberWords(more)} more`] : []),
    `  (${hint})`,
  ];
}

/** All hosts, the headline first and those that need a person before the others. */
export function renderFleet(fleet: FleetStatus, colors: Output['colors']): string[] {
  const { rate, hosts } = fleet;
  const width = Math.max(0, ...hosts.map(({ host }) => host.length));
  return [
    colors.bold(colors[healthColors[fleet.health]](fleetHeadline(fleet))),
    '',
    ...hosts.map((host) => hostRow(host, width, colors)),
    ...(hosts.length === 0 ? [] : ['']),
    colors.dim(`Account ${fleet.account}`),
    colors.dim(`${countWords(rate.used, 'request')} used by all hosts in the last ${rate.windowSeconds} s`),
  ];
}

function hostRow(host: FleetHost, width: number, colors: Output['colors']): string {
  const { presence, headline, lastSeen } = host;
  const first = presence === 'here' ? withLocalTimes(headline) : `${presence} since ${localTime(lastSeen)}`;
  const name = colors[healthColors[host.health]](host.host.padEnd(width));
  return `${name}  ${[first, ...hostWords(host)].join(', ')}`;
}
