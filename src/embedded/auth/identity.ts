import { randomBytes, randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';

import * as z from 'zod';

import { writeDurably } from '../../lib/files/durable-file.ts';
import { readStored } from '../documents/data-directory.ts';
import type { DataDirectory } from '../documents/data-directory.ts';

const identitySchema = z.strictObject({
  userId: z.string().min(1),
  credentials: z.strictObject({
    apiKey: z.string().min(1),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1),
    username: z.string().min(1),
    password: z.string().min(1),
  }),
  signingKey: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Who may use this service, and what its tokens are signed with. */
export type Identity = Awaited<ReturnType<typeof openIdentity>>;

/**
 * The trial user: random at the first start, kept with the data (0600). Throws IngestdError when the file is damaged.
 */
export async function openIdentity(data: DataDirectory) {
  const path = data.join('identity.json');
  const fix = 'restore it, or remove it to get new trial credentials';
  const { userId, credentials, signingKey } =
    (await readStored(path, identitySchema, fix)) ?? (await create(path));
  await chmod(path, 0o600);
  return { userId, credentials, signingKey: Buffer.from(signingKey, 'hex') };
}

async function create(path: string): Promise<z.infer<typeof identitySchema>> {
  const identity = {
    userId: randomUUID(),
    credentials: {
      apiKey: secret(),
      clientId: `trial-${randomBytes(6).toString('hex')}`,
      clientSecret: secret(),
      username: `trial-${randomBytes(3).toString('hex')}@example.com`,
      password: secret(),
    },
    signingKey: randomBytes(32).toString('hex'),
  };
  await writeDurably(path, `${JSON.stringify(identity, null, 2)}\n`);
  return identity;
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}
