import type { ChangeSignal } from '../../lib/time/change-signal.ts';
import type { Clock } from '../../lib/time/clock.ts';
import { errorMessage } from '../../model/errors.ts';
import type { ControlPort, DocumentListing, DocumentQuery } from '../../model/ports/control-port.ts';
import type { AuthPort } from '../../model/ports/service-port.ts';
import { reasonHealth } from '../../model/report/health.ts';
import type { Reason, Status } from '../../model/report/status.ts';
import type { History } from '../history/history.ts';
import type { Place } from '../process/join-cluster.ts';
import { createDecisions } from './decide.ts';
import type { DecisionSources } from './decide.ts';
import { fleetPausedOf, isFleetPauseLast } from './decisions.ts';
import { requireFolder } from './resolve-path.ts';
import { describeFile } from './describe-file.ts';
import { inNaturalOrder } from '../../lib/text/natural-order.ts';
import { createTimeSlice } from '../../lib/time/time-slice.ts';
import { joinPath, refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import { keptReason, widerMode } from '../../model/metadata/held-mode.ts';
import { modeOf } from '../../model/metadata/metadata.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { wordsMatcher } from '../../model/report/log-query.ts';
import { isModeUnknown } from '../../model/report/sharing-change.ts';
import { inspectDocument } from '../../sync/decide/inspect-document.ts';

interface Sources extends Omit<DecisionSources, 'rescan'> {
  readonly clock: Clock;
  readonly tokens: AuthPort;
  readonly history: Pick<History, 'add' | 'recent' | 'listen' | 'past'>;
  readonly changes: ChangeSignal;
  readonly status: () => Status;
  readonly unready: () => readonly Reason[];
  /** What keeps back more than single documents. */
  readonly reasons: () => readonly Reason[];
  /** Null: this host is alone. */
  readonly fleet: Pick<Place, 'isPaused'> | null;
}

/** An inspection or a request that takes longer than this is not expected to end any more. */
const stuckMs = 30 * 60_000;

/** What the page and the command line may ask of the running daemon. */
export function createControl(
  sources: Sources,
): ControlPort & Pick<ReturnType<typeof createDecisions>, 'pausedUntil' | 'close'> {
  const { settings, clock, log, engine, folders, history, changes } = sources;
  const { decisionsBy, note, paused, pausedUntil, close } = createDecisions({ ...sources, rescan });
  let wasPaused: boolean | null = null;
  const fleetIsPaused = () => sources.fleet?.isPaused() ?? null;
  changes.listen(() => {
    const isPaused = fleetIsPaused();
    if (isPaused === null || isPaused === wasPaused) return;
    // It may be long since this host was there to see it.
    const isOld = wasPaused === null;
    wasPaused = isPaused;
    if (isOld && isPaused === isFleetPauseLast(history.recent())) return;
    note([fleetPausedOf(isPaused, isOld)], 'command line');
  });
  return {
    status: sources.status,
    unready: sources.unready,
    recent: history.recent,
    onActivity: history.listen,
    onStatus: changes.listen,
    healthy: () => {
      const now = clock.monotonic();
      const longest = [...engine.tasks.in('inspecting')].every(
        ({ state }) => state.kind !== 'inspecting' || now - state.since < stuckMs,
      );
      return longest && engine.transfers.list().length <= settings.service.concurrency;
    },
    why: (text) =>
      describeFile(text, {
        ...sources,
        past: history.past,
        isRunning: true,
        paused: paused(),
        isFleetPaused: fleetIsPaused() === true,
        obstacle: sources.reasons().find(isObstacle)?.message ?? null,
      }),
    documents: (query) => listDocuments(query, sources),
    decisions: decisionsBy,
    pausedUntil,
    close,
    rescan,
    revoke: (options) => sources.tokens.revoke(options),
  };

  function rescan(folder: string | null): { readonly folders: readonly string[] } {
    requireFolder(settings, folder);
    const chosen = folders.filter(({ name }) => folder === null || folder === name);
    for (const port of chosen) {
      port.rescan('rescan').catch((error: unknown) => {
        log.warn({ folder: port.name, error: errorMessage(error) }, 'rescan failed');
      });
    }
    return { folders: chosen.map(({ name }) => name) };
  }
}

/** Whether nothing is sent now, of whatever document, because of a reason. */
function isObstacle({ code }: Reason): boolean {
  return code === 'rate-limited' || code === 'uploads-stopped' || reasonHealth(code) === 'error';
}

/** So many are named, and where a reason is asked for, so many files are looked at. */
const longest = 100;

/** The documents at the service that a person looks for, as the ledger has them. */
async function listDocuments(query: DocumentQuery, sources: Sources): Promise<DocumentListing> {
  const refs = await findRefs(query, sources.ledger);
  const listed = refs.slice(0, longest).sort((one, other) => inNaturalOrder(refKey(one), refKey(other)));
  const documents = await Promise.all(listed.map((ref) => describe(ref, sources)));
  return { documents: documents.flatMap((one) => one ?? []), total: refs.length };
}

async function findRefs({ search, narrower }: DocumentQuery, ledger: LedgerPort): Promise<DocumentRef[]> {
  const rest = createTimeSlice(32);
  const matches = wordsMatcher(search);
  const found: DocumentRef[] = [];
  for (const folder of ledger.folders()) {
    if (narrower && ledger.narrower(folder) === 0) continue;
    for (const directory of Array.from(ledger.directories(folder))) {
      for (const name of Array.from(ledger.recordsIn(folder, directory).keys())) {
        await rest();
        const ref = { folder, path: joinPath(directory, name) };
        if (matches(refKey(ref)) && (!narrower || widerMode(ledger.get(ref) ?? {}) !== null)) found.push(ref);
      }
    }
  }
  return found;
}

/** Null: it is gone meanwhile. */
async function describe(
  ref: DocumentRef,
  { ledger, folders, engine, settings }: Sources,
): Promise<DocumentListing['documents'][number] | null> {
  const record = ledger.get(ref);
  if (record === undefined) return null;
  const port = folders.find(({ name }) => name === ref.folder);
  const found =
    widerMode(record) === null || port === undefined
      ? null
      : await inspectDocument(port, ref, record, engine.known);
  return {
    ...ref,
    sharing: isModeUnknown(record) ? null : modeOf(record.metadata),
    url: settings.service.documentUrl?.replaceAll('{docId}', encodeURIComponent(record.docId)) ?? null,
    narrower: found?.kind === 'document' ? keptReason(found.document) : null,
  };
}
