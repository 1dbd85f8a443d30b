import { createHash } from 'node:crypto';

import type { Installation } from './daemon-process.ts';

/**
 * Has the ledger know the files at these paths, each with its path as its content, as if they had been sent: `doc-0` …
 */
export async function adoptDocuments(place: Installation, paths: readonly string[]): Promise<void> {
  const documents = paths.map((path, index) => ({
    folder: 'inbox',
    path,
    docId: `doc-${index}`,
    sha256: createHash('sha256').update(path).digest('hex'),
    size: path.length,
    attachments: [],
    metadata: {},
    uploadedAt: '2026-01-01T00:00:00Z',
    modifiedAt: null,
    possibleDuplicates: 0,
  }));
  const file = await place.home.write('known.json', JSON.stringify({ version: 1, documents }));
  const { code, err } = await place.run('ledger', 'import', file);
  if (code !== 0) throw new Error(err);
}
