import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, parse } from 'node:path';

import type { Clock } from '../../lib/time/clock.ts';
import type { DocumentStore } from './document-store.ts';
import { applyMetadata } from './metadata.ts';
import { storeIncoming } from './store-incoming.ts';

interface FixtureOptions {
  readonly store: DocumentStore;
  /** Absolute path of the incoming directory. */
  readonly incoming: string;
  readonly clock: Clock;
  readonly username: string;
}

/**
 * Puts the files of a directory into the store as documents, without a request; those that it holds under that name with
 * that content stay alone. Gives how many were added. Throws what reading and writing throws.
 */
export async function addFixtures(directory: string, options: FixtureOptions): Promise<number> {
  const { store, incoming, clock, username } = options;
  const keyOf = (file: { readonly name: string; readonly sha256: string }) => `${file.sha256} ${file.name}`;
  const held = new Set(store.list().map(({ file }) => keyOf(file)));
  let added = 0;
  for (const name of (await readdir(directory)).sort()) {
    const content = createReadStream(join(directory, name));
    const file = await storeIncoming(content, { directory: incoming, name, maxBytes: Infinity });
    if (held.has(keyOf(file))) {
      await rm(join(incoming, file.blob));
      continue;
    }
    const { metadata } = applyMetadata({}, { title: parse(name).name, shareInfo: {} });
    const docId = randomUUID();
    const uploadedAt = new Date(clock.now()).toISOString();
    const document = {
      docId,
      owner: username,
      uploadedAt,
      modifiedAt: null,
      file,
      attachments: [],
      metadata,
    };
    await store.commit(() => ({ put: [document], adopt: [file], result: null }));
    added += 1;
  }
  return added;
}
