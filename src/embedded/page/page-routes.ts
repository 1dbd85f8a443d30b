import { createReadStream } from 'node:fs';
import type { ReadStream } from 'node:fs';

import type { FastifyInstance, FastifyReply } from 'fastify';

import type { DocumentStore } from '../documents/document-store.ts';
import { guardLoopback } from './page-guard.ts';
import { pageHtml, pageIcon } from './page-html.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';
import type { DocumentRecord, FileRecord, StoredDocument } from '../documents/stored-document.ts';
import { showDocument } from '../documents/stored-document.ts';

/** More do not fit a page; the count in full stands beside them. */
const maxListed = 200;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the page is told: the newest documents first, the count of all. */
interface DocumentList {
  readonly total: number;
  readonly totalBytes: number;
  readonly documents: readonly StoredDocument[];
}

/** The page of the service and what it needs: not part of the interface, not counted, for this machine alone. */
export async function addPageRoutes(app: FastifyInstance, store: DocumentStore): Promise<void> {
  const started = Date.now().toString(36);
  app.addHook('onRequest', guardLoopback);
  app.addHook('onSend', async (_request, reply) => {
    reply.header('Content-Security-Policy', policy);
    reply.header('Cross-Origin-Resource-Policy', 'same-origin');
    reply.header('Referrer-Policy', 'no-referrer');
    reply.header('Cache-Control', 'no-store');
  });
  const asset = (path: string, type: string, text: string) =>
    app.get(path, async (_request, reply) => reply.type(type).send(text));
  asset('/', 'text/html; charset=utf-8', pageHtml);
  asset('/page.css', 'text/css; charset=utf-8', pageStyle);
  asset('/page.js', 'text/javascript; charset=utf-8', pageScript);
  asset('/icon.svg', 'image/svg+xml', pageIcon);

  app.get('/documents', async (request, reply) => {
    const tag = `"${started}-${store.revision()}"`;
    reply.header('ETag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.send(list(store));
  });
  app.get('/documents/:docId/content', async (request, reply) => {
    const record = store.get(paramOf(request.params, 'docId'));
    return sendFile(store, reply, record?.file);
  });
  app.get('/documents/:docId/attachments/:place', async (request, reply) => {
    const record = store.get(paramOf(request.params, 'docId'));
    return sendFile(store, reply, attachmentOf(record, paramOf(request.params, 'place')));
  });
}

function list(store: DocumentStore): DocumentList {
  const records = store.list();
  const changed = (record: DocumentRecord) => record.modifiedAt ?? record.uploadedAt;
  const newest = records
    .toSorted((a, b) => compare(changed(b), changed(a)))
    .slice(0, maxListed)
    .map(showDocument);
  const totalBytes = records.reduce(
    (sum, { file, attachments }) => attachments.reduce((bytes, { size }) => bytes + size, sum + file.size),
    0,
  );
  return { total: records.length, totalBytes, documents: newest };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function attachmentOf(record: DocumentRecord | undefined, place: string): FileRecord | undefined {
  return /^\d{1,2}$/.test(place) ? record?.attachments[Number(place)] : undefined;
}

/** Always as a download: what somebody stored must not run as a page of this address. */
async function sendFile(
  store: DocumentStore,
  reply: FastifyReply,
  file: FileRecord | undefined,
): Promise<unknown> {
  if (file === undefined) return reply.code(404).send({ error: 'no such document' });
  const stream = await openStream(store.pathOf(file));
  return reply
    .type('application/octet-stream')
    .header('Content-Length', String(file.size))
    .header('Content-Disposition', `attachment; filename*=UTF-8''${encodeRfc5987(file.name)}`)
    .send(stream);
}

/** Opened before the answer begins, so that a file that has just gone is an error and not half an answer. */
function openStream(path: string): Promise<ReadStream> {
  return new Promise((resolve, reject) => {
    const stream = createReadStream(path);
    stream.once('open', () => resolve(stream));
    stream.once('error', reject);
  });
}

function encodeRfc5987(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  );
}

function paramOf(params: unknown, name: string): string {
  return String((params as Readonly<Record<string, unknown>>)[name]);
}
