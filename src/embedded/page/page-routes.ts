import { open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';

import type { FastifyInstance } from 'fastify';

import { bringsToken, tokenChallenge } from '../../lib/server/brings-token.ts';
import { isLoopbackAddress, isLoopbackHost } from '../../lib/server/host.ts';
import { isOwnPeer } from '../../lib/server/is-own-peer.ts';
import { filesOf } from '../documents/document-store.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { RefusalError } from '../http/answers.ts';
import { pageHtml, pagePolicy } from './page-html.ts';

/** The page of the service and its downloads: not part of the interface, not counted. */
export function addPageRoutes(app: FastifyInstance, store: DocumentStore, token: string | null): void {
  app.addHook('onRequest', async ({ raw }) => letIn(raw, token));
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({
      'Content-Security-Policy': pagePolicy,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
  });

  let shown: { readonly revision: number; readonly page: Buffer } | undefined;
  app.get('/', async (_request, reply) => {
    const revision = store.revision();
    // Made once for a state of the documents: who does not read its answer holds no copy of its own.
    if (shown?.revision !== revision) shown = { revision, page: Buffer.from(pageHtml(store.list())) };
    return reply.type('text/html; charset=utf-8').send(shown.page);
  });
  app.get<{ Params: Record<'docId' | 'place', string> }>(
    '/documents/:docId/:place',
    async ({ params: { docId, place } }, reply) => {
      const file = filesOf(store.get(docId))[Number(place)];
      if (file === undefined) throw new RefusalError(404, 'no such document');
      // Opened before the answer begins, so that a file that has just gone is an error and not half an answer.
      const content = await open(store.pathOf(file));
      const name = encodeURIComponent(file.name).replaceAll("'", '%27');
      // Always as a download: what somebody stored must not run as a page of this address.
      return reply
        .type('application/octet-stream')
        .header('Content-Length', String(file.size))
        .header('Content-Disposition', `attachment; filename*=UTF-8''${name}`)
        .send(content.createReadStream());
    },
  );
}

/**
 * Keeps the page, and the content of every document with it, to those who may see the status page: with a token whoever
 * brings it; without one only the user that runs the service, and root, on this machine and under a name of this machine.
 * Throws RefusalError 401, 403.
 */
async function letIn({ headers, socket }: IncomingMessage, token: string | null): Promise<void> {
  if (token !== null) {
    if (bringsToken(headers, token)) return;
    const message = 'this page asks for its token (INGESTD_HTTP_TOKEN) as the password, under any user name';
    throw new RefusalError(401, message, { headers: { 'WWW-Authenticate': tokenChallenge } });
  }
  const name = (headers.host ?? '').replace(/:\d*$/, '');
  if (!isLoopbackHost(name) || !isLoopbackAddress(socket.remoteAddress ?? '')) {
    throw new RefusalError(403, 'this page answers only to its own machine, under its own address');
  }
  if (await isOwnPeer(socket)) return;
  throw new RefusalError(
    403,
    'only the user that runs the service may see this page; log in as that user, or set INGESTD_HTTP_TOKEN',
  );
}
