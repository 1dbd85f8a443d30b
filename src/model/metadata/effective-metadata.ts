import type { FolderSettings } from '../settings.ts';
import { stemOf } from '../names-and-types.ts';
import type { Metadata } from './metadata.ts';

/** What decides a document's metadata besides the layers. */
interface EffectiveMetadataInput extends Pick<FolderSettings, 'title' | 'createdTimestamp'> {
  /** Highest precedence first: sidecar, nearest `.meta.json`, outer ones, the folder's defaults. */
  readonly layers: readonly Metadata[];
  /** The name on disk, before any rewriting. */
  readonly fileName: string;
  readonly mtimeMs: number;
}

/**
 * Works out what should be true of a document: field by field the first layer that has it,
 * then title and createdTimestamp as the folder's settings say.
 */
export function effectiveMetadata(input: EffectiveMetadataInput): Metadata {
  const { layers, fileName, mtimeMs } = input;
  const title = input.title === 'fileStem' ? stemOf(fileName.normalize('NFC')) : undefined;
  const createdTimestamp = input.createdTimestamp === 'modified' ? timestampOf(mtimeMs) : undefined;
  const merged: Record<string, unknown> = {};
  for (const layer of [...layers, { title, createdTimestamp }]) {
    for (const [field, value] of Object.entries(layer)) {
      if (value !== undefined && merged[field] === undefined) merged[field] = value;
    }
  }
  return merged;
}

/** The shape of interface 2.2, in whole seconds; undefined for what no four-digit year can name. */
export function timestampOf(timeMs: number): string | undefined {
  const at = new Date(Math.floor(timeMs));
  if (Number.isNaN(at.getTime())) return undefined;
  const text = at.toISOString();
  return text.length === 24 ? `${text.slice(0, 19)}Z` : undefined;
}
