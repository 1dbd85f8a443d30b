import type { Network, Peer, ServiceConnection } from '../machine/connection.ts';
import type { Scheduler } from '../machine/scheduler.ts';
import { readForm } from './read-form.ts';
import type { FormFile } from './read-form.ts';
import { readHead } from './read-head.ts';
import type { RequestHead } from './read-head.ts';

/** Fields of interface 2.2, as far as anybody here looks at them. */
interface SentMetadata {
  readonly shareInfo?: { readonly mode?: string };
}

/** A request, as far as it has come. */
export interface ServiceRequest {
  readonly number: number;
  readonly kind: 'token' | 'upload' | 'modify' | 'delete' | 'other';
  readonly docIds: readonly string[];
  readonly file: FormFile | null;
  /** Null: they stay as they are. */
  readonly attachments: readonly FormFile[] | null;
  readonly metadata: SentMetadata | null;
  /** Of a body of one piece the last byte is asked about with the first one (contract 7.30). */
  readonly isOnePiece: boolean;
  /** Monotonic ms. */
  readonly firstByteAt: number;
  readonly lastByteAt: number;
}

/** How a request ends. `taken`: the service does what it says. */
export interface Ending {
  readonly kind:
    | 'ok'
    | 'lost'
    | 'reset'
    | 'html'
    | 'no-doc-id'
    | 'expired'
    | 'missing'
    | 'busy'
    | 'failing'
    | 'too-many'
    | 'rejected';
  readonly taken: boolean;
}

export const ordinaryEnding: Ending = { kind: 'ok', taken: true };

/** Where a request can be held up. */
export type Stage = 'connect' | 'token' | 'renewal' | 'body' | 'answer';

/** What a world does with the requests of a service. */
export interface ServiceManners {
  /** Resolves when a request may pass the stage. */
  readonly pass: (stage: Stage) => Promise<void>;
  /** Whether connections are refused now, or taken and never answered. */
  readonly isAway: (how: 'refused' | 'silent') => boolean;
  readonly endingOf: (request: ServiceRequest) => Ending;
  /** The first byte of a request to an ingestion operation has gone out: with it, so many are in flight. */
  readonly began: (inFlight: number) => void;
  readonly complete: (request: ServiceRequest, ending: Ending, created: string | null) => void;
  /** The answer is on its way to a process that runs. */
  readonly answered: (request: ServiceRequest, ending: Ending) => void;
  readonly tokenSeconds: () => number;
}

const prefix = '/services/i/ingestion-api/v1';

/** The service of the interface, in memory: it takes what it is sent, unless its manners say otherwise. */
export class SimulatedService implements Network {
  /** The docIds that it knows. */
  readonly #documents = new Set<string>();
  readonly #scheduler: Scheduler;
  readonly #manners: ServiceManners;
  /** Tokens and until when they hold, monotonic ms. */
  readonly #tokens = new Map<string, number>();
  /** Requests to ingestion operations that have not ended, by number. */
  readonly #inFlight = new Set<number>();
  #lastDocument = 0;
  #lastRequest = 0;
  #hasExpired = false;

  constructor(scheduler: Scheduler, manners: ServiceManners) {
    this.#scheduler = scheduler;
    this.#manners = manners;
  }

  connect = async (): Promise<void> => {
    await this.#manners.pass('connect');
    this.#requireHere();
  };

  /** The same without anything that holds it up. */
  probe = async (): Promise<void> => {
    await this.#scheduler.wait(1);
    this.#requireHere();
  };

  #requireHere(): void {
    if (this.#manners.isAway('refused'))
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  }

