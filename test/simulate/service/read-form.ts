/** A file in a multipart form. */
export interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly text: string;
}

/** Reads a form as ingestd writes it. */
export function readForm(
  contentType: string,
  body: Buffer,
): { readonly metadata: unknown; readonly files: readonly FormFile[] } {
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1] ?? '';
  const files: FormFile[] = [];
  let metadata: unknown = null;
  for (const part of body.toString('utf8').split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n');
    const head = part.slice(0, end);
    const text = part.slice(end + 4, -2);
    const field = / name="([^"]*)"/.exec(head)?.[1] ?? '';
    if (field === 'metadata') metadata = JSON.parse(text);
    else files.push({ field, name: /filename="([^"]*)"/.exec(head)?.[1] ?? '', text });
  }
  return { metadata, files };
}
