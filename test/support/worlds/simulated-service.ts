import { randomUUID } from 'node:crypto';

import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import { withoutContent } from '../../../src/remote/send-call.ts';
import type { ContentSource } from '../../../src/model/ports/folder-port.ts';
import type {
  FileOutcome,
  OutgoingFile,
  Outcome,
  RequestWatch,
  SentContent,
  ServicePort,
  Permit,
} from '../../../src/model/ports/service-port.ts';

interface HeldDocument {
  content: string;
  metadata: Metadata;
  /** Names. */
  attachments: readonly string[];
  /** Of the attachments, in the same order. */
  attachmentContents: readonly string[];
}

/** What an upload or a modify of one document carried. */
interface SentParts {
  readonly content: boolean;
  /** Names; null: none were sent. */
  readonly attachments: readonly string[] | null;
  readonly metadata: Metadata | null;
}

/** A request as it goes out, before the service has seen any of it. */
export interface OutgoingRequest {
  readonly kind: 'upload' | 'modify' | 'delete';
  readonly docIds: readonly string[];
  /** Of what was opened for it: the document's file first. */
  readonly sources: readonly ContentSource[];
  /** Null: none is sent. */
  readonly metadata: Metadata | null;
}

export interface SimulatedService extends ServicePort {
  /** Sees every request as it goes out, from now on. */
  readonly observe: (observer: (request: OutgoingRequest) => void) => void;
  readonly documents: ReadonlyMap<string, HeldDocument>;
  /** `upload`, `modify`, `delete`, `bulk modify 250` …, in the order in which they came. */
  readonly calls: readonly string[];
  /** Of the uploads and modifies among them. */
  readonly parts: readonly SentParts[];
  readonly forget: () => void;
  /** From now on it says of a document that it does not hold that it does not know it, as the service does. */
  readonly beStrict: () => void;
  /** The next request has no connection until the function that this gives is called. */
  readonly connectNext: () => () => void;
  /** The next request is taken and its answer waits until the function that this gives is called. */
  readonly holdNext: () => () => void;
  /** The next request goes out, and arrives when the function that this gives is called. */
  readonly delayNext: () => () => void;
  /** A request waits for one of these. */
  readonly isHolding: () => boolean;
  /** Says what comes of the next request instead; `taken`: the service takes it all the same. */
  readonly failNext: (outcome: Outcome, options?: { readonly taken?: boolean }) => void;
  /** From now on it does not take what this gives an outcome for. */
  readonly failWhere: (judge: (request: OutgoingRequest) => Outcome | null) => void;
}

