import { systemClock } from '../../lib/time/clock.ts';
import type { DocumentRef } from '../../model/document.ts';
import { doubtsAbout } from '../../model/doubts.ts';
import type { DecisionPort } from '../../model/ports/control-port.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { Change, LedgerPort } from '../../model/ports/ledger-port.ts';
import type { FolderSettings, Settings } from '../../model/settings.ts';
import { mountsBelow, readRoot } from '../../scan/walk/root-identity.ts';
import { knownClaims } from '../../sync/decide/attachments.ts';
import { acceptedPlaces } from '../../sync/folders/root-trust.ts';
import { followFolders } from '../../daemon/preconditions/follow-folders.ts';
import { missingFiles } from '../../daemon/preconditions/folders-on-disk.ts';
import { cannotBeRead, ConfigurationError, errorCode } from '../../model/errors.ts';
import { chooseRetries } from '../../model/choose-retries.ts';
import { silentLog } from '../../model/ports/log-port.ts';
import { openHistory } from '../../daemon/history/history.ts';
import {
  approvedOf,
  decided,
  pausedOf,
  requireShown,
  resentOf,
  resolvedOf,
  retriedOf,
} from '../../daemon/control/decisions.ts';
import type { Decision } from '../../daemon/control/decisions.ts';
import { dismissFormer, requireDoubtedFile, resolveDoubt } from '../../daemon/control/resolve-doubt.ts';
import { pause, pausedNames, readPauses, resume, writePauses } from '../../daemon/control/pauses.ts';
import type { Pauses } from '../../daemon/control/pauses.ts';
import { namedFolders, namedRefs, requireFolder, requirePath } from '../../daemon/control/resolve-path.ts';
import {
  claimLedger,
  documentsIn,
  canMove,
  otherService,
  serviceIdentity,
  serviceWords,
} from '../../daemon/preconditions/whose-ledger.ts';
import { asItStands, withFolder } from '../unwatched-folder.ts';
import { withLedger } from './with-ledger.ts';
import type { OfflineOptions } from './with-ledger.ts';

/**
 * What a person decides while no daemon runs, kept in the ledger for the next start. Throws as a daemon does, and as
 * `withLedger`.
 */
export function offlineDecisions(options: OfflineOptions): DecisionPort {
  const { settings } = options;
  const { folders, state } = settings;
  return {
    // Forgets failures and what was accepted, so that the next start sends them again.
    retry: (paths, { all = false } = {}) =>
      withFolders(options, async (ledger) => {
        const { refs, lost } = all ? namedFolders(settings, paths, ledger) : namedRefs(folders, paths);
        const doubted = (refs ?? []).filter((ref) => doubtsAbout(ref, ledger).length > 0);
        for (const folder of folders) {
          const inIt = doubted.filter((ref) => ref.folder === folder.name);
          // The folder is scanned for them.
          if (inIt.length > 0)
            await inFolder(ledger, folder, async (port) => {
              for (const ref of inIt) await requireDoubtedFile({ ref, port, ledger });
            });
        }
        const failed = Array.from(ledger.failures(), ([ref]) => ({ ref }));
        const { changes, retried, unknown } = chooseRetries(refs, failed, ledger);
        if (changes.length > 0) await ledger.commit(changes);
        await note(settings, all ? resentOf(retried) : retriedOf(retried));
        return { retried: retried.length, unknown: lost(unknown) };
      }),
    resolve: (path, resolution) =>
      withFolders(options, async (ledger) => {
        const former = dismissFormer(path, { folders, ledger }, resolution);
        if (former !== null) {
          await ledger.commit(former.changes);
          await note(settings, [resolvedOf(former.ref, resolution)]);
          return;
        }
        const { ref, folder } = requirePath(folders, path);
        await inFolder(ledger, folder, async (port) =>
          ledger.commit(await resolveDoubt({ ref, port, ledger }, resolution)),
        );
        await note(settings, [resolvedOf(ref, resolution)]);
      }),
    // As `sync` leaves held deletions behind: of every document of a folder on hold whose file is gone at this moment.
    approve: (folder, shown) =>
      withFolders(options, async (ledger) => {
        const only = requireFolder(settings, folder);
        const changes: Change[] = [];
        const released: DocumentRef[] = [];
        const folderCounts: { folder: string; documents: number }[] = [];
        for (const held of only === null ? folders : [only]) {
          const { name } = held;
          if (ledger.hold(name) === undefined) continue;
          const paths = await missingFrom(ledger, held, folders);
          changes.push(
            { kind: 'approve', folder: name, paths },
            { kind: 'hold', folder: name, hold: null },
            ...(paths.length === 0 ? [] : placesOf(ledger, held)),
          );
          for (const path of paths) released.push({ folder: name, path });
          if (paths.length > 0) folderCounts.push({ folder: name, documents: paths.length });
        }
        requireShown(released, shown);
        if (changes.length > 0) await ledger.commit(changes);
        await note(settings, approvedOf(folderCounts));
        return { approved: released.length };
      }),
    pause: (folder) => setPauses((before) => pause(before, requireFolder(settings, folder))),
    resume: (folder) => setPauses((before) => resume(before, requireFolder(settings, folder), folders)),
  };

  function inFolder(
    ledger: LedgerPort,
    folder: FolderSettings,
    act: (port: FolderPort) => Promise<void>,
  ): Promise<void> {
    const claims = knownClaims(folder.name, ledger);
    return withFolder(folder, { settings: asItStands(settings), log: silentLog, claims }, act);
  }

  function setPauses(change: (before: Pauses) => Pauses): Promise<{ readonly paused: readonly string[] }> {
    return withLedger(options, async () => {
      const before = await readPauses(state.dir);
      const after = change(before);
      await writePauses(state.dir, after);
      await note(settings, pausedOf({ before, after }, folders));
      return { paused: pausedNames(after, folders) };
    });
  }
}

