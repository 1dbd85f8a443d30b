import { createHash } from 'node:crypto';

import type { Metadata } from '../../../src/model/metadata/metadata.ts';
import type { ArrivingRequest, ReceivedRequest } from './read-request.ts';
import { startScriptedService, steps } from './scripted-service.ts';
import type { ScriptedService, ServiceOptions, Step } from './scripted-service.ts';

/** What the service holds of one document. */
interface HeldDocument {
  sha256: string;
  title: string | null;
  readonly tags: Set<string>;
}

/** A scripted service that keeps what it is given, and can be told to fail before or after it has taken a request. */
export interface HoldingService extends ScriptedService {
  readonly documents: Map<string, HeldDocument>;
  /** Takes the request, and answers with what this makes of the document's id; of the first of a bulk call. */
  readonly answering: (step: (docId: string) => Step) => Step;
  /** Takes the request as a working service does, and then does this. */
  readonly taken: (step: Step) => Step;
  /** Takes the request and answers, as a working service does. */
  readonly work: Step;
  /** Never answers, by this step; such requests are counted in `stalled`. */
  readonly stalling: (step: Step) => Step;
  readonly stalled: () => number;
  /** As it was before `always`. */
  readonly fix: () => void;
}

interface Taking {
  readonly docId: string;
  readonly answer: Step;
}

/** Starts a service that holds documents; without a script it answers every request as the interface says. */
export async function startHoldingService(options: ServiceOptions = {}): Promise<HoldingService> {
  const service = await startScriptedService(options);
  const documents = new Map<string, HeldDocument>();
  let made = 0;
  let stalled = 0;

  function take(request: ReceivedRequest): Taking {
    const path = request.url.replace(/^.*\/v1\//, '').replace(/\?.*$/, '');
    const [operation = '', docId = ''] = path.split('/').map(decodeURIComponent);
    if (operation === 'upload-document') return upload(request);
    if (operation === 'bulk') return bulk(request);
    const held = documents.get(docId);
    if (held === undefined) return { docId, answer: steps.refuse('no such document', 404) };
    if (operation === 'delete-document') documents.delete(docId);
    else fill(held, request);
    return { docId, answer: steps.accept(docId) };
  }

  function upload(request: ReceivedRequest): Taking {
    const docId = `doc-${(made += 1)}`;
    const held: HeldDocument = { sha256: '', title: null, tags: new Set() };
    documents.set(docId, held);
    fill(held, request);
    return { docId, answer: steps.accept(docId) };
  }

  function bulk(request: ReceivedRequest): Taking {
    const { docIds, ...metadata } = request.json() as Metadata & { docIds: readonly string[] };
    const unknown = docIds.find((docId) => !documents.has(docId));
    if (unknown !== undefined) {
      return { docId: unknown, answer: steps.refuse(`no such document: ${unknown}`, 404) };
    }
    for (const docId of docIds) {
      if (request.method === 'DELETE') documents.delete(docId);
      else describe(documents.get(docId), metadata);
    }
    const [docId = ''] = docIds;
    return { docId, answer: steps.accept(docId) };
  }

  const work: Step = async (request) => {
    await request.body();
    await take(request.received).answer(request);
  };

  service.always(work);
  return {
    ...service,
    documents,
    answering: (step) => async (request) => {
      await request.body();
      await step(take(request.received).docId)(request);
    },
    taken: (step) => async (request) => {
      await request.body();
      take(request.received);
      await step(request);
    },
    stalling: (step) => async (request: ArrivingRequest) => {
      request.socket.once('close', () => (stalled -= 1));
      stalled += 1;
      await step(request);
    },
    stalled: () => stalled,
    work,
    fix: () => service.always(work),
  };
}

function fill(held: HeldDocument, request: ReceivedRequest): void {
  for (const { name, body } of request.parts()) {
    if (name === 'file') held.sha256 = createHash('sha256').update(body).digest('hex');
    if (name === 'metadata') describe(held, JSON.parse(body.toString()) as Metadata);
  }
}

function describe(held: HeldDocument | undefined, { title, customTags = [] }: Metadata): void {
  if (held === undefined) return;
  held.title = title ?? held.title;
  for (const { name, operation } of customTags) {
    if (operation === 'DELETE') held.tags.delete(name);
    else held.tags.add(name);
  }
}
