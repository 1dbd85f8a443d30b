import * as z from 'zod';

import { checksumText, LEDGER_VERSION } from './journal-line.ts';

/**
 * The snapshot is one JSON object, a line a row, so that it can be written and read piece by piece:
 *
 *     {"ingestd":"ledger","version":1,"generation":7,"sequence":1234,"lines":[
 *     [1,0,"context"],                                   a text that rows name by its number
 *     [2,0,{"documentOwner":"jane"}],                    metadata that rows name by its number
 *     [3,"inbox","reports/2026"],                        the directory of the rows that follow
 *     [0,"report.pdf",0,0,"docId","sha256", ...],        a record: name, context, metadata, cells
 *     {"kind":"intent", ...},                            anything else, as in the journal
 *     []],"count":5,"crc32":"0a1b2c3d"}
 *
 * The checksum is of all bytes before the last line.
 */
export const lineTags = { record: 0, context: 1, shared: 2, directory: 3 } as const;

/** How the last line begins, and no other. */
export const END_MARK = '[]],';

const headSchema = z.object({
  ingestd: z.literal('ledger'),
  version: z.int(),
  generation: z.int().positive(),
  sequence: z.int().nonnegative(),
});
const endSchema = z.object({ count: z.int().nonnegative(), crc32: z.string() });

/** What the first line says. */
export type SnapshotHead = Omit<z.infer<typeof headSchema>, 'ingestd'>;

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