/** The service in memory: takes what it is given and can be told to fail. */
export function simulatedService(
  /** Waits as long as a request takes on its way, and its answer. */
  way: () => Promise<void> = () => Promise.resolve(),
): SimulatedService {
  const documents = new Map<string, HeldDocument>();
  const calls: string[] = [];
  const parts: SentParts[] = [];
  const failures: { outcome: Outcome; taken: boolean }[] = [];
  let connecting: Promise<void> | null = null;
  let delayed: Promise<void> | null = null;
  let held: Promise<void> | null = null;
  let holding = 0;
  let isStrict = false;
  let judge: (request: OutgoingRequest) => Outcome | null = () => null;
  let observer: (request: OutgoingRequest) => void = () => {};

  async function attempt(
    call: string,
    {
      turn,
      watch,
      files = [],
      docIds = [],
      metadata = null,
    }: {
      turn: Permit;
      watch: RequestWatch;
      files?: readonly OutgoingFile[];
      docIds?: readonly string[];
      metadata?: Metadata | null;
    },
    take: (contents: readonly string[]) => string | null,
  ): Promise<FileOutcome> {
    const contents: string[] = [];
    const sent: SentContent[] = [];
    const sources: ContentSource[] = [];
    const kind = call.includes('upload') ? 'upload' : call.includes('delete') ? 'delete' : 'modify';
    try {
      for (const file of files) {
        const source = await file.open();
        sources.push(source);
        let content = '';
        for await (const chunk of source.stream()) content += String(chunk);
        contents.push(content);
        sent.push({ sha256: source.sha256() });
      }
    } catch (error) {
      turn.giveBack();
      return { outcome: withoutContent(error), sent: [] };
    } finally {
      await Promise.all(sources.map((source) => source.close()));
    }
    const id = randomUUID();
    await watch.beforeSend(id);
    const connects = connecting;
    connecting = null;
    await heldBy(connects);
    if (!(await watch.stillFollows(false))) {
      turn.giveBack();
      watch.onAnswer(id);
      return { outcome: { kind: 'withdrawn', message: 'it follows no more', sent: 'nothing' }, sent: [] };
    }
    // What comes now, on the way, nobody can know.
    observer({ kind, docIds, sources, metadata });
    await way();
    const travels = delayed;
    delayed = null;
    await heldBy(travels);
    calls.push(call);
    const judged = judge({ kind, docIds, sources, metadata });
    const failure = failures.shift() ?? (judged === null ? undefined : { outcome: judged, taken: false });
    const isUnknown = isStrict && docIds.length === 1 && !documents.has(docIds[0] ?? '');
    const docId = failure === undefined || failure.taken ? take(contents) : null;
    await way();
    const waits = held;
    held = null;
    await heldBy(waits);
    turn.spent();
    watch.onAnswer(id);
    const outcome =
      failure === undefined ? ({ kind: 'accepted', docId, warning: null } as const) : failure.outcome;
    if (isUnknown && outcome.kind === 'accepted') {
      const missing = { kind: 'missing', message: 'not found' } as const;
      return { outcome: missing, sent };
    }
    // Only an upload without an answer leaves a document that nobody knows: the client says so of no other request.
    if (outcome.kind === 'unknown' && kind !== 'upload') {
      const { code, message } = outcome;
      const lost = { kind: 'unavailable', code, message, retryAfterMs: null, sent: 'all' } as const;
      return { outcome: lost, sent };
    }
    return { outcome, sent };
  }

  async function heldBy(waits: Promise<void> | null): Promise<void> {
    if (waits === null) return;
    holding += 1;
    await waits;
    holding -= 1;
  }

  /** Hands on a wait; gives what ends it. */
  function lasting(take: (wait: Promise<void>) => void): () => void {
    let end = () => {};
    take(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    return end;
  }

  function known(docId: string): HeldDocument | null {
    return documents.get(docId) ?? null;
  }

  return {
    documents,
    calls,
    parts,
    observe: (given) => {
      observer = given;
    },
    forget: () => {
      calls.length = 0;
      parts.length = 0;
    },
    holdNext: () =>
      lasting((wait) => {
        held = wait;
      }),
    connectNext: () =>
      lasting((wait) => {
        connecting = wait;
      }),
    delayNext: () =>
      lasting((wait) => {
        delayed = wait;
      }),
    isHolding: () => holding > 0,
    beStrict: () => {
      isStrict = true;
    },
    failWhere: (given) => {
      judge = given;
    },
    failNext: (outcome, { taken = false } = {}) => failures.push({ outcome, taken }),
    upload: (request, turn, watch) =>
      attempt(
        'upload',
        { turn, watch, files: [request.file, ...request.attachments], metadata: request.metadata },
        ([content = '', ...attachmentContents]) => {
          const attachments = namesOf(request.attachments);
          parts.push({ content: true, attachments, metadata: request.metadata });
          const docId = randomUUID();
          documents.set(docId, { content, metadata: request.metadata, attachments, attachmentContents });
          return docId;
        },
      ),
    modify: (request, turn, watch) => {
      const files = [...(request.file === null ? [] : [request.file]), ...(request.attachments ?? [])];
      const about = { turn, watch, files, docIds: [request.docId], metadata: request.metadata };
      return attempt('modify', about, (contents) => {
        const { file, attachments, metadata } = request;
        parts.push({
          content: file !== null,
          attachments: attachments === null ? null : namesOf(attachments),
          metadata,
        });
        const held = known(request.docId);
        if (held === null) return request.docId;
        if (file !== null) held.content = contents[0] ?? '';
        held.metadata = { ...held.metadata, ...metadata };
        if (attachments === null) return request.docId;
        held.attachments = namesOf(attachments);
        held.attachmentContents = contents.slice(file === null ? 0 : 1);
        return request.docId;
      });
    },
    remove: ({ docId }, turn, watch) =>
      attempt('delete', { turn, watch, docIds: [docId] }, () => {
        documents.delete(docId);
        return docId;
      }),
    bulkModify: ({ docIds, ...metadata }, turn, watch) =>
      attempt(`bulk modify ${docIds.length}`, { turn, watch, docIds, metadata }, () => {
        for (const held of docIds.map(known))
          if (held !== null) held.metadata = { ...held.metadata, ...metadata };
        return null;
      }),
    bulkRemove: ({ docIds }, turn, watch) =>
      attempt(`bulk delete ${docIds.length}`, { turn, watch, docIds }, () => {
        for (const docId of docIds) documents.delete(docId);
        return null;
      }),
  };
}

function namesOf(files: readonly OutgoingFile[]): readonly string[] {
  return files.map(({ name }) => name);
}
