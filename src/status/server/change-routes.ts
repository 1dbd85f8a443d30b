import type { FastifyInstance, FastifyReply } from 'fastify';
import * as z from 'zod';
import { send } from './answers.ts';
import type { AppOptions } from './app-options.ts';

const retrySchema = z.strictObject({ paths: z.array(z.string().min(1)) });
const resolveSchema = z.discriminatedUnion('action', [
  z.strictObject({ path: z.string().min(1), action: z.literal('adopt'), docId: z.string().min(1) }),
  z.strictObject({ path: z.string().min(1), action: z.literal('again') }),
  z.strictObject({ path: z.string().min(1), action: z.literal('dismiss') }),
]);
const folderSchema = z.strictObject({ folder: z.string().min(1).nullable() });
const folderWords = '{"folder": "name"}, or null for all';
const revokeSchema = z.strictObject({ all: z.boolean() });

/** The routes that change something: contract section 6. The guard has checked the caller. */
export function addChangeRoutes(
  app: FastifyInstance,
  { control, snapshot }: Pick<AppOptions, 'control' | 'snapshot'>,
): void {
  // The next status shows what the call did.
  app.addHook('onSend', async ({ method }) => {
    if (method === 'POST') snapshot.expire();
  });
  app.post('/api/retry', async (request, reply) => {
    const body = retrySchema.safeParse(request.body);
    if (!body.success) return wrong(reply, '{"paths": ["folder/path", …]}, with no path for all');
    return await control.retry(body.data.paths);
  });
  app.post('/api/resolve', async (request, reply) => {
    const body = resolveSchema.safeParse(request.body);
    if (!body.success) {
      return wrong(
        reply,
        '{"path": "folder/path", "action": "adopt", "docId": "…"}, or the action "again" or "dismiss" without a docId',
      );
    }
    const { data } = body;
    const resolution =
      data.action === 'adopt' ? { kind: data.action, docId: data.docId } : { kind: data.action };
    await control.resolve(data.path, resolution);
    return {};
  });
  app.post('/api/approve', async (request, reply) => {
    const body = folderSchema.safeParse(request.body);
    return body.success ? await control.approve(body.data.folder) : wrong(reply, folderWords);
  });
  app.post('/api/pause', async (request, reply) => {
    const body = folderSchema.safeParse(request.body);
    return body.success ? await control.pause(body.data.folder) : wrong(reply, folderWords);
  });
  app.post('/api/resume', async (request, reply) => {
    const body = folderSchema.safeParse(request.body);
    return body.success ? await control.resume(body.data.folder) : wrong(reply, folderWords);
  });
  app.post('/api/rescan', (request, reply) => {
    const body = folderSchema.safeParse(request.body);
    return body.success ? reply.send(control.rescan(body.data.folder)) : wrong(reply, folderWords);
  });
  // Only the command line asks for it.
  app.post('/api/revoke', { config: { access: 'socket' } }, async (request, reply) => {
    const body = revokeSchema.safeParse(request.body);
    if (!body.success) return wrong(reply, '{"all": true} or {"all": false}');
    await control.revoke(body.data);
    return {};
  });
}

function wrong(reply: FastifyReply, wanted: string): FastifyReply {
  return send(reply, 400, { code: 'request', message: `the body must be ${wanted}` });
}
