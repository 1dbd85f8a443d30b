import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { printable } from '../../lib/printable.ts';
import { attachmentDirectoryEnd, isAttachmentDirectory } from './attachment-directory.ts';
import type { Ground } from '../ground.ts';
import { attachmentOf, ignored } from '../inspect-results.ts';
import type { NoDocument } from '../inspect-results.ts';
import { sidecarEnd } from './pair-sidecars.ts';
import { isTransient } from './transient-names.ts';
import { isIgnored } from '../walk/directory-state.ts';

/**
 * Says by which rule a path is no document, whether it exists or not; null: none. What a rule leaves out is neither
 * sent nor deleted.
 */
export function ruledOut(ground: Ground, path: string): NoDocument | null {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..') || path.includes('\0')) {
    return ignored('outside-folder', 'no path inside the folder');
  }
  let directory = '';
  // Those of the nearest directory that is known.
  let rules = ground.tree.get('')?.rules ?? ground.rules;
  for (const name of names.slice(0, -1)) {
    directory = joinPath(directory, name);
    if (directory === ground.excluded) return ignored('state-directory', 'it lies in the state directory');
    if (name.startsWith('.'))
      return ignored('dot-name', 'directories whose names begin with a dot hold no documents');
    if (isIgnored(rules, directory, true))
      return ignored('ignore-rule', `an ignore rule names ${printable(directory)}`);
    if (isAttachmentDirectory(name)) {
      const owner = directory.slice(0, -attachmentDirectoryEnd.length);
      return attachmentOf(owner, `it lies in ${printable(name)}, among attachments`);
    }
    rules = ground.tree.get(directory)?.rules ?? rules;
  }
  const name = nameOf(path);
  if (name.startsWith('.')) return ignored('dot-name', 'names that begin with a dot are no documents');
  if (isTransient(name)) return ignored('temporary-name', 'programs give such names to temporary files');
  if (name.endsWith(sidecarEnd)) return ignored('sidecar', 'it is a sidecar');
  if (isIgnored(rules, path, false)) return ignored('ignore-rule', 'an ignore rule names it');
  if (!ground.claims.isAttachment(path)) return null;
  const [owner = ''] = ground.claims.ownersOf(path);
  return attachmentOf(owner, `it is an attachment of ${printable(owner)}`);
}

/** The directories on the way to a path, outermost first, without the root. */
export function directoriesTo(path: string): readonly string[] {
  const directory = directoryOf(path);
  return directory === '' ? [] : [...directoriesTo(directory), directory];
}
