import { once } from 'node:events';
import { Transform } from 'node:stream';

import FormData from 'form-data';

import { ContentChangedError } from '../../model/errors.ts';
import { mediaTypeOf } from '../../model/names-and-types.ts';
import type { ContentSource } from '../../model/ports/folder-port.ts';

/** A file that is open and goes out under `name`. */
export interface OpenPart {
  readonly field: 'file' | 'attachments';
  readonly name: string;
  readonly source: ContentSource;
}

/**
 * Builds the form of interface 4.3 and 4.4 for one sending: metadata first, so that it can be refused before 150 MB
 * have gone out, then the files as streams of announced length.
 */
export async function buildMultipart(metadata: string | null, parts: readonly OpenPart[]) {
  const form = new FormData({ maxDataSize: Number.POSITIVE_INFINITY });
  if (metadata !== null) form.append('metadata', metadata);
  for (const { field, name, source } of parts) {
    const options = { filename: name, contentType: mediaTypeOf(name) };
    const stream = source.stream();
    if (source.size > 0) {
      form.append(field, stream, { ...options, knownLength: source.size });
      continue;
    }
    // form-data takes a known length of 0 for an unknown one.
    stream.resume();
    await once(stream, 'end');
    form.append(field, Buffer.alloc(0), options);
  }
  const bytes = form.getLengthSync();
  const stream = exactly(bytes);
  form.on('error', (error: Error) => stream.destroy(error));
  // The sender listens too; an error before that is found in `errored`.
  stream.on('error', () => form.destroy());
  form.pipe(stream);
  const headers: Readonly<Record<string, string>> = form.getHeaders();
  return { headers, body: { stream, bytes } };
}

/**
 * Lets exactly `bytes` through. A byte more would be read as the beginning of another request, a byte less would
 * let the service wait: both are errors, and the connection is cut.
 */
function exactly(bytes: number): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      passed += chunk.length;
      if (passed > bytes) callback(new ContentChangedError('the file grew while it was being sent'));
      else callback(null, chunk);
    },
    flush(callback) {
      if (passed < bytes) callback(new ContentChangedError('the file shrank while it was being sent'));
      else callback();
    },
  });
}
