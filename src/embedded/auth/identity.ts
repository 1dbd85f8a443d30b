import { randomBytes, randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';

import * as z from 'zod';

import { readIfThere, writeDurably } from '../../lib/files/durable-file.ts';
import { IngestdError } from '../../model/errors.ts';
import type { DataDirectory } from '../documents/data-directory.ts';

const identitySchema = z.object({
  userId: z.string().min(1),
  credentials: z.record(
    z.enum(['apiKey', 'clientId', 'clientSecret', 'username', 'password']),
    z.string().min(1),
  ),
});

/** Who may use this service. */
export type Identity = Readonly<z.infer<typeof identitySchema>>;

/** The trial user: random at the first start, kept with the data (0600). Throws IngestdError when the file is damaged. */
export async function openIdentity(data: DataDirectory): Promise<Identity> {
  const path = data.join('identity.json');
  const text = await readIfThere(path);
  if (text === null) return create(path);
  await chmod(path, 0o600);
  try {
    return identitySchema.parse(JSON.parse(text));
  } catch (error) {
    const message = `${path} cannot be read; restore it, or remove it to get new trial credentials`;
    throw new IngestdError('embedded-data-damaged', 1, message, { cause: error });
  }
}

async function create(path: string): Promise<Identity> {
  const identity = {
    userId: randomUUID(),
    credentials: {
      apiKey: secret(),
      clientId: `trial-${randomBytes(6).toString('hex')}`,
      clientSecret: secret(),
      username: `trial-${randomBytes(3).toString('hex')}@example.com`,
      password: secret(),
    },
  };
  await writeDurably(path, `${JSON.stringify(identity, null, 2)}\n`);
  return identity;
}

function secret(): string {
  return randomBytes(24).toString('base64url');
}
