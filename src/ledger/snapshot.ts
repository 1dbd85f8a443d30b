import { isAscii } from 'node:buffer';
import { crc32 } from 'node:zlib';

import * as z from 'zod';

import { orNull } from '../lib/or-null.ts';
import { countWords } from '../lib/text/amounts.ts';
import { createTimeSlice } from '../lib/time/time-slice.ts';
import { errorMessage } from '../model/errors.ts';
import type { Metadata } from '../model/metadata/metadata.ts';
import type { DirectoryRef } from '../model/ports/ledger-port.ts';
import { damaged, otherVersion, unreadable } from './ledger-errors.ts';
import type { Disk } from './disk-operations.ts';
import { checksumText, LEDGER_VERSION } from './journal/journal-line.ts';
import { readLines } from './journal/read-lines.ts';
import type { Capture, DataFiller } from './records/ledger-data.ts';
import { asNumber, asObject, asText, ShapeError } from './records/shape.ts';
import { changeJson, readChange } from './records/stored-change.ts';
import type { StoredChange } from './records/stored-change.ts';
import { readRecord, recordJson } from './records/stored-record.ts';

/**
 * The snapshot is one JSON object, a line a record, so that it can be written and read piece by piece:
 *
 *     {"ingestd":"ledger","version":3,"generation":7,"sequence":1234,"lines":[
 *     {"kind":"directory","folder":"inbox","path":"reports/2026",      where the records that follow are, and which
 *      "identity":{"ino":4711,"birthtimeMs":1760000000000.25,"dev":65025}},  directory that is, where it is known
 *     {"kind":"fingerprint","number":0,"value":"c0ffee"},              a value that records name by its number
 *     {"kind":"metadata","number":0,"value":{"documentOwner":"jane"}}, another
 *     {"name":"report.pdf","docId":"…", …},                            a record: see `recordJson`
 *     {"kind":"intent", …},                                            anything else, as in the journal
 *     []],"count":5,"crc32":"0a1b2c3d"}
 *
 * The checksum is of all bytes before the last line.
 */
const headSchema = z.object({
  ingestd: z.literal('ledger'),
  version: z.int(),
  generation: z.int().positive(),
  sequence: z.int().nonnegative(),
});

type SnapshotHead = Readonly<z.output<typeof headSchema>>;
type Place = Pick<SnapshotHead, 'generation' | 'sequence'>;

/** How the last line begins, and no other. */
const END_MARK = '[]],';

const NEWLINE = 10;
/** Larger pieces outlive the collection of young garbage, since lines are made in slices of time. */
const PIECE_CHARACTERS = 15 * 1024;

/** Writes what was captured under a temporary name, in slices, and resolves with its size when it is on the medium. */
export async function writeSnapshot(
  disk: Disk,
  path: string,
  { head, capture }: { readonly head: Place; readonly capture: Capture },
): Promise<number> {
  const file = await disk.create(path);
  const slice = createTimeSlice();
  let checksum = 0;
  let position = 0;
  let count = 0;

  async function put(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    checksum = crc32(bytes, checksum);
    await file.write(bytes, position);
    position += bytes.length;
  }

  try {
    let piece = headText(head);
    for (const line of snapshotLines(capture)) {
      piece += `${line},\n`;
      count += 1;
      if (piece.length >= PIECE_CHARACTERS) {
        await put(piece);
        piece = '';
      }
      const pause = slice();
      if (pause !== undefined) await pause;
    }
    await put(piece);
    await put(`${END_MARK}"count":${count},"crc32":"${checksumText(checksum)}"}\n`);
    await file.sync();
    return position;
  } finally {
    await file.close();
  }
}

/** Text of the first line. */
function headText({ generation, sequence }: Place): string {
  const fields = JSON.stringify({ ingestd: 'ledger', version: LEDGER_VERSION, generation, sequence });
  return `${fields.slice(0, -1)},"lines":[\n`;
}

