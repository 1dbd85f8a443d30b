import { directoryOf } from '../../model/document.ts';
import type { Ground } from '../ground.ts';
import type { DirectoryState } from './directory-state.ts';

/** What is known of a directory that could not be read when it was found: nothing but what holds above it. */
export function unreadDirectory(ground: Ground, directory: string, message: string): DirectoryState {
  const { tree } = ground;
  const above = tree.get(directoryOf(directory));
  return {
    raw: tree.rawPath(directory),
    dev: 0,
    ino: 0,
    links: 0,
    signature: 0,
    rules: above?.rules ?? ground.rules,
    rulesKey: '',
    defaultsKey: '',
    context: above?.context ?? ground.context,
    children: new Set(),
    attachmentDirectories: [],
    attached: 0,
    linkedFrom: [],
    rawNames: null,
    twins: null,
    lists: null,
    stemSidecars: null,
    polled: above?.polled ?? false,
    unwatched: false,
    unreadable: message,
  };
}
