import * as z from 'zod';

import { isUsableDocId } from '../model/document.ts';
import { metadataSchema } from '../model/metadata/metadata.ts';
import type { Metadata } from '../model/metadata/metadata.ts';
import { maxAttachments } from '../model/names-and-types.ts';
import { maxBulkDocuments } from '../model/operation.ts';
import type {
  BulkModifyRequest,
  ModifyRequest,
  OutgoingFile,
  ServicePort,
  UploadRequest,
} from '../model/ports/service-port.ts';
import type { ServiceSettings } from '../model/settings.ts';
import type { HttpRequest } from './http/send-http-request.ts';

const modifySchema = metadataSchema.omit({ createdTimestamp: true });
const docIds = z.array(z.string().min(1)).min(1).max(maxBulkDocuments);
const bulkModifySchema = modifySchema
  .omit({ title: true, docAuthors: true, documentUrl: true })
  .extend({ docIds });
const bulkRemoveSchema = z.strictObject({ docIds, documentOwner: z.string().optional() });

/** The methods of the port. */
export type OperationKind = keyof ServicePort;

/** One operation, ready to be sent and sent again. */
export interface Call {
  readonly operation: OperationKind;
  readonly method: HttpRequest['method'];
  /** Below the prefix of interface section 4, encoded. */
  readonly path: string;
  /** The document it is about; null where that is not exactly one. */
  readonly docId: string | null;
  readonly content: Content;
  /** Why the interface does not allow it; then it is not sent. */
  readonly fault: string | null;
  /** The call as it is sent once the signed-in user is known. Default: unchanged. */
  readonly signedBy?: (username: string) => Call;
}

type DocumentOwner = ServiceSettings['documentOwner'];

export type Content =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | {
      readonly kind: 'form';
      readonly metadata: Metadata | null;
      readonly file: OutgoingFile | null;
      readonly attachments: readonly OutgoingFile[];
    };

/** Interface 4.3. */
export function uploadCall({ file, attachments, metadata }: UploadRequest): Call {
  return {
    operation: 'upload',
    method: 'POST',
    path: '/upload-document',
    docId: null,
    content: { kind: 'form', metadata, file, attachments },
    fault: faultOf(metadataSchema, metadata) ?? faultOfAttachments(attachments),
  };
}

/** Interface 4.4. */
export function modifyCall({ docId, file, attachments, metadata }: ModifyRequest): Call {
  const isEmpty = file === null && metadata === null && !attachments?.length;
  return {
    operation: 'modify',
    method: 'PUT',
    path: `/modify-document/${encoded(docId)}`,
    docId,
    content: { kind: 'form', metadata, file, attachments: attachments ?? [] },
    fault:
      faultOfDocId(docId) ??
      (metadata === null ? null : faultOf(modifySchema, metadata)) ??
      faultOfAttachments(attachments ?? []) ??
      (isEmpty ? 'nothing to modify' : null),
  };
}

/** Interface 4.5. `owner`: whether a request without an owner names the user who is signed in. */
export function removeCall(request: Parameters<ServicePort['remove']>[0], owner: DocumentOwner): Call {
  const { docId, documentOwner } = request;
  const query = documentOwner === undefined ? '' : `?documentOwner=${encoded(documentOwner)}`;
  return {
    operation: 'remove',
    method: 'DELETE',
    path: `/delete-document/${encoded(docId)}${query}`,
    docId,
    content: { kind: 'none' },
    fault: faultOfDocId(docId),
    ...(owner === 'always' && documentOwner === undefined
      ? { signedBy: (username) => removeCall({ docId, documentOwner: username }, owner) }
      : {}),
  };
}

/** Interface 4.6. */
export function bulkModifyCall(request: BulkModifyRequest): Call {
  return {
    operation: 'bulkModify',
    method: 'PATCH',
    path: '/bulk/modify/metadata',
    docId: null,
    content: { kind: 'json', value: request },
    fault: faultOf(bulkModifySchema, request),
  };
}

/** Interface 4.7. `owner` as for a single one. */
export function bulkRemoveCall(
  request: Parameters<ServicePort['bulkRemove']>[0],
  owner: DocumentOwner,
): Call {
  return {
    operation: 'bulkRemove',
    method: 'DELETE',
    path: '/bulk/delete',
    docId: null,
    content: { kind: 'json', value: request },
    fault: faultOf(bulkRemoveSchema, request),
    ...(owner === 'always' && request.documentOwner === undefined
      ? { signedBy: (username) => bulkRemoveCall({ ...request, documentOwner: username }, owner) }
      : {}),
  };
}

function faultOf(schema: z.ZodType, value: unknown): string | null {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue === undefined ? null : `${issue.path.join('.') || 'request'}: ${issue.message}`;
}

function faultOfAttachments(attachments: readonly OutgoingFile[]): string | null {
  return attachments.length > maxAttachments ? `attachments: more than ${maxAttachments}` : null;
}

function faultOfDocId(docId: string): string | null {
  return isUsableDocId(docId) ? null : 'docId: cannot be part of a URL';
}

/** For an address. Half a surrogate pair, which JSON can carry, would make `encodeURIComponent` throw. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
