import { applyMetadata } from './apply-metadata.ts';
import { countDocuments, requireDocuments } from './bulk-documents.ts';
import type { Envelope } from './envelope.ts';
import { successEnvelope } from './envelope.ts';
import type { IngestionContext } from './ingestion-context.ts';
import { timeOf } from './ingestion-context.ts';
import { bulkModifySchema } from './metadata-schemas.ts';
import { readJson } from './read-json.ts';

/** Answers `PATCH /bulk/modify/metadata`, interface 4.6: all documents or none. Throws RefusalError. */
export async function bulkModify({ store, clock }: IngestionContext, text: string): Promise<Envelope> {
  const { docIds, documentOwner, sourceType, ...change } = readJson(bulkModifySchema, {
    what: 'the body',
    text,
  });
  const warnings = await store.commit(() => {
    const modifiedAt = timeOf(clock);
    const warnings = new Set<string>();
    const put = requireDocuments(store, docIds, documentOwner).map((record) => {
      const applied = applyMetadata(record.metadata, change);
      for (const warning of applied.warnings) warnings.add(warning);
      return { ...record, metadata: applied.metadata, modifiedAt };
    });
    return { put, result: [...warnings] };
  });
  const unused = sourceType === undefined ? [] : ['sourceType is not changed in bulk'];
  return successEnvelope(docIds[0] ?? '', `${countDocuments(docIds.length)} modified`, [
    ...warnings,
    ...unused,
  ]);
}
