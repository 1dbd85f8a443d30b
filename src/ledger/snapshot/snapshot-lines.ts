import * as z from 'zod';

import type { Metadata } from '../../model/metadata/metadata.ts';
import type { DirectoryRef } from '../../model/ports/ledger-port.ts';
import { readChange } from '../format/change-format.ts';
import type { StoredChange } from '../format/change-format.ts';
import type { DataFiller } from '../format/data-filler.ts';
import { createOldLineReader } from '../format/old-format.ts';
import { checkMetadata, readCompanions, readRecord, recordJson } from '../format/record-format.ts';
import { asNumber, asObject, asText, ShapeError } from '../format/shape.ts';
import { changeJson } from '../format/change-format.ts';
import { checksumText, LAST_UNNAMED_VERSION, LEDGER_VERSION } from '../journal/journal-line.ts';
import type { Capture } from '../records/ledger-data.ts';

/**
 * The snapshot is one JSON object, a line a record, so that it can be written and read piece by piece:
 *
 *     {"ingestd":"ledger","version":3,"generation":7,"sequence":1234,"lines":[
 *     {"kind":"directory","folder":"inbox","path":"reports/2026",      where the records that follow are, and which
 *      "identity":{"ino":4711,"birthtimeMs":1760000000000.25,"dev":65025}},  directory that is, where it is known
 *     {"kind":"fingerprint","number":0,"value":"c0ffee"},              a value that records name by its number
 *     {"kind":"metadata","number":0,"value":{"documentOwner":"jane"}}, another
 *     {"name":"report.pdf","docId":"…", …},                            a record: see `RecordFields`
 *     {"kind":"intent", …},                                            anything else, as in the journal
 *     []],"count":5,"crc32":"0a1b2c3d"}
 *
 * The checksum is of all bytes before the last line. Versions 1 and 2 had the same frame and other lines.
 */
export interface SnapshotHead {
  readonly version: number;
  readonly generation: number;
  readonly sequence: number;
}

/** How the last line begins, and no other. */
export const END_MARK = '[]],';

const headSchema = z.object({
  ingestd: z.literal('ledger'),
  version: z.int(),
  generation: z.int().positive(),
  sequence: z.int().nonnegative(),
});
const endSchema = z.object({ count: z.int().nonnegative(), crc32: z.string() });

/** Text of the first line. */
export function headText({ generation, sequence }: Omit<SnapshotHead, 'version'>): string {
  const fields = JSON.stringify({ ingestd: 'ledger', version: LEDGER_VERSION, generation, sequence });
  return `${fields.slice(0, -1)},"lines":[\n`;
}

/** Text of the last line. */
export function endText(count: number, checksum: number): string {
  return `${END_MARK}"count":${count},"crc32":"${checksumText(checksum)}"}\n`;
}

/** What a first line says, or null when it is none. */
export function parseHead(line: string): SnapshotHead | null {
  return parseWith(headSchema, `${line.trimEnd()}]}`);
}

/** What a last line says, or null when it is none. */
export function parseEnd(line: string): z.infer<typeof endSchema> | null {
  if (!line.startsWith(END_MARK)) return null;
  return parseWith(endSchema, `{${line.slice(END_MARK.length)}`);
}

function parseWith<T>(schema: z.ZodType<T>, json: string): T | null {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/** The lines of a ledger as it was captured, in order, each as JSON. A shared value comes before its first record. */
export function* snapshotLines({ records, changes }: Capture): Generator<string> {
  const numbers = { fingerprint: new Map<string, number>(), metadata: new Map<Metadata, number>() };
  let directory: unknown = null;
  for (const record of records) {
    if (record.directory !== null && record.directory !== directory) {
      directory = record.directory;
      const { folder, path, identity } = record.directory;
      yield JSON.stringify({ kind: 'directory', folder, path, identity: identity ?? undefined });
    }
    for (const kind of ['fingerprint', 'metadata'] as const) {
      const known: Map<unknown, number> = numbers[kind];
      const value = record[kind];
      if (known.has(value)) continue;
      yield JSON.stringify({ kind, number: known.size, value });
      known.set(value, known.size);
    }
    const fingerprint = numbers.fingerprint.get(record.fingerprint) as number;
    const metadata = numbers.metadata.get(record.metadata) as number;
    yield recordJson(record, { name: record.name }, { fingerprint, metadata });
  }
  for (const change of changes) yield changeJson(change);
}

/** Takes the lines of a snapshot of this version or an older one, in order; a ShapeError where one is not right. */
export function createLineReader(version: number, filler: DataFiller): (line: unknown) => void {
  return version <= LAST_UNNAMED_VERSION ? createOldLineReader(filler) : createNamedLineReader(filler);
}

function createNamedLineReader(filler: DataFiller): (line: unknown) => void {
  const { shared } = filler;
  const fingerprints = new Map<unknown, string>();
  const metadata = new Map<unknown, Metadata>();
  let place: DirectoryRef | null = null;
  /** Said of the directory when its first record is there. */
  let which: StoredChange | null = null;

  return (line) => {
    const fields = asObject(line, 'a line');
    switch (fields['kind']) {
      case undefined: {
        const name = asText(fields['name'], 'name');
        const fingerprint = fingerprints.get(fields['fingerprint']);
        const values = metadata.get(fields['metadata']);
        if (place === null || fingerprint === undefined || values === undefined) {
          throw new ShapeError('a record comes before something it refers to');
        }
        const companions = readCompanions(fields['companions'], shared);
        const record = readRecord(fields, { name, fingerprint, metadata: values, companions });
        filler.put(place.folder, place.path, record);
        if (which !== null) filler.change(which);
        which = null;
        return;
      }
      case 'directory':
        place = { folder: asText(fields['folder'], 'folder'), path: asText(fields['path'], 'path') };
        which = fields['identity'] === undefined ? null : readChange(line, shared);
        return;
      case 'fingerprint':
        fingerprints.set(
          asNumber(fields['number'], 'number'),
          shared.text(asText(fields['value'], 'fingerprint')),
        );
        return;
      case 'metadata':
        metadata.set(asNumber(fields['number'], 'number'), shared.metadata(fields['value'], checkMetadata));
        return;
      default:
        filler.change(readChange(line, shared));
    }
  };
}
