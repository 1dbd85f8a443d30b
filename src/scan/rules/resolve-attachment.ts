/** Where an attachment's path in a sidecar leads. */
export type AttachmentPlace =
  { readonly kind: 'inside'; readonly path: string } | { readonly kind: 'outside' };

/** Resolves a path of a sidecar's `attachments` against the document's directory. NFC; nothing is read. */
export function resolveAttachment(directory: string, text: string): AttachmentPlace {
  if (text.startsWith('/') || text.includes('\0')) return { kind: 'outside' };
  const names = directory === '' ? [] : directory.split('/');
  for (const name of text.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return { kind: 'outside' };
  }
  return names.length === 0 ? { kind: 'outside' } : { kind: 'inside', path: names.join('/') };
}
