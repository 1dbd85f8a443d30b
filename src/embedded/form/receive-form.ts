import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sizeWords } from '../../lib/text/amounts.ts';
import { RefusalError } from '../http/answers.ts';
import { essenceOf, readBytes, utf8Of } from '../http/read-request.ts';
import type { FileRecord } from '../documents/document-store.ts';
import { readParts } from './read-parts.ts';
import type { Disposition } from './read-parts.ts';

const maxAttachments = 10;
const maxMetadataBytes = 256 * 1024;
/** Boundaries and part headers of a form that is full. */
const maxOverheadBytes = 1024 * 1024;
/** Interface 4.8. */
const supportedExtensions: ReadonlySet<string> = new Set(
  'pdf html htm txt doc docx xls xlsx ppt pptx msg eml csv xlsb xlsm one tsv ods'.split(' '),
);
const maxNameCharacters = 255;

/** The parts of an upload or modify, interface 4.3 and 4.4; the bytes of its files are durable, their names not yet. */
export interface ReceivedForm {
  readonly file: FileRecord | null;
  readonly attachments: readonly FileRecord[];
  readonly metadata: string | null;
}

interface FormRules {
  /** The directory for the bytes of files. */
  readonly content: string;
  readonly maxFileBytes: number;
}

/**
 * Streams a form to disk and hands it to `use`, which owns the files from then on; where it or the form fails they are
 * removed. Throws RefusalError 400, 413, 415, 422.
 */
export async function receiveForm<T>(
  request: IncomingMessage,
  { content: directory, maxFileBytes }: FormRules,
  use: (form: ReceivedForm) => Promise<T>,
): Promise<T> {
  const boundary = boundaryOf(request.headers['content-type']);
  const maxBytes = maxFileBytes * (1 + maxAttachments) + maxMetadataBytes + maxOverheadBytes;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw new RefusalError(413, `the request is larger than ${sizeWords(maxBytes)}`);
  }
  const files: FileRecord[] = [];
  let file: FileRecord | null = null;
  let metadata: string | null = null;
  const attachments: FileRecord[] = [];
  const once = (name: string, earlier: unknown) => {
    if (earlier !== null) throw new RefusalError(400, `the form has more than one part ${name}`);
  };
  const store = async ({ name, fileName }: Disposition, content: Readable): Promise<FileRecord> => {
    if (fileName === null) throw new RefusalError(400, `the part ${name} has no file name`);
    checkFileName(fileName);
    const stored = await storeFile(content, directory, fileName, maxFileBytes);
    files.push(stored);
    return stored;
  };

  const takePart = async (disposition: Disposition, content: Readable): Promise<void> => {
    switch (disposition.name) {
      case 'file':
        once('file', file);
        file = await store(disposition, content);
        return;
      case 'attachments':
        if (attachments.length === maxAttachments) {
          throw new RefusalError(422, `a document has at most ${maxAttachments} attachments`);
        }
        attachments.push(await store(disposition, content));
        return;
      case 'metadata':
        once('metadata', metadata);
        if (disposition.fileName !== null) throw new RefusalError(400, 'metadata is a string, not a file');
        metadata = utf8Of(await readBytes(content, 'metadata', maxMetadataBytes), 'metadata');
        return;
      default:
        throw new RefusalError(
          400,
          `the form has an unknown part ${JSON.stringify(disposition.name.slice(0, 40))}`,
        );
    }
  };
  try {
    await readParts(request, { boundary, maxBytes }, takePart);
    return await use({ file, attachments, metadata });
  } catch (error) {
    for (const { blob } of files) await rm(join(directory, blob), { force: true });
    throw error;
  }
}

/** Streams one file to disk, hashed on its way. Throws RefusalError 413 past `maxBytes`, and then nothing is left of it. */
async function storeFile(
  content: Readable,
  directory: string,
  name: string,
  maxBytes: number,
): Promise<FileRecord> {
  const blob = randomUUID();
  const path = join(directory, blob);
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(content, async (chunks: AsyncIterable<Buffer>) => {
      for await (const bytes of chunks) {
        size += bytes.length;
        if (size > maxBytes) {
          const limit = sizeWords(maxBytes);
          throw new RefusalError(413, `the file ${JSON.stringify(name)} is larger than ${limit}`);
        }
        hash.update(bytes);
        await file.appendFile(bytes);
      }
    });
    await file.datasync();
    return { blob, name, size, sha256: hash.digest('hex') };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** RFC 2046: one to seventy characters. */
function boundaryOf(contentType: string | undefined): string {
  if (essenceOf(contentType) !== 'multipart/form-data') {
    throw new RefusalError(415, 'the body must be multipart/form-data');
  }
  const match = /;[ \t]*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))[ \t]*(?:;|$)/i.exec(contentType ?? '');
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw new RefusalError(400, 'the Content-Type header names no boundary');
  return boundary;
}

/** Checks the name of an uploaded file, interface section 8. Throws RefusalError: 415 for its type, 422 for the rest. */
function checkFileName(name: string): void {
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  if (/[/\\]/.test(name)) {
    throw new RefusalError(422, `the file name ${shown} contains a forward slash or a backslash`);
  }
  if (Array.from(name).length > maxNameCharacters) {
    throw new RefusalError(422, `the file name ${shown} is longer than ${maxNameCharacters} characters`);
  }
  const [stem, extension, ...more] = name.split('.');
  if (extension === undefined || more.length > 0) {
    throw new RefusalError(422, `the file name ${shown} must contain one dot, not more or less`);
  }
  if (stem === '') throw new RefusalError(422, `the file name ${shown} has nothing before its dot`);
  if (!supportedExtensions.has(extension.toLowerCase())) {
    throw new RefusalError(415, `the file type of ${shown} is not supported`);
  }
}
