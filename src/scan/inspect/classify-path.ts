import { joinPath } from '../../model/document.ts';
import type { FolderState } from '../folder-state.ts';
import { classifyEntry } from '../rules/classify.ts';

/**
 * Classifies a path by names and rules alone, whether anything is there or not: each directory on the way, then the
 * last name as a file's. What a rule leaves out is neither sent nor deleted.
 */
export function classifyPath(
  { tree, rules: outer, include, excluded }: Pick<FolderState, 'tree' | 'rules' | 'include' | 'excluded'>,
  path: string,
): ReturnType<typeof classifyEntry> {
  // Those of the nearest directory that is known.
  let rules = tree.get('')?.rules ?? outer;
  for (const directory of directoriesTo(path)) {
    const facts = {
      path: directory,
      kind: 'directory',
      linked: false,
      twin: false,
      rules,
      include,
      excluded,
    } as const;
    const found = classifyEntry(facts);
    if (found.kind === 'attachments-directory') return { kind: 'attachment', owner: found.owner };
    if (found.kind !== 'directory') return found;
    rules = tree.get(directory)?.rules ?? rules;
  }
  return classifyEntry({ path, kind: 'file', linked: false, twin: false, rules, include, excluded });
}

/** The directories on the way to a path, outermost first, without the root. */
export function directoriesTo(path: string): readonly string[] {
  const directories: string[] = [];
  let directory = '';
  for (const name of path.split('/').slice(0, -1)) {
    directory = joinPath(directory, name);
    directories.push(directory);
  }
  return directories;
}
