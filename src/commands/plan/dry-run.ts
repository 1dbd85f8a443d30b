import type { DocumentRef } from '../../model/document.ts';
import type { PlannedOperation } from '../../model/report/command-reports.ts';
import type {
  FileOutcome,
  LimiterPort,
  ModifyRequest,
  SentContent,
  ServicePort,
  Permit,
} from '../../model/ports/service-port.ts';

/** A service that takes everything, sends nothing and remembers what it was asked; `find`: whose docId it is. */
export function createPlanningService(find: (docId: string) => DocumentRef | undefined) {
  const operations: PlannedOperation[] = [];
  let requests = 0;

  function accept(
    docId: string | null,
    permit: Permit,
    sent: readonly SentContent[] = [],
  ): Promise<FileOutcome> {
    requests += 1;
    permit.spent();
    return Promise.resolve({ outcome: { kind: 'accepted', docId, warning: null }, sent, requests: 1 });
  }

  function plan(kind: PlannedOperation['kind'], docId: string, parts: readonly string[]): void {
    const ref = find(docId) ?? { folder: '', path: '' };
    operations.push({ kind, ...ref, from: null, docId, parts, code: null, message: null });
  }

  const service: ServicePort = {
    upload: (request, permit) =>
      accept(`planned-${requests + 1}`, permit, [request.file, ...request.attachments].map(unread)),
    modify: (request, permit) => {
      plan('modify', request.docId, partsOf(request));
      const files = [...(request.file === null ? [] : [request.file]), ...(request.attachments ?? [])];
      return accept(request.docId, permit, files.map(unread));
    },
    remove: ({ docId }, permit) => {
      plan('delete', docId, []);
      return accept(docId, permit);
    },
    bulkModify: ({ docIds, ...change }, permit) => {
      for (const docId of docIds) plan('bulk modify', docId, Object.keys(change));
      return accept(null, permit);
    },
    bulkRemove: ({ docIds }, permit) => {
      for (const docId of docIds) plan('bulk delete', docId, []);
      return accept(null, permit);
    },
  };
  return { ...service, operations: (): readonly PlannedOperation[] => operations, requests: () => requests };
}

/** Places without end: a plan waits for nothing. */
export function createFreeLimiter(limit: number): LimiterPort {
  const permit: Permit = { spent: () => {}, giveBack: () => {} };
  return {
    take: () => Promise.resolve(permit),
    pause: () => {},
    status: () => ({ limit, used: 0, windowMs: 60_000, pausedUntil: null, nextFreeMs: 0 }),
    waitMs: () => 0,
    close: () => {},
  };
}

/** The bytes were not read: nobody will compare them. */
function unread(): SentContent {
  return { sha256: '' };
}

function partsOf({ file, attachments, metadata }: ModifyRequest): readonly string[] {
  return [
    ...(file === null ? [] : ['content']),
    ...(attachments === null ? [] : ['attachments']),
    ...Object.keys(metadata ?? {}),
  ];
}
