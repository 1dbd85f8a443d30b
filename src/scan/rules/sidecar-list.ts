import { decodeText } from '../../lib/decode-text.ts';
import { readJson } from '../../lib/json-text.ts';
import { readSmallFile } from '../../lib/read-small-file.ts';

/** No key can be spelled without one of the two. */
const spellings = ['"attachments"', '\\u'];

/**
 * The attachment paths that a sidecar lists, whatever else is in it; null when it cannot be read or is no JSON: what
 * it listed before is then the best that is known. Cheap for sidecars that list none.
 */
export function readSidecarList(absolute: string): readonly string[] | null {
  try {
    const file = readSmallFile(absolute);
    if (file === null) return null;
    if (!spellings.some((spelling) => file.bytes.includes(spelling))) return [];
    const text = decodeText(file.bytes);
    const json = text.kind === 'valid' ? readJson(text.text) : text;
    return json.kind === 'valid' ? listIn(json.value) : null;
  } catch {
    return null;
  }
}

function listIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || !('attachments' in value)) return [];
  if (!Array.isArray(value.attachments)) return [];
  return value.attachments.filter((item): item is string => typeof item === 'string');
}
