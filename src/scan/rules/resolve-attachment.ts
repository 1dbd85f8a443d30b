/** Where an attachment's path in a sidecar leads. */
export type AttachmentPlace =
  | { readonly kind: 'inside'; readonly path: string }
  /** It leads out of the folder. */
  | { readonly kind: 'outside' }
  /** It leads out of the document's directory, and the folder's `attachments: below` does not allow that. */
  | { readonly kind: 'beyond' };

/** Resolves a path of a sidecar's `attachments` against the document's directory. NFC; nothing is read. */
export function resolveAttachment(
  directory: string,
  text: string,
  reach: 'below' | 'folder',
): AttachmentPlace {
  if (text.startsWith('/') || text.includes('\0')) return { kind: 'outside' };
  const names = directory === '' ? [] : directory.split('/');
  for (const name of text.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return { kind: 'outside' };
  }
  if (names.length === 0) return { kind: 'outside' };
  const path = names.join('/');
  const below = directory === '' || path.startsWith(`${directory}/`);
  return reach === 'folder' || below ? { kind: 'inside', path } : { kind: 'beyond' };
}
