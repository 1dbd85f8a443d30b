import { crc32 } from 'node:zlib';

import * as z from 'zod';

import { asNumber, asShape, ShapeError } from '../records/shape.ts';

/**
 * The version of both files. It rises by one with whatever a reader of the version before would stumble over or pass
 * over: a new kind of change or line, a new field. A file of a higher version is left alone and said to be a newer
 * ingestd's, however little of it is new: what a reader does not know it must neither call damage nor drop. No release
 * has written a lower one.
 */
export const LEDGER_VERSION = 3;

const CHECKSUM_LENGTH = 8;
const headerSchema = z.object({
  journal: z.literal('ingestd'),
  version: z.number(),
  generation: z.number(),
  sequence: z.number(),
});
const sealSchema = z.strictObject({ sealed: z.number() });

/** One line of a journal. */
export type JournalLine =
  /** The first: the journal goes on from the snapshot of its generation, whose last group was `sequence`. */
  | {
      readonly kind: 'header';
      readonly version: number;
      readonly generation: number;
      readonly sequence: number;
    }
  /** Changes that became durable together; a big group has several lines, `last` is true on the last of them. */
  | {
      readonly kind: 'group';
      readonly sequence: number;
      readonly last: boolean;
      readonly changes: readonly unknown[];
    }
  /** The end: what comes after the group `sequence` is in the journal of the next generation. */
  | { readonly kind: 'seal'; readonly sequence: number };

/** Text of the first line. */
export function headerLine({ generation, sequence }: { generation: number; sequence: number }): string {
  return sealedText(JSON.stringify({ journal: 'ingestd', version: LEDGER_VERSION, generation, sequence }));
}

/** Text of a line of changes, each given as JSON. */
export function groupLine(sequence: number, last: boolean, changes: readonly string[]): string {
  return sealedText(`[${[String(sequence), last ? '1' : '0', ...changes].join(',')}]`);
}

/** Text of the last line. */
export function sealLine(sequence: number): string {
  return sealedText(JSON.stringify({ sealed: sequence }));
}

/** Checksum as it stands in the files: eight hex digits of CRC-32. */
export function checksumText(checksum: number): string {
  return checksum.toString(16).padStart(CHECKSUM_LENGTH, '0');
}

/** The JSON of a line without its newline; null: the checksum is wrong. `line` is valid as long as its buffer is. */
export function checkedJson(line: Buffer): string | null {
  if (line.length <= CHECKSUM_LENGTH + 1) return null;
  const json = line.subarray(CHECKSUM_LENGTH + 1);
  if (line.toString('latin1', 0, CHECKSUM_LENGTH + 1) !== `${checksumText(crc32(json))} `) return null;
  return json.toString('utf8');
}

/** What a line says whose checksum was right, or a ShapeError. */
export function parseLine(json: string): JournalLine {
  const value: unknown = parse(json);
  if (Array.isArray(value)) {
    const [sequence, last, ...changes] = value as readonly unknown[];
    return { kind: 'group', sequence: asNumber(sequence, 'its number'), last: last === 1, changes };
  }
  const seal = sealSchema.safeParse(value);
  if (seal.success) return { kind: 'seal', sequence: seal.data.sealed };
  const { version, generation, sequence } = asShape(headerSchema, value, 'a line');
  return { kind: 'header', version, generation, sequence };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ShapeError('a line is not JSON', { cause: error });
  }
}

function sealedText(json: string): string {
  return `${checksumText(crc32(json))} ${json}\n`;
}
