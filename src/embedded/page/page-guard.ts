import type { FastifyReply, FastifyRequest } from 'fastify';

import { isLoopbackAddress } from '../../lib/is-loopback.ts';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Keeps the page to this machine: a caller from elsewhere, and a page of another site whose name was made to point
 * here, get 403.
 */
export async function guardLoopback(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const host = request.raw.headers.host ?? '';
  const name = host.replace(/:\d*$/, '').toLowerCase();
  if (loopbackNames.has(name) && isLoopbackAddress(request.raw.socket.remoteAddress ?? '')) return;
  await reply.code(403).send({ error: 'this page answers only to its own machine, under its own address' });
}
