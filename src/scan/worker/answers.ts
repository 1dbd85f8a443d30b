import { orNull } from '../../lib/or-null.ts';
import type { FileStat } from '../../model/document.ts';
import type { AttachmentQuestion } from '../../model/ports/folder-port.ts';
import { locateOnDisk } from '../folder-state.ts';
import type { FolderState } from '../folder-state.ts';
import { findFiles } from '../inspect/find-files.ts';
import type { Inspector } from '../inspect/inspect.ts';
import { mountsBelow, readRoot } from '../walk/root-identity.ts';
import type { ScanRequest } from '../walk/scan-request.ts';
import type { Scanner } from '../walk/scanner.ts';
import { packInspection } from './packed-inspection.ts';

/** What a worker can be asked. */
export type Answers = ReturnType<typeof createAnswers>;

/** Answers the main thread's questions about a folder, by their kind. What no scan needs is loaded after the first one. */
export function createAnswers(folder: FolderState, scanner: Scanner) {
  let inspector: Promise<Inspector> | null = null;

  /** Its schemas take a while to set up. */
  function loadInspector(): Promise<Inspector> {
    inspector ??= import('../inspect/inspect.ts').then(({ createInspector }) => createInspector(folder));
    return inspector;
  }

  return {
    scan: async (request: ScanRequest) => {
      const outcome = await scanner.scan(request);
      void loadInspector();
      return outcome;
    },
    inspect: async (path: string, sentWith?: readonly string[]) =>
      packInspection(await (await loadInspector())(path, sentWith)),
    attaches: async (question: AttachmentQuestion) => {
      const { attaches } = await import('../inspect/attaches.ts');
      return attaches(folder, question);
    },
    /** SHA-256 of a small file; null: it has to be opened and judged with care. */
    hash: async (path: string, stat: FileStat) => {
      const { hashAtOnce } = await import('../content.ts');
      return hashAtOnce({ absolute: locateOnDisk(folder, path), root: folder.root, stat });
    },
    /** Where a path stands on disk, absolute. Where it cannot be told, opening the path says so. */
    locate: async (path: string) => orNull(() => locateOnDisk(folder, path)) ?? folder.absolute(path),
    find: (files: readonly FileStat[]) => findFiles(folder, files),
    mounts: async () => mountsBelow(folder.root),
    root: async () => readRoot(folder.root),
  };
}