/** Into the log, as a daemon would. */
async function note({ state }: Settings, made: readonly Decision[]): Promise<void> {
  if (made.length === 0) return;
  const history = await openHistory({
    stateDir: state.dir,
    clock: systemClock,
    log: silentLog,
    onPast: () => {},
    knowsTroubles: false,
  });
  for (const decision of made) history.add(decided(decision, 'command line', systemClock));
  history.close();
}

/** With the ledger as the next start will have it: what is decided is about the folders as they are configured. */
function withFolders<T>(options: OfflineOptions, act: (ledger: LedgerPort) => Promise<T>): Promise<T> {
  const { settings } = options;
  return withLedger(options, async (ledger) => {
    if (otherService(ledger, settings) === null) await followFolders(ledger, settings, silentLog);
    return act(ledger);
  });
}

/** Throws ConfigurationError where the folder cannot be read: what is missing from it is not known then. */
function missingFrom(
  ledger: LedgerPort,
  folder: FolderSettings,
  folders: Settings['folders'],
): Promise<readonly string[]> {
  return missingFiles(ledger, folder, folders).catch((error: unknown) => {
    const what = cannotBeRead(`the folder "${folder.name}" (${folder.path})`, errorCode(error));
    throw new ConfigurationError(
      `${what}, so which of its documents are missing is not known; make it readable, then run ingestd approve ${folder.name} again`,
    );
  });
}

/** Which devices the mounts are is known of those alone that were there before. */
function placesOf(ledger: LedgerPort, { name, path }: FolderSettings): readonly Change[] {
  const root = readRoot(path);
  if (root.kind === 'unavailable') return [];
  const mounts = mountsBelow(path);
  const identities = ledger.mountIdentities(name).filter((known) => mounts.includes(known.path));
  return acceptedPlaces(name, { root: root.identity, mounts, identities }, ledger);
}

/** Whose a ledger's documents were, and whose they are to be. */
export interface ServiceMove {
  readonly documents: number;
  /** In words, as `to`; null: the ledger did not say. */
  readonly from: string | null;
  readonly to: string;
}

/**
 * A person's word that the ledger's service is the configured one; null where `isMeant` says no. Throws StateLockedError
 * beside a running daemon, ConfigurationError where that cannot be: the embedded service has no address that could
 * change.
 */
export async function moveService(
  options: OfflineOptions,
  isMeant: (move: ServiceMove) => Promise<boolean>,
): Promise<ServiceMove | null> {
  const { settings } = options;
  const service = serviceIdentity(settings.service);
  return withLedger(options, async (ledger) => {
    const before = ledger.service();
    const mayBe = before === null || (canMove(before) && canMove(service));
    if (!mayBe) await claimLedger(ledger, settings);
    const from = before === null ? null : serviceWords(before);
    const move = { documents: documentsIn(ledger), from, to: serviceWords(service) };
    if (!mayBe || before === service) return move;
    if (!(await isMeant(move))) return null;
    await ledger.commit([{ kind: 'service', service }]);
    return move;
  });
}
