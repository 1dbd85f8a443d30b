import { extensionOf } from '../../model/names-and-types.ts';

/** Reads so many bytes of a file from a place in it; fewer where it ends before. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>;

/** Of the end of a file no more is read: an end record of a ZIP file with a longer comment is not found. */
const tailBytes = 60 * 1024;
/** A header of an OLE2 file is as long as its first sector, of 4,096 bytes at most. */
const headBytes = 4096;
/** Tables of an OLE2 file are read in all of so many sectors at most: a file of 800 MB has fewer. */
const mostSectorReads = 128;

const zipTypes: readonly string[] = ['docx', 'xlsx', 'pptx', 'xlsm', 'xlsb', 'ods'];
const oleTypes: readonly string[] = ['doc', 'xls', 'ppt', 'msg'];

const pdfMark = Buffer.from('%PDF-');
const zipMark = Buffer.from('PK\x03\x04');
const oleMark = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Whether a file of this name has a format that says where it ends. */
export function tellsItsEnd(name: string): boolean {
  const type = extensionOf(name);
  return type === 'pdf' || zipTypes.includes(type) || oleTypes.includes(type);
}

/**
 * Says what a file lacks by its own format: contract 7.36. It is for the types of `tellsItsEnd`, which hold no file without
 * bytes. Null: it is whole, or does not begin as its type does. Rejects as `read` does.
 */
export async function missingPart(name: string, size: number, read: ReadAt): Promise<string | null> {
  const type = extensionOf(name);
  const head = await read(0, Math.min(size, headBytes));
  if (isEmpty(head.subarray(0, 8))) return 'a file that begins with zero bytes';
  const begins = (mark: Buffer) => head.subarray(0, mark.length).equals(mark);
  const file = `${/^[mox]/.test(type) ? 'an' : 'a'} ${type.toUpperCase()} file`;
  if (type === 'pdf') {
    if (!begins(pdfMark)) return null;
    const tail = await read(Math.max(0, size - 1024), Math.min(size, 1024));
    return tail.includes('%%EOF') && size >= statedLength(head) ? null : 'a PDF file without its end';
  }
  if (zipTypes.includes(type) && begins(zipMark)) {
    const length = Math.min(size, tailBytes);
    const isWhole = hasZipEnd(await read(size - length, length), size);
    return isWhole ? null : `${file} without its end`;
  }
  if (!begins(oleMark)) return null;
  return (await hasAllSectors(head, size, read)) ? null : `${file} that is shorter than its tables say`;
}

function isEmpty(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

/** A linearised PDF says at its beginning how long it is, and has an end mark behind its first page too. 0: nothing is said. */
function statedLength(head: Buffer): number {
  const [, length = '0'] =
    /\/Linearized\b[^>]*\/L (\d+)/.exec(head.subarray(0, 1024).toString('latin1')) ?? [];
  return Number(length);
}

const endMark = Buffer.from('PK\x05\x06');
const endBytes = 22;
const locatorMark = Buffer.from('PK\x06\x07');
const locatorBytes = 20;
const end64Mark = Buffer.from('PK\x06\x06');
const end64Bytes = 56;

/** Whether a ZIP file ends with a record, and a comment, that fit where they stand. `tail`: its last bytes. */
function hasZipEnd(tail: Buffer, size: number): boolean {
  const before = size - tail.length;
  for (let at = tail.lastIndexOf(endMark); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(endMark, at - 1)) {
    if (at + endBytes > tail.length) continue;
    const commentBytes = tail.readUInt16LE(at + 20);
    if (at + endBytes + commentBytes !== tail.length) continue;
    const directoryEnd = tail.readUInt32LE(at + 12) + tail.readUInt32LE(at + 16);
    const hasLargeFields =
      tail.readUInt32LE(at + 12) === 0xffffffff || tail.readUInt32LE(at + 16) === 0xffffffff;
    // What stands before the first entry is not counted by all who write such files.
    if (hasLargeFields ? hasZip64End(tail, at, before) : directoryEnd <= before + at) return true;
  }
  return false;
}

/** The larger record, and the locator that leads to it, stand right before the end record at `end`. */
function hasZip64End(tail: Buffer, end: number, before: number): boolean {
  const locator = end - locatorBytes;
  const record = locator - end64Bytes;
  if (record < 0 || !tail.subarray(locator).subarray(0, 4).equals(locatorMark)) return false;
  if (!tail.subarray(record).subarray(0, 4).equals(end64Mark)) return false;
  const directoryEnd = tail.readBigUInt64LE(record + 40) + tail.readBigUInt64LE(record + 48);
  return directoryEnd <= BigInt(before + record);
}

/** Sector numbers above this one have meanings of their own: free, end of a chain, a table. */
const lastSector = 0xfffffffa;
/** What stands for sectors that are not in use: free, or, as some programs write it, the end of a chain. */
const unused: readonly number[] = [0xffffffff, 0xfffffffe];
/** So many numbers of tables stand in the header. */
const headerTables = 109;

/**
 * Whether an OLE2 file is as long as its tables say: every table lies in it, and so does the last sector that is in use. The
 * last one need not be full.
 */
async function hasAllSectors(head: Buffer, size: number, read: ReadAt): Promise<boolean> {
  if (head.length < 512) return false;
  const shift = head.readUInt16LE(30);
  // No such file: it is sent as it stands.
  if (shift !== 9 && shift !== 12) return true;
  const sectorBytes = 2 ** shift;
  const perSector = sectorBytes / 4;
  const tableCount = head.readUInt32LE(44);
  let reads = 0;
  const begins = (sector: number) => (sector + 1) * sectorBytes;
  const sectorAt = async (sector: number) => {
    reads += 1;
    const found = await read(begins(sector), sectorBytes);
    return found.length === sectorBytes ? found : null;
  };

  const tables: number[] = [];
  const add = (from: Buffer, at: number, count: number) => {
    for (let index = 0; index < count && tables.length < tableCount; index++)
      tables.push(from.readUInt32LE(at + index * 4));
  };
  add(head, 76, headerTables);
  let next = head.readUInt32LE(68);
  while (tables.length < tableCount && next <= lastSector) {
    if (reads >= mostSectorReads) return true;
    const more = await sectorAt(next);
    if (more === null) return false;
    add(more, 0, perSector - 1);
    next = more.readUInt32LE(sectorBytes - 4);
  }
  if (tables.some((sector) => sector <= lastSector && begins(sector) + sectorBytes > size)) return false;
  // The last in use may be free from end to end where the file was made smaller.
  for (let index = tables.length - 1; index >= Math.max(0, tables.length - 4); index--) {
    const table = await sectorAt(tables[index] ?? 0);
    // Its place is there, and its bytes are still to come.
    if (table === null || isEmpty(table)) return false;
    const filler = table.readUInt32LE(sectorBytes - 4);
    for (let entry = perSector - 1; entry >= 0; entry--)
      if (!unused.includes(filler) || table.readUInt32LE(entry * 4) !== filler)
        return begins(index * perSector + entry) < size;
  }
  return true;
}
