import type { Claims, Ref } from './end-rules.ts';
import type { HeldDocument } from './held-documents.ts';
import type { Judge } from './judge.ts';
import { Reading } from './reading.ts';
import { widensByAbsence } from './statement.ts';
import type { Holding } from './statement.ts';

/** The end of a run, and what is said of it. */
export interface End {
  readonly judge: Judge;
  readonly claims: Claims;
  readonly reading: Reading;
  /** docId → path. */
  readonly places: ReadonlyMap<string, string>;
}

export type EndRule = (end: End) => void;

/** What needs a person is said to need one, and nothing else is (7.20): a sidecar that fits no file too (7.29). */
const healthIsTold: EndRule = ({ judge, claims: { status, duplicates }, reading }) => {
  const { failures, held, inDoubt, health, reasons } = status;
  const isTrouble = [...failures, ...held, ...inDoubt].length + duplicates > 0;
  const orphans = reading.orphanSidecars();
  if (health === 'ok' && isTrouble)
    judge.report('untold/health', `ok, with ${JSON.stringify({ failures, held, inDoubt, duplicates })}`);
  else if (health === 'ok' && orphans.length > 0)
    judge.report('untold/orphan-sidecar', `ok, and ${orphans.join()} fits no file`);
  else if (health !== 'ok' && !isTrouble && reasons.length === 0)
    judge.report('untold/nothing-wrong', `${health}, and nothing says why`);
};

/** Each folder's numbers add up, and idle means that nothing is on its way (section 6). */
const numbersAddUp: EndRule = ({ judge, claims: { status } }) => {
  for (const { name, onDisk, synced, pending, waiting, failed, skipped } of status.folders)
    if (onDisk !== synced + pending + waiting + failed + skipped)
      judge.report(
        'numbers',
        `${name}: ${onDisk} on disk; ${synced} synced, ${pending} pending, ${waiting} waiting, ${failed} failed, ${skipped} skipped`,
      );
  const { pending, inFlight } = status.queue;
  if (pending + inFlight > 0) judge.report('numbers', `idle, and queued: ${JSON.stringify(status.queue)}`);
};

/** What is counted is listed (section 6). */
const countsAreListed: EndRule = ({ judge, claims: { status } }) => {
  for (const { name, skipped, failed, held } of status.folders) {
    const of = (list: readonly { readonly folder: string }[]) => list.filter(({ folder }) => folder === name);
    const listed = {
      skipped: of(status.skipped).length,
      failed: of(status.failures).length,
      held: status.held.find(({ folder }) => folder === name)?.count ?? 0,
    };
    // A failure without a file is listed, and is no file on the disk.
    if (skipped !== listed.skipped || failed > listed.failed || held !== listed.held)
      judge.report(
        'numbers/listed',
        `${name}: ${JSON.stringify({ skipped, failed, held })}, listed ${JSON.stringify(listed)}`,
      );
  }
};

/** A symbolic link is listed (7.5), and so is the one of two names that does not stand (7.3). */
const linksAndTwinsAreListed: EndRule = ({ judge, claims: { status }, reading }) => {
  const listed = new Set([...status.skipped, ...status.failures].map(nameIn));
  const isIn = (path: string) =>
    status.folders.some(({ name, state }) => path.startsWith(`${name}/`) && state !== 'unavailable') &&
    reading.shutDirectory(path) === null;
  const links = [...(judge.followsLinks ? [] : reading.links)].filter(
    (path) => Reading.mayBeDocument(path) && !reading.isIgnored(path),
  );
  // What cannot be looked at stands beside nothing.
  const twins = [...reading.twins]
    .filter(([, { role, isHidden }]) => role.kind === 'document' && !isHidden)
    .map(([path]) => path);
  for (const path of [...links, ...twins].filter(isIn))
    if (!listed.has(path))
      judge.report(
        reading.links.has(path) ? 'untold/link' : 'untold/twin',
        `${path} is not sent, and nobody is told`,
      );
};

/**
 * What is held more narrowly than is stated now is counted (7.27), unless it waits for what it was sent with (7.35); or
 * waits or is kept as an attachment, which is no document (4).
 */
const narrowerIsCounted: EndRule = (end) => {
  const { judge, claims, reading, places } = end;
  const { status, waits } = claims;
  const codes = new Map(waits.map(({ path, code }) => [path, code]));
  const kept = new Set(status.kept.map(nameIn));
  for (const { name, narrower } of status.folders) {
    const narrow = [...places].filter(([docId, path]) => {
      const [file, one] = [reading.files.get(path), judge.held.all.get(docId)];
      if (!path.startsWith(`${name}/`) || one?.isDeleted !== false || file?.role.kind !== 'document')
        return false;
      if (codes.get(path) === 'ignore-file-invalid' && isSentWithShut(end, one)) return false;
      const isAsAttachment = codes.get(path) === 'attached-before' || kept.has(path);
      if (isAsAttachment && judge.isAttached(file)) return false;
      const { statement, obstacle } = file.role;
      const mayNotWiden = (held: Holding) => widensByAbsence(statement.mode, held, statement);
      return (
        obstacle === null &&
        one.accepted === file.identity &&
        [one.holding, ...one.perhaps].every(mayNotWiden)
      );
    });
    if (narrower < narrow.length)
      judge.report('untold/narrower', `${name}: ${narrower} narrower, and ${narrow.join(' ')}`);
  }
};

/** Whether what a document was sent with stands below an ignore file that is not valid (contract 4, 7.35). */
export function isSentWithShut({ judge, reading }: End, { docId }: HeldDocument): boolean {
  const shut = reading.all().filter(({ path }) => reading.shutDirectory(path) !== null);
  return shut.some(({ identity }) => judge.taintNow(identity).sentWith.includes(docId));
}

/** While nothing can be sent, nobody says when all will be (7.22). */
export function judgePaused(judge: Judge, { queue }: Pick<Claims['status'], 'queue'>): void {
  if (judge.isPaused && queue.etaSeconds !== null)
    judge.report('numbers/eta', `paused, and done in ${queue.etaSeconds} s`);
}

/** What is said of what is there. */
export const toldRules: readonly EndRule[] = [
  healthIsTold,
  numbersAddUp,
  countsAreListed,
  linksAndTwinsAreListed,
  narrowerIsCounted,
];

export function nameIn({ folder, path }: Ref): string {
  return `${folder}/${path}`.normalize('NFC');
}
