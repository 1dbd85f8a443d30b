import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { Change, LedgerPort, RootIdentity } from '../../model/ports/ledger-port.ts';
import type { LogPort } from '../../model/ports/log-port.ts';
import type { Settings } from '../../model/settings.ts';

const recordsAtOnce = 5_000;

/**
 * Lets records follow a folder that bears another name in the configuration now: where a name that is configured no
 * more has records of the very directory that a configured one watches, they are that folder's. Else everything in it
 * would be uploaded a second time, and nobody would look after the first. Cut short by a crash, it is gone on with at
 * the next start. Approvals stay behind: what is held is held, until a person says so again.
 */
export async function followRenames(ledger: LedgerPort, { folders }: Settings, log: LogPort): Promise<void> {
  const configured = new Set(folders.map(({ name }) => name));
  const left = ledger.folders().filter((name) => !configured.has(name));
  if (left.length === 0) return;
  for (const { name, path } of folders) {
    const root = await rootAt(path);
    const before = root === null ? undefined : left.find((one) => isSameRoot(ledger.root(one), root));
    if (root === null || before === undefined) continue;
    const documents = await moveRecords(ledger, before, name);
    await ledger.commit([{ kind: 'root', folder: name, identity: root }]);
    log.info({ folder: name, before, documents }, 'the folder has another name: its documents follow');
  }
}

async function rootAt(path: string): Promise<RootIdentity | null> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true ? { path: resolve(path), dev: found.dev, ino: found.ino } : null;
}

/** A device has another number after a reboot, and a path leads to another directory after a restore: two of three. */
function isSameRoot(known: RootIdentity | undefined, root: RootIdentity): boolean {
  if (known === undefined || known.ino !== root.ino) return false;
  return known.dev === root.dev || resolve(known.path) === root.path;
}

/** Where the other name has a record of its own at a path, both stay where they are. */
async function moveRecords(ledger: LedgerPort, before: string, name: string): Promise<number> {
  const isTaken = (path: string) => ledger.get({ folder: name, path }) !== undefined;
  const records = [...ledger.entries()].filter(({ ref }) => ref.folder === before && !isTaken(ref.path));
  await ledger.commit(besideRecords(ledger, before, name));
  for (let from = 0; from < records.length; from += recordsAtOnce) {
    const changes = records
      .slice(from, from + recordsAtOnce)
      .flatMap(({ ref, record }): readonly Change[] => [
        { kind: 'drop', ref },
        { kind: 'put', ref: { folder: name, path: ref.path }, record },
      ]);
    await ledger.commit(changes);
  }
  return records.length;
}

/** What is known of the folder's documents beside their records. */
function besideRecords(ledger: LedgerPort, before: string, name: string): readonly Change[] {
  const failures = [...ledger.failures()].filter(([{ folder }]) => folder === before);
  const doubts = ledger.doubts().filter(({ ref }) => ref.folder === before);
  const hold = ledger.hold(before);
  return [
    ...failures.flatMap(([ref, failure]): readonly Change[] => [
      { kind: 'clear', ref },
      { kind: 'fail', ref: { folder: name, path: ref.path }, failure },
    ]),
    ...doubts.map((doubt): Change => ({
      kind: 'doubt',
      doubt: { ...doubt, ref: { folder: name, path: doubt.ref.path } },
    })),
    ...(hold === undefined ? [] : holdChanges(before, name, hold)),
  ];
}

function holdChanges(
  before: string,
  name: string,
  hold: NonNullable<ReturnType<LedgerPort['hold']>>,
): readonly Change[] {
  return [
    { kind: 'hold', folder: name, hold },
    { kind: 'hold', folder: before, hold: null },
  ];
}
