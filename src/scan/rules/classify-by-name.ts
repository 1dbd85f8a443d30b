import { directoriesTo, directoryOf, nameOf } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyEntry } from './classify.ts';
import type { EntryKind, FolderRules } from './classify.ts';

/**
 * Classifies a path by names and rules alone, whether anything is there or not: each directory on the way, then the
 * last name as a file's. What a rule leaves out is neither sent nor deleted.
 */
export function classifyByName(
  folder: Pick<FolderState, 'tree' | 'rules'> & FolderRules,
  path: string,
): ReturnType<typeof classifyEntry> {
  // Those of the nearest directory that is known.
  let rules = folder.tree.get('')?.rules ?? folder.rules;
  const classify = (at: string, kind: EntryKind) =>
    classifyEntry({ directory: directoryOf(at), name: nameOf(at), kind, twin: null, rules }, folder);
  for (const directory of directoriesTo(path)) {
    const found = classify(directory, 'directory');
    if (found.kind === 'attachments-directory') return { kind: 'attachment', owner: found.owner };
    if (found.kind !== 'directory') return found;
    rules = folder.tree.get(directory)?.rules ?? rules;
  }
  return classify(path, 'file');
}