/** The lines of a ledger as it was captured, in order, each as JSON. A shared value comes before its first record. */
function* snapshotLines({ records, changes }: Capture): Generator<string> {
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

/**
 * Reads a snapshot into `filler` and gives what it says about itself (`count`: lines, records and all else); a
 * LedgerDamagedError when it is not whole and right.
 */
export async function readSnapshot(path: string, filler: DataFiller) {
  let head: SnapshotHead | null = null;
  const take = createLineReader(filler);
  let end: ReturnType<typeof parseEnd> = null;
  let checksum = 0;
  let count = 0;
  let bytes = 0;
  try {
    for await (const block of readLines(path)) {
      if (end !== null) throw damaged(path, 'it continues after its end');
      bytes = block.offset + block.bytes.length;
      let rows = block.bytes;
      if (head === null) {
        head = readHead(path, rows);
        const first = rows.indexOf(NEWLINE) + 1;
        checksum = crc32(rows.subarray(0, first));
        rows = rows.subarray(first);
      }
      const endAt = findEnd(rows);
      if (endAt !== -1) {
        end = parseEnd(rows.toString('utf8', endAt));
        if (end === null) throw damaged(path, 'its last line is damaged');
        rows = rows.subarray(0, endAt);
      }
      checksum = crc32(rows, checksum);
      const lines = linesOf(rows);
      for (const line of lines) take(line);
      count += lines.length;
    }
  } catch (error) {
    if (error instanceof ShapeError) throw damaged(path, errorMessage(error), error);
    throw unreadable(path, error);
  }
  if (head === null) throw damaged(path, 'it is empty');
  if (end === null) throw damaged(path, 'its end is missing');
  if (end.crc32 !== checksumText(checksum)) throw damaged(path, 'its checksum is wrong');
  if (end.count !== count) throw damaged(path, `it has ${countWords(count, 'line')} instead of ${end.count}`);
  return { ...head, bytes, count };
}

function readHead(path: string, bytes: Buffer): SnapshotHead {
  const newline = bytes.indexOf(NEWLINE);
  const line = bytes.toString('utf8', 0, Math.max(0, newline));
  const head = orNull(() => headSchema.parse(JSON.parse(`${line.trimEnd()}]}`)));
  if (head === null) throw damaged(path, 'it is not a ledger');
  if (head.version !== LEDGER_VERSION) throw otherVersion(path, head.version);
  return head;
}

const endSchema = z.object({ count: z.int().nonnegative(), crc32: z.string() });

/** What a last line says, or null when it is none. */
function parseEnd(line: string): z.infer<typeof endSchema> | null {
  if (!line.startsWith(END_MARK)) return null;
  return orNull(() => endSchema.parse(JSON.parse(`{${line.slice(END_MARK.length)}`)));
}

/** Where the last line begins in these bytes, or -1. No text in JSON holds a raw line break. */
function findEnd(bytes: Buffer): number {
  if (bytes.subarray(0, END_MARK.length).toString('latin1') === END_MARK) return 0;
  const found = bytes.indexOf(`\n${END_MARK}`);
  return found === -1 ? -1 : found + 1;
}

/** Many lines at one stroke: `[...],\n[...],\n` is a list but for its brackets and something behind the last comma. */
function linesOf(bytes: Buffer): readonly unknown[] {
  // Most lines are ASCII, which is latin1 too, and that takes no decoding.
  const text = bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
  try {
    const lines = JSON.parse(`[${text}0]`) as unknown[];
    lines.pop();
    return lines;
  } catch (error) {
    throw new ShapeError('its lines are not JSON', { cause: error });
  }
}

/** Takes the lines of a snapshot, in order; a ShapeError where one is not right. */
function createLineReader(filler: DataFiller): (line: unknown) => void {
  const { shared } = filler;
  const fingerprints = new Map<unknown, string>();
  const metadata = new Map<unknown, Metadata>();
  const numbered = {
    ...shared,
    fingerprint: (number: unknown) => referred(fingerprints.get(number)),
    metadata: (number: unknown) => referred(metadata.get(number)),
  };
  let place: DirectoryRef | null = null;
  /** Said of the directory when its first record is there. */
  let which: StoredChange | null = null;

  return (line) => {
    const fields = asObject(line, 'a line');
    switch (fields['kind']) {
      case undefined: {
        const { folder, path } = referred(place);
        filler.put(folder, path, readRecord(fields, asText(fields['name'], 'name'), numbered));
        if (which !== null) filler.change(which);
        which = null;
        return;
      }
      case 'directory':
        place = { folder: asText(fields['folder'], 'folder'), path: asText(fields['path'], 'path') };
        which = fields['identity'] === undefined ? null : readChange(line, shared);
        return;
      case 'fingerprint':
        fingerprints.set(asNumber(fields['number'], 'number'), shared.fingerprint(fields['value']));
        return;
      case 'metadata':
        metadata.set(asNumber(fields['number'], 'number'), shared.metadata(fields['value']));
        return;
      default:
        filler.change(readChange(line, shared));
    }
  };
}

function referred<T>(found: T | null | undefined): T {
  if (found === null || found === undefined)
    throw new ShapeError('a record comes before something it refers to');
  return found;
}
