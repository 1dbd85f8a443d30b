import { open } from 'node:fs/promises';

import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod';

import { pagePolicy } from '../../lib/server/http-server.ts';
import { printableJson } from '../../lib/text/printable.ts';
import { showDocument } from '../documents/document-store.ts';
import type { DocumentStore, DocumentRecord, FileRecord } from '../documents/document-store.ts';
import { RefusalError } from '../http/answers.ts';
import { pageHtml, pageIcon, pageStyle, pageScript } from './page-assets.ts';

/** Most documents in one answer. */
const maxListed = 200;

/** The shortest prefix of an identifier that is searched for. */
const fewestIdCharacters = 8;

const count = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const querySchema = z.object({
  search: z.string().max(200).default(''),
  offset: count.default(0),
  limit: count.pipe(z.number().min(1).max(maxListed)).default(maxListed),
});

/** The page of the service and what it needs: not part of the interface, not counted. */
export function addPageRoutes(app: FastifyInstance, store: DocumentStore): void {
  const started = Date.now().toString(36);
  app.addHook('onSend', async (_request, reply) => {
    reply.header('Content-Security-Policy', pagePolicy);
    reply.header('Cross-Origin-Resource-Policy', 'same-origin');
    // With no-referrer a browser would send the login form with the origin null.
    reply.header('Referrer-Policy', 'same-origin');
    reply.header('Cache-Control', 'no-store');
  });
  const asset = (path: string, type: string, text: string) =>
    app.get(path, async (_request, reply) => reply.type(type).send(text));
  app.setErrorHandler(async (error: unknown, _request, reply) => {
    if (!(error instanceof RefusalError)) throw error;
    return reply.code(error.status).send({ error: error.message });
  });
  asset('/', 'text/html; charset=utf-8', pageHtml);
  asset('/page.css', 'text/css; charset=utf-8', pageStyle);
  asset('/page.js', 'text/javascript; charset=utf-8', pageScript);
  asset('/icon.svg', 'image/svg+xml', pageIcon);

  let cached: { key: string; body: Buffer } = { key: '', body: Buffer.alloc(0) };
  app.get('/documents', async (request, reply) => {
    const tag = `"${started}-${store.revision}"`;
    reply.header('ETag', tag);
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    const query = readQuery(request.query);
    const key = `${tag} ${JSON.stringify(query)}`;
    // Built once for a state of the documents: who does not read its answer holds no copy of its own.
    if (key !== cached.key)
      cached = { key, body: Buffer.from(printableJson(JSON.stringify(list(store, query)))) };
    return reply.type('application/json; charset=utf-8').send(cached.body);
  });
  app.get<{ Params: { docId: string } }>('/documents/:docId/content', async ({ params }, reply) =>
    sendFile(store, reply, store.get(params.docId)?.file),
  );
  app.get<{ Params: { docId: string; place: string } }>(
    '/documents/:docId/attachments/:place',
    async ({ params }, reply) => sendFile(store, reply, attachmentOf(store.get(params.docId), params.place)),
  );
}

/** What the page gets: the newest documents first, a page of those that were found, the counts of these and of all. */
function list(store: DocumentStore, { search, offset, limit }: z.infer<typeof querySchema>) {
  const records = store.list();
  const changed = (record: DocumentRecord) => record.modifiedAt ?? record.uploadedAt;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = records.filter((record) => matches(record, words));
  const newest = found
    .toSorted((a, b) => compare(changed(b), changed(a)))
    .slice(offset, offset + limit)
    .map(showDocument);
  const totalBytes = records.reduce(
    (sum, { file, attachments }) => attachments.reduce((bytes, { size }) => bytes + size, sum + file.size),
    0,
  );
  return { total: records.length, totalBytes, found: found.length, offset, documents: newest };
}

/**
 * Every word stands somewhere in the names, the title, the tags, the companies or the authors, or begins the
 * identifier.
 */
function matches({ docId, file, attachments, metadata }: DocumentRecord, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { title = '', companies = [], customTags = [], docAuthors = [] } = metadata;
  const text = [
    file.name,
    title,
    ...attachments.map(({ name }) => name),
    ...companies.map(({ value }) => value),
    ...customTags.map(({ name }) => name),
    ...docAuthors.map(({ authorName }) => authorName),
  ]
    .join('\n')
    .toLowerCase();
  return words.every(
    (word) => text.includes(word) || (word.length >= fewestIdCharacters && docId.startsWith(word)),
  );
}

function readQuery(query: unknown): z.infer<typeof querySchema> {
  const parsed = querySchema.safeParse(query);
  if (!parsed.success)
    throw new RefusalError(400, `search, offset and limit (at most ${maxListed}) are understood`);
  return parsed.data;
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
  // Opened before the answer begins, so that a file that has just gone is an error and not half an answer.
  const content = await open(store.pathOf(file));
  return reply
    .type('application/octet-stream')
    .header('Content-Length', String(file.size))
    .header('Content-Disposition', `attachment; filename*=UTF-8''${encodeRfc5987(file.name)}`)
    .send(content.createReadStream());
}

function encodeRfc5987(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  );
}
