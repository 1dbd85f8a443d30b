import { directoryOf } from '../../../src/model/document.ts';
import type { FileStat } from '../../../src/model/document.ts';
import type { Change, LedgerRecord } from '../../../src/model/ports/ledger-port.ts';

/** What a ledger should say after some changes, worked out in the plainest way. */
export function modelOf(commits: readonly (readonly Change[])[]): Record<string, unknown> {
  const documents = new Map<string, LedgerRecord>();
  const plain: Record<'intents' | 'doubts' | 'failures' | 'holds' | 'roots', Map<string, unknown>> = {
    intents: new Map(),
    doubts: new Map(),
    failures: new Map(),
    holds: new Map(),
    roots: new Map(),
  };
  const removals = new Map<string, unknown[]>();
  const mounts = new Map<string, readonly string[]>();
  const mountIdentities = new Map<string, unknown>();
  const bareMountPoints = new Map<string, unknown>();
  const identities = new Map<string, unknown>();
  const approved = new Map<string, 'delete' | 'keep'>();
  const former = new Map<string, unknown>();
  let service: string | null = null;
  const sent = new Map<string, { id: string; at: number; answeredAt: number | null }>();
  for (const change of commits.flat()) {
    const key = 'ref' in change ? `${change.ref.folder}/${change.ref.path}` : '';
    if (change.kind === 'put') {
      const { docId, modifiedAt, stat } = change.record;
      const before = documents.get(key);
      documents.set(key, change.record);
      const isSent = docId !== before?.docId || modifiedAt !== before.modifiedAt;
      if (isSent || fileKey(stat) !== fileKey(before.stat)) former.delete(fileKey(stat));
    } else if (change.kind === 'drop') {
      documents.delete(key);
      if (!isUsed(documents, directoryOf(key))) identities.delete(directoryOf(key));
    } else if (change.kind === 'directory') {
      const place = change.path === '' ? change.folder : `${change.folder}/${change.path}`;
      if (change.identity === null) identities.delete(place);
      else if (isUsed(documents, place)) identities.set(place, change.identity);
    } else if (change.kind === 'intent') plain.intents.set(change.intent.id, change.intent);
    else if (change.kind === 'resolve') plain.intents.delete(change.id);
    else if (change.kind === 'doubt') plain.doubts.set(change.doubt.id, change.doubt);
    else if (change.kind === 'dismiss') plain.doubts.delete(change.id);
    else if (change.kind === 'follow') {
      const { id, ref, stat } = change;
      const doubt = plain.doubts.get(id);
      if (doubt) plain.doubts.set(id, { ...doubt, ref, stat });
    } else if (change.kind === 'fail') plain.failures.set(key, change.failure);
    else if (change.kind === 'clear') plain.failures.delete(key);
    else if (change.kind === 'hold') plain.holds.set(change.folder, change.hold ?? undefined);
    else if (change.kind === 'root') plain.roots.set(change.folder, change.identity);
    else if (change.kind === 'mounts') {
      mounts.set(change.folder, change.mounts);
      mountIdentities.set(change.folder, change.identities ?? []);
      bareMountPoints.set(change.folder, change.bare ?? []);
    } else if (change.kind === 'removed') {
      removals.set(change.folder, [...(removals.get(change.folder) ?? []), change.removal]);
    } else if (change.kind === 'approve')
      for (const path of change.paths)
        approved.set(`${change.folder}/${path}`, change.keeps === true ? 'keep' : 'delete');
    else if (change.kind === 'unapprove')
      for (const path of change.paths) approved.delete(`${change.folder}/${path}`);
    else if (change.kind === 'former') {
      former.delete(fileKey(change.held.file));
      former.set(fileKey(change.held.file), change.held);
    } else if (change.kind === 'service') service = change.service;
    else if (change.kind === 'sent') {
      sent.set(change.id, {
        id: change.id,
        at: change.at,
        answeredAt: sent.get(change.id)?.answeredAt ?? null,
      });
    } else if (change.kind === 'answered') {
      const request = sent.get(change.id);
      if (request !== undefined) sent.set(change.id, { ...request, answeredAt: change.at });
    }
  }
  const folders = [...new Set([...documents.keys()].map((key) => key.split('/')[0] ?? ''))].sort();
  const inFolder = (folder: string): string[] =>
    [...documents.keys()].filter((key) => key.startsWith(`${folder}/`));
  return {
    documents: Object.fromEntries(documents),
    possibleDuplicates: [...documents.values()].reduce((sum, one) => sum + one.possibleDuplicates, 0),
    counts: folders.map((folder) => [folder, inFolder(folder).length]),
    directories: folders.map((folder) => [
      folder,
      [...new Set(inFolder(folder).map((key) => key.split('/').slice(1, -1).join('/')))].sort(),
    ]),
    identities: Object.fromEntries(
      [...identities]
        .map(([place, identity]) => [place.includes('/') ? place : `${place}/`, identity] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    intents: sortedValues(plain.intents),
    doubts: sortedValues(plain.doubts),
    failures: Object.fromEntries(plain.failures),
    holds: ['inbox', 'archive'].map((folder) => plain.holds.get(folder)),
    roots: ['inbox', 'archive'].map((folder) => plain.roots.get(folder)),
    mounts: ['inbox', 'archive'].map((folder) => mounts.get(folder) ?? []),
    mountIdentities: ['inbox', 'archive'].map((folder) => mountIdentities.get(folder) ?? []),
    bareMountPoints: ['inbox', 'archive'].map((folder) => bareMountPoints.get(folder) ?? []),
    removals: ['inbox', 'archive'].map((folder) => removals.get(folder) ?? []),
    former: [...former.values()],
    service,
    sent: [...sent.values()],
    answers: ['gone-1.pdf', 'gone-2.pdf', 'gone-3.pdf'].map((path) => approved.get(`inbox/${path}`)),
  };
}

const fileKey = ({ ino, birthtimeMs }: FileStat): string => `${ino} ${birthtimeMs}`;

/** Whether a directory has documents. */
function isUsed(documents: ReadonlyMap<string, unknown>, directory: string): boolean {
  return [...documents.keys()].some((key) => directoryOf(key) === directory);
}

function sortedValues(map: ReadonlyMap<string, unknown>): unknown[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
