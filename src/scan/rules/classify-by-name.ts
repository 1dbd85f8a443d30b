import { directoriesTo, directoryOf, isAtOrBelow, nameOf } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyEntry } from './classify.ts';
import type { EntryFacts, FolderRules } from './classify.ts';
import type { PlacedRules } from './ignore-patterns.ts';

/**
 * Classifies a path by names and rules alone, whether anything is there or not: each directory on the way, then the
 * last name as that of a file, or of what stands there. What a rule leaves out is neither sent nor deleted. `read`: rules
 * of a directory that its scan has not written down yet.
 */
export function classifyByName(
  folder: Pick<FolderState, 'tree' | 'rules' | 'attachmentLists'> & FolderRules,
  path: string,
  {
    kind = 'file',
    twin = null,
    isMisspelled = (name) => folder.tree.get(directoryOf(path))?.unfit?.has(name) === true,
    read,
  }: Partial<Pick<EntryFacts, 'kind' | 'twin' | 'isMisspelled'>> & {
    readonly read?: { readonly directory: string; readonly rules: readonly PlacedRules[] };
  } = {},
): ReturnType<typeof classifyEntry> {
  const rulesOf = (directory: string) => {
    const known = folder.tree.get(directory)?.rules;
    if (read === undefined || !isAtOrBelow(directory, read.directory)) return known;
    if (directory === read.directory) return read.rules;
    const isBelow = (placed: PlacedRules) => placed.directory.length > read.directory.length;
    return known === undefined ? undefined : [...read.rules, ...known.filter(isBelow)];
  };
  // Those of the nearest directory that is known.
  let rules = rulesOf('') ?? folder.rules;
  const classify = (at: string, facts: Pick<EntryFacts, 'kind' | 'twin'>) =>
    classifyEntry({ directory: directoryOf(at), name: nameOf(at), rules, isMisspelled, ...facts }, folder);
  let owner: string | undefined;
  for (const directory of directoriesTo(path)) {
    const found = classify(directory, { kind: 'directory', twin: null });
    if (found.kind === 'attachments-directory') owner ??= found.owner;
    else if (found.kind !== 'directory') return found;
    rules = rulesOf(directory) ?? rules;
  }
  const found = classify(path, { kind, twin });
  if (owner === undefined || found.kind === 'ignored') return found;
  const [listing = owner] = folder.attachmentLists.ownersOf(path);
  return { kind: 'attachment', owner: listing };
}
