import * as z from 'zod';

import type { Metadata } from '../../model/metadata/metadata.ts';
import { storedMetadataSchema } from './metadata.ts';

const fileRecordSchema = z.strictObject({
  /** The name of its bytes in the content directory. */
  blob: z.uuid(),
  name: z.string(),
  size: z.number().int().nonnegative(),
  sha256: z.string(),
});

/** A document as the journal holds it: what it says and where its bytes are. */
export const documentRecordSchema = z.strictObject({
  docId: z.string(),
  owner: z.string(),
  /** ISO 8601, UTC. */
  uploadedAt: z.string(),
  modifiedAt: z.string().nullable(),
  file: fileRecordSchema,
  attachments: z.array(fileRecordSchema),
  metadata: storedMetadataSchema,
});

export type FileRecord = Readonly<z.infer<typeof fileRecordSchema>>;

/** With the types of the interface, which tell a field that is left out from one that is undefined. */
export type DocumentRecord = Readonly<
  Omit<z.infer<typeof documentRecordSchema>, 'attachments' | 'metadata'>
> & {
  readonly attachments: readonly FileRecord[];
  readonly metadata: Metadata;
};

/** A document as the service shows it. */
export interface StoredDocument {
  readonly docId: string;
  readonly fileName: string;
  readonly size: number;
  readonly sha256: string;
  readonly owner: string;
  /** ISO 8601, UTC. */
  readonly uploadedAt: string;
  readonly modifiedAt: string | null;
  /** What holds now; elements without `operation`. */
  readonly metadata: Metadata;
  readonly attachments: readonly Omit<FileRecord, 'blob'>[];
}

/** What may be shown of a record. */
export function showDocument({ file, attachments, ...record }: DocumentRecord): StoredDocument {
  return {
    ...record,
    fileName: file.name,
    size: file.size,
    sha256: file.sha256,
    attachments: attachments.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
  };
}
