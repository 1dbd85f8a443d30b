import { createHash } from 'node:crypto';

import type { FolderSettings } from '../../model/settings.ts';
import type { PairedSidecar } from './relate.ts';

/** What stands beside a document and decides what is sent, by its stats alone. */
interface CompanionKeys {
  readonly sidecar: { readonly kind: PairedSidecar['kind']; readonly key: string } | null;
  /** Files of its `.attachments` directory, then those that its sidecar lists: path and stat, '' where missing. */
  readonly attachments: readonly (readonly [path: string, key: string])[];
}

/** The fingerprint of a folder's plain documents: its settings that decide what is sent. */
export function settingsFingerprint(settings: FolderSettings, maxFileBytes: number): string {
  const { metadata, sidecar, title, createdTimestamp, names, attachments, sidecarOwner } = settings;
  const parts: unknown[] = [metadata, sidecar, title, createdTimestamp, names, maxFileBytes];
  // Left out where they are as they were before they were settings, so that an upgrade changes no fingerprint.
  if (attachments !== 'below' || sidecarOwner !== 'any') parts.push(attachments, sidecarOwner);
  return digest(parts);
}

/** The fingerprint of a directory's plain documents: that of the one above, and its own `.meta.json`. */
export function directoryFingerprint(above: string, defaultsKey: string): string {
  return defaultsKey === '' ? above : digest([above, defaultsKey]);
}

/** The fingerprint of one document. */
export function documentFingerprint(directory: string, { sidecar, attachments }: CompanionKeys): string {
  if (sidecar === null && attachments.length === 0) return directory;
  return digest([directory, sidecar === null ? null : [sidecar.kind, sidecar.key], attachments]);
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}
