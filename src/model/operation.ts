import type { FoundDocument } from './document.ts';
import type { Company, CustomTag, Metadata, ShareInfo } from './metadata/metadata.ts';

/** Metadata of a modify, interface 2.3: only the fields that change, operations included. */
export type MetadataChange = Omit<Metadata, 'createdTimestamp'>;

/** What the interface gives no way to take back. Said once per document. */
export interface Unclearable {
  /** Stable, for `said`: `docAuthors:Jane Doe`, `title`. */
  readonly code: string;
  readonly message: string;
}

/** From what the service last accepted to what shall be. */
export interface MetadataDelta {
  /** Null: nothing to send. */
  readonly change: MetadataChange | null;
  /** What the service holds once the change is accepted (or now, when there is none). */
  readonly accepted: Metadata;
  readonly unclearable: readonly Unclearable[];
}

/** Interface section 8: documents in one bulk request. */
export const maxBulkDocuments = 250;

/** The part of a metadata change that a bulk call can carry. */
export interface BulkChange {
  readonly companies?: readonly Company[] | undefined;
  readonly customTags?: readonly CustomTag[] | undefined;
  readonly shareInfo?: ShareInfo | undefined;
  readonly documentOwner?: string | undefined;
}

/** A found document with the hashes that were needed to compare it. */
export interface ComparedDocument {
  readonly document: FoundDocument;
  /** Of the main file; null: not read, because its stat is that of the record, or because there is no record. */
  readonly sha256: string | null;
  /** Of each attachment, in order; null: its stat is that of the recorded attachment of that name. */
  readonly attachmentHashes: readonly (string | null)[];
}

/** What is sent for one document. */
export type SendKind = 'upload' | 'modify' | 'delete';

/** What one call can do for many. */
export type BulkKind = Exclude<SendKind, 'upload'>;

/** What has to be done for one document at its present path. */
export type Operation =
  /** Nothing to send; the record only learns the new stat and fingerprint. */
  | {
      readonly kind: 'none';
      readonly accepted: Metadata;
      readonly unclearable: readonly Unclearable[];
    }
  | {
      readonly kind: 'upload';
      readonly metadata: Metadata;
      readonly accepted: Metadata;
    }
  | {
      readonly kind: 'modify';
      readonly docId: string;
      readonly content: boolean;
      readonly attachments: boolean;
      readonly metadata: MetadataChange | null;
      readonly accepted: Metadata;
      readonly unclearable: readonly Unclearable[];
      /** Only the sharing mode, which becomes narrower: of the rest nothing is sent, and the record keeps what it says. */
      readonly narrows?: true;
      /** Set when the whole change could go out in a bulk call; equal `key`, one call. */
      readonly bulk: { readonly key: string; readonly change: BulkChange } | null;
    };
