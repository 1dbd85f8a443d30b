import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { applyMetadata } from '../documents/apply-metadata.ts';
import type { Envelope } from '../http/envelope.ts';
import { successEnvelope } from '../http/envelope.ts';
import type { IngestionContext } from './ingestion-context.ts';
import { timeOf } from './ingestion-context.ts';
import { uploadMetadataSchema } from '../documents/metadata-schemas.ts';
import { readJson } from './read-json.ts';
import { RefusalError } from '../http/refusal-error.ts';
import { withForm } from '../form/with-form.ts';

/** Answers `POST /upload-document`, interface 4.3: a new document. Throws RefusalError. */
export async function uploadDocument(context: IngestionContext, request: IncomingMessage): Promise<Envelope> {
  const { store, clock, username } = context;
  return withForm(request, context, async ({ file, attachments, metadata: text }) => {
    if (file === null) throw new RefusalError(400, 'the form has no part file');
    const change = readJson(uploadMetadataSchema, { what: 'metadata', text: text ?? '{}' });
    const { metadata, warnings } = applyMetadata({}, { ...change, shareInfo: change.shareInfo ?? {} });
    const docId = randomUUID();
    await store.commit(() => ({
      put: [
        {
          docId,
          owner: metadata.documentOwner ?? username,
          uploadedAt: timeOf(clock),
          modifiedAt: null,
          file,
          attachments,
          metadata,
        },
      ],
      adopt: [file, ...attachments],
      result: null,
    }));
    return successEnvelope(docId, 'document uploaded', warnings);
  });
}
