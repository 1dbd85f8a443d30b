import type { Stats } from 'node:fs';

import { decodeText } from '../../lib/text/decode-text.ts';
import type { Reading } from '../../lib/text/decode-text.ts';
import { readJson } from '../../lib/text/read-json.ts';
import { createTextCache } from '../../lib/text/text-cache.ts';
import { maxSmallFileBytes, readSmallFile } from '../../lib/files/read-small-file.ts';
import { errorCode } from '../../model/errors.ts';
import { readMetadata, readSidecar } from '../../model/metadata/metadata.ts';
import type { Metadata, Sidecar } from '../../model/metadata/metadata.ts';

/** What a sidecar or a `.meta.json` holds, with the stats of what was read; or why it cannot be used. */
export type SidecarReading<T> =
  | { readonly kind: 'valid'; readonly value: T; readonly stats: Stats }
  | { readonly kind: 'invalid'; readonly message: string }
  /** `code`: the file system's. */
  | { readonly kind: 'unreadable'; readonly code: string | undefined };

/** Of all texts together; parsed they take about twice that. */
const rememberedLength = 4 * 1024 * 1024;

const sidecarOf = createTextCache((text) => readText(text, readSidecar), rememberedLength);
const defaultsOf = createTextCache((text) => readText(text, readMetadata), rememberedLength);

const notPlain = {
  kind: 'invalid',
  message: `it is larger than ${maxSmallFileBytes / 1024} KiB or not a regular file; replace it with one, or remove it`,
} as const;

/** What the bytes of a document's sidecar say. */
export function sidecarIn(bytes: Buffer): Reading<Sidecar> {
  const text = decodeText(bytes);
  return text.kind === 'invalid' ? text : sidecarOf(text.value);
}

/** Reads a document's sidecar. Never throws. */
export function readSidecarFile(absolute: string): SidecarReading<Sidecar> {
  return readJsonFile(absolute, sidecarOf);
}

/** Reads a directory's `.meta.json`. Never throws. */
export function readDefaultsFile(absolute: string): SidecarReading<Metadata> {
  return readJsonFile(absolute, defaultsOf);
}

function readJsonFile<T>(absolute: string, read: (text: string) => Reading<T>): SidecarReading<T> {
  try {
    const file = readSmallFile(absolute);
    if (file === null) return notPlain;
    const text = decodeText(file.bytes);
    if (text.kind === 'invalid') return { kind: 'invalid', message: `it ${text.message}` };
    const reading = read(text.value);
    return reading.kind === 'valid' ? { ...reading, stats: file.stats } : reading;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ELOOP')
      return {
        kind: 'invalid',
        message: 'it is a symbolic link, which is not followed; replace it with the file itself',
      };
    // A socket.
    return code === 'ENXIO' ? notPlain : { kind: 'unreadable', code };
  }
}

function readText<T>(text: string, judge: (value: unknown) => Reading<T>): Reading<T> {
  const json = readJson(text);
  if (json.kind === 'invalid') return { kind: 'invalid', message: `it is not valid JSON: ${json.message}` };
  return judge(json.value);
}
