import * as z from 'zod';

import type { Change } from '../model/ports/ledger-port.ts';
import { stampSchema } from './stamp-schema.ts';

const ref = z.object({ folder: z.string(), path: z.string() });
const folder = z.string();
const paths = z.array(z.string());
const at = z.number();
const id = z.string();

const attempt = z.object({ at, operation: z.string(), code: z.string(), message: z.string() });
const failure = z.object({
  code: z.string(),
  message: z.string(),
  attempts: z.number(),
  history: z.array(attempt),
  stamp: stampSchema,
  context: z.string(),
});
const doubt = z.object({
  id,
  ref,
  count: z.number(),
  since: z.number(),
  message: z.string(),
  holds: z.boolean(),
});

/** Every change but a put, as the journal and the snapshot hold it: the objects of the port. */
export const sideChangeSchema: z.ZodType<Exclude<Change, { kind: 'put' }>> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('drop'), ref }),
  z.object({ kind: z.literal('intent'), intent: z.object({ id, ref, size: z.number(), at }) }),
  z.object({ kind: z.literal('resolve'), id }),
  z.object({ kind: z.literal('doubt'), doubt }),
  z.object({ kind: z.literal('dismiss'), id }),
  z.object({ kind: z.literal('fail'), ref, failure }),
  z.object({ kind: z.literal('clear'), ref }),
  z.object({
    kind: z.literal('hold'),
    folder,
    hold: z.object({ since: z.number(), reason: z.string() }).nullable(),
  }),
  z.object({ kind: z.literal('approve'), folder, paths }),
  z.object({ kind: z.literal('unapprove'), folder, paths }),
  z.object({ kind: z.literal('removed'), folder, removal: z.object({ at, count: z.number() }) }),
  z.object({
    kind: z.literal('root'),
    folder,
    identity: z.object({ path: z.string(), dev: z.number(), ino: z.number() }),
  }),
  z.object({ kind: z.literal('service'), service: z.string() }),
  z.object({ kind: z.literal('sent'), id, at }),
  z.object({ kind: z.literal('answered'), id, at }),
]);
