import type { IncomingMessage } from 'node:http';

import { applyMetadata } from '../documents/apply-metadata.ts';
import type { Envelope } from '../http/envelope.ts';
import { successEnvelope } from '../http/envelope.ts';
import type { IngestionContext } from './ingestion-context.ts';
import { requireDocument, timeOf } from './ingestion-context.ts';
import { modifyMetadataSchema } from '../documents/metadata-schemas.ts';
import { readJson } from './read-json.ts';
import { isRefusal, RefusalError } from '../http/refusal-error.ts';
import { withForm } from '../form/with-form.ts';

/** Answers `PUT /modify-document/{docId}`, interface 4.4: content, attachments, metadata or all. Throws RefusalError. */
export async function modifyDocument(
  context: IngestionContext,
  docId: string,
  request: IncomingMessage,
): Promise<Envelope> {
  const { store, clock } = context;
  requireDocument(store, docId);
  const modify = () =>
    withForm(request, context, async ({ file, attachments, metadata: text }) => {
      if (file === null && attachments.length === 0 && text === null) {
        throw new RefusalError(400, 'at least one of file, attachments and metadata is required');
      }
      const change = readJson(modifyMetadataSchema, { what: 'metadata', text: text ?? '{}' });
      const warnings = await store.commit(() => {
        const current = requireDocument(store, docId);
        const { metadata, warnings } = applyMetadata(current.metadata, change);
        const next = {
          ...current,
          owner: change.documentOwner ?? current.owner,
          modifiedAt: timeOf(clock),
          file: file ?? current.file,
          attachments: attachments.length > 0 ? attachments : current.attachments,
          metadata,
        };
        return { put: [next], adopt: [...(file ? [file] : []), ...attachments], result: warnings };
      });
      return successEnvelope(docId, 'document modified', warnings);
    });
  return modify().catch((error: unknown) => {
    throw aboutDocument(error, docId);
  });
}

/** Whatever is wrong with the form, the answer says which document it was for. */
function aboutDocument(error: unknown, docId: string): unknown {
  return isRefusal(error) ? new RefusalError(error.status, error.message, { docId }) : error;
}
