import type { Metadata } from '../model/metadata/metadata.ts';
import type {
  BulkModifyRequest,
  ModifyRequest,
  OutgoingFile,
  ServicePort,
  UploadRequest,
} from '../model/ports/service-port.ts';
import type { ServiceSettings } from '../model/settings.ts';
import type { HttpRequest } from './http/send-http-request.ts';

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
  };
}

/** Interface 4.4. */
export function modifyCall({ docId, file, attachments, metadata }: ModifyRequest): Call {
  return {
    operation: 'modify',
    method: 'PUT',
    path: `/modify-document/${encoded(docId)}`,
    docId,
    content: { kind: 'form', metadata, file, attachments: attachments ?? [] },
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
    ...(owner === 'always' && request.documentOwner === undefined
      ? { signedBy: (username) => bulkRemoveCall({ ...request, documentOwner: username }, owner) }
      : {}),
  };
}

/** For an address. Half a surrogate pair, which JSON can carry, would make `encodeURIComponent` throw. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