  accept = (connection: ServiceConnection): Peer => {
    this.#lastRequest += 1;
    const number = this.#lastRequest;
    let received = Buffer.alloc(0);
    let head: RequestHead | null = null;
    let firstByteAt = -1;
    let isDropped = false;
    return {
      receive: async (bytes) => {
        if (firstByteAt < 0) {
          firstByteAt = this.#scheduler.now();
          if (bytes.includes(prefix)) {
            this.#inFlight.add(number);
            this.#manners.began(this.#inFlight.size);
          }
        }
        received = Buffer.concat([received, bytes]);
        head ??= readHead(received);
        const size = Number(head?.headers['content-length'] ?? 0);
        if (head === null || received.length < head.length + size) return this.#manners.pass('body');
        const body = received.subarray(head.length, head.length + size);
        const times = { number, firstByteAt, lastByteAt: this.#scheduler.now() };
        void this.#serve(head, body, times, { connection, isDropped: () => isDropped });
      },
      dropped: () => {
        isDropped = true;
        this.#inFlight.delete(number);
      },
    };
  };

  async #serve(
    head: RequestHead,
    body: Buffer,
    times: Pick<ServiceRequest, 'number' | 'firstByteAt' | 'lastByteAt'>,
    { connection, isDropped }: { readonly connection: ServiceConnection; readonly isDropped: () => boolean },
  ): Promise<void> {
    const request = { ...this.#read(head, body), ...times };
    const isSilent = this.#manners.isAway('silent');
    if (request.kind === 'token') {
      if (isSilent) return;
      await this.#manners.pass(this.#hasExpired ? 'renewal' : 'token');
      this.#hasExpired = false;
      connection.answer(this.#token());
      return;
    }
    if (isSilent) return this.#manners.complete(request, { kind: 'lost', taken: false }, null);
    const ending = this.#isAuthorized(head)
      ? this.#possible(this.#manners.endingOf(request), request)
      : ({ kind: 'expired', taken: false } as const);
    if (ending.kind === 'expired') this.#hasExpired = true;
    const created = ending.taken ? this.#take(request) : null;
    this.#manners.complete(request, ending, created);
    await this.#manners.pass('answer');
    if (ending.kind !== 'lost') this.#inFlight.delete(request.number);
    if (ending.kind === 'reset') connection.reset();
    if (ending.kind === 'reset' || ending.kind === 'lost') return;
    if (!isDropped()) this.#manners.answered(request, ending);
    connection.answer(answerOf(ending, created ?? request.docIds[0] ?? 'none'));
  }

  /** Nothing is done where one of the documents is unknown. */
  #possible(ending: Ending, { docIds }: Pick<ServiceRequest, 'docIds'>): Ending {
    if (!ending.taken || docIds.every((docId) => this.#documents.has(docId))) return ending;
    return { kind: ending.kind === 'ok' ? 'missing' : ending.kind, taken: false };
  }

  #isAuthorized({ headers }: RequestHead): boolean {
    const token = (headers['authorization'] ?? '').replace('Bearer ', '');
    return (this.#tokens.get(token) ?? -1) > this.#scheduler.now();
  }

  /** The process that sent them has ended. */
  endAll(): void {
    this.#inFlight.clear();
  }

  /** Every token ends at once, as after a revocation elsewhere. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  #token(): Buffer {
    const token = `token-${this.#tokens.size + 1}-${this.#scheduler.now()}`;
    const seconds = this.#manners.tokenSeconds();
    this.#tokens.set(token, this.#scheduler.now() + seconds * 1000);
    return response(
      200,
      JSON.stringify({ access_token: token, refresh_token: 'r', token_type: 'Bearer', expires_in: 1800 }),
    );
  }

  #read(head: RequestHead, body: Buffer): Omit<ServiceRequest, 'number' | 'firstByteAt' | 'lastByteAt'> {
    const nothing = { docIds: [], file: null, attachments: null, metadata: null, isOnePiece: true };
    if (!head.path.startsWith(prefix)) return { kind: 'token', ...nothing };
    const [path = ''] = head.path.slice(prefix.length).split('?');
    if (path === '/upload-document' || path.startsWith('/modify-document/')) {
      const { metadata, files } = readForm(head.headers['content-type'] ?? '', body);
      const attachments = files.filter(({ field }) => field === 'attachments');
      return {
        kind: path === '/upload-document' ? 'upload' : 'modify',
        docIds:
          path === '/upload-document' ? [] : [decodeURIComponent(path.slice('/modify-document/'.length))],
        file: files.find(({ field }) => field === 'file') ?? null,
        attachments: attachments.length > 0 ? attachments : null,
        metadata: metadata as SentMetadata | null,
        isOnePiece: false,
      };
    }
    if (path.startsWith('/delete-document/'))
      return {
        ...nothing,
        kind: 'delete',
        docIds: [decodeURIComponent(path.slice('/delete-document/'.length))],
      };
    const { docIds, ...metadata } = JSON.parse(body.toString()) as SentMetadata & { docIds: string[] };
    if (path === '/bulk/delete') return { ...nothing, kind: 'delete', docIds };
    return { ...nothing, kind: path === '/bulk/modify/metadata' ? 'modify' : 'other', docIds, metadata };
  }

  /** Gives the docId of a new document. */
  #take({ kind, docIds }: Pick<ServiceRequest, 'kind' | 'docIds'>): string | null {
    if (kind === 'delete') for (const docId of docIds) this.#documents.delete(docId);
    if (kind !== 'upload') return null;
    this.#lastDocument += 1;
    const docId = `doc-${this.#lastDocument}`;
    this.#documents.add(docId);
    return docId;
  }
}

function answerOf({ kind }: Ending, docId: string): Buffer {
  switch (kind) {
    case 'ok':
      return response(200, JSON.stringify({ success: { docId, message: 'done' } }));
    case 'no-doc-id':
      return response(200, JSON.stringify({ success: { message: 'accepted' } }));
    case 'html':
      return response(200, '<html><body>Please sign in</body></html>');
    case 'expired':
      return response(401, '<error>expired</error>');
    case 'busy':
      return response(503, JSON.stringify({ error: { message: 'busy' } }));
    case 'failing':
      return response(500, JSON.stringify({ error: { message: 'out of order' } }));
    case 'too-many':
      return response(429, JSON.stringify({ error: { message: 'slow down' } }), 'retry-after: 20\r\n');
    case 'missing':
      return response(404, JSON.stringify({ error: { docId, message: 'no such document' } }));
    case 'rejected':
      return response(422, JSON.stringify({ error: { docId, message: 'refused' } }));
    case 'lost':
    case 'reset':
      return Buffer.alloc(0);
    default:
      return kind satisfies never;
  }
}

function response(status: number, text: string, more = ''): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${more}connection: close\r\n\r\n${text}`,
  );
}
